r"""Frames of recordings on disk.

Frames are spread evenly: a recording of :math:`N` frames is divided into :math:`n` equal parts, and
the middle frame of each is used, number :math:`\lfloor (2i + 1) N / 2n \rfloor` for
:math:`i = 0, \dots, n - 1`. These numbers are distinct if :math:`n \le N`.

A video is read from beginning to end, because with many codecs seeking lands on the wrong frame.
The frames for the announced length are kept until the end; if that length was wrong, the video is
read again. So a file gives the same frames everywhere.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from app.capture.folder import IMAGE_SUFFIXES, read_image
from app.capture.source import DEFAULT_RATE, Cause, SourceError, unreadable_by_account
from app.capture.video import VideoFile
from app.names import natural_order
from app.types import Frame, Image

VIDEO_SUFFIXES = frozenset(
    {".avi", ".m4v", ".mjpeg", ".mkv", ".mov", ".mp4", ".mpeg", ".mpg", ".ogv", ".webm", ".wmv"}
)
"""Other files in folders of recordings are left out."""

IMAGE_RATE = 10.0
"""Images per second, for the time stamps of a folder's frames."""

MOST_HELD = 256 << 20
"""Most bytes of frames kept until the end of a video; more are read in a second pass."""

_blake2b = partial(hashlib.blake2b, digest_size=32)


def spread(n_frames: int, n: int) -> list[int]:
    """Return the numbers of up to ``n`` of ``n_frames`` frames, spread evenly."""
    if n >= n_frames:
        return list(range(n_frames))
    return [(2 * part + 1) * n_frames // (2 * n) for part in range(n)]


def images_in(folder: Path) -> list[Path]:
    """Return a folder's visible images in natural order."""
    try:
        names = [
            path.name
            for path in folder.iterdir()
            if is_image(path.name) and not path.name.startswith(".") and path.is_file()
        ]
    except PermissionError:
        raise unreadable_by_account(f"The folder {folder}") from None
    except OSError:
        raise SourceError(Cause.NOT_FOUND, f"The folder {folder}") from None
    return [folder / name for name in in_natural_order(names)]


def is_image(name: str) -> bool:
    return Path(name).suffix.lower() in IMAGE_SUFFIXES


def is_video(name: str) -> bool:
    return Path(name).suffix.lower() in VIDEO_SUFFIXES


def in_natural_order(names: Iterable[str]) -> list[str]:
    return sorted(names, key=natural_order)


@dataclass(frozen=True)
class FileReader:
    """Reads a video, an image, or a folder of images."""

    path: Path

    def digest(self) -> str:
        """Return a digest of the bytes; for a folder, of its images' names and bytes."""
        if not self.path.is_dir():
            return _file_digest(self.path).hex()
        total = _blake2b()
        for image in images_in(self.path):
            name = os.fsencode(image.name)
            total.update(len(name).to_bytes(4, "big") + name + _file_digest(image))
        return total.hexdigest()

    def frames(self, n: int) -> Iterator[Frame]:
        """Yield up to ``n`` frames, numbered as in the recording.

        Unreadable images of a folder are skipped; raises `SourceError` if none is left.
        """
        if self.path.is_dir():
            return _folder_frames(self.path, n)
        if is_image(self.path.name):
            return iter([Frame(read_image(self.path))] if n > 0 else [])
        return _video_frames(self.path, n)

    def count(self, n: int) -> int:
        if self.path.is_dir():
            return min(n, len(images_in(self.path)))
        return min(n, 1) if is_image(self.path.name) else n


def _file_digest(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, _blake2b).digest()
    except PermissionError:
        raise unreadable_by_account(f"The file {path}") from None
    except FileNotFoundError:
        raise SourceError(Cause.NOT_FOUND, f"The file {path}") from None
    except OSError:
        raise SourceError(Cause.UNREADABLE, f"The file {path}") from None


def _video_frames(path: Path, n: int) -> Iterator[Frame]:
    with closing(VideoFile(path, paced=False)) as video:
        info = video.open()
        fits = 3 * n * info.width * info.height <= MOST_HELD
        announced = info.n_frames or 0
        held: dict[int, Image] = {}
        wanted = frozenset(spread(announced, n) if fits else ())
        at = 0
        while True:
            if at not in wanted:
                if not video.skip():
                    break
            elif (frame := video.read()) is not None:
                held[at] = frame.image
            else:
                break
            at += 1
    rate = info.rate or DEFAULT_RATE
    numbers = spread(at, n)
    if held.keys() >= set(numbers):
        yield from (Frame(held[number], number, number / rate) for number in numbers)
        return
    held.clear()
    with closing(VideoFile(path, paced=False)) as video:
        video.open()
        at = 0
        for number in numbers:
            while at < number and video.skip():
                at += 1
            if (frame := video.read()) is None:
                return
            at += 1
            yield Frame(frame.image, number, number / rate)


def _folder_frames(folder: Path, n: int) -> Iterator[Frame]:
    images = images_in(folder)
    failure = SourceError(Cause.EMPTY, f"The folder {folder}")
    found = n < 1
    for number in spread(len(images), n):
        try:
            image = read_image(images[number])
        except SourceError as error:
            failure = error
            continue
        found = True
        yield Frame(image, number, number / IMAGE_RATE)
    if not found:
        raise failure
