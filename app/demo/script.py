"""The content of the built-in demo; importing this does not load the renderer."""

from dataclasses import dataclass

from app.names import TAKE_NAMES
from app.types import BONA_FIDE

SIZE = (640, 480)
"""Width and height of every frame."""

RATE = 30.0
"""Frames per second."""

PERSON = "P001"

NOBODY = "nobody"

N_RECORDED = 48
"""Default number of pictures recorded for a chapter of the loop."""

ENROLLED_LIGHTS = ("window", "lamp", "office")
"""Lights of the first names suggested for takes."""

_ENROLMENT_LENGTH = 5.5
"""Factor by which takes to enrol are longer than those of the loop: 264 pictures, enough for 35
frames a quarter of a second apart (`app.session.takes.Plan`)."""


@dataclass(frozen=True)
class Take:
    """One uninterrupted recording; equal takes give equal frames."""

    person: str
    """The person in front of the camera or, in an attack, the impersonated one."""
    instrument: str | None = None
    """The attack instrument; None for the person themself, `NOBODY` for the empty room."""
    condition: str = "office"
    """The light; each person has one room per light."""
    seed: int = 0
    """Determines pose, distance, motion and expression."""
    n_frames: int = 60
    session: int = 0
    """Takes of one session share clothes, focus and exposure, and the seat in each light."""

    @property
    def is_attack(self) -> bool:
        return self.instrument not in (None, NOBODY)

    @property
    def label(self) -> str:
        """Folder name of its class: ``bonafide``, ``attack-<instrument>`` or ``nobody``."""
        return f"attack-{self.instrument}" if self.is_attack else self.instrument or "bonafide"

    @property
    def name(self) -> str:
        """Unique among the takes of its person and class."""
        return f"{self.condition.replace(' ', '-')}-{self.session}-{self.seed:04d}"


@dataclass(frozen=True)
class Chapter:
    """A take that the demo plays forwards and backwards."""

    key: str
    """Stable across versions; for an attack, its species."""
    caption: str
    take: Take
    n_frames: int
    """Number of frames for which the loop shows it."""

    @property
    def is_genuine(self) -> bool:
        return self.take.instrument is None

    @property
    def frame_caption(self) -> str:
        return f"Simulated: {self.caption}"


def light_of(name: str, n_takes: int) -> str:
    """Return the light of a take: suggested names have their own, others rotate."""
    if name in TAKE_NAMES[: len(ENROLLED_LIGHTS)]:
        return ENROLLED_LIGHTS[TAKE_NAMES.index(name)]
    return ENROLLED_LIGHTS[n_takes % len(ENROLLED_LIGHTS)]


@dataclass(frozen=True)
class Script:
    """Everything that the demo can present."""

    loop: tuple[Chapter, ...]
    """Shown in order, some chapters more than once."""
    enrolment: tuple[Chapter, ...]
    """Genuine takes to enrol; not in the loop."""
    aside: tuple[Chapter, ...] = ()
    """Shown only on request."""

    @property
    def presentations(self) -> tuple[Chapter, ...]:
        """Every chapter once: those of the loop in order, then the others."""
        return tuple(dict.fromkeys(self.loop + self.aside + self.enrolment))

    @property
    def attacks(self) -> tuple[Chapter, ...]:
        return tuple(chapter for chapter in self.presentations if chapter.take.is_attack)

    @property
    def test_plan(self) -> tuple[str, ...]:
        """Species of a complete test: every attack once, each after the genuine person."""
        return tuple(species for attack in self.attacks for species in (BONA_FIDE, attack.key))

    def enrolment_take(self, light: str, n_takes: int) -> Chapter:
        """Return a take in this light, or in any if there is none; each round gets another take."""
        takes = [c for c in self.enrolment if c.take.condition == light] or self.enrolment
        return takes[n_takes // len(ENROLLED_LIGHTS) % len(takes)]

    def presentation_of(self, species: str, n_before: int = 0) -> Chapter | None:
        """Return what a test presents, the person in one take after another; None if unknown."""
        if species != BONA_FIDE:
            return next((attack for attack in self.attacks if attack.key == species), None)
        genuine = [chapter for chapter in dict.fromkeys(self.loop) if chapter.is_genuine]
        return genuine[n_before % len(genuine)]


_LIGHTS = {"window": "by the window", "lamp": "by lamp light", "office": "in office light"}

# Species: instrument, light, number of the take, caption. The numbers were chosen by eye to show
# the instrument clearly, never by a model's verdict.
_ATTACKS = {
    "print": ("print", "window", 21, "A print of the person"),
    "photo": ("photo", "office", 22, "A glossy photo of the person"),
    "phone": ("phone", "window", 23, "The person's photo on a phone"),
    "tablet": ("tablet", "office", 37, "The person's photo on a tablet"),
    "monitor": ("monitor", "lamp", 32, "The person's photo on a monitor"),
    "replay": ("replay", "lamp", 56, "A video of the person on a tablet"),
    "paper mask": ("paper-mask", "window", 27, "Someone in a paper mask"),
    "3-D mask": ("soft-mask", "office", 28, "Someone in a moulded mask"),
}

_ENROLMENT_TAKES = (1, 2)

# Number of a genuine take: caption (unique with its light).
_GENUINE = {
    1: "The person, {light}, take 1",
    2: "The person, {light}, take 2",
    6: "The person, {light}",
    7: "The person again, {light}",
}

# The person and an attack in turn; at the end the empty room. The loop has two of the lights
# suggested for enrolment; `_ASIDE` has the third, to show what unfamiliar light does.
_LOOP = (
    *("window 6", "print", "lamp 6", "phone", "window 7", "tablet", "lamp 7", "paper mask"),
    *("window 6", "replay", "lamp 6", "monitor", "window 7", "photo", "lamp 7", "3-D mask"),
    NOBODY,
)
_ASIDE = ("office 6",)


def script(n_recorded: int = N_RECORDED) -> Script:
    """Return what the demo presents."""

    def chapter(key: str) -> Chapter:
        n_pictures, instrument = n_recorded, None
        if key == NOBODY:
            instrument, light, number, caption = NOBODY, "window", 0, "The empty room"
            seconds, n_pictures = 2, min(n_recorded, 15)
        elif key in _ATTACKS:
            instrument, light, number, caption = _ATTACKS[key]
            seconds = 5
        else:
            light, number, seconds = key.split()[0], int(key.split()[1]), 6
            caption = _GENUINE[number].format(light=_LIGHTS[light])
            if number in _ENROLMENT_TAKES:
                n_pictures = round(n_recorded * _ENROLMENT_LENGTH)
        take = Take(PERSON, instrument, light, number, n_pictures)
        return Chapter(key, caption, take, round(seconds * RATE))

    # In the order in which they are requested: the next one is recorded ahead.
    enrolment = tuple(chapter(f"{light} {take}") for take in _ENROLMENT_TAKES for light in _LIGHTS)
    return Script(tuple(map(chapter, _LOOP)), enrolment, tuple(map(chapter, _ASIDE)))
