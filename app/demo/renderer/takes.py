"""Takes as the camera records them: compressed pictures, or frames."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from app.demo.renderer.camera import WEBCAM, unpacked
from app.demo.renderer.instruments import INSTRUMENTS, Instrument, monitor
from app.demo.renderer.people import load_person
from app.demo.renderer.scene import Scene
from app.demo.renderer.setting import genuine_scene, room_of, setting
from app.demo.script import NOBODY, RATE, SIZE, Take
from app.types import Frame

# The tables of the studies are about INSTRUMENTS; the demo presents two more.
_LAYERS: dict[str, Instrument] = {**INSTRUMENTS, "monitor": monitor, NOBODY: lambda _: []}


def record(
    take: Take, every: int = 1, stopping: Callable[[], bool] = lambda: False
) -> Iterator[bytes]:
    """Yield every so many of a take's pictures, as the camera compresses them.

    ``stopping`` is asked between the steps of making the scene, which take a second together and
    several on a busy machine, and before every picture; a true answer ends the recording early.
    """
    try:
        load_person(take.person)
        if stopping():
            return
        seeds = (take.seed, take.label)
        drawn = setting(take.person, take.condition, SIZE, *seeds, session=take.session)
        place = replace(drawn, rng=_Interruptible(drawn.rng, stopping))
        room = room_of(place, take.condition)
        if take.instrument is None:
            scene = genuine_scene(place, room)
        else:
            scene = Scene(room, _LAYERS[take.instrument](place))
        camera = place.camera(WEBCAM)
        for number in range(0, take.n_frames, every):
            if stopping():
                return
            yield camera.shoot(scene.render(number / RATE), number / RATE)
    except _Stopped:
        return


def frames(take: Take, every: int = 1) -> Iterator[Frame]:
    """Yield every so many frames of a take, with their numbers and times at `RATE`."""
    for place, packed in enumerate(record(take, every)):
        number = place * every
        yield Frame(unpacked(packed), number, number / RATE)


class _Stopped(Exception):
    """The scene is not needed any more."""


class _Interruptible(np.random.Generator):
    """Draws the numbers of another generator, and raises `_Stopped` when recording should stop.

    Every step of making a scene draws numbers, so it stops between any two of them.
    """

    def __init__(self, rng: np.random.Generator, stopping: Callable[[], bool]) -> None:
        super().__init__(rng.bit_generator)
        self._stopping = stopping

    def uniform(self, *args: Any, **options: Any) -> Any:
        self._check()
        return super().uniform(*args, **options)

    def normal(self, *args: Any, **options: Any) -> Any:
        self._check()
        return super().normal(*args, **options)

    def integers(self, *args: Any, **options: Any) -> Any:
        self._check()
        return super().integers(*args, **options)

    def _check(self) -> None:
        if self._stopping():
            raise _Stopped
