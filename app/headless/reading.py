"""Inputs as people name them, and which of their frames are looked at.

A video is one recording, and so are the pictures of one folder; a folder of these is searched
with all folders in it. Pictures are stills: they need not follow one another, so each is looked
at as if it were the first.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from app.capture.folder import IMAGE_SUFFIXES, ImageFolder, natural_order
from app.capture.opening import source_from
from app.capture.source import Cause, FrameSource, SourceError, SourceInfo
from app.settings import Settings
from app.types import Frame
from app.vision.pipeline import Pipeline
from lmkl_core.errors import InvalidInputError

VIDEO_SUFFIXES = frozenset(
    {".3gp", ".asf", ".avi", ".flv", ".m4v", ".mjpeg", ".mjpg", ".mkv", ".mov", ".mp4", ".mpeg"}
    | {".mpg", ".mts", ".ogv", ".ts", ".webm", ".wmv"}
)
"""What counts as a video among the files of a folder; a file that is named itself may be any."""

_EARLY = 1e-6
"""Seconds: times of frames are rounded."""


@dataclass(frozen=True, eq=False)
class Opened:
    """A source that is open.

    Attributes
    ----------
    source : FrameSource
        To read from.
    info : SourceInfo
        What it turned out to be.
    """

    source: FrameSource
    info: SourceInfo

    @property
    def has_stills(self) -> bool:
        """Whether its frames need not follow one another."""
        return isinstance(self.source, ImageFolder)

    def frames(self, pipeline: Pipeline) -> Iterator[Frame]:
        """Yield all frames, after making the pipeline forget what came before."""
        pipeline.reset()
        for frame in self.source:
            if self.has_stills:
                pipeline.reset()
            yield frame


@contextmanager
def opened(text: str, settings: Settings | None = None) -> Iterator[Opened]:
    """Open a source to be read as fast as it can be, once, and close it at the end.

    Parameters
    ----------
    text : str
        As for `app.capture.opening.source_from`.
    settings : Settings, optional
        Frame size asked of a camera.
    """
    chosen = settings or Settings()
    source = source_from(text, paced=False, loop=False, width=chosen.width, height=chosen.height)
    try:
        yield Opened(source, source.open())
    finally:
        source.close()


def recordings_in(text: str, *, apart: bool = False) -> list[str]:
    """Return what is read for one input: itself, or what a folder holds.

    Parameters
    ----------
    text : str
        As for `app.capture.opening.source_from`.
    apart : bool
        Whether every picture of a folder is a recording of its own.

    Raises
    ------
    SourceError
        When it names nothing, or a folder without pictures and videos.
    """
    source_from(text)  # names the problem of a path that does not exist
    if not os.path.isdir(text):
        return [text]
    found = list(_recordings_below(Path(text), apart))
    if not found:
        raise SourceError(
            Cause.EMPTY,
            message=f"The folder {text} holds neither pictures nor videos: choose another one.",
        )
    return found


def _recordings_below(folder: Path, apart: bool) -> Iterator[str]:
    try:
        entries = sorted(
            (entry for entry in folder.iterdir() if not entry.name.startswith(".")),
            key=lambda entry: (natural_order(entry.name), entry.name),
        )
    except PermissionError:
        message = f"The folder {folder} may not be read by this account: change its permissions."
        raise SourceError(Cause.PERMISSION, message=message) from None
    files = [entry for entry in entries if entry.is_file()]
    pictures = [entry for entry in files if entry.suffix.lower() in IMAGE_SUFFIXES]
    if pictures:
        yield from map(str, pictures) if apart else [str(folder)]
    yield from (str(entry) for entry in files if entry.suffix.lower() in VIDEO_SUFFIXES)
    for entry in entries:
        # A link may lead back to where it lies.
        if entry.is_dir() and not entry.is_symlink():
            yield from _recordings_below(entry, apart)


@dataclass(frozen=True)
class Selection:
    """Which frames of a recording are looked at.

    Attributes
    ----------
    every : int
        Each so many frames one.
    most : int or None
        At most so many, spread evenly over the whole recording; of a live source the first ones.
    """

    every: int = 1
    most: int | None = None

    def __post_init__(self) -> None:
        if self.every < 1 or (self.most is not None and self.most < 1):
            raise InvalidInputError("The number of frames must be at least 1.")

    def of(self, text: str, reading: Opened, frames: Iterable[Frame]) -> Iterator[Frame]:
        """Yield the chosen ones of a source's frames.

        Parameters
        ----------
        text : str
            The source: where only reading to the end tells how many frames it has, it is read
            twice.
        reading : Opened
            The same, open.
        frames : iterable of Frame
            All its frames.
        """
        positions = None
        if self.most is not None and not reading.source.is_live:
            total = reading.info.n_frames or _count(text)
            positions = spread(range(0, total, self.every), self.most)
        n_given = 0
        for position, frame in enumerate(frames):
            if position in positions if positions is not None else position % self.every == 0:
                yield frame
                n_given += 1
            if self.most is not None and n_given == self.most:
                return


def spread(places: Sequence[int], most: int) -> frozenset[int]:
    """Return at most so many of the places, evenly over all of them."""
    n = len(places)
    if n <= most:
        return frozenset(places)
    # The middles of `most` equal stretches: neither the first nor the last frame is special.
    return frozenset(places[(2 * k + 1) * n // (2 * most)] for k in range(most))


def _count(text: str) -> int:
    with opened(text) as reading:
        return sum(1 for _ in reading.source)


def apart_in_time(frames: Iterable[Frame], seconds: float) -> Iterator[Frame]:
    """Yield frames that are at least so many seconds apart, the first one first."""
    last: float | None = None
    for frame in frames:
        if last is None or frame.time - last >= seconds - _EARLY:
            last = frame.time
            yield frame


def shown_name(text: str, source: FrameSource) -> str:
    """Return how an input is called in results: its path, or a name without credentials."""
    return text if os.path.exists(text) else source.name
