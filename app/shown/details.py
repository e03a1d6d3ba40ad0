"""What an evaluator wants to know of a test and only its people can say."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

LONGEST_DETAIL = 200
"""Characters of an answer."""

LARGEST_COUNT = 100_000
"""Of people or instruments."""


@dataclass(frozen=True)
class Detail:
    """A question: its key in files, its label, an example, and what answers it takes."""

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
"""Asked once for a test."""

SPECIES_DETAILS = (
    Detail("made", "How it is made"),
    Detail("n_instruments", "Instruments", "How many", "number"),
)
"""Asked for every attack instrument species."""

_MADE = {
    "Printer, paper, resolution": ("print", "photo"),
    "Screen model, resolution, brightness": ("phone", "tablet", "replay", "monitor"),
    "Material and how it was shaped": ("paper mask", "3-D mask"),
}


def made_hint(species: str) -> str:
    """Return what to say about how an instrument of a species is made."""
    for hint, names in _MADE.items():
        if species in names:
            return hint
    return "Material, device, resolution"


@dataclass(frozen=True)
class Details:
    """The answers, by key; those of a species by its name. What is not known is left out."""

    values: Mapping[str, str] = field(default_factory=dict)
    species: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def of(self, species: str) -> Mapping[str, str]:
        """Return what is said about a species."""
        return self.species.get(species, {})
