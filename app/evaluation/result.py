"""What an evaluation found: plain values that tables and files are made of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from lmkl_core.metrics.table import ScoreTable


@dataclass(frozen=True)
class UsedThreshold:
    """A threshold and where it came from.

    Attributes
    ----------
    value : float or None
        None when it could not be chosen; then only figures without a threshold are told.
    origin : str
        Half a sentence, such as ``equal errors on the development set``.
    """

    value: float | None
    origin: str


@dataclass(frozen=True, eq=False)
class FoldResult:
    """One method on one fold.

    Attributes
    ----------
    fold : str
        The fold's name.
    frames : ScoreTable
        Test scores frame by frame, ``score - threshold`` of the plan's own model added up over
        plans: with several plans each has its own threshold, and the tables hold scores shifted
        so that ``threshold.value`` is right for all of them.
    threshold : UsedThreshold
        Of the frames' scores; a presentation's mean is held against the same one unless
        `presentation_threshold` is given.
    presentation_threshold : UsedThreshold
        Of presentations' means.
    parameters : mapping
        What was chosen, by plan; empty for methods without parameters.
    n_train : int
        Frames learnt from, over all plans.
    notes : tuple of str
        What a reader must know, such as a fit that is not certified.
    """

    fold: str
    frames: ScoreTable
    threshold: UsedThreshold
    presentation_threshold: UsedThreshold
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    n_train: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class MethodResult:
    """One row of the table.

    Attributes
    ----------
    method : str
        Its key in `lmkl_core.baselines`.
    title : str
        Its name in tables.
    folds : tuple of FoldResult
        In the order of the layout's folds; empty when it failed.
    failure : str
        Why there is nothing, in one sentence; empty when there is.
    seconds : float
        Spent fitting and scoring.
    """

    method: str
    title: str
    folds: tuple[FoldResult, ...]
    failure: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, eq=False)
class Evaluation:
    """All methods on one layout.

    Attributes
    ----------
    database, title, protocol, mode : str
        As in `app.protocols.types.Layout`.
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
