"""The built-in demo, for machines without a camera: a generated person, and attacks on them.

The first pictures were recorded in advance (``python -m tools.demo_opening``); the renderer is
loaded later, on the recorder's thread.
"""

import struct
import threading
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from app.capture.source import Cause, Clock, FrameSource, Pacer, SourceError, SourceInfo
from app.demo.reel import Reel
from app.demo.script import N_RECORDED, RATE, SIZE, Chapter, script
from app.types import Frame
from lmkl_core.errors import InvalidInputError

OPENING = Path(__file__).parent / "renderer" / "opening.bin"
"""The compressed pictures of the first chapter, each preceded by its length."""

_LENGTH = struct.Struct(">I")


class DemoSource(FrameSource):
    """Generated recordings, played forwards and backwards: the loop, or what `present` selects.

    A paced demo holds each frame back until it is due. It never waits for a recording while it has
    something to show: it repeats its last picture, and `chapter` shows when a presentation has
    begun. An unpaced demo waits for every recording, so equal demos give equal frames.
    """

    is_live = False

    def __init__(
        self,
        paced: bool = True,
        loop: bool = True,
        *,
        n_recorded: int = N_RECORDED,
        clock: Clock | None = None,
    ) -> None:
        self.name, self.paced, self.loop = "Demo", paced, loop
        self.script = script(n_recorded)
        self.chapter = self.script.loop[0]
        """The chapter of the last frame (at first, the first chapter)."""
        self._reel = Reel(self.script.presentations)
        self._pacer = Pacer(clock)
        self._closing = threading.Event()
        self._closing.set()
        self._selected: Chapter | None = None
        self._current: Chapter | None = None
        self._last: bytes | None = None
        self._turn = self._n_shown = 0
        self._place, self._step = 0, 1
        self._request_recordings()

    @property
    def presenting(self) -> str | None:
        """Key of what `present` selected; None for the loop."""
        selected = self._selected
        return None if selected is None else selected.key

    def present(self, key: str | None) -> None:
        """Show the presentation with this key, or the loop for None; callable from any thread."""
        by_key = {chapter.key: chapter for chapter in self.script.presentations}
        if key is not None and key not in by_key:
            raise InvalidInputError(
                f"The demo cannot present {key!r}; choose one of {', '.join(by_key)}."
            )
        self._selected = None if key is None else by_key[key]
        self._request_recordings()

    @property
    def progress(self) -> float:
        """Recorded share of the loop, 0 to 1; playing does not wait for all of it."""
        return self._reel.progress(self.script.loop)

    def open(self) -> SourceInfo:
        """Start recording ahead; the first frames are available at once."""
        self._closing.clear()
        self._pacer.restart()
        first = self.script.loop[0]
        if not self._reel.count(first):
            self._reel.insert(first, opening())
        self._reel.start()
        length = sum(chapter.n_frames for chapter in self.script.loop)
        return SourceInfo(self.name, *SIZE, RATE, None if self.loop else length)

    def read(self) -> Frame | None:
        """Return the next frame; if paced, when it is due."""
        try:
            packed = self._next_picture()
        except InvalidInputError as error:
            raise SourceError(Cause.NOT_FOUND, message=str(error)) from error
        if packed is None:
            return None
        # Imported here, so that OpenCV is loaded on the reader's thread while the window is built.
        from app.capture.opencv import cv2

        image = cv2.imdecode(np.frombuffer(packed, np.uint8), cv2.IMREAD_COLOR_RGB)
        time = self._n_delivered / RATE
        if self.paced:
            self._pacer.wait_for(time, self._closing)
        if self._closing.is_set():
            return None
        return self._deliver(np.asarray(image, np.uint8), time, self.chapter.frame_caption)

    def close(self) -> None:
        """Stop; a waiting `read` returns at once. Recordings are kept for the next opening."""
        self._closing.set()
        self._reel.stop()

    # ------------------------------------------------------------ choosing pictures

    def _next_picture(self) -> bytes | None:
        """Return the next picture; None at the end or after `close`."""
        while not self._closing.is_set():
            if not self._is_current():
                self._current = self._selected
                self._turn = self._n_shown = 0
                self._request_recordings()
            chapter = self._current or self._due()
            if chapter is None:
                return None
            if self.paced and self._last is not None and not self._reel.count(chapter):
                self._reel.check()
                return self._last
            place = self._next_place(chapter)
            packed = self._reel.picture(chapter, place, self._is_current)
            if packed is not None:
                self.chapter, self._place, self._last = chapter, place, packed
                self._n_shown += 1
                return packed
        return None

    def _is_current(self) -> bool:
        return self._selected is self._current

    def _due(self) -> Chapter | None:
        """Return the loop's chapter for the next picture; None at the end."""
        loop = self.script.loop
        if self._n_shown >= loop[self._turn].n_frames:
            following = (self._turn + 1) % len(loop)
            if not following and not self.loop:
                return None
            # A paced demo continues a chapter until the next one has a picture.
            if self.paced and not self._reel.count(loop[following]):
                self._reel.check()
            else:
                self._turn, self._n_shown = following, 0
                self._request_recordings()
        return loop[self._turn]

    def _next_place(self, chapter: Chapter) -> int:
        """Return the next position, reversing at the ends; a paced demo waits at the last."""
        if self._n_shown == 0:
            self._step = 1
            return 0
        n_pictures = chapter.take.n_frames
        if not 0 <= self._place + self._step < n_pictures:
            self._step = -self._step
        place = min(max(self._place + self._step, 0), n_pictures - 1)
        return min(place, self._reel.count(chapter) - 1) if self.paced else place

    def _request_recordings(self) -> None:
        """Request what is presented first, then what probably follows."""
        selected, everything = self._selected, self.script.presentations
        place = len(everything) if selected is None else everything.index(selected)
        loop = self.script.loop[self._turn :] + self.script.loop[: self._turn]
        self._reel.request((*everything[place : place + 2], *loop))


def opening(file: Path = OPENING) -> list[bytes]:
    """Return the shipped pictures of the loop's first chapter, or an empty list if damaged."""
    try:
        pictures = list(_split(file.read_bytes()))
    except (OSError, struct.error):
        return []
    is_whole = all(p[:2] == b"\xff\xd8" and p[-2:] == b"\xff\xd9" for p in pictures)
    return pictures if is_whole else []


def joined(pictures: Iterable[bytes]) -> bytes:
    """Return the content of an opening file with these pictures."""
    return b"".join(_LENGTH.pack(len(picture)) + picture for picture in pictures)


def _split(content: bytes) -> Iterable[bytes]:
    place = 0
    while place < len(content):
        (length,) = _LENGTH.unpack_from(content, place)
        place += _LENGTH.size
        yield content[place : place + length]
        place += length
