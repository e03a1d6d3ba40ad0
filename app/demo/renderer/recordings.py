"""Takes as files, in the layout databases have: ``subject/bonafide``, ``subject/attack-*``."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Literal

from app.capture.opencv import cv2
from app.demo.renderer.takes import RATE, SIZE, Take, frames
from app.types import Image
from lmkl_core.errors import Cancelled, InvalidInputError, asked_to_stop


def recording_path(folder: Path, take: Take, form: Literal["avi", "png"] = "avi") -> Path:
    """Where a take is kept: a video file, or a folder of pictures."""
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
    """Record takes into files.

    Parameters
    ----------
    folder : str or Path
        Where the subjects' folders are made.
    takes : iterable of Take
        What to record; a take whose file is there already is kept as it is.
    form : {"avi", "png"}
        Motion-JPEG video, which plays everywhere, or a folder of pictures without loss.
    progress : callable, optional
        Told of every finished recording.
    cancel : callable, optional
        Asked before every frame; a true answer stops with `Cancelled`.

    Returns
    -------
    list of Path
        One for each take: the file, or the folder of its pictures.
    """
    if form not in ("avi", "png"):
        raise InvalidInputError(f"The form {form!r} is unknown; choose avi or png.")
    paths = []
    for take in takes:
        path = recording_path(Path(folder), take, form)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            # Finished recordings only ever bear their name: what is broken off can be told.
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


def _images(take: Take, cancel: Callable[[], bool] | None) -> Iterable[Image]:
    for frame in frames(take):
        if asked_to_stop(cancel):
            raise Cancelled("Recording was cancelled; what was finished is kept.")
        yield frame.image
