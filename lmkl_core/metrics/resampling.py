r"""The cluster bootstrap: intervals of figures from resampling subjects.

Whole subjects are drawn with replacement, as many as there are. A resample is a vector of counts
``w``, one per subject. Subjects with bona fide rows only, with attacks only and with both are
separate strata, so that every resample has both classes. A stratum of one subject would never vary
and is merged with another.

The interval is BCa (Efron 1987): quantiles of the resamples, corrected for median bias and for the
skewness of the jackknife (by strata as in Davison and Hinkley 1997, section 5.4). With ``S``
subjects in ``H`` strata, resamples vary less than subjects do by ``(S - H) / S``, and the spread
itself is uncertain, so quantiles are taken further out (Hesterberg 2015): at the level
``Phi(sqrt(S / (S - H)) t)`` with ``t`` Student's quantile of ``S - H`` degrees of freedom in place
of the normal one.

In simulations with normal subject effects (10 frames of each of four kinds per subject; AUC 0.91
and 0.985, ACER 0.21 and 0.08; 400 runs), 95 % intervals contained the true value in 90 to 96 % of
runs with 10 to 50 subjects (84 to 95 % for uncorrected percentiles) and in 82 to 93 % with 5
subjects.
"""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtrit

from lmkl_core.errors import InvalidInputError
from lmkl_core.metrics.rates import CONFIDENCE, NOTHING_KNOWN, Estimate, Interval
from lmkl_core.metrics.table import ScoreTable
from lmkl_core.metrics.thresholds import Scores

Evaluation: TypeAlias = Callable[[Scores], Scores]
"""Maps counts, ``(resamples, subjects)``, to values of a figure; NaN where it is undefined."""

FEW_SUBJECTS = 10
"""With fewer subjects, intervals have less than their nominal coverage."""

_BATCH_NUMBERS = 4_000_000
"""Maximum number of values in memory at a time."""
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Resampled(Estimate):
    """A figure with an approximate interval from resampling subjects.

    ``n_resamples`` is the number of resamples in which the figure is defined, or 0 if there is no
    interval; ``note`` is a sentence for reports, or empty.
    """

    n_subjects: int = 0
    n_resamples: int = 0
    note: str = ""


class Subjects:
    """The subjects of a table, and the strata in which they are resampled."""

    def __init__(self, table: ScoreTable):
        self.table = table
        names, self.member = np.unique(table.subjects, return_inverse=True)
        self.n = len(names)
        has_bona_fide, has_attacks = np.zeros(self.n, dtype=bool), np.zeros(self.n, dtype=bool)
        has_bona_fide[self.member[~table.is_attack]] = True
        has_attacks[self.member[table.is_attack]] = True
        both = np.flatnonzero(has_bona_fide & has_attacks)
        apart = [np.flatnonzero(has_bona_fide & ~has_attacks), np.flatnonzero(~has_bona_fide)]
        self.strata = _without_singles(both, apart)

    def count(self, groups: dict[str, NDArray[np.bool_]]) -> dict[str, int]:
        """Count the subjects in every group of rows."""
        return {name: len(np.unique(self.member[rows])) for name, rows in groups.items()}

    def part(self, rows: NDArray[np.bool_]) -> "Subjects":
        """Return some rows of the table with the same subjects and strata."""
        part = copy(self)
        part.table, part.member = self.table.rows(rows), self.member[rows]
        return part

    def drawn(self, n: int, generator: np.random.Generator) -> Scores:
        """Return how often every subject is drawn, in each of ``n`` resamples."""
        weights = np.empty((n, self.n))
        for stratum in self.strata:
            size = len(stratum)
            weights[:, stratum] = generator.multinomial(size, np.full(size, 1 / size), size=n)
        return weights


def _without_singles(
    both: NDArray[np.intp], apart: list[NDArray[np.intp]]
) -> list[NDArray[np.intp]]:
    """Merge strata of one subject with others."""
    kept = []
    for stratum in apart:
        if len(stratum) == 1:
            both = np.append(both, stratum)
        elif len(stratum):
            kept.append(stratum)
    if len(both) == 1 and kept:
        largest = max(range(len(kept)), key=lambda i: len(kept[i]))
        kept[largest] = np.append(kept[largest], both)
    elif len(both):
        kept.append(both)
    return kept


class Options(TypedDict, total=False):
    """Options of every bootstrap: 2000 resamples, confidence 0.95 and seed 0 by default."""

    n_resamples: int
    confidence: float
    seed: int


@dataclass(frozen=True, eq=False)
class Drawing:
    """Subjects, and how to resample them."""

    subjects: Subjects
    n_resamples: int = 2000
    confidence: float = CONFIDENCE
    seed: int = 0

    def __post_init__(self) -> None:
        if self.n_resamples < 1:
            raise InvalidInputError(f"n_resamples={self.n_resamples} must be at least 1.")
        if not 0 < self.confidence < 1:
            raise InvalidInputError(f"confidence={self.confidence!r} must lie between 0 and 1.")

    def estimate(
        self,
        evaluate: Evaluation,
        obstacle: str,
        when_equal: Callable[[float], Interval] | None = None,
    ) -> Resampled:
        """Return a figure and its interval.

        ``obstacle`` says why subjects cannot be resampled, or is empty; ``when_equal`` returns the
        interval of a value that is the same in all resamples.
        """
        n = self.subjects.n
        value = float(evaluate(np.ones((1, n)))[0]) if n else np.nan
        if np.isnan(value):
            return self._result(None, NOTHING_KNOWN, 0, "The figure is undefined for this table.")
        if obstacle:
            return self._result(value, NOTHING_KNOWN, 0, obstacle)
        values = self._values(evaluate)
        if not len(values):
            note = "The figure is undefined in every resample."
            return self._result(value, NOTHING_KNOWN, 0, note)
        if np.ptp(values) <= _ROUNDING:
            if when_equal is None:
                note = "All resamples are equal, so they give no interval."
                return self._result(value, NOTHING_KNOWN, 0, note)
            note = "All resamples are equal, so the interval counts subjects as trials."
            return self._result(value, when_equal(value), len(values), note)
        # Ties count half.
        below = (np.mean(values < value) + np.mean(values <= value)) / 2
        bias = ndtri(np.clip(below, 0.5 / len(values), 1 - 0.5 / len(values)))
        low, high = np.quantile(values, self._levels(bias, self._acceleration(evaluate)))
        interval = min(float(low), value), max(float(high), value)
        note = (
            ""
            if n >= FEW_SUBJECTS
            else (
                f"With only {n} subjects the coverage of the interval is below "
                f"{100 * self.confidence:g} %."
            )
        )
        return self._result(value, interval, len(values), note)

    def _result(self, value: float | None, interval: Interval, n: int, note: str) -> Resampled:
        table = self.subjects.table
        n_attacks = int(np.sum(table.is_attack & table.is_answered))
        return Resampled(
            value,
            interval,
            int(np.sum(table.is_answered)) - n_attacks,
            n_attacks,
            self.confidence,
            self.subjects.n,
            n,
            note,
        )

    def _values(self, evaluate: Evaluation) -> Scores:
        generator = np.random.default_rng(self.seed)
        found = [
            evaluate(self.subjects.drawn(n, generator)) for n in self._batches(self.n_resamples)
        ]
        values = np.concatenate(found)
        return values[~np.isnan(values)]

    def _batches(self, n: int) -> list[int]:
        size = max(1, _BATCH_NUMBERS // max(len(self.subjects.table), self.subjects.n))
        return [min(size, n - start) for start in range(0, n, size)]

    def _levels(self, bias: float, skewness: float) -> Scores:
        """Return the levels at which quantiles of the resamples are the interval's ends."""
        free = self.subjects.n - len(self.subjects.strata)
        reach = np.sqrt(self.subjects.n / free) * stdtrit(free, 1 - (1 - self.confidence) / 2)
        moved = bias + np.array([-reach, reach])
        # Beyond its pole the correction exceeds the range of the resamples: take the extreme.
        scale = np.maximum(1 - skewness * moved, _ROUNDING)
        return np.asarray(ndtr(bias + moved / scale))

    def _acceleration(self, evaluate: Evaluation) -> float:
        """Return a sixth of the skewness of the jackknife."""
        n, cubes, squares = self.subjects.n, 0.0, 0.0
        start, found = 0, []
        for size in self._batches(n):
            found.append(evaluate(1.0 - np.eye(size, n, k=start)))
            start += size
        without = np.concatenate(found)
        if np.isnan(without).any():
            return 0.0
        for stratum in self.subjects.strata:
            size = len(stratum)
            pull = (size - 1) / size * (np.mean(without[stratum]) - without[stratum])
            cubes += float(np.sum(pull**3))
            squares += float(np.sum(pull**2))
        return cubes / (6 * squares**1.5) if squares > _ROUNDING**2 else 0.0
