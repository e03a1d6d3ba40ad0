"""Write takes of the demo's renderer to files in the layout of a database."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

import numpy as np

from app.capture.opencv import cv2
from app.demo.renderer.takes import frames
from app.demo.script import RATE, SIZE, Take
from app.types import Image

Form = Literal["avi", "png"]


def recording_path(folder: Path, take: Take, form: Form = "avi") -> Path:
    """Return the path of a take: a video file, or a folder of pictures."""
    name = f"{take.name}.avi" if form == "avi" else take.name
    return folder / take.person / take.label / name


def write_recordings(folder: Path, takes: Iterable[Take], *, form: Form = "avi") -> list[Path]:
    """Record takes as Motion-JPEG videos or lossless pictures; keep existing ones."""
    paths = []
    for take in takes:
        path = recording_path(folder, take, form)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            # Only a finished recording gets its name: an interrupted one is recorded again.
            part = path.with_name(f"part-{path.name}")
            (_write_video if form == "avi" else _write_pictures)(part, _pictures(take))
            part.replace(path)
        paths.append(path)
    return paths


def _pictures(take: Take) -> Iterator[Image]:
    for frame in frames(take):
        yield np.ascontiguousarray(frame.image[..., ::-1])


def _write_video(path: Path, pictures: Iterator[Image]) -> None:
    code = cv2.VideoWriter.fourcc(*"MJPG")
    writer = cv2.VideoWriter(str(path), cv2.CAP_OPENCV_MJPEG, code, RATE, SIZE)
    writer.set(cv2.VIDEOWRITER_PROP_QUALITY, 96)
    for picture in pictures:
        writer.write(picture)
    writer.release()


def _write_pictures(path: Path, pictures: Iterator[Image]) -> None:
    path.mkdir(exist_ok=True)
    for number, picture in enumerate(pictures):
        (path / f"{number:05d}.png").write_bytes(cv2.imencode(".png", picture)[1].tobytes())
