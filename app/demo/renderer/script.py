"""How the demo's chapters are recorded.

What the chapters are is told in `app.demo.script`, which loads no renderer.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from app.demo.renderer.arrays import F32
from app.demo.renderer.camera import WEBCAM
from app.demo.renderer.instruments import INSTRUMENTS, monitor
from app.demo.renderer.people import load_person
from app.demo.renderer.scene import Layer, Scene
from app.demo.renderer.setting import Setting, genuine_scene, room_of, setting
from app.demo.renderer.takes import RATE, SIZE
from app.demo.script import Chapter, Script, script

__all__ = ["Chapter", "Script", "record", "script"]

# The monitor is not one of INSTRUMENTS: the tables of the studies are about these.
_INSTRUMENTS = {**INSTRUMENTS, "monitor": monitor}


def record(chapter: Chapter, stopping: Callable[[], bool] = lambda: False) -> Iterator[bytes]:
    """Record a chapter: the camera's compressed pictures, one after the other.

    They are those of the `Take` with the chapter's person, instrument, light and seed.

    Parameters
    ----------
    chapter : Chapter
        What to record.
    stopping : callable
        Asked between the steps of making the scene, which take a second together and several on a
        busy machine, and before every picture; a true answer ends the recording early.

    Raises
    ------
    InvalidInputError
        When the person is unknown or their portraits are not installed.
    """
    try:
        load_person(chapter.person)
        if stopping():
            return
        drawn = setting(chapter.person, chapter.light, SIZE, chapter.seed, _label(chapter))
        place = replace(drawn, rng=_Attentive(drawn.rng, stopping))
        scene = _scene(chapter, place, room_of(place, chapter.light))
        camera = place.camera(WEBCAM)
        for number in range(chapter.n_recorded):
            if stopping():
                return
            yield camera.shoot(scene.render(number / RATE), number / RATE)
    except _Stopped:
        return


class _Stopped(Exception):
    """The scene is not wanted any more."""


class _Attentive(np.random.Generator):
    """Draws the same numbers as another generator, unless the recording is to stop.

    Every step of making a scene draws numbers, so that it is noticed between any two of them.
    """

    def __init__(self, rng: np.random.Generator, stopping: Callable[[], bool]) -> None:
        super().__init__(rng.bit_generator)
        self._stopping = stopping

    def uniform(self, *args: Any, **options: Any) -> Any:
        self._look()
        return super().uniform(*args, **options)

    def normal(self, *args: Any, **options: Any) -> Any:
        self._look()
        return super().normal(*args, **options)

    def integers(self, *args: Any, **options: Any) -> Any:
        self._look()
        return super().integers(*args, **options)

    def _look(self) -> None:
        if self._stopping():
            raise _Stopped


def _label(chapter: Chapter) -> str:
    """What tells apart the random numbers of takes that share a seed, as `Take.label` does."""
    return chapter.truth if chapter.instrument is None else f"attack-{chapter.instrument}"


def _scene(chapter: Chapter, place: Setting, room: F32) -> Scene:
    if chapter.truth == "bonafide":
        return genuine_scene(place, room)
    layers: list[Layer] = []
    if chapter.instrument is not None:
        layers = _INSTRUMENTS[chapter.instrument](place)
    return Scene(room, layers)
