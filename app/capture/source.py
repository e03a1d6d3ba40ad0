"""The one interface of everything that gives frames.

A source is made (cheap, touches nothing), opened, read until it gives ``None``, and closed; it may
be opened again afterwards and then goes on counting where it stopped.

    with source_from("takes/window.mp4") as source:
        for frame in source:
            ...

Threads: ``open`` and ``read`` belong to one thread, never the window's, because cameras and
networks may block for seconds. ``close`` may come from any thread.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from app.capture.causes import Cause, SourceError
from app.types import Frame, Image

__all__ = ["Cause", "FrameSource", "SourceError", "SourceInfo"]


@dataclass(frozen=True)
class SourceInfo:
    """What a source turned out to be once it was open.

    Attributes
    ----------
    name : str
        The source's name, fit to be shown (no credentials).
    width, height : int
        Size of its frames in pixels, as delivered rather than as asked for.
    rate : float
        Frames a second it announces; 0 where it does not say.
    n_frames : int or None
        How many frames it has; None for live sources and where only reading to the end would tell.
    is_jpeg : bool
        Whether every picture is compressed for itself, so that no two are ever quite alike.
    is_video : bool
        Whether pictures are compressed together, so that what is still may be repeated exactly.
    """

    name: str
    width: int
    height: int
    rate: float
    n_frames: int | None = None
    is_jpeg: bool = False
    is_video: bool = False


class FrameSource(ABC):
    """Something that gives frames, one after the other.

    Subclasses set ``name`` and ``is_live`` and hand every picture to `_deliver`, which numbers it
    and keeps time from running backwards, also when the source is opened again.

    Attributes
    ----------
    name : str
        Fit to be shown: a camera's name, a file's name, an address without credentials.
    is_live : bool
        Whether it shows the world as it is now (a camera) rather than a recording. Live sources
        have no end and are opened again when they fail.
    remark : str
        One sentence that a person should know of it once it is open; mostly empty.
    """

    name: str
    is_live: bool = False
    remark: str = ""

    _n_delivered: int = 0
    _last_time: float = 0.0

    @property
    def subject(self) -> str:
        """The beginning of a sentence about this source."""
        return f"The source {self.name}"

    @abstractmethod
    def open(self) -> SourceInfo:
        """Open the source on the calling thread; raise `SourceError` where it cannot be."""

    @abstractmethod
    def read(self) -> Frame | None:
        """Return the next frame, or None at the end of a finite source or after `close`.

        Raises `SourceError` when a source breaks down.
        """

    @abstractmethod
    def close(self) -> None:
        """Let go of the source; a second call does nothing.

        May come from another thread: a waiting `read` then ends as soon as its library lets it.
        """

    def _deliver(self, image: Image, time: float, caption: str = "") -> Frame:
        """Return the image as the next frame; a time before the last one's becomes the last."""
        self._last_time = max(self._last_time, time)
        frame = Frame(image, self._n_delivered, self._last_time, caption)
        self._n_delivered += 1
        return frame

    def __iter__(self) -> Iterator[Frame]:
        """Read to the end; the source has to be open."""
        while (frame := self.read()) is not None:
            yield frame

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
