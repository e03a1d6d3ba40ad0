"""Takes: uninterrupted recordings, as frames, as the demo's chapters and as files."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from app.capture.opencv import cv2
from app.demo.renderer.camera import WEBCAM, unpacked
from app.demo.renderer.instruments import INSTRUMENTS, Instrument, monitor
from app.demo.renderer.people import PEOPLE, load_person
from app.demo.renderer.scene import Scene
from app.demo.renderer.setting import CONDITIONS, Setting, genuine_scene, room_of, setting
from app.demo.script import RATE, SIZE, Chapter
from app.types import Frame, Image
from lmkl_core.errors import Cancelled, InvalidInputError, asked_to_stop


@dataclass(frozen=True)
class Take:
    """One uninterrupted recording; equal takes give equal frames.

    Attributes
    ----------
    person : str
        Who is before the camera or, in an attack, impersonated: one of `PEOPLE`.
    instrument : str or None
        Species of the attack, one of `INSTRUMENTS`; None exactly for genuine takes.
    condition : str
        The light, one of `CONDITIONS`. A person has one room for each.
    seed : int
        Tells apart takes that are otherwise alike: pose, distance, motion, expression.
    session : int
        Takes of one session share the camera's focus and exposure, the light and the seat of each
        condition and the person's clothes; another session is another day.
    """

    person: str
    kind: Literal["bonafide", "attack"] = "bonafide"
    instrument: str | None = None
    condition: str = "office"
    seed: int = 0
    n_frames: int = 60
    session: int = 0

    def __post_init__(self) -> None:
        _check("person", self.person, PEOPLE)
        _check("kind", self.kind, ("bonafide", "attack"))
        _check("condition", self.condition, tuple(CONDITIONS))
        if self.kind == "attack":
            _check("instrument", self.instrument, tuple(INSTRUMENTS))
        elif self.instrument is not None:
            raise InvalidInputError("A genuine take has no instrument; leave it out.")
        if self.n_frames < 1 or self.seed < 0 or self.session < 0:
            raise InvalidInputError(
                "A take needs at least one frame, and a seed and a session of 0 or more."
            )

    @property
    def label(self) -> str:
        """Folder of its class: ``bonafide`` or ``attack-<species>``."""
        return self.kind if self.instrument is None else f"attack-{self.instrument}"

    @property
    def name(self) -> str:
        """Name that tells it from every other take of its person and class."""
        return f"{self.condition.replace(' ', '-')}-{self.session}-{self.seed:04d}"


def _check(what: str, value: object, known: tuple[str, ...]) -> None:
    if value not in known:
        raise InvalidInputError(
            f"{what.capitalize()} {value!r} is unknown; choose one of {', '.join(known)}."
        )


def packed_frames(take: Take, every: int = 1) -> Iterator[bytes]:
    """Yield a take's pictures as the camera compresses them."""
    seeds = (take.seed, take.label)
    place = setting(take.person, take.condition, SIZE, *seeds, session=take.session)
    instrument = None if take.instrument is None else INSTRUMENTS[take.instrument]
    scene = _scene(place, take.condition, instrument)
    camera = place.camera(WEBCAM)
    for number in range(0, take.n_frames, every):
        yield camera.shoot(scene.render(number / RATE), number / RATE)


def frames(take: Take, every: int = 1) -> Iterator[Frame]:
    """Yield every so many frames of a take, with their numbers and times at `RATE`."""
    for place, packed in enumerate(packed_frames(take, every)):
        number = place * every
        yield Frame(unpacked(packed), number, number / RATE)


def _scene(place: Setting, condition: str, instrument: Instrument | None) -> Scene:
    room = room_of(place, condition)
    return genuine_scene(place, room) if instrument is None else Scene(room, instrument(place))


# ------------------------------------------------------------- the demo's chapters

_INSTRUMENTS = {**INSTRUMENTS, "monitor": monitor}
"""The monitor is not one of INSTRUMENTS, which the tables of the studies are about."""


def record(chapter: Chapter, stopping: Callable[[], bool] = lambda: False) -> Iterator[bytes]:
    """Yield a chapter's compressed pictures: those of the `Take` it describes.

    ``stopping`` is asked between the steps of making the scene, which take a second together and
    several on a busy machine, and before every picture; a true answer ends the recording early.
    """
    label = chapter.truth if chapter.instrument is None else f"attack-{chapter.instrument}"
    instrument: Instrument | None = None
    if chapter.instrument is not None:
        instrument = _INSTRUMENTS[chapter.instrument]
    elif chapter.truth == "nobody":
        instrument = _nothing
    try:
        load_person(chapter.person)
        if stopping():
            return
        drawn = setting(chapter.person, chapter.light, SIZE, chapter.seed, label)
        place = replace(drawn, rng=_Interruptible(drawn.rng, stopping))
        scene = _scene(place, chapter.light, instrument)
        camera = place.camera(WEBCAM)
        for number in range(chapter.n_recorded):
            if stopping():
                return
            yield camera.shoot(scene.render(number / RATE), number / RATE)
    except _Stopped:
        return


def _nothing(_: Setting) -> list[Any]:
    """Leave the room empty."""
    return []


class _Stopped(Exception):
    """The scene is not needed any more."""


class _Interruptible(np.random.Generator):
    """Draws the numbers of another generator, and raises `_Stopped` when recording should stop.

    Every step of making a scene draws numbers, so that it stops between any two of them.
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


# ------------------------------------------------------------- files


def recording_path(folder: Path, take: Take, form: Literal["avi", "png"] = "avi") -> Path:
    """Return the place of a take as databases have it: a video file, or a folder of pictures."""
    name = f"{take.name}.avi" if form == "avi" else take.name
    return folder / take.person / take.label / name


def write_recordings(
    folder: str | Path,
    takes: Iterable[Take],
    *,
    form: Literal["avi", "png"] = "avi",
    progress: Callable[[Path], None] | None = None,
    cancel: Callable[[], bool] | None = None,
) -> list[Path]:
    """Record takes into files, in the layout databases have; return their paths.

    A take whose file is there already is kept as it is. ``form`` is a Motion-JPEG video, which
    plays everywhere, or a folder of pictures without loss. ``progress`` is called with every
    finished recording, ``cancel`` is asked before every frame.
    """
    paths = []
    for take in takes:
        path = recording_path(Path(folder), take, form)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            # Only finished recordings bear their name, so that an interrupted one is made again.
            part = path.with_name(f"part-{path.name}")
            (_write_video if form == "avi" else _write_pictures)(part, take, cancel)
            part.replace(path)
        paths.append(path)
        if progress is not None:
            progress(path)
    return paths


def _write_video(path: Path, take: Take, cancel: Callable[[], bool] | None) -> None:
    code = cv2.VideoWriter.fourcc(*"MJPG")
    writer = cv2.VideoWriter(str(path), cv2.CAP_OPENCV_MJPEG, code, RATE, SIZE)
    if not writer.isOpened():
        raise InvalidInputError(f"{path} cannot be written; choose a folder you may write to.")
    try:
        writer.set(cv2.VIDEOWRITER_PROP_QUALITY, 96)
        for image in _images(take, cancel):
            writer.write(cv2.cvtColor(image, cv2.COLOR_RGB2BGR))
    finally:
        writer.release()


def _write_pictures(path: Path, take: Take, cancel: Callable[[], bool] | None) -> None:
    path.mkdir(exist_ok=True)
    for number, image in enumerate(_images(take, cancel)):
        coded = cv2.imencode(".png", cv2.cvtColor(image, cv2.COLOR_RGB2BGR))[1]
        (path / f"{number:05d}.png").write_bytes(coded.tobytes())


def _images(take: Take, cancel: Callable[[], bool] | None) -> Iterator[Image]:
    for frame in frames(take):
        if asked_to_stop(cancel):
            raise Cancelled("Recording was cancelled; what was finished is kept.")
        yield frame.image
