"""The figures of one set of scores at one threshold, and their spread over folds."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean, stdev

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
from lmkl_core.metrics.scores import Scores

APCER_TARGETS: Mapping[str, float] = {"BPCER100": 0.01, "BPCER20": 0.05, "BPCER10": 0.1}
"""APCERs at which BPCER is told, by what the literature calls it."""

SEARCHED = ("EER", *APCER_TARGETS)
"""Figures whose intervals are looked for over all thresholds."""

MOST_SEARCHED = 200_000
"""Rows above which those intervals are left out: with hundreds of species they take minutes."""

MOST_SUBJECTS = 2000
"""Subjects above which none are drawn: it takes minutes, and hardly two rows are of one subject."""

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
"""Every figure that is told, with its heading."""

NON_RESPONSE = ("APNRR", "BPNRR")

HIGHER_IS_BETTER = frozenset({"AUC"})


@dataclass(frozen=True)
class Told:
    """One figure with what it rests on.

    Attributes
    ----------
    name : str
        One of `FIGURES`.
    value : float or None
        A share; None when it cannot be told.
    interval : tuple of float or None
        Of 95 %; None when there is none to tell.
    n_errors : int or None
        Of a counted rate.
    n : int or None
        Presentations in which that error could have been made.
    n_bona_fide, n_attacks : int or None
        What a figure of both classes rests on.
    species : str
        The worst species of an APCER; empty for others.
    n_subjects : int or None
        Subjects that were drawn for the interval; None where it takes rows as independent.
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


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation of a figure over folds.

    Attributes
    ----------
    mean : float
        Over the folds in which it is known.
    std : float or None
        Of a sample, divided by ``n - 1`` as in the paper; None with fewer than two folds.
    n : int
        The number of those folds.
    """

    mean: float
    std: float | None
    n: int


def spread(values: Iterable[float | None]) -> Spread | None:
    """Return mean and standard deviation of what is known; None when nothing is."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    return Spread(fmean(known), stdev(known) if len(known) > 1 else None, len(known))


@dataclass(frozen=True, eq=False)
class Measured:
    """All figures of one table of scores.

    Parameters
    ----------
    scores : ScoreTable
        At one level: a row a presentation, or a row a frame.
    threshold : float or None
        Accept when ``score >= threshold``; without one only figures that need none are known.
    are_independent : bool
        Whether rows are: frames of one presentation are not, and have intervals by subject only.
    """

    scores: ScoreTable
    threshold: float | None
    are_independent: bool = True

    @cached_property
    def classes(self) -> tuple[Scores, dict[str, Scores]]:
        """Scores of bona fide, and of attacks by species."""
        return self.scores.bona_fide, self.scores.attacks

    @cached_property
    def errors(self) -> Errors:
        """Errors at the threshold; without one only non-response is known."""
        return measure_table(self.threshold, self.scores)

    def figure(self, name: str) -> Told:
        """Return a figure by its name in `FIGURES`, with its interval where there is one.

        Intervals of AUC and ACER come from drawing subjects, and then hold for frames too. With
        fewer than `FEW_SUBJECTS` such intervals are too narrow. Where they reach 0 or 1, errors
        are of so few subjects that many resamples have none: what is drawn then says nothing of
        that end, and a method without any error would seem less certain than one with a few.
        Rows of presentations are taken as independent instead, as for all other figures.
        """
        if name not in self._figures:
            self._figures[name] = self._figure(name)
        return self._figures[name]

    def counted(self, name: str) -> Told:
        """Return a figure with what it rests on, and an interval only where that is counted.

        Of dozens of folds and methods intervals that are drawn or searched would take hours.
        """
        if name not in (*SEARCHED, "AUC"):
            told = _told(name, _EXACT[name](self))
            return told if self.are_independent else replace(told, interval=None)
        n_bona_fide, n_attacks = len(self.classes[0]), sum(map(len, self.classes[1].values()))
        return Told(name, self.value(name), n_bona_fide=n_bona_fide, n_attacks=n_attacks)

    def value(self, name: str) -> float | None:
        """Return a figure's value alone, which costs no interval."""
        if name not in self._values:
            if name in SEARCHED:
                self._values[name] = self._at_own_threshold(name)
            else:
                self._values[name] = _EXACT[name](self).value
        return self._values[name]

    @cached_property
    def _figures(self) -> dict[str, Told]:
        return {}

    @cached_property
    def _values(self) -> dict[str, float | None]:
        return {}

    def _figure(self, name: str) -> Told:
        by_subject = self._by_subject(name)
        if by_subject is not None and self._tells(by_subject):
            return replace(_told(name, by_subject), n_subjects=by_subject.n_subjects)
        if name in SEARCHED and not self._is_searched:
            n_attacks = sum(len(scores) for scores in self.scores.attacks.values())
            n_bona_fide = len(self.scores.bona_fide)
            return Told(name, self.value(name), n_bona_fide=n_bona_fide, n_attacks=n_attacks)
        told = _told(name, _EXACT[name](self))
        return told if self.are_independent else replace(told, interval=None)

    def _by_subject(self, name: str) -> Resampled | None:
        if name not in ("AUC", "ACER") or (name == "ACER" and self.threshold is None):
            return None
        if not FEW_SUBJECTS <= self._n_subjects <= MOST_SUBJECTS:
            return None
        if self.threshold is None or name == "AUC":
            return bootstrap_auc(self.scores)
        return bootstrap_acer(self.scores, self.threshold)

    @cached_property
    def _n_subjects(self) -> int:
        return self.scores.n_subjects

    def _tells(self, drawn: Resampled) -> bool:
        low, high = drawn.interval
        return bool(drawn.n_resamples) and (not self.are_independent or (low > 0 and high < 1))

    @property
    def _is_searched(self) -> bool:
        return self.are_independent and len(self.scores) <= MOST_SEARCHED

    def _at_own_threshold(self, name: str) -> float | None:
        if name == "EER":
            threshold = choose_threshold(*self.classes, by="eer")
        else:
            target = APCER_TARGETS[name]
            threshold = choose_threshold(*self.classes, by="apcer", target=target)
        if threshold is None:
            return None
        errors = measure(threshold, *self.classes)
        return errors.hter.value if name == "EER" else errors.bpcer.value


_EXACT: Mapping[str, Callable[[Measured], Rate | Estimate | Worst]] = {
    "HTER": lambda found: found.errors.hter,
    "APCER": lambda found: found.errors.worst,
    "BPCER": lambda found: found.errors.bpcer,
    "AUC": lambda found: auc(*found.classes),
    "EER": lambda found: eer(*found.classes),
    "BPCER100": lambda found: bpcer_at_apcer(*found.classes, APCER_TARGETS["BPCER100"]),
    "BPCER20": lambda found: bpcer_at_apcer(*found.classes, APCER_TARGETS["BPCER20"]),
    "BPCER10": lambda found: bpcer_at_apcer(*found.classes, APCER_TARGETS["BPCER10"]),
    "APNRR": lambda found: found.errors.apnrr,
    "BPNRR": lambda found: found.errors.bpnrr,
    "ACER": lambda found: found.errors.acer,
}


def _told(name: str, figure: Rate | Estimate | Worst) -> Told:
    interval = None if figure.value is None else figure.interval
    if isinstance(figure, Estimate):
        return Told(
            name,
            figure.value,
            interval,
            n_bona_fide=figure.n_bona_fide,
            n_attacks=figure.n_attacks,
        )
    rate, species = (figure.rate, figure.species) if isinstance(figure, Worst) else (figure, "")
    return Told(name, rate.value, interval, rate.n_errors, rate.n, species=species)
