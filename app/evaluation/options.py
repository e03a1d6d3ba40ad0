"""What can be set about an evaluation, checked in one place."""

import contextlib
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from app.evaluation.result import LEVELS, Level
from lmkl_core.errors import InvalidInputError

Selection: TypeAlias = Literal["auto", "development", "bona-fide", "none"]
GridName: TypeAlias = Literal["paper", "small"]
RuleName: TypeAlias = Literal["auto", "eer", "bpcer", "given", "enrolment"]

SELECTIONS: tuple[Selection, ...] = ("auto", "development", "bona-fide", "none")
GRIDS: tuple[GridName, ...] = ("paper", "small")

MOST_FRAMES = 10_000
"""Frames of a recording that may be asked for: a key of the cache covers all of them."""

_PLAIN_RULES: tuple[RuleName, ...] = ("auto", "eer", "enrolment")
_THRESHOLDS = "auto, eer, enrolment, bpcer:RATE such as bpcer:0.05, or given:VALUE"


@dataclass(frozen=True)
class ThresholdRule:
    """How thresholds are chosen: a name, with a number for ``bpcer`` and ``given``."""

    by: RuleName
    value: float | None = None

    @classmethod
    def parse(cls, text: str) -> "ThresholdRule":
        """Read a rule as it is written on the command line, such as ``bpcer:0.05``."""
        for plain in _PLAIN_RULES:
            if text == plain:
                return cls(plain)
        name, _, number = text.partition(":")
        with contextlib.suppress(ValueError):
            value = float(number)
            if name == "bpcer" and 0 <= value < 1:
                return cls("bpcer", value)
            if name == "given" and math.isfinite(value):
                return cls("given", value)
        raise InvalidInputError(f"The threshold {text!r} is unknown: take {_THRESHOLDS}.")


@dataclass(frozen=True)
class Options:
    """What is evaluated, and how.

    Parameters
    ----------
    methods : sequence of str
        Keys of `lmkl_core.baselines.METHODS`, in any order; all of them when empty.
    preset : str
        Name or path of the views' preset; the database's own when empty.
    paper_views : bool
        Whether missing networks of the database's own preset are an error; otherwise the default
        preset is used, and the result says so.
    n_frames : int
        Frames a recording, spread evenly over it.
    selection : {"auto", "development", "bona-fide", "none"}
        How parameters are chosen: by AUC on the development data, as the paper does; by the
        criterion of `lmkl_core.select` on genuine training frames alone; or not at all.
        ``"auto"`` takes the first where the development data have both classes, else the second.
    grid : {"paper", "small"}
        The paper's 384 cells, or a coarse grid within it.
    threshold : str
        ``eer`` or ``bpcer:RATE`` on the development data, ``given:VALUE``, ``enrolment`` (the
        model's own, from left-out training frames), or ``auto``: ``eer`` where the development
        data have both classes, else ``enrolment``.
    gate : bool, optional
        Whether frames that the quality gate refuses count as non-responses. By default only on
        one's own recordings and the demo: the databases' protocols know no gate.
    n_jobs : int, optional
        As in joblib, whose active backend is used.
    seed : int
        Of everything random.
    cache : path, optional
        Folder of the caches; by default the user's cache folder.
    level : {"presentation", "frame"}
        What the AUC of the selection is taken over, and what tables show first.
    max_train : int
        Training frames of a plan are thinned out evenly to this many.
    weights : path, optional
        Folder in which networks' weights are looked for first.
    """

    methods: tuple[str, ...] = ()
    preset: str = ""
    paper_views: bool = False
    n_frames: int = 20
    selection: Selection = "auto"
    grid: GridName = "paper"
    threshold: str = "auto"
    gate: bool | None = None
    n_jobs: int | None = None
    seed: int = 0
    cache: Path | None = None
    level: Level = "presentation"
    max_train: int = 2000
    weights: Path | None = None

    def __post_init__(self) -> None:
        if isinstance(self.methods, str) or not isinstance(self.methods, Iterable):
            raise InvalidInputError("Methods are given as a sequence of names.")
        object.__setattr__(self, "methods", tuple(dict.fromkeys(self.methods)))
        for name in ("cache", "weights"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, Path(getattr(self, name)))
        for name, known in (("selection", SELECTIONS), ("grid", GRIDS), ("level", LEVELS)):
            if getattr(self, name) not in known:
                raise InvalidInputError(
                    f"{name}={getattr(self, name)!r} is unknown: take {', '.join(known)}."
                )
        _whole("n_frames", self.n_frames, 1, MOST_FRAMES)
        _whole("max_train", self.max_train, 2)
        _whole("seed", self.seed, 0, 2**32 - 1)
        if self.n_jobs is not None and (_no_integer(self.n_jobs) or self.n_jobs == 0):
            raise InvalidInputError(
                f"n_jobs={self.n_jobs!r} must be a whole number: 2 for two at a time, -1 for all."
            )
        ThresholdRule.parse(self.threshold)

    @property
    def rule(self) -> ThresholdRule:
        """How thresholds are chosen."""
        return ThresholdRule.parse(self.threshold)


def _no_integer(value: Any) -> bool:
    return isinstance(value, bool) or not isinstance(value, int)


def _whole(name: str, value: Any, least: int, most: float = math.inf) -> None:
    if _no_integer(value) or not least <= value <= most:
        upto = f" to {most}" if most < math.inf else " or more"
        raise InvalidInputError(f"{name}={value!r} must be a whole number of {least}{upto}.")
