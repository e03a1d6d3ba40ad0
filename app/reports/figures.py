"""Figures of a guided test or an evaluation, by presentation or by frame.

`Figures` holds decisions and their scores and computes any of `FIGURES` with interval and counts.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import fmean, stdev

import numpy as np

from app.evaluation.result import FoldResult, Level
from app.session.guided_test.presentation import Tally
from app.types import BONA_FIDE, Verdict
from lmkl_core.metrics import (
    Errors,
    Estimate,
    Rate,
    Resampled,
    ScoreTable,
    Worst,
    auc,
    bootstrap_acer,
    bootstrap_auc,
    bpcer_at_apcer,
    choose_threshold,
    eer,
    measure,
    measure_table,
)
from lmkl_core.metrics.resampling import FEW_SUBJECTS

FIGURES: Mapping[str, str] = {
    "HTER": "HTER",
    "APCER": "APCER, worst species",
    "BPCER": "BPCER",
    "AUC": "AUC",
    "EER": "EER",
    "BPCER100": "BPCER at APCER 1 %",
    "BPCER20": "BPCER at APCER 5 %",
    "BPCER10": "BPCER at APCER 10 %",
    "APNRR": "APNRR",
    "BPNRR": "BPNRR",
    "ACER": "ACER (legacy)",
}
"""Every figure, with its heading."""

APCER_TARGETS: Mapping[str, float] = {"BPCER100": 0.01, "BPCER20": 0.05, "BPCER10": 0.1}
"""APCERs at which BPCER is measured, by their names in the literature."""

NON_RESPONSE = ("APNRR", "BPNRR")
HIGHER_IS_BETTER = frozenset({"AUC"})

_ERRORS = {
    "HTER": "hter",
    "APCER": "worst",
    "BPCER": "bpcer",
    "APNRR": "apnrr",
    "BPNRR": "bpnrr",
    "ACER": "acer",
}
"""Figures that are attributes of `Errors`."""

SEARCHED = ("EER", *APCER_TARGETS)
"""Figures whose intervals are searched over all thresholds."""

MOST_SEARCHED = 200_000
"""Above this many rows these intervals are left out: with hundreds of species they take minutes."""

MOST_SUBJECTS = 2000
"""Above this many subjects there is no bootstrap: it takes minutes, and subjects hardly repeat."""


@dataclass(frozen=True)
class Figure:
    """One figure and its basis; unknown and inapplicable values are None.

    A rate counts ``n_errors`` of ``n``; a figure of both classes has ``n_bona_fide`` and
    ``n_attacks``. ``species`` is the worst one of an APCER. ``n_subjects`` counts the resampled
    subjects; if it is 0, the interval treats rows as independent.
    """

    name: str
    value: float | None
    interval: tuple[float, float] | None = None
    n_errors: int | None = None
    n: int | None = None
    n_bona_fide: int | None = None
    n_attacks: int | None = None
    species: str = ""
    n_subjects: int | None = None

    @classmethod
    def of(cls, name: str, found: Rate | Estimate | Worst) -> "Figure":
        interval = None if found.value is None else found.interval
        if isinstance(found, Estimate):
            n_bona_fide, n_attacks = found.n_bona_fide, found.n_attacks
            return cls(name, found.value, interval, n_bona_fide=n_bona_fide, n_attacks=n_attacks)
        rate, worst = (found.rate, found.species) if isinstance(found, Worst) else (found, "")
        return cls(name, rate.value, interval, rate.n_errors, rate.n, species=worst)


@dataclass(frozen=True, eq=False)
class Figures:
    """All figures of one set of decisions.

    ``genuine_scores`` and ``attack_scores`` cover everything with a response; ``scores`` adds the
    subjects, for intervals from drawing them. Without a ``threshold``, only figures that need none
    are known. Frames of an evaluation are not independent and have intervals by subject only. The
    ``tallies`` of a guided test begin with bona fide, even if none was presented.
    """

    errors: Errors
    genuine_scores: Sequence[float] | np.ndarray
    attack_scores: Mapping[str, Sequence[float] | np.ndarray]
    scores: ScoreTable = field(default_factory=lambda: ScoreTable.joined(()))
    threshold: float | None = None
    are_independent: bool = True
    tallies: tuple[Tally, ...] = ()
    _figures: dict[str, Figure] = field(default_factory=dict, init=False, repr=False)
    _values: dict[str, float | None] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of_table(
        cls, scores: ScoreTable, threshold: float | None, are_independent: bool = True
    ) -> "Figures":
        """Measure a table of scores at a threshold."""
        errors = measure_table(threshold, scores)
        return cls(errors, scores.bona_fide, scores.attacks, scores, threshold, are_independent)

    @classmethod
    def of_verdicts(
        cls, rows: Iterable[tuple[str, Verdict, float | None]], species: Iterable[str] = ()
    ) -> "Figures":
        """Measure decisions, given as species, verdict and score.

        ``species`` names further ones, which may have no row.
        """
        found: dict[str, list[tuple[Verdict, float | None]]] = {
            name: [] for name in (BONA_FIDE, *species)
        }
        for name, verdict, score in rows:
            found.setdefault(name, []).append((verdict, score))
        bona_fide, *attacks = (
            Tally.of(name, [verdict for verdict, _ in own]) for name, own in found.items()
        )
        scores = {
            name: tuple(score for _, score in own if score is not None)
            for name, own in found.items()
        }
        errors = Errors(
            bpcer=bona_fide.errors,
            apcers={row.species: row.errors for row in attacks},
            bpnrr=bona_fide.non_response,
            apnrrs={row.species: row.non_response for row in attacks},
        )
        return cls(errors, scores.pop(BONA_FIDE), scores, tallies=(bona_fide, *attacks))

    @property
    def bona_fide(self) -> Tally:
        return self.tallies[0]

    @property
    def attacks(self) -> tuple[Tally, ...]:
        return self.tallies[1:]

    @cached_property
    def n_subjects(self) -> int:
        return self.scores.n_subjects

    def figure(self, name: str) -> Figure:
        """Return one of `FIGURES`, with its interval where there is one.

        Intervals of AUC and ACER come from resampling subjects, which also works for frames. With
        fewer than `FEW_SUBJECTS` they would be too narrow. Where they reach 0 or 1, so few subjects
        err that many resamples have no error, and a method without errors would seem less certain
        than one with a few. In both cases presentations are treated as independent, as for all
        other figures.
        """
        if name not in self._figures:
            is_fast = self.are_independent and len(self.scores) <= MOST_SEARCHED
            bare = () if is_fast else SEARCHED
            self._figures[name] = self._by_subject(name) or self._counted(name, bare)
        return self._figures[name]

    def counted(self, name: str) -> Figure:
        """Return a figure, with an interval only if errors are counted; others would take hours."""
        return self._counted(name, (*SEARCHED, "AUC"))

    def value(self, name: str) -> float | None:
        """Return a figure's value without computing its interval."""
        if name not in self._values:
            is_searched = name in SEARCHED
            value = self._at_own_threshold(name) if is_searched else self._exact(name).value
            self._values[name] = value
        return self._values[name]

    def _counted(self, name: str, bare: Sequence[str]) -> Figure:
        if name in bare:
            n_bona_fide = len(self.genuine_scores)
            n_attacks = sum(map(len, self.attack_scores.values()))
            return Figure(name, self.value(name), n_bona_fide=n_bona_fide, n_attacks=n_attacks)
        found = Figure.of(name, self._exact(name))
        return found if self.are_independent else replace(found, interval=None)

    def _exact(self, name: str) -> Rate | Estimate | Worst:
        classes = self.genuine_scores, self.attack_scores
        if name in APCER_TARGETS:
            return bpcer_at_apcer(*classes, APCER_TARGETS[name])
        if name == "AUC":
            return auc(*classes)
        if name == "EER":
            return eer(*classes)
        found: Rate | Estimate | Worst = getattr(self.errors, _ERRORS[name])
        return found

    def _by_subject(self, name: str) -> Figure | None:
        if not FEW_SUBJECTS <= self.n_subjects <= MOST_SUBJECTS:
            return None
        drawn: Resampled
        if name == "AUC":
            drawn = bootstrap_auc(self.scores)
        elif name == "ACER" and self.threshold is not None:
            drawn = bootstrap_acer(self.scores, self.threshold)
        else:
            return None
        low, high = drawn.interval
        if not drawn.n_resamples or (self.are_independent and not (low > 0 and high < 1)):
            return None
        return replace(Figure.of(name, drawn), n_subjects=drawn.n_subjects)

    def _at_own_threshold(self, name: str) -> float | None:
        classes = self.genuine_scores, self.attack_scores
        if name == "EER":
            threshold = choose_threshold(*classes, by="eer")
        else:
            threshold = choose_threshold(*classes, by="apcer", target=APCER_TARGETS[name])
        if threshold is None:
            return None
        errors = measure(threshold, *classes)
        return errors.hter.value if name == "EER" else errors.bpcer.value


# ------------------------------------------------------------------ folds


@dataclass(frozen=True)
class Spread:
    """Mean and sample standard deviation of a figure over the ``n`` folds that have it."""

    mean: float
    std: float | None
    n: int


@dataclass(frozen=True, eq=False)
class FoldFigures:
    """One method at one level: by fold and pooled.

    ``pooled`` shifts each fold's threshold to zero; it is empty without folds, or if one of
    several folds has no threshold.
    """

    folds: Mapping[str, Figures]
    pooled: Figures

    def spread(self, name: str) -> Spread | None:
        values = [found.value(name) for found in self.folds.values()]
        known = [value for value in values if value is not None]
        if not known:
            return None
        return Spread(fmean(known), stdev(known) if len(known) > 1 else None, len(known))


class Joiner:
    """Joins score tables; columns that methods share are joined only once.

    Names of tens of thousands of pictures in dozens of folds take hundreds of megabytes.
    """

    def __init__(self) -> None:
        self._parts: tuple[ScoreTable, ...] = ()
        self._joined = ScoreTable.joined(())

    def __call__(self, tables: Sequence[ScoreTable]) -> ScoreTable:
        parts = tuple(tables)
        if _columns(parts) != _columns(self._parts):
            self._parts, self._joined = parts, ScoreTable.joined(parts)
            return self._joined
        return self._joined.with_scores(np.concatenate([part.scores for part in parts]))


def _columns(parts: Sequence[ScoreTable]) -> list[int]:
    return [
        id(each) for part in parts for each in (part.presentations, part.subjects, part.species)
    ]


def fold_figures(
    results: Iterable[FoldResult], level: Level, joined: Joiner | None = None
) -> FoldFigures:
    are_independent = level == "presentation"
    folds = {}
    for result in results:
        scores, threshold = result.at(level)
        folds[result.fold] = Figures.of_table(scores, threshold.value, are_independent)
    if len(folds) == 1:
        return FoldFigures(folds, *folds.values())
    shifted = [
        found.scores.shifted(-found.threshold)
        for found in folds.values()
        if found.threshold is not None
    ]
    if not folds or len(shifted) < len(folds):
        nothing = Figures.of_table(ScoreTable.joined([]), None, are_independent)
        return FoldFigures(folds, nothing)
    pooled = Figures.of_table((joined or Joiner())(shifted), 0.0, are_independent)
    return FoldFigures(folds, pooled)
