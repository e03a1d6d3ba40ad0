"""What the demo presents for a take and in a test."""

from app.demo.script import Chapter
from app.demo.source import DemoSource
from app.session.takes import SUGGESTIONS
from app.types import BONA_FIDE

ENROLLED_LIGHTS = ("window", "lamp", "office")
"""The lights of the suggested names of takes, in their order."""

TESTED_LIGHTS = ("window", "lamp")
"""Genuine takes of a test come in the lights that are suggested for enrolment first."""


def welcome(demo: DemoSource) -> str:
    """Return the key of what is shown before anybody is enrolled: the person, and no attack yet."""
    return demo.chapters[0].key


def light_of(name: str, n_takes: int) -> str:
    """Return the light of a take: suggested names have theirs, others go through all in turn."""
    if name in SUGGESTIONS[: len(ENROLLED_LIGHTS)]:
        return ENROLLED_LIGHTS[SUGGESTIONS.index(name)]
    return ENROLLED_LIGHTS[n_takes % len(ENROLLED_LIGHTS)]


def enrolment_take(demo: DemoSource, light: str, n_takes: int) -> Chapter:
    """Return what is presented for a take in a light, or in any, if the demo has none such.

    Another round through the lights presents other recordings.
    """
    takes = [one for one in demo.enrolment if one.light == light] or list(demo.enrolment)
    return takes[n_takes // len(ENROLLED_LIGHTS) % len(takes)]


def presentation_of(demo: DemoSource, species: str, n_before: int = 0) -> Chapter | None:
    """Return what is presented in a test; None if the demo has nothing of the species.

    The person, presented ``n_before`` times before, comes in one take after the other.
    """
    if species != BONA_FIDE:
        return next((c for c in demo.presentations if c.species == species), None)
    genuine = [
        chapter
        for chapter in demo.presentations
        if chapter.truth == "bonafide"
        and chapter not in demo.enrolment
        and chapter.light in TESTED_LIGHTS
    ]
    return genuine[n_before % len(genuine)] if genuine else None


def test_plan(demo: DemoSource) -> tuple[str, ...]:
    """Return the species of a whole test: every attack once, the person before each."""
    attacks = [chapter.species for chapter in demo.presentations if chapter.species is not None]
    return tuple(species for attack in attacks for species in (BONA_FIDE, attack))
