r"""Intervals that hold without assumptions about how scores are distributed.

A count of ``k`` errors in ``n`` trials has the exact (Clopper-Pearson) interval, whose ends are
quantiles of Beta distributions; curves ask for thousands of them at a time.

A mean ``v`` of ``n`` independent values in ``[0, 1]``, not only of zeros and ones, obeys Chernoff's
bound ``P(mean >= v) <= exp(-n KL(v, m))`` for every true mean ``m < v``, and likewise below. With
``c`` the confidence, the interval is ``{m : n KL(v, m) <= log(2 / (1 - c))}``. For ``v = 0`` and
``v = 1`` it is the exact one of 0 of ``n`` and of ``n`` of ``n``.
"""

from math import log

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import betaincinv

from lmkl_core.errors import InvalidInputError
from lmkl_core.metrics.rates import CONFIDENCE, NOTHING_KNOWN, Interval
from lmkl_core.metrics.scores import Scores


def exact_intervals(
    n_errors: ArrayLike, n: int, confidence: float = CONFIDENCE
) -> tuple[Scores, Scores]:
    """Return low and high ends of `lmkl_core.clopper_pearson` for many counts out of ``n``."""
    counts = np.asarray(n_errors, dtype=np.int64)
    if np.any((counts < 0) | (counts > n)) or not 0 < confidence < 1:
        raise InvalidInputError(
            f"Intervals need counts from 0 to n={n} and 0 < confidence < 1, "
            f"not n_errors={n_errors!r} and confidence={confidence}."
        )
    if not n:
        return np.zeros(len(counts)), np.ones(len(counts))
    # Along a curve most neighbours have equal counts of one class.
    known, where = np.unique(counts, return_inverse=True)
    tail = (1 - confidence) / 2
    lows, highs = np.zeros(len(known)), np.ones(len(known))
    some, not_all = known > 0, known < n
    lows[some] = betaincinv(known[some], n - known[some] + 1, tail)
    highs[not_all] = betaincinv(known[not_all] + 1, n - known[not_all], 1 - tail)
    return lows[where], highs[where]


def mean_interval(value: float, n: int, confidence: float = CONFIDENCE) -> Interval:
    """Return all means from which a mean of ``n`` values in [0, 1] may have strayed to this one."""
    if not n:
        return NOTHING_KNOWN
    limit = log(2 / (1 - confidence)) / n

    def excess(mean: float) -> float:
        return _divergence(value, mean) - limit

    # So near to 0 and 1 the ends cannot be told from them.
    first, last = 1e-15, 1 - 1e-15
    low = brentq(excess, first, value) if value > first and excess(first) > 0 else 0.0
    high = brentq(excess, value, last) if value < last and excess(last) > 0 else 1.0
    return float(low), float(high)


def _divergence(value: float, mean: float) -> float:
    """Kullback-Leibler divergence of Bernoulli distributions with these means."""
    total = value * log(value / mean) if value > 0 else 0.0
    if value < 1:
        total += (1 - value) * log((1 - value) / (1 - mean))
    return total
