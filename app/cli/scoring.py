"""Scores of whole recordings: a row for every frame, and a verdict for the input as a whole.

An input is accepted when the mean score of its frames reaches the threshold, as a presentation of
the guided test is. Fewer than `ENOUGH_FRAMES` scored frames are no response, unless the input has
no more frames than that and every one was scored: a single picture is judged by its one score.
"""

import csv
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TextIO

import numpy as np

from app.cli.console import Tell
from app.cli.inputs import Selection, opened, shown_name
from app.models.model import PadModel
from app.session.frame_scoring import observe
from app.session.guided_test.presentation import ENOUGH_FRAMES, JudgedFrame, Presentation, judged
from app.settings import Settings
from app.shown.frames import Scored
from app.types import BONA_FIDE, Frame, Verdict
from app.vision.pipeline import Pipeline

REPEATED = "It is the same picture as the last one scored, to the last bit: it tells nothing new."
"""A recording that stands still is one picture, however often it repeats it; each counts once."""

COLUMNS = ("source", "frame", "time", "status", "reason", "score", "verdict", "threshold",
           "liveness")  # fmt: skip
"""Of a frame's row, in CSV and in JSON lines."""


@dataclass(frozen=True, eq=False)
class FrameRow:
    """One frame of an input, as judged."""

    source: str
    scored: Scored
    threshold: float

    def facts(self) -> dict[str, Any]:
        """Return the row as JSON values, by `COLUMNS`."""
        scored = self.scored
        return {
            "source": self.source,
            "frame": scored.frame.number,
            "time": round(scored.frame.time, 6),
            "status": "scored" if scored.score is not None else scored.verdict.value,
            "reason": scored.reason,
            "score": scored.score,
            "verdict": scored.verdict.value,
            "threshold": self.threshold,
            "liveness": scored.liveness,
        }


@dataclass
class InputResult:
    """An input as a whole; ``error`` says why it could not be read, or not to its end."""

    source: str
    threshold: float
    frames: list[JudgedFrame] = field(default_factory=list)
    is_simulated: bool = False
    error: str = ""

    @property
    def n_scored(self) -> int:
        return sum(frame.score is not None for frame in self.frames)

    @property
    def n_accepted(self) -> int:
        return sum(frame.verdict.accepts for frame in self.frames)

    @property
    def presented(self) -> Presentation | None:
        """The input as a presentation of the guided test; None if no frame could be read.

        A short one whose frames were all scored is repeated as often as the test asks for.
        """
        if not self.frames:
            return None
        is_whole = self.n_scored == len(self.frames)
        n_times = math.ceil(ENOUGH_FRAMES / len(self.frames)) if is_whole else 1
        threshold = self.threshold if self.n_scored else None
        return Presentation(1, BONA_FIDE, tuple(self.frames) * n_times, threshold)

    def facts(self) -> dict[str, Any]:
        """Return the summary as JSON values."""
        presented = self.presented
        return {
            "source": self.source,
            "verdict": None if presented is None else presented.verdict.value,
            "reason": None if presented is None else presented.reason,
            "mean_score": None if presented is None else presented.score,
            "mean_liveness": None if presented is None else presented.liveness,
            "threshold": self.threshold,
            "n_frames": len(self.frames),
            "n_scored": self.n_scored,
            "n_accepted": self.n_accepted,
            "is_simulated": self.is_simulated,
            "error": self.error or None,
        }


def score_input(
    pipeline: Pipeline,
    model: PadModel,
    text: str,
    selection: Selection,
    result: InputResult,
    settings: Settings | None = None,
    tell: Tell = lambda *_: None,
) -> Iterator[FrameRow]:
    """Score the frames of one input one after the other, and add each to the result.

    Raises `SourceError` when it cannot be read; the frames read before are in the result.
    """
    with opened(text, settings) as reading:
        result.source = shown_name(text, reading.source)
        total = reading.info.n_frames or None
        if total is not None:
            total = -(-total // selection.every)
        if selection.most is not None:
            total = selection.most if total is None else min(total, selection.most)
        before: Frame | None = None
        for frame in selection.of(text, reading, reading.frames(pipeline)):
            if before is not None and np.array_equal(before.image, frame.image):
                scored = Scored(frame, Verdict.BAD_FRAME, REPEATED, threshold=model.threshold)
            else:
                scored = observe(pipeline, model, frame).scored
                before = frame if scored.score is not None else before
            result.frames.append(judged(scored))
            result.is_simulated |= bool(frame.caption)
            tell(len(result.frames), total, result.source)
            yield FrameRow(result.source, scored, model.threshold)


Write = Callable[[FrameRow | InputResult], None]


def csv_writer(stream: TextIO) -> Write:
    """Write the names of the columns, then a line for every frame."""
    writer = csv.DictWriter(stream, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()

    def write(row: FrameRow | InputResult) -> None:
        if isinstance(row, FrameRow):
            facts = row.facts()
            writer.writerow({**facts, "source": _plain(facts["source"])})

    return write


def _plain(text: str) -> str:
    """Return text that a spreadsheet does not take for a formula, nor for the end of a line."""
    text = text.replace("\r", " ")  # which the csv module only quotes where lines end with it
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def jsonl_writer(stream: TextIO) -> Write:
    """Write an object of kind ``frame`` for every frame, and one of kind ``input`` after them."""

    def write(row: FrameRow | InputResult) -> None:
        kind = "frame" if isinstance(row, FrameRow) else "input"
        stream.write(json.dumps({"kind": kind, **row.facts()}, allow_nan=False) + "\n")

    return write
