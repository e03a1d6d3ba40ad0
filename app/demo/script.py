"""What the built-in demo can present: chapters described in words.

Kept apart from `app.demo.renderer`, which takes long to import: the first frame of the demo is
shown before that.
"""

from dataclasses import dataclass

from lmkl_core.errors import InvalidInputError

SIZE = (640, 480)
"""Width and height of every frame."""

RATE = 30.0
"""Frames a second."""

PERSON = "P001"
"""The person by default."""

N_RECORDED = 48
"""Pictures recorded for a chapter of the loop by default."""

_ENROLMENT_LENGTH = 5.5
"""Enrolment wants variety: its takes are longer than those of the loop by this factor, 264 pictures
or as long as it takes to keep 35 frames a quarter of a second apart (`app.session.takes.Plan`)."""

_SEEDS_APART = 100
"""Larger than any take's number, so that no two seeds of the demo share a take."""


@dataclass(frozen=True)
class Chapter:
    """One presentation of the demo.

    Attributes
    ----------
    key : str
        Its name in the program; stays the same from version to version.
    truth : {"nobody", "bonafide", "attack"}
        What it is.
    species, instrument : str or None
        The attack's instrument as in `app.types.SPECIES`, and as the renderer calls it.
    light : str
        The condition it is recorded in.
    n_frames : int
        How long it is shown when everything is shown in turn.
    n_recorded : int
        Pictures recorded for it; they are shown to and fro.
    """

    key: str
    caption: str
    truth: str
    species: str | None
    instrument: str | None
    light: str
    person: str
    seed: int
    n_frames: int
    n_recorded: int

    @property
    def frame_caption(self) -> str:
        """Caption of its frames, which says that they are not real."""
        return f"Simulated: {self.caption}"

    def picture_of(self, position: int) -> int:
        """Which recorded picture is shown at a position of the chapter, once all are there."""
        turn = max(2 * (self.n_recorded - 1), 1)
        place = position % turn
        return min(place, turn - place) if self.n_recorded > 1 else 0


@dataclass(frozen=True)
class Script:
    """Everything the demo can present.

    ``loop`` is shown in turn, some chapters more than once; ``enrolment`` are genuine takes to
    enrol, which the loop does not show; ``aside`` is shown only when it is asked for.
    """

    loop: tuple[Chapter, ...]
    enrolment: tuple[Chapter, ...]
    aside: tuple[Chapter, ...] = ()

    @property
    def presentations(self) -> tuple[Chapter, ...]:
        """Every chapter once: the loop's in the order they appear, then the others."""
        return tuple(dict.fromkeys(self.loop + self.aside + self.enrolment))


_LIGHTS = {"window": "by the window", "lamp": "by lamp light", "office": "in office light"}

# Key and species: instrument, light, number of the take, caption. The numbers were chosen by eye,
# so that one sees what is held up; never by what a model says of them.
_ATTACKS = {
    "print": ("print", "window", 21, "A print of the person"),
    "photo": ("photo", "office", 22, "A glossy photo of the person"),
    "phone": ("phone", "window", 23, "The person's photo on a phone"),
    "tablet": ("tablet", "office", 37, "The person's photo on a tablet"),
    "monitor": ("monitor", "lamp", 32, "The person's photo on a monitor"),
    "replay": ("replay", "lamp", 56, "A video of the person on a tablet"),
    "paper mask": ("paper-mask", "window", 27, "Somebody behind a paper mask"),
    "3-D mask": ("soft-mask", "office", 28, "Somebody behind a moulded mask"),
}

_ENROLMENT_TAKES = (1, 2)

# Number of a genuine take: caption. No two takes share one, so that frames tell where they belong.
_GENUINE = {number: f"The person, {{light}}, take {number}" for number in _ENROLMENT_TAKES} | {
    6: "The person, {light}",
    7: "The person again, {light}",
}

# The person first, then an attack and the person in turn; it ends with nobody. Only the lights that
# are suggested for enrolment: a third one is for those who want to see what happens then.
_LOOP = (
    *("window 6", "print", "lamp 6", "phone", "window 7", "tablet", "lamp 7", "paper mask"),
    *("window 6", "replay", "lamp 6", "monitor", "window 7", "photo", "lamp 7", "3-D mask"),
    "nobody",
)
_ASIDE = ("office 6",)


def script(person: str = PERSON, seed: int = 0, n_recorded: int = N_RECORDED) -> Script:
    """Return what the demo can present; another seed gives other takes.

    An unknown person is refused when recording begins. Takes to enrol have more than ``n_recorded``
    pictures.
    """
    if seed < 0 or n_recorded < 1:
        raise InvalidInputError(
            "The demo needs a seed of 0 or more, and at least one picture for each chapter."
        )

    def chapter(key: str) -> Chapter:
        truth, species, instrument = "bonafide", None, None
        if key == "nobody":
            truth, light, number, seconds = "nobody", "window", 0, 2
            caption, n_pictures = "Nobody: the empty room", min(n_recorded, 15)
        elif attack := _ATTACKS.get(key):
            truth, species, seconds, n_pictures = "attack", key, 5, n_recorded
            instrument, light, number, caption = attack
        else:
            light, number, seconds = key.split()[0], int(key.split()[1]), 6
            caption = _GENUINE[number].format(light=_LIGHTS[light])
            length = _ENROLMENT_LENGTH if number in _ENROLMENT_TAKES else 1
            n_pictures = round(n_recorded * length)
        return Chapter(
            key=key,
            caption=caption,
            truth=truth,
            species=species,
            instrument=instrument,
            light=light,
            person=person,
            seed=_SEEDS_APART * seed + number,
            n_frames=round(seconds * RATE),
            n_recorded=n_pictures,
        )

    # In the order in which they are asked for, since the next one is recorded ahead.
    enrolment = tuple(chapter(f"{light} {take}") for take in _ENROLMENT_TAKES for light in _LIGHTS)
    return Script(tuple(map(chapter, _LOOP)), enrolment, tuple(map(chapter, _ASIDE)))
