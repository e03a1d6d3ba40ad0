"""The result of an evaluation: plain values for reports."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypeAlias

from app.evaluation.protocols.types import Layout
from lmkl_core.metrics import ScoreTable, Threshold

Level: TypeAlias = Literal["frame", "presentation"]
"""Unit of a decision: a frame, or a presentation by the mean of its frames' scores."""

LEVELS: tuple[Level, ...] = ("frame", "presentation")


DEMO_NOTE = (
    "Everything is simulated, and no person is real: the figures show how methods compare on "
    "modelled attacks, not how well they detect real ones."
)


@dataclass(frozen=True, eq=False)
class FoldResult:
    """One method on one fold: the test scores of all its plans together.

    A fold of one plan holds its scores and thresholds unchanged. Scores of several models have no
    common scale, so with several plans each row holds ``score - threshold`` of its own plan, and
    the threshold is 0. Frames and presentations have different thresholds, so the mean of shifted
    frame scores is not the shifted presentation score; `at` returns the right one.

    ``frames`` are test scores by frame, NaN without a usable face. With several plans a
    presentation is named ``plan: recording``, because several models may judge the same recording,
    and ``presentations`` is set, because it does not follow from ``frames``. ``parameters`` are the
    chosen ones by plan, ``n_train`` counts the training frames of all plans, and ``notes`` are
    caveats such as a fit that is not certified.
    """

    fold: str
    frames: ScoreTable
    threshold: Threshold
    presentation_threshold: Threshold
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    n_train: int = 0
    notes: tuple[str, ...] = ()
    presentations: ScoreTable | None = None

    def at(self, level: Level) -> tuple[ScoreTable, Threshold]:
        """Return the scores of a level, and their threshold."""
        if level == "frame":
            return self.frames, self.threshold
        if self.presentations is not None:
            return self.presentations, self.presentation_threshold
        return self.frames.by_presentation(), self.presentation_threshold


@dataclass(frozen=True, eq=False)
class MethodResult:
    """One row of the table.

    ``method`` is the key in `lmkl_core.baselines.METHODS`; for a method on single views, that key,
    a colon and the view's name. Folds are in the layout's order; a failed method has none, and
    ``failure`` is the reason. ``seconds`` is the time spent on fitting and scoring.
    """

    method: str
    title: str
    folds: tuple[FoldResult, ...]
    failure: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, eq=False)
class Evaluation:
    """All methods on one layout.

    ``table`` is the label of the paper's table, or empty; methods are in the order of its tables.
    ``settings`` are texts by name, ``counts`` are numbers of recordings and frames by split and
    kind, such as ``"test attack recordings"``, and ``notes`` are sentences that a report must
    include.
    """

    layout: Layout
    table: str
    methods: tuple[MethodResult, ...]
    settings: Mapping[str, str]
    counts: Mapping[str, int]
    notes: tuple[str, ...]
    version: str
    created: datetime
    is_simulated: bool = False
