"""Scores of whole recordings: a row for every frame, and a verdict for the input as a whole.

An input is accepted when the mean score of its frames reaches the threshold, as a presentation of
the guided test is. Fewer than `ENOUGH_FRAMES` scored frames are no response, unless the input has
no more frames than that and every one was scored: a single picture is judged by its one score.
"""

import csv
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TextIO

import numpy as np

from app.cli.console import Tell
from app.cli.inputs import Selection, opened, shown_name
from app.models.model import PadModel
from app.session.decision import ENOUGH_FRAMES, decide
from app.session.guided_test.presentation import kept_numbers
from app.session.scoring import score_frame
from app.settings import Settings
from app.types import Decision, Frame, FrameResult, ScoredFrame, Status, Verdict
from app.vision.pipeline import Pipeline

REPEATED = "It is the same picture as the last one scored, to the last bit: it tells nothing new."
"""A recording that stands still is one picture, however often it repeats it; each counts once."""

COLUMNS = ("source", "frame", "time", "status", "reason", "score", "verdict", "threshold",
           "liveness")  # fmt: skip
"""Of a frame's row, in CSV and in JSON lines."""


def frame_row(source: str, scored: ScoredFrame) -> dict[str, Any]:
    """Return a frame as JSON values, by `COLUMNS`."""
    return {
        "source": source,
        "frame": scored.frame.number,
        "time": round(scored.frame.time, 6),
        "status": "scored" if scored.score is not None else scored.verdict.value,
        "reason": scored.reason,
        "score": scored.score,
        "verdict": scored.verdict.value,
        "threshold": scored.threshold,
        "liveness": scored.liveness,
    }


@dataclass
class InputResult:
    """An input as a whole; ``error`` says why it could not be read, or not to its end."""

    source: str
    threshold: float
    frames: list[ScoredFrame] = field(default_factory=list)
    is_simulated: bool = False
    error: str = ""

    @property
    def n_scored(self) -> int:
        return sum(frame.score is not None for frame in self.frames)

    @property
    def n_accepted(self) -> int:
        return sum(frame.verdict.accepts for frame in self.frames)

    @property
    def decision(self) -> Decision | None:
        """The verdict on its frames together; None if no frame could be read."""
        if not self.frames:
            return None
        return decide(self.frames, self.threshold, enough=min(ENOUGH_FRAMES, len(self.frames)))

    def facts(self) -> dict[str, Any]:
        """Return the summary as JSON values."""
        decision = self.decision
        return {
            "source": self.source,
            "verdict": None if decision is None else decision.verdict.value,
            "reason": None if decision is None else decision.reason,
            "mean_score": None if decision is None else decision.score,
            "mean_liveness": None if decision is None else decision.liveness,
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
) -> Iterator[ScoredFrame]:
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
                scored = ScoredFrame(
                    Verdict.BAD_FRAME,
                    REPEATED,
                    threshold=model.threshold,
                    result=FrameResult(frame, Status.BAD_FRAME, REPEATED),
                )
            else:
                scored = score_frame(pipeline, model, frame)
                before = frame if scored.score is not None else before
            result.frames.append(kept_numbers(scored))
            result.is_simulated |= bool(frame.caption)
            tell(len(result.frames), total, result.source)
            yield scored


Write = Callable[[InputResult, ScoredFrame | None], None]
"""Write a frame of an input, or after its last frame (None) the input as a whole."""


def csv_writer(stream: TextIO) -> Write:
    """Write the names of the columns, then a line for every frame."""
    writer = csv.DictWriter(stream, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()

    def write(result: InputResult, scored: ScoredFrame | None) -> None:
        if scored is not None:
            writer.writerow(frame_row(_plain(result.source), scored))

    return write


def _plain(text: str) -> str:
    """Return text that a spreadsheet does not take for a formula, nor for the end of a line."""
    text = text.replace("\r", " ")  # which the csv module only quotes where lines end with it
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def jsonl_writer(stream: TextIO) -> Write:
    """Write an object of kind ``frame`` for every frame, and one of kind ``input`` after them."""

    def write(result: InputResult, scored: ScoredFrame | None) -> None:
        kind = "input" if scored is None else "frame"
        facts = result.facts() if scored is None else frame_row(result.source, scored)
        stream.write(json.dumps({"kind": kind, **facts}, allow_nan=False) + "\n")

    return write
