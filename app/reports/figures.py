"""The figures of a test: of one set of decisions, and of several folds of them.

A guided test and an evaluation are measured alike. `Figures` holds what was decided and the scores
behind it, by presentation or by frame, and gives any of `FIGURES` with what it rests on.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
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
"""APCERs at which BPCER is measured, by the names of the literature."""

NON_RESPONSE = ("APNRR", "BPNRR")
HIGHER_IS_BETTER = frozenset({"AUC"})

SEARCHED = ("EER", *APCER_TARGETS)
"""Figures whose intervals are looked for over all thresholds."""

MOST_SEARCHED = 200_000
"""Rows above which those intervals are left out: with hundreds of species they take minutes."""

MOST_SUBJECTS = 2000
"""Subjects above which none are drawn: it takes minutes, and hardly two rows are of one subject."""


@dataclass(frozen=True)
class Figure:
    """One figure with what it rests on; what does not apply or is not known is None.

    ``n_errors`` of ``n`` are those of a counted rate, ``n_bona_fide`` and ``n_attacks`` those of a
    figure of both classes. ``species`` is the worst one of an APCER. ``n_subjects`` were drawn for
    the interval; without them it takes rows as independent.
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

    ``genuine_scores`` and ``attack_scores``, by species, are of everything with a response;
    ``scores`` are the same by subject, for intervals from drawing subjects. Without a ``threshold``
    only figures that need none are known. Frames of an evaluation are not independent and have
    intervals by subject only. ``tallies`` are of a guided test: bona fide first, also when there is
    none, then attacks as they appeared.
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
        """Measure decisions as they were made: species, verdict and score of each.

        A species may be named beforehand, for it may have no row.
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

        Intervals of AUC and ACER come from drawing subjects, and then hold for frames too. With
        fewer than `FEW_SUBJECTS` such intervals are too narrow. Where they reach 0 or 1, errors
        are of so few subjects that many resamples have none: the draws then say nothing of that
        end, and a method without any error would seem less certain than one with a few. Rows of
        presentations are taken as independent instead, as for all other figures.
        """
        if name not in self._figures:
            is_fast = self.are_independent and len(self.scores) <= MOST_SEARCHED
            bare = () if is_fast else SEARCHED
            self._figures[name] = self._by_subject(name) or self._counted(name, bare)
        return self._figures[name]

    def counted(self, name: str) -> Figure:
        """Return a figure with an interval only where errors are counted.

        For dozens of folds and methods, intervals that are drawn or searched would take hours.
        """
        return self._counted(name, (*SEARCHED, "AUC"))

    def value(self, name: str) -> float | None:
        """Return a figure's value alone, which costs no interval."""
        if name not in self._values:
            is_searched = name in SEARCHED
            value = self._at_own_threshold(name) if is_searched else _EXACT[name](self).value
            self._values[name] = value
        return self._values[name]

    def _counted(self, name: str, bare: Sequence[str]) -> Figure:
        """Return a figure; those named ``bare`` have no interval."""
        if name in bare:
            n_bona_fide = len(self.genuine_scores)
            n_attacks = sum(map(len, self.attack_scores.values()))
            return Figure(name, self.value(name), n_bona_fide=n_bona_fide, n_attacks=n_attacks)
        found = Figure.of(name, _EXACT[name](self))
        return found if self.are_independent else replace(found, interval=None)

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


def _bpcer_at(name: str) -> Callable[[Figures], Estimate]:
    target = APCER_TARGETS[name]
    return lambda found: bpcer_at_apcer(found.genuine_scores, found.attack_scores, target)


_EXACT: Mapping[str, Callable[[Figures], Rate | Estimate | Worst]] = {
    "HTER": lambda found: found.errors.hter,
    "APCER": lambda found: found.errors.worst,
    "BPCER": lambda found: found.errors.bpcer,
    "AUC": lambda found: auc(found.genuine_scores, found.attack_scores),
    "EER": lambda found: eer(found.genuine_scores, found.attack_scores),
    "APNRR": lambda found: found.errors.apnrr,
    "BPNRR": lambda found: found.errors.bpnrr,
    "ACER": lambda found: found.errors.acer,
    **{name: _bpcer_at(name) for name in APCER_TARGETS},
}


# ------------------------------------------------------------------ folds


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation of a figure over the ``n`` folds in which it is known.

    The deviation is that of a sample, divided by ``n - 1`` as in the paper; None for one fold.
    """

    mean: float
    std: float | None
    n: int


def spread(values: Iterable[float | None]) -> Spread | None:
    """Return mean and standard deviation of the known values; None without any."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    return Spread(fmean(known), stdev(known) if len(known) > 1 else None, len(known))


@dataclass(frozen=True, eq=False)
class FoldFigures:
    """One method by presentation or by frame: fold by fold, and all folds together.

    For ``pooled`` each fold is shifted so that its threshold lies at zero; it is empty without
    folds, and when one of several has no threshold.
    """

    folds: Mapping[str, Figures]
    pooled: Figures

    def spread(self, name: str) -> Spread | None:
        return spread(found.value(name) for found in self.folds.values())


class Joiner:
    """Joins tables of scores; the columns that methods share are joined once.

    Tens of thousands of pictures in each of dozens of folds have names of some hundred megabytes:
    held once for every method, they would fill the memory.
    """

    def __init__(self) -> None:
        self._parts: tuple[ScoreTable, ...] = ()
        self._joined = ScoreTable.joined(())

    def __call__(self, tables: Sequence[ScoreTable]) -> ScoreTable:
        parts = tuple(tables)
        if len(parts) != len(self._parts) or not all(map(_share_names, parts, self._parts)):
            self._parts, self._joined = parts, ScoreTable.joined(parts)
            return self._joined
        return self._joined.with_scores(np.concatenate([part.scores for part in parts]))


def _share_names(one: ScoreTable, other: ScoreTable) -> bool:
    columns = ("presentations", "subjects", "species")
    return all(getattr(one, name) is getattr(other, name) for name in columns)


def fold_figures(
    results: Iterable[FoldResult], level: Level, joined: Joiner | None = None
) -> FoldFigures:
    """Measure a method's folds, by presentation or by frame."""
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
