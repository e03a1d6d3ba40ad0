r"""Errors at a threshold: rates, their maximum and their means.

A single rate has the exact (Clopper-Pearson) interval. For a maximum or a mean of ``k`` rates, each
interval has the confidence ``1 - (1 - c) / k``. All ``k`` intervals then hold together with
confidence at least ``c`` (Bonferroni), and so does the maximum or the mean of their ends.

A mean ``v`` of ``n`` independent values in ``[0, 1]`` obeys Chernoff's bound
``P(mean >= v) <= exp(-n KL(v, m))`` for every true mean ``m < v``, and likewise below, so its
interval is ``{m : n KL(v, m) <= log(2 / (1 - c))}``; for ``v = 0`` and ``v = 1`` it is exact.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import log

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from lmkl_core.calibration.threshold import clopper_pearson
from lmkl_core.errors import InvalidInputError
from lmkl_core.metrics.thresholds import (
    Attacks,
    Scores,
    as_scores,
    by_species,
    n_accepted,
    n_refused,
)

CONFIDENCE = 0.95
"""Default confidence of intervals."""

NOTHING_KNOWN = (0.0, 1.0)
"""Interval of a share without data."""

Interval = tuple[float, float]


@dataclass(frozen=True)
class Rate:
    """A share of errors: ``n_errors`` of ``n``, and the exact interval of the true share.

    For the non-response rates APNRR and BPNRR, errors are presentations without a response.
    """

    n_errors: int
    n: int
    confidence: float = CONFIDENCE

    def __post_init__(self) -> None:
        if not 0 <= self.n_errors <= self.n:
            raise InvalidInputError(
                f"A rate needs 0 <= n_errors <= n, not n_errors={self.n_errors} of n={self.n}."
            )

    @property
    def value(self) -> float | None:
        """The share; None without data."""
        return self.n_errors / self.n if self.n else None

    @cached_property
    def interval(self) -> Interval:
        """Exact interval of the true share; ``(0, 1)`` without data."""
        low, high = clopper_pearson(self.n_errors, self.n, self.confidence)
        return low, high

    def at(self, confidence: float) -> "Rate":
        """Return the same counts with an interval of another confidence."""
        return replace(self, confidence=confidence)


@dataclass(frozen=True)
class Estimate:
    """A figure over both classes; None with the interval ``(0, 1)`` if either is missing.

    The interval contains the true value with at least ``confidence``.
    """

    value: float | None
    interval: Interval
    n_bona_fide: int
    n_attacks: int
    confidence: float = CONFIDENCE


@dataclass(frozen=True)
class Worst:
    """The largest rate of several species; ``species`` is empty if none has data.

    ``interval`` is for the largest true rate, whichever species has it.
    """

    species: str
    rate: Rate
    interval: Interval

    @property
    def value(self) -> float | None:
        """The largest share; None without data."""
        return self.rate.value


def _bonferroni(confidence: float, rates: Iterable[Rate]) -> float:
    """Return the confidence of each interval at which all hold together."""
    n_known = sum(1 for rate in rates if rate.n)
    return 1 - (1 - confidence) / max(n_known, 1)


def _mean(
    value: float | None, interval: Interval, n_attacks: int, bpcer: Rate, confidence: float
) -> Estimate:
    """Return the mean of an attack figure and BPCER."""
    if value is None or bpcer.value is None:
        return Estimate(None, NOTHING_KNOWN, bpcer.n, n_attacks, confidence)
    low, high = ((a + b) / 2 for a, b in zip(interval, bpcer.interval, strict=True))
    return Estimate((value + bpcer.value) / 2, (low, high), bpcer.n, n_attacks, confidence)


def apcer(threshold: float, attacks: ArrayLike, confidence: float = CONFIDENCE) -> Rate:
    """Share of attacks of one species that are accepted: ``score >= threshold``."""
    check_threshold(threshold)
    scores = as_scores(attacks, "attacks")
    return Rate(int(n_accepted(scores, threshold)), len(scores), confidence)


def bpcer(threshold: float, bona_fide: ArrayLike, confidence: float = CONFIDENCE) -> Rate:
    """Share of bona fide presentations that are refused: ``score < threshold``."""
    check_threshold(threshold)
    scores = as_scores(bona_fide, "bona fide presentations")
    return Rate(int(n_refused(scores, threshold)), len(scores), confidence)


def check_threshold(threshold: float) -> None:
    """Refuse NaN."""
    if np.isnan(threshold):
        raise InvalidInputError("The threshold is NaN: pass a number.")


@dataclass(frozen=True)
class Errors:
    """Error rates over presentations with a response, non-response rates over all."""

    bpcer: Rate
    apcers: Mapping[str, Rate]
    bpnrr: Rate
    apnrrs: Mapping[str, Rate]
    confidence: float = CONFIDENCE

    @property
    def worst(self) -> Worst:
        """The largest APCER of all species with data, as ISO/IEC 30107-3 requires.

        Ties go to the species with the least certain rate.
        """
        return self._worst(self.confidence)

    @property
    def apcer(self) -> Rate:
        """APCER over all attacks; it depends on how many there are of each species."""
        return self._pooled(self.apcers)

    @property
    def apnrr(self) -> Rate:
        """Non-response over all attacks."""
        return self._pooled(self.apnrrs)

    @property
    def hter(self) -> Estimate:
        """Half total error rate: mean of the pooled APCER and BPCER."""
        apcer, each = self.apcer, _bonferroni(self.confidence, [self.apcer, self.bpcer])
        interval = apcer.at(each).interval
        return _mean(apcer.value, interval, apcer.n, self.bpcer.at(each), self.confidence)

    @property
    def acer(self) -> Estimate:
        """Mean of the largest APCER and BPCER, for comparison with older work.

        ISO/IEC 30107-3:2023 dropped it because it hides which of the two errors occurs.
        """
        n_species = sum(1 for rate in self.apcers.values() if rate.n)
        each = _bonferroni(self.confidence, [*self.apcers.values(), self.bpcer])
        # The maximum divides its error probability by k again, so multiply it by k.
        largest = self._worst(1 - (1 - each) * n_species)
        bpcer = self.bpcer.at(each)
        return _mean(largest.value, largest.interval, self.apcer.n, bpcer, self.confidence)

    def _worst(self, confidence: float) -> Worst:
        each = _bonferroni(confidence, self.apcers.values())
        known = {species: rate.at(each) for species, rate in self.apcers.items() if rate.n}
        if not known:
            return Worst("", Rate(0, 0, confidence), NOTHING_KNOWN)
        name = max(known, key=lambda species: (known[species].value, known[species].interval[1]))
        lows, highs = zip(*(rate.interval for rate in known.values()), strict=True)
        return Worst(name, known[name].at(confidence), (max(lows), max(highs)))

    def _pooled(self, rates: Mapping[str, Rate]) -> Rate:
        n_errors = sum(rate.n_errors for rate in rates.values())
        return Rate(n_errors, sum(rate.n for rate in rates.values()), self.confidence)


def measure(
    threshold: float,
    bona_fide: ArrayLike,
    attacks: Attacks,
    *,
    n_bona_fide_without: int = 0,
    n_attacks_without: Mapping[str, int] | None = None,
    confidence: float = CONFIDENCE,
) -> Errors:
    """Count the errors at a threshold.

    Parameters
    ----------
    threshold : float
        Accept when ``score >= threshold``.
    bona_fide, attacks : array-like, mapping of str to array-like
        Scores of the presentations with a response; attacks by species.
    n_bona_fide_without, n_attacks_without : int, mapping of str to int
        Numbers of presentations without a response.
    confidence : float
    """
    species = by_species(attacks)
    without = dict(n_attacks_without or {})
    refused = bpcer(threshold, bona_fide, confidence)
    names = list(dict.fromkeys([*species, *without]))
    apcers = {name: apcer(threshold, species.get(name, ()), confidence) for name in names}
    return Errors(
        bpcer=refused,
        apcers=apcers,
        bpnrr=Rate(n_bona_fide_without, refused.n + n_bona_fide_without, confidence),
        apnrrs={
            name: Rate(without.get(name, 0), apcers[name].n + without.get(name, 0), confidence)
            for name in names
        },
        confidence=confidence,
    )


def exact_intervals(
    n_errors: ArrayLike, n: int, confidence: float = CONFIDENCE
) -> tuple[Scores, Scores]:
    """Return the low and high ends of `lmkl_core.clopper_pearson` for many counts out of ``n``."""
    # Along a curve many counts repeat.
    known, where = np.unique(np.asarray(n_errors, dtype=np.int64), return_inverse=True)
    lows, highs = clopper_pearson(known, n, confidence)
    return lows[where], highs[where]


def mean_interval(value: float, n: int, confidence: float = CONFIDENCE) -> Interval:
    """Return the interval of the true mean of values in [0, 1]; ``value`` is the mean of ``n``."""
    if not n:
        return NOTHING_KNOWN
    limit = log(2 / (1 - confidence)) / n

    def excess(mean: float) -> float:
        """Kullback-Leibler divergence of Bernoulli distributions with these means, less limit."""
        total = value * log(value / mean) if value > 0 else 0.0
        if value < 1:
            total += (1 - value) * log((1 - value) / (1 - mean))
        return total - limit

    # Closer to 0 and 1 the ends cannot be distinguished from them.
    first, last = 1e-15, 1 - 1e-15
    low = brentq(excess, first, value) if value > first and excess(first) > 0 else 0.0
    high = brentq(excess, value, last) if value < last and excess(last) > 0 else 1.0
    return float(low), float(high)
