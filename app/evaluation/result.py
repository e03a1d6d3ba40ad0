"""The result of an evaluation: plain values that tables and files are made of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypeAlias

from app.evaluation.protocols.types import SplitCount
from lmkl_core.metrics import ScoreTable, Threshold

Level: TypeAlias = Literal["frame", "presentation"]
"""What counts as one decision: a frame, or a presentation by the mean of its frames' scores."""

LEVELS: tuple[Level, ...] = ("frame", "presentation")


DEMO_NOTE = (
    "Everything is simulated, and no person is real: figures tell how methods compare on modelled "
    "attacks, not how well anything does on real ones."
)


@dataclass(frozen=True, eq=False)
class FoldResult:
    """One method on one fold: the test scores of all its plans together.

    A fold of one plan holds its scores as they are, with its thresholds. In a fold of several
    plans every plan has a model and thresholds of its own, and scores of different models have no
    common scale: each table then holds ``score - threshold`` of the row's own plan, and the
    threshold is 0 for all. A plan has one threshold for frames and another for presentations,
    so that the means of shifted frames' scores are not shifted presentations' scores. Ask `at` for
    a level's table and threshold: it knows all this.

    Attributes
    ----------
    fold : str
        The fold's name.
    frames : ScoreTable
        Test scores frame by frame; NaN for frames without a usable face. In a fold of several
        plans a presentation is named ``plan: recording``, since several models may be shown the
        same recording.
    threshold : Threshold
        Of the frames' scores.
    presentation_threshold : Threshold
        Of presentations' means.
    parameters : mapping
        Parameters of the method by plan; empty for methods without any.
    n_train : int
        Frames learnt from, over all plans.
    notes : tuple of str
        What a reader must know, such as a fit that is not certified.
    presentations : ScoreTable, optional
        Test scores presentation by presentation, where they do not follow from `frames`: in folds
        of several plans.
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
        """Return the scores of a level and the threshold they are held against."""
        if level == "frame":
            return self.frames, self.threshold
        if self.presentations is not None:
            return self.presentations, self.presentation_threshold
        return self.frames.by_presentation(), self.presentation_threshold


@dataclass(frozen=True, eq=False)
class MethodResult:
    """One row of the table.

    ``method`` is the key in `lmkl_core.baselines.METHODS`; for a method on single views, that key,
    a colon and the view's name. Folds are in the layout's order, none when the method failed, for
    the reason in ``failure``. ``seconds`` were spent fitting and scoring.
    """

    method: str
    title: str
    folds: tuple[FoldResult, ...]
    failure: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, eq=False)
class Evaluation:
    """All methods on one layout, whose values it repeats.

    Attributes
    ----------
    table : str
        Label of the paper's table beside which the figures stand; empty where there is none.
    methods : tuple of MethodResult
        In the order of the paper's tables.
    settings : mapping of str to str
        What was set and how: preset, frames a recording, selection, threshold, seed.
    counts : mapping of str to int
        Recordings and frames by split and kind, for example ``"test attack recordings"``.
    notes : tuple of str
        Sentences that a report must say.
    is_simulated : bool
        Whether the recordings are the demo's.
    """

    database: str
    title: str
    protocol: str
    mode: str
    table: str
    methods: tuple[MethodResult, ...]
    settings: Mapping[str, str]
    counts: Mapping[str, int]
    notes: tuple[str, ...]
    version: str
    created: datetime
    is_simulated: bool = False
    recordings: tuple[SplitCount, ...] = ()
    missing: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()
