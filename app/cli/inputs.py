"""Inputs as named on the command line, and which of their frames are used."""

import math
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.capture.folder import IMAGE_SUFFIXES, ImageFolder
from app.capture.opening import source_from
from app.capture.source import Cause, FrameSource, SourceError, SourceInfo, unreadable_by_account
from app.cli.console import ExitCode, say, stop
from app.evaluation.protocols.recordings import spread
from app.names import natural_order
from app.settings import Settings, check, load
from app.types import Frame
from app.vision.pipeline import Pipeline

# Used to find videos in folders; a file named on the command line may have any suffix.
VIDEO_SUFFIXES = frozenset(
    ".3gp .asf .avi .flv .m4v .mjpeg .mjpg .mkv .mov .mp4 .mpeg .mpg .mts .ogv .ts .webm "
    ".wmv".split()
)
_TOLERANCE = 1e-6  # seconds, because times of frames are rounded


def settings_with(**changes: Any) -> Settings:
    """Return the window's settings with some replaced (None keeps one); refuse invalid values."""
    settings, problems = load()
    for problem in problems:
        say(problem)
    changed = {name: value for name, value in changes.items() if value is not None}
    settings = replace(settings, **changed)
    for name, sentence in check(settings).items():
        if name in changed:
            why = sentence[:1].lower() + sentence[1:]
            stop(f"--{name.replace('_', '-')} cannot be used: {why}", ExitCode.USAGE)
    return settings


def check_seconds(every: float | None) -> None:
    if every is not None and not math.isfinite(every):
        stop("--every cannot be used: it must be a number of seconds.", ExitCode.USAGE)


def named_value(text: str, form: str) -> tuple[str, str]:
    name, mark, value = text.partition("=")
    if not mark or not name.strip() or not value.strip():
        stop(f"'{text}' cannot be used: write {form}.", ExitCode.USAGE)
    return name.strip(), value.strip()


@dataclass(frozen=True, eq=False)
class Opened:
    """An open source, its name in results, and its properties."""

    source: FrameSource
    name: str
    info: SourceInfo

    @property
    def has_stills(self) -> bool:
        """Whether its frames are separate pictures."""
        return isinstance(self.source, ImageFolder)

    def frames(self, pipeline: Pipeline) -> Iterator[Frame]:
        """Yield all frames; reset the pipeline before the first one and before every still."""
        for number, frame in enumerate(self.source):
            if number == 0 or self.has_stills:
                pipeline.reset()
            yield frame


@contextmanager
def opened(text: str, settings: Settings) -> Iterator[Opened]:
    """Open a source to read it once, at full speed; cameras use the frame size in the settings."""
    size = {"width": settings.width, "height": settings.height}
    source = source_from(text, paced=False, loop=False, **size)
    try:
        info = source.open()  # first, because a camera gets its name here
        yield Opened(source, shown_name(text, source), info)
    finally:
        source.close()


def recordings_in(text: str, *, apart: bool = False) -> list[str]:
    """Return the recordings of an input: itself, or the videos and pictures below a folder.

    The pictures of one folder are one recording, or one each with ``apart``.
    """
    source_from(text)
    if not os.path.isdir(text):
        return [text]
    found = list(_recordings_below(Path(text), apart))
    if not found:
        raise SourceError(
            Cause.EMPTY,
            message=f"The folder {text} contains neither pictures nor videos: choose another one.",
        )
    return found


def check_one_recording(text: str) -> None:
    """Refuse what is not a source, and a folder that holds videos instead of pictures."""
    source = source_from(text)
    if not isinstance(source, ImageFolder) or not source.path.is_dir():
        return
    first = next(_recordings_below(source.path, apart=False), None)
    if first is not None and first != str(source.path):
        raise SourceError(
            Cause.EMPTY,
            message=f"The folder {text} contains no pictures: name its videos or folders one by "
            f"one, such as {first}.",
        )


def _recordings_below(folder: Path, apart: bool) -> Iterator[str]:
    try:
        entries = sorted(
            (entry for entry in folder.iterdir() if not entry.name.startswith(".")),
            key=lambda entry: natural_order(entry.name),
        )
    except PermissionError:
        raise unreadable_by_account(f"The folder {folder}") from None
    files = [entry for entry in entries if entry.is_file()]
    pictures = [entry for entry in files if entry.suffix.lower() in IMAGE_SUFFIXES]
    if pictures:
        yield from map(str, pictures) if apart else [str(folder)]
    yield from (str(entry) for entry in files if entry.suffix.lower() in VIDEO_SUFFIXES)
    for entry in entries:
        # A link may lead back to one of its parents.
        if entry.is_dir() and not entry.is_symlink():
            yield from _recordings_below(entry, apart)


def shown_name(text: str, source: FrameSource) -> str:
    """Return the name of an input in results: its path, or a name without credentials."""
    return text if os.path.exists(text) else source.name


@dataclass(frozen=True)
class Selection:
    """Every ``every``-th frame, at most ``most``: spread evenly, or a camera's first ones."""

    every: int = 1
    most: int | None = None

    def of(self, text: str, reading: Opened, frames: Iterable[Frame]) -> Iterator[Frame]:
        """Yield the selected frames; a source of unknown length is read twice."""
        positions = None
        if self.most is not None and not reading.source.is_live:
            total = reading.info.n_frames
            if not total:
                with opened(text, Settings()) as again:
                    total = sum(1 for _ in again.source)
            candidates = range(0, total, self.every)
            positions = {candidates[k] for k in spread(len(candidates), self.most)}
        n_yielded = 0
        for position, frame in enumerate(frames):
            if position in positions if positions is not None else position % self.every == 0:
                yield frame
                n_yielded += 1
            if self.most is not None and n_yielded == self.most:
                return


def apart_in_time(frames: Iterable[Frame], seconds: float) -> Iterator[Frame]:
    """Yield the first frame, then frames at least ``seconds`` after the last one yielded."""
    last: float | None = None
    for frame in frames:
        if last is None or frame.time - last >= seconds - _TOLERANCE:
            last = frame.time
            yield frame
