"""The built-in demo's script: what is presented, one chapter after the other."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from app.demo_video.takes import RATE, Take, packed_empty_room, packed_frames


@dataclass(frozen=True)
class Chapter:
    """One presentation of the demo.

    Attributes
    ----------
    caption : str
        What is being presented, for people.
    truth : {"nobody", "bonafide", "attack"}
        What it is.
    species : str or None
        The attack's instrument.
    n_frames : int
        How long it is shown.
    take : Take
        What is recorded for it; shorter than it is shown, so it runs to and fro. The room alone
        where nobody is there.
    """

    caption: str
    truth: Literal["nobody", "bonafide", "attack"]
    species: str | None
    n_frames: int
    take: Take

    def record(self) -> Iterator[bytes]:
        """Record what the chapter shows, as the camera's compressed pictures."""
        if self.truth == "nobody":
            take = self.take
            return packed_empty_room(take.person, take.condition, take.n_frames, take.seed)
        return packed_frames(self.take)

    def picture_of(self, position: int) -> int:
        """Which recorded picture is shown at a position of the chapter."""
        turn = max(2 * (self.take.n_frames - 1), 1)
        place = position % turn
        return min(place, turn - place) if self.take.n_frames > 1 else 0


def script(person: str, seed: int = 0, n_recorded: int = 48) -> tuple[Chapter, ...]:
    """Return the demo's chapters for a person; ``n_recorded`` frames are made for each."""

    def genuine(caption: str, condition: str, number: int) -> Chapter:
        take = Take(person, "bonafide", None, condition, seed + number, n_recorded)
        return Chapter(caption, "bonafide", None, round(6 * RATE), take)

    def attack(caption: str, instrument: str, condition: str, number: int) -> Chapter:
        take = Take(person, "attack", instrument, condition, seed + number, n_recorded)
        return Chapter(caption, "attack", instrument, round(5 * RATE), take)

    room = Take(person, "bonafide", None, "window", seed, min(n_recorded, 15))
    return (
        Chapter("Nobody: the empty room", "nobody", None, round(1 * RATE), room),
        genuine("The person, by the window", "window", 1),
        genuine("The person, by lamp light", "lamp", 2),
        attack("A print of the person", "print", "window", 3),
        attack("The person's photo on a phone", "phone", "window", 4),
        attack("A video of the person on a tablet", "replay", "lamp", 5),
        attack("Somebody behind a paper mask", "paper-mask", "window", 6),
        genuine("The person again, by the window", "window", 7),
    )
