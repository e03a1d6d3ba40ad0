"""The built-in demo: a person who does not exist, then attacks on them, when there is no camera.

Importing this loads NumPy and nothing heavier, and the first pictures were recorded beforehand
(``python -m tools.demo_opening``); the renderer is loaded later, by the recorder's thread.
"""

import struct
import threading
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from app.capture.source import Cause, Clock, FrameSource, Pacer, SourceError, SourceInfo
from app.demo.reel import Projector, Reel
from app.demo.script import N_RECORDED, PERSON, RATE, SIZE, Chapter, script
from app.types import Frame
from lmkl_core.errors import InvalidInputError

OPENING = Path(__file__).parent / "renderer" / "opening.bin"
"""The pictures of the first chapter as the camera compressed them, each after its length."""

_LENGTH = struct.Struct(">I")


class DemoSource(FrameSource):
    """Generated recordings, played like a camera: everything in turn, or what `present` names.

    A paced demo holds a frame back until its time has come and never waits for a recording while it
    has something to show: it repeats the last picture, with its caption, and `chapter` tells when a
    presentation has begun. Without a pace, frames wait for their recording, and equal demos give
    equal frames.
    """

    is_live = False

    def __init__(
        self,
        paced: bool = True,
        loop: bool = True,
        person: str = PERSON,
        seed: int = 0,
        *,
        n_recorded: int = N_RECORDED,
        clock: Clock | None = None,
    ) -> None:
        self.name, self.paced, self.loop = "Demo", paced, loop
        self.script = script(person, seed, n_recorded)
        self._reel = Reel(self.script.presentations)
        self._projector = Projector(self.script, self._reel, loop=loop, patient=not paced)
        self._pacer = Pacer(clock)
        self._closing = threading.Event()
        self._closing.set()

    @property
    def chapter(self) -> Chapter:
        """What the last delivered frame presents (the first chapter before any)."""
        return self._projector.shown

    @property
    def presenting(self) -> str | None:
        """Key of what `present` asked for; None is everything in turn."""
        chapter = self._projector.presenting
        return None if chapter is None else chapter.key

    def present(self, key: str | None) -> None:
        """Show the presentation with this key, or everything in turn; from any thread."""
        by_key = {chapter.key: chapter for chapter in self.script.presentations}
        if key is not None and key not in by_key:
            raise InvalidInputError(
                f"The demo cannot present {key!r}; choose one of {', '.join(by_key)}."
            )
        self._projector.present(None if key is None else by_key[key])

    @property
    def progress(self) -> float:
        """Share of the loop that is recorded, 0 to 1: playing does not wait for the whole."""
        return self._reel.progress(self.script.loop)

    def open(self) -> SourceInfo:
        """Start recording ahead; the first frames are there at once."""
        self._closing.clear()
        self._pacer.restart()
        first = self.script.loop[0]
        if not self._reel.count(first):
            self._reel.insert(first, opening_of(first))
        self._reel.start()
        length = sum(chapter.n_frames for chapter in self.script.loop)
        return SourceInfo(self.name, *SIZE, RATE, None if self.loop else length)

    def read(self) -> Frame | None:
        """Return the next frame, when it is due if the demo is paced."""
        if self._closing.is_set():
            return None
        try:
            packed = self._projector.picture()
        except InvalidInputError as error:
            raise SourceError(Cause.NOT_FOUND, message=str(error)) from error
        if packed is None:
            return None
        # Here and not above: a program loads OpenCV on the reader's thread while its window is
        # made.
        from app.capture.opencv import cv2

        image = cv2.imdecode(np.frombuffer(packed, np.uint8), cv2.IMREAD_COLOR_RGB)
        time = self._n_delivered / RATE
        if self.paced:
            self._pacer.wait_for(time, self._closing)
        if self._closing.is_set():
            return None
        return self._deliver(np.asarray(image, np.uint8), time, self.chapter.frame_caption)

    def close(self) -> None:
        """Stop; a `read` that waits returns at once. Recordings are kept for the next time."""
        self._closing.set()
        self._reel.stop()


def opening_of(chapter: Chapter, file: Path = OPENING) -> list[bytes]:
    """Return the shipped pictures of the very first chapter; none of others or from a bad file."""
    if replace(chapter.take, n_frames=N_RECORDED) != script().loop[0].take:
        return []
    try:
        pictures = list(_split(file.read_bytes()))
    except (OSError, struct.error):
        return []
    is_whole = all(one[:2] == b"\xff\xd8" and one[-2:] == b"\xff\xd9" for one in pictures)
    return pictures if is_whole else []


def joined(pictures: Iterable[bytes]) -> bytes:
    """Return the content of a file with these pictures."""
    return b"".join(_LENGTH.pack(len(picture)) + picture for picture in pictures)


def _split(content: bytes) -> Iterable[bytes]:
    place = 0
    while place < len(content):
        (length,) = _LENGTH.unpack_from(content, place)
        place += _LENGTH.size
        yield content[place : place + length]
        place += length
