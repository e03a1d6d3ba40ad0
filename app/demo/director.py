"""What the demo presents, and when: the hands that a person would have before a camera."""

from app.demo.script import Chapter
from app.demo.source import SIMULATED, DemoSource
from app.session.enrolment import SUGGESTIONS
from app.types import BONA_FIDE

ENROLLED_LIGHTS = ("window", "lamp", "office")
"""What is presented for the suggested names of takes, in their order."""

TESTED_LIGHTS = ("window", "lamp")
"""Genuine takes of a test come in the lights that are suggested for enrolment first."""


def welcome(demo: DemoSource) -> str:
    """Return the key of what is shown while nobody is enrolled: the person, and no attack yet."""
    return demo.chapters[0].key


def caption_of(chapter: Chapter) -> str:
    """Return the caption that frames of a chapter carry."""
    return SIMULATED.format(caption=chapter.caption)


def light_of(name: str, n_takes: int) -> str:
    """Return the light in which a take is presented.

    Parameters
    ----------
    name : str
        Of the take: the suggested ones have their lights.
    n_takes : int
        Takes there are already: others go through the lights in turn.
    """
    if name in SUGGESTIONS[: len(ENROLLED_LIGHTS)]:
        return ENROLLED_LIGHTS[SUGGESTIONS.index(name)]
    return ENROLLED_LIGHTS[n_takes % len(ENROLLED_LIGHTS)]


def enrolment_take(demo: DemoSource, light: str, n_takes: int) -> Chapter:
    """Return what is presented for a take.

    Parameters
    ----------
    demo : DemoSource
        Whose takes to enrol are chosen from.
    light : str
        In which light; any, where the demo has none such.
    n_takes : int
        Takes there are already: another round through the lights presents other recordings.
    """
    takes = [chapter for chapter in demo.enrolment if chapter.light == light] or list(
        demo.enrolment
    )
    return takes[n_takes // len(ENROLLED_LIGHTS) % len(takes)]


def presentation_of(demo: DemoSource, species: str, n_before: int = 0) -> Chapter | None:
    """Return what is presented in a test; None where the demo has nothing of the kind.

    Parameters
    ----------
    demo : DemoSource
        Whose presentations are chosen from.
    species : str
        `BONA_FIDE` or an attack's species.
    n_before : int
        How often the person was presented before: the takes are gone through in turn.
    """
    if species != BONA_FIDE:
        return next((c for c in demo.presentations if c.species == species), None)
    enrolled = {chapter.key for chapter in demo.enrolment}
    genuine = [
        chapter
        for chapter in demo.presentations
        if chapter.truth == "bonafide"
        and chapter.key not in enrolled
        and chapter.light in TESTED_LIGHTS
    ]
    return genuine[n_before % len(genuine)] if genuine else None


def test_plan(demo: DemoSource) -> tuple[str, ...]:
    """Return the species of a whole test: every attack once, the person before each."""
    attacks = [chapter.species for chapter in demo.presentations if chapter.species is not None]
    return tuple(species for attack in attacks for species in (BONA_FIDE, attack))
