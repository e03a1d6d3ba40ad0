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

    ``stopping`` ends the recording early. It is asked before every picture and between the steps of
    making the scene, which take seconds together on a busy machine.
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
    """Draw numbers as every step of making a scene does; raise `_Stopped` when it should stop."""

    def __init__(self, rng: np.random.Generator, stopping: Callable[[], bool]) -> None:
        super().__init__(rng.bit_generator)
        self._stopping = stopping

    def __getattribute__(self, name: str) -> Any:
        if name in ("uniform", "normal", "integers") and self._stopping():
            raise _Stopped
        return super().__getattribute__(name)
