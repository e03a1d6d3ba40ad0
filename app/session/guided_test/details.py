"""Details of a test as JSON, checked when they are read, and templates of them on disk."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app import storage
from app.names import LONGEST_NAME, cleaned_name
from app.session.guided_test.presentation import TrialError, species_name
from app.session.guided_test.state import (
    DETAILS,
    LARGEST_COUNT,
    LONGEST_DETAIL,
    SPECIES_DETAILS,
    Detail,
    Details,
)
from app.session.guided_test.toml import read_toml
from app.types import BONA_FIDE

MOST_SPECIES = 100
MOST_TEMPLATES = 50
MAX_BYTES = 1 << 20
TEMPLATES_NAME = "test-templates.json"
"""File in the personal folder."""


def as_dict(details: Details) -> dict[str, Any]:
    """Return details as JSON values."""
    species = {name: dict(answers) for name, answers in details.species.items()}
    return {**details.values, "species": species}


def details_from(value: Any) -> Details:
    """Read details from JSON or TOML values, checking everything.

    Parameters
    ----------
    value : object
        A mapping of the keys of `DETAILS`, and under ``species`` one of the keys of
        `SPECIES_DETAILS` for each species. Empty answers are left out.

    Raises
    ------
    TrialError
        In one half sentence that says what is wrong.
    """
    if not isinstance(value, Mapping):
        raise TrialError("they must be a table")
    of_species = value.get("species", {})
    if not isinstance(of_species, Mapping) or len(of_species) > MOST_SPECIES:
        raise TrialError(f"species must be a table of at most {MOST_SPECIES} names")
    answers = {key: answer for key, answer in value.items() if key != "species"}
    species = {}
    for typed, given in of_species.items():
        name = species_name(str(typed))
        if name == BONA_FIDE:
            raise TrialError(f"{BONA_FIDE} is not an attack")
        species[name] = _answers(given, SPECIES_DETAILS)
    return Details(
        _answers(answers, DETAILS), {name: given for name, given in species.items() if given}
    )


def _answers(value: Any, questions: tuple[Detail, ...]) -> dict[str, str]:
    known = {question.key: question for question in questions}
    if not isinstance(value, Mapping):
        raise TrialError("a species' details must be a table")
    found = {}
    for key, answer in value.items():
        if key not in known:
            raise TrialError(f"{cleaned_name(str(key), 40)} is none of {', '.join(known)}")
        if text := _answer(known[key], answer):
            found[key] = text
    return {key: found[key] for key in known if key in found}


def _answer(question: Detail, answer: Any) -> str:
    if isinstance(answer, bool) or not isinstance(answer, str | int):
        raise TrialError(f"{question.key} is neither a text nor a whole number")
    text = cleaned_name(str(answer), LONGEST_DETAIL)
    if text and question.kind == "number":
        is_count = text.isascii() and text.isdigit() and len(text) <= len(str(LARGEST_COUNT))
        if not is_count or int(text) > LARGEST_COUNT:
            raise TrialError(f"{question.key} must be a whole number up to {LARGEST_COUNT}")
        text = str(int(text)) if int(text) else ""
    return text


def read_details(path: Path) -> Details:
    """Read details from a TOML file.

    Raises
    ------
    TrialError
        In one sentence that names the file.
    """
    return read_toml(path, details_from, "file of details")


@dataclass(frozen=True)
class Templates:
    """Details to begin with: those of the last test, and others by name."""

    last: Details = field(default_factory=Details)
    named: Mapping[str, Details] = field(default_factory=dict)

    def with_last(self, details: Details) -> "Templates":
        """Return the templates with other details of the last test."""
        return Templates(details, self.named)

    def with_named(self, name: str, details: Details) -> "Templates":
        """Return the templates with one more, or another in the place of one of that name.

        Raises
        ------
        TrialError
            In one sentence, when it has no name or there are too many.
        """
        name = cleaned_name(name, LONGEST_NAME)
        if not name:
            raise TrialError("The template has no name: type one.")
        if len(self.named) >= MOST_TEMPLATES and name not in self.named:
            raise TrialError(f"There are {MOST_TEMPLATES} templates: delete one first.")
        return Templates(self.last, {**self.named, name: details})

    def without(self, name: str) -> "Templates":
        """Return the templates without one."""
        return Templates(self.last, {key: one for key, one in self.named.items() if key != name})


def load_templates() -> Templates:
    """Return the stored templates; none where the file is missing or damaged."""
    try:
        value = json.loads(storage.read_text(_file(), MAX_BYTES))
        named = dict(list(value["templates"].items())[:MOST_TEMPLATES])
        return Templates(
            details_from(value["last"]),
            {cleaned_name(name, LONGEST_NAME): details_from(one) for name, one in named.items()},
        )
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return Templates()


def save_templates(templates: Templates) -> None:
    """Store templates in the place of those there are.

    Raises
    ------
    app.storage.StorageError
        If they cannot be written.
    """
    named = {name: as_dict(one) for name, one in templates.named.items()}
    text = json.dumps({"last": as_dict(templates.last), "templates": named}, ensure_ascii=False)
    storage.data_folder()
    storage.write_text(_file(), text)


def _file() -> Path:
    return storage.personal_folder() / TEMPLATES_NAME
