"""Options of an evaluation, and the table rows of the chosen methods."""

import contextlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from lmkl_core.baselines import METHODS, Method, views_for
from lmkl_core.errors import InvalidInputError

Selection: TypeAlias = Literal["auto", "development", "bona-fide", "none"]
GridName: TypeAlias = Literal["paper", "small"]
RuleName: TypeAlias = Literal["auto", "eer", "bpcer", "given", "enrolment"]

SELECTIONS: tuple[Selection, ...] = ("auto", "development", "bona-fide", "none")
GRIDS: tuple[GridName, ...] = ("paper", "small")

LIMITS = {"n_frames": (1, 10_000), "seed": (0, 2**32 - 1)}
"""Smallest and largest values; one cache entry holds all frames of a recording."""

_PLAIN_RULES: tuple[RuleName, ...] = ("auto", "eer", "enrolment")
_THRESHOLDS = "auto, eer, enrolment, bpcer:RATE such as bpcer:0.05, or given:VALUE"


@dataclass(frozen=True)
class ThresholdRule:
    """A way to choose thresholds, with a number for ``bpcer`` and ``given``."""

    by: RuleName
    value: float | None = None

    @classmethod
    def parse(cls, text: str) -> "ThresholdRule":
        """Parse a rule of the command line, such as ``bpcer:0.05``."""
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
        raise InvalidInputError(f"The threshold {text!r} is unknown: choose {_THRESHOLDS}.")


@dataclass(frozen=True)
class Options:
    """Options of an evaluation; empty or None means the default.

    Methods are keys of `lmkl_core.baselines.METHODS`, all by default.

    preset, paper_views
        Name or path of the preset of views, by default the database's own. If its networks are
        missing, the default preset replaces it, and the report says so; with ``paper_views`` this
        is an error.
    n_frames
        Frames per recording, spread evenly.
    selection, grid
        Choose parameters by AUC on ``development`` data, as the paper does; by `lmkl_core.select`
        on ``bona-fide`` training frames alone; or not at all. ``auto`` uses the first if the
        development data have both classes, otherwise the second. The ``paper``'s grid has 384
        cells.
    threshold
        ``eer`` or ``bpcer:RATE`` on the development data, ``given:VALUE``, ``enrolment`` (the
        model's own, from left-out training frames), or ``auto``: ``eer`` if the development data
        have both classes, otherwise ``enrolment``.
    gate
        Count frames that the quality gate refuses as non-responses; by default only for your
        own recordings and the demo, since the databases' protocols have no gate.
    n_jobs
        As in joblib, whose active backend is used.
    cache
        Folder of the caches.
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

    def __post_init__(self) -> None:
        object.__setattr__(self, "methods", tuple(dict.fromkeys(self.methods)))
        for name, known in (("selection", SELECTIONS), ("grid", GRIDS)):
            if getattr(self, name) not in known:
                raise InvalidInputError(
                    f"{name}={getattr(self, name)!r} is unknown: choose from {', '.join(known)}."
                )
        for name, (least, most) in LIMITS.items():
            if not least <= getattr(self, name) <= most:
                raise InvalidInputError(
                    f"{name}={getattr(self, name)!r} must be a whole number from {least} to {most}."
                )
        if self.n_jobs == 0:
            raise InvalidInputError(
                "n_jobs=0 runs nothing: use 2 for two jobs at a time, or -1 for all cores."
            )
        ThresholdRule.parse(self.threshold)

    @property
    def rule(self) -> ThresholdRule:
        return ThresholdRule.parse(self.threshold)


# ------------------------------------------------------------------ rows of the table


@dataclass(frozen=True)
class Row:
    """A row of the table: a method, its key in files, its title, and the views it uses.

    ``view`` is the one view of a single-view method. ``names`` is empty when the preset has no
    views for the method.
    """

    method: Method
    key: str
    title: str
    view: str | None
    names: tuple[str, ...]

    def make(self, seed: int, parameters: Mapping[str, Any] | None = None) -> Any:
        """Return an unfitted estimator."""
        return self.method.make(view=self.view, random_state=seed, **(parameters or {}))


def chosen_methods(names: Sequence[str]) -> tuple[Method, ...]:
    """Return the named methods, or all, in the order of the paper's tables."""
    unknown = [name for name in names if name not in METHODS]
    if unknown:
        raise InvalidInputError(f"Unknown method {unknown[0]!r}: choose from {', '.join(METHODS)}.")
    return tuple(method for name, method in METHODS.items() if not names or name in names)


def rows(methods: Sequence[Method], names: Sequence[str]) -> tuple[Row, ...]:
    """Return the rows of methods on the named views."""
    found: list[Row] = []
    for method in methods:
        used = tuple(views_for(method, names))
        if method.uses == "single":
            found += [
                Row(method, f"{method.name}:{view}", method.title_for(view), view, (view,))
                for view in used
            ]
        else:
            found.append(Row(method, method.name, method.title, None, used))
    return tuple(found)
