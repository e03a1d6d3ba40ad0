"""The built-in demo: a person who does not exist, then attacks on them, when there is no camera."""

import threading

from app.demo_video.camera import unpacked
from app.demo_video.reel import Reel
from app.demo_video.script import Chapter, script
from app.demo_video.takes import RATE, SIZE
from app.sources.pacing import Clock, Pacer
from app.sources.source import Cause, FrameSource, SourceError, SourceInfo
from app.types import Frame
from lmkl_core.errors import InvalidInputError


class DemoSource(FrameSource):
    """Generated recordings, played like a camera; it knows what is being presented.

    Parameters
    ----------
    paced : bool
        Whether a frame is held back until its time has come, as a camera would.
    loop : bool
        Whether to start over after the last chapter.
    person : str
        Who is shown, one of `app.demo_video.PEOPLE`.
    seed : int
        Another seed, other takes.
    n_recorded : int
        Frames recorded for each chapter; it shows them to and fro.
    clock : Clock, optional
        Where the pace comes from.

    Attributes
    ----------
    chapters : tuple of Chapter
        The script.
    """

    is_live = False

    def __init__(
        self,
        paced: bool = True,
        loop: bool = True,
        person: str = "P001",
        seed: int = 0,
        *,
        n_recorded: int = 48,
        clock: Clock | None = None,
    ) -> None:
        self.name = "Demo"
        self.paced = paced
        self.loop = loop
        self.chapters = script(person, seed, n_recorded)
        self._length = sum(chapter.n_frames for chapter in self.chapters)
        self._reel = Reel(self.chapters)
        self._pacer = Pacer(clock)
        self._closing = threading.Event()
        self._closing.set()

    @property
    def chapter(self) -> Chapter:
        """What the last delivered frame presents (the first chapter before any)."""
        return self.chapter_of(max(self._n_delivered - 1, 0))

    @property
    def progress(self) -> float:
        """Share of the demo that is recorded, 0 to 1: playing does not wait for the whole."""
        return self._reel.progress

    def chapter_of(self, number: int) -> Chapter:
        """Return what the frame of that number presents."""
        return self.chapters[self._place(number)[0]]

    def open(self) -> SourceInfo:
        """Start recording ahead; the first frames are there within a second."""
        self._closing.clear()
        self._pacer.restart()
        self._reel.start()
        width, height = SIZE
        return SourceInfo(self.name, width, height, RATE, None if self.loop else self._length)

    def read(self) -> Frame | None:
        """Return the next frame, when it is due if the demo is paced."""
        number = self._n_delivered
        if self._closing.is_set() or (number >= self._length and not self.loop):
            return None
        chapter, position = self._place(number)
        try:
            packed = self._reel.picture(chapter, self.chapters[chapter].picture_of(position))
        except InvalidInputError as error:
            raise SourceError(Cause.NOT_FOUND, message=str(error)) from error
        if packed is None:
            return None
        image = unpacked(packed)
        if self.paced:
            self._pacer.wait_for(number / RATE, self._closing)
        if self._closing.is_set():
            return None
        return self._deliver(image, number / RATE)

    def close(self) -> None:
        """Stop; a `read` that waits returns at once. What is recorded is kept for the next time."""
        self._closing.set()
        self._reel.stop()

    def _place(self, number: int) -> tuple[int, int]:
        """Return the chapter of a frame and its position in it."""
        position = number % self._length
        for index, chapter in enumerate(self.chapters):
            if position < chapter.n_frames:
                return index, position
            position -= chapter.n_frames
        raise AssertionError("a position beyond the script")
