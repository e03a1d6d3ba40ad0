"""Details of a test that the tester fills in, and templates for them."""

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec

from app import storage
from app.names import LONGEST_NAME, cleaned_name
from app.session.guided_test.presentation import GuidedTestError, converted, species_name
from app.types import BONA_FIDE

LONGEST_DETAIL = 200
"""Characters in an answer."""
LARGEST_COUNT = 100_000
"""Limit for numbers of people and of instruments."""
MOST_SPECIES = 100
MOST_TEMPLATES = 50
MAX_BYTES = 1 << 20
MAX_TOML_BYTES = 1 << 16
TEMPLATES_NAME = "test-templates.json"
"""File in the personal folder."""

T = TypeVar("T")


@dataclass(frozen=True)
class Detail:
    """A question: its key in files, its label, a hint, and the answers it accepts."""

    key: str
    label: str
    hint: str = ""
    kind: Literal["text", "number"] = "text"
    choices: tuple[str, ...] = ()


DETAILS = (
    Detail("tester", "Tested by", "Who is responsible for the test"),
    Detail("organisation", "Organisation", "Laboratory, company or university"),
    Detail("potential", "Attack potential or level", "For example: level A, or basic"),
    Detail("n_subjects", "Test subjects", "How many people", "number"),
    Detail("consent", "Consent of the subjects", choices=("noted", "not noted")),
    Detail("distance", "Distance to the camera", "For example: 40 to 60 cm"),
    Detail("light", "Light at the face", "In lux, if known: 300 lx"),
)
"""Asked once per test."""

SPECIES_DETAILS = (
    Detail("made", "How it is made"),
    Detail("n_instruments", "Instruments", "How many", "number"),
)
"""Asked for each attack instrument species."""

_MADE = {
    **dict.fromkeys(("print", "photo"), "Printer, paper, resolution"),
    **dict.fromkeys(
        ("phone", "tablet", "replay", "monitor"), "Screen model, resolution, brightness"
    ),
    **dict.fromkeys(("paper mask", "3-D mask"), "Material and how it was shaped"),
}


def made_hint(species: str) -> str:
    """Return a hint for describing how instruments of a species are made."""
    return _MADE.get(species, "Material, device, resolution")


@dataclass(frozen=True)
class Details:
    """Answers by key, in general and for each species; empty ones are left out."""

    values: Mapping[str, str] = field(default_factory=dict)
    species: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def of(self, species: str) -> Mapping[str, str]:
        return self.species.get(species, {})

    def as_dict(self) -> dict[str, Any]:
        return {**self.values, "species": {name: dict(own) for name, own in self.species.items()}}


_Species = Annotated[dict[str, dict[str, Any]], msgspec.Meta(max_length=MOST_SPECIES)]


def details_from(value: Any) -> Details:
    """Read details from JSON or TOML values, or raise `GuidedTestError` with part of a message.

    They hold answers to `DETAILS`, and under ``species`` answers to `SPECIES_DETAILS` by species.
    """
    answers = dict(converted(value, dict[str, Any]))
    by_species = converted(answers.pop("species", {}), _Species, "species")
    species = {
        species_name(typed): _answers(own, SPECIES_DETAILS) for typed, own in by_species.items()
    }
    if BONA_FIDE in species:
        raise GuidedTestError(f"{BONA_FIDE} is not an attack")
    answered = {name: own for name, own in species.items() if own}
    return Details(_answers(answers, DETAILS), answered)


def _answers(values: Mapping[str, Any], questions: tuple[Detail, ...]) -> dict[str, str]:
    keys = [question.key for question in questions]
    if unknown := [key for key in values if key not in keys]:
        raise GuidedTestError(f"{cleaned_name(unknown[0], 40)} is not one of {', '.join(keys)}")
    answers = {
        each.key: _answer(each, values[each.key]) for each in questions if each.key in values
    }
    return {key: answer for key, answer in answers.items() if answer}


def _answer(question: Detail, value: Any) -> str:
    answer: str | int = converted(value, str | int, question.key)  # type: ignore[arg-type]
    text = cleaned_name(str(answer), LONGEST_DETAIL)
    if not text or question.kind != "number":
        return text
    if not re.fullmatch("[0-9]{1,6}", text) or int(text) > LARGEST_COUNT:
        raise GuidedTestError(f"{question.key} must be a whole number up to {LARGEST_COUNT}")
    return str(int(text) or "")


def read_toml(path: Path, read: Callable[[Any], T], what: str) -> T:
    """Read a TOML file, or raise `GuidedTestError` with a message that names it."""
    try:
        return read(tomllib.loads(storage.read_text(path, MAX_TOML_BYTES)))
    except OSError as error:
        why = error.strerror or str(error)
    except tomllib.TOMLDecodeError as error:
        why = f"not TOML: {error}"
    except RecursionError:
        why = "nested too deeply"
    except ValueError as error:
        why = str(error).removeprefix("is ").rstrip(".")
    raise GuidedTestError(
        f"The {what} {path.name} cannot be used ({cleaned_name(why, 200)}): fix the file or "
        "choose another."
    )


def read_details(path: Path) -> Details:
    return read_toml(path, details_from, "details file")


@dataclass(frozen=True)
class Templates:
    """Stored details: those of the last test, and named ones."""

    last: Details = field(default_factory=Details)
    named: Mapping[str, Details] = field(default_factory=dict)

    def with_named(self, name: str, details: Details) -> "Templates":
        """Return the templates with this one added or replaced."""
        name = cleaned_name(name, LONGEST_NAME)
        if not name:
            raise GuidedTestError("The template has no name: type one.")
        if len(self.named) >= MOST_TEMPLATES and name not in self.named:
            raise GuidedTestError(f"There are {MOST_TEMPLATES} templates: delete one first.")
        return replace(self, named={**self.named, name: details})

    def without(self, name: str) -> "Templates":
        return replace(
            self, named={key: details for key, details in self.named.items() if key != name}
        )


def load_templates() -> Templates:
    """Return the stored templates; none if the file is missing or damaged."""
    try:
        value = json.loads(storage.read_text(_file(), MAX_BYTES))
        named = dict(list(value["templates"].items())[:MOST_TEMPLATES])
        return Templates(
            details_from(value["last"]),
            {cleaned_name(name, LONGEST_NAME): details_from(own) for name, own in named.items()},
        )
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return Templates()


def save_templates(templates: Templates) -> None:
    """Store templates; raises `app.storage.StorageError` if they cannot be written."""
    named = {name: details.as_dict() for name, details in templates.named.items()}
    text = json.dumps({"last": templates.last.as_dict(), "templates": named}, ensure_ascii=False)
    storage.data_folder()
    storage.write_text(_file(), text)


def _file() -> Path:
    return storage.personal_folder() / TEMPLATES_NAME
