"""How the demo's chapters are recorded.

What the chapters are is told in `app.sources.demo_script`, which loads no renderer.
"""

from collections.abc import Callable, Iterator

from app.demo_video.arrays import F32
from app.demo_video.camera import WEBCAM
from app.demo_video.instruments import INSTRUMENTS, monitor
from app.demo_video.people import load_person
from app.demo_video.scene import Layer, Scene
from app.demo_video.setting import Setting, genuine_scene, room_of, setting
from app.demo_video.takes import RATE, SIZE
from app.sources.demo_script import Chapter, Script, script

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
        Asked between the steps of making the scene, which take up to a second together, and
        before every picture; a true answer ends the recording early.

    Raises
    ------
    InvalidInputError
        When the person is unknown or their portraits are not installed.
    """
    load_person(chapter.person)
    if stopping():
        return
    place = setting(chapter.person, chapter.light, SIZE, chapter.seed, _label(chapter))
    room = room_of(place, chapter.light)
    if stopping():
        return
    scene = _scene(chapter, place, room)
    camera = place.camera(WEBCAM)
    for number in range(chapter.n_recorded):
        if stopping():
            return
        yield camera.shoot(scene.render(number / RATE), number / RATE)


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
