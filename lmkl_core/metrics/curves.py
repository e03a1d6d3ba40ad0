r"""Figures over all thresholds: ROC, DET, AUC, EER and BPCER at a fixed APCER.

Their intervals assume nothing about the distribution of scores.

AUC. The share of correctly ordered pairs is a two-sample U-statistic: a mean over permutations of
averages of ``k = min(m, n)`` independent values in ``[0, 1]`` (Hoeffding 1963, section 5), so
Chernoff's bound for ``k`` trials holds (`lmkl_core.metrics.rates`).

EER. At the unknown threshold ``t`` where both true errors equal ``e``, the counted errors are
binomial, and both exact intervals, each with half of the error probability, contain ``e`` with
confidence ``c``. Since ``t`` is unknown, the interval is the union of their intersections over all
thresholds.

BPCER at an APCER. The same with the threshold at which the largest true APCER equals the target:
the union of the exact intervals of BPCER over all thresholds that the attacks do not rule out.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lmkl_core.errors import InvalidInputError
from lmkl_core.metrics.rates import (
    CONFIDENCE,
    NOTHING_KNOWN,
    Estimate,
    Interval,
    exact_intervals,
    mean_interval,
)
from lmkl_core.metrics.thresholds import (
    Attacks,
    Scores,
    as_scores,
    by_species,
    candidate_thresholds,
    choose_threshold,
    n_accepted,
    n_refused,
    pooled,
)


class OperatingPoints(NamedTuple):
    """Errors at every distinct threshold, lowest first; empty if either class is missing."""

    thresholds: Scores
    apcer: Scores
    bpcer: Scores


def operating_points(bona_fide: ArrayLike, attacks: Attacks) -> OperatingPoints:
    """Return APCER over all attacks, and BPCER, at every distinct threshold."""
    genuine, spoofs = as_scores(bona_fide, "bona fide presentations"), pooled(attacks)
    if not len(genuine) or not len(spoofs):
        return OperatingPoints(np.empty(0), np.empty(0), np.empty(0))
    thresholds = candidate_thresholds(genuine, spoofs)
    return OperatingPoints(
        thresholds,
        n_accepted(spoofs, thresholds) / len(spoofs),
        n_refused(genuine, thresholds) / len(genuine),
    )


def roc_points(bona_fide: ArrayLike, attacks: Attacks) -> tuple[Scores, Scores]:
    """Return APCER, rising from 0 to 1, and the share of bona fide accepted there."""
    points = operating_points(bona_fide, attacks)
    return points.apcer[::-1], 1 - points.bpcer[::-1]


def det_points(bona_fide: ArrayLike, attacks: Attacks) -> tuple[Scores, Scores]:
    """Return APCER, rising from 0 to 1, and the BPCER there, as shares."""
    points = operating_points(bona_fide, attacks)
    return points.apcer[::-1], points.bpcer[::-1]


def auc(bona_fide: ArrayLike, attacks: Attacks, confidence: float = CONFIDENCE) -> Estimate:
    """Return the probability that bona fide scores higher than an attack; ties count half."""
    genuine, spoofs = as_scores(bona_fide, "bona fide presentations"), pooled(attacks)
    n_pairs = len(genuine) * len(spoofs)
    if not n_pairs:
        return Estimate(None, NOTHING_KNOWN, len(genuine), len(spoofs), confidence)
    ordered = np.sort(spoofs)
    below = np.searchsorted(ordered, genuine, side="left")
    not_above = np.searchsorted(ordered, genuine, side="right")
    value = float(np.sum(below + not_above) / (2 * n_pairs))
    interval = mean_interval(value, min(len(genuine), len(spoofs)), confidence)
    return Estimate(value, interval, len(genuine), len(spoofs), confidence)


def eer(bona_fide: ArrayLike, attacks: Attacks, confidence: float = CONFIDENCE) -> Estimate:
    """Return the mean of APCER (over all attacks) and BPCER where they are closest.

    It describes the scores, not a deployed system: the threshold is chosen on the same scores.
    """
    genuine, spoofs = as_scores(bona_fide, "bona fide presentations"), pooled(attacks)
    threshold = choose_threshold(genuine, spoofs, by="eer")
    if threshold is None:
        return Estimate(None, NOTHING_KNOWN, len(genuine), len(spoofs), confidence)
    accepted = int(n_accepted(spoofs, threshold)) / len(spoofs)
    value = (accepted + int(n_refused(genuine, threshold)) / len(genuine)) / 2
    each = 1 - (1 - confidence) / 2
    thresholds = candidate_thresholds(genuine, spoofs)
    by_attacks = exact_intervals(n_accepted(spoofs, thresholds), len(spoofs), each)
    by_genuine = exact_intervals(n_refused(genuine, thresholds), len(genuine), each)
    lows = np.maximum(by_attacks[0], by_genuine[0])
    highs = np.minimum(by_attacks[1], by_genuine[1])
    found = lows <= highs
    interval = _union(value, lows[found], highs[found])
    return Estimate(value, interval, len(genuine), len(spoofs), confidence)


def bpcer_at_apcer(
    bona_fide: ArrayLike, attacks: Attacks, target: float, confidence: float = CONFIDENCE
) -> Estimate:
    """Return BPCER at the lowest threshold at which no species' APCER exceeds the target.

    A ``target`` of 0.05 is also known as BPCER20.
    """
    if not 0 < target < 1:
        raise InvalidInputError(f"target={target!r} must lie between 0 and 1.")
    genuine = as_scores(bona_fide, "bona fide presentations")
    species = {name: scores for name, scores in by_species(attacks).items() if len(scores)}
    n_attacks = sum(len(scores) for scores in species.values())
    if not len(genuine) or not species:
        return Estimate(None, NOTHING_KNOWN, len(genuine), n_attacks, confidence)
    threshold = choose_threshold(genuine, species, by="apcer", target=target)
    assert threshold is not None  # both classes are there
    value = int(n_refused(genuine, threshold)) / len(genuine)
    each = 1 - (1 - confidence) / (len(species) + 1)
    thresholds = candidate_thresholds(genuine, *species.values())
    all_may_meet_target = np.ones(len(thresholds), dtype=bool)
    any_may_reach_target = np.zeros(len(thresholds), dtype=bool)
    for scores in species.values():
        lows, highs = exact_intervals(n_accepted(scores, thresholds), len(scores), each)
        all_may_meet_target &= lows <= target
        any_may_reach_target |= highs >= target
    refused = n_refused(genuine, thresholds)[all_may_meet_target & any_may_reach_target]
    interval = _union(value, *exact_intervals(refused, len(genuine), each))
    return Estimate(value, interval, len(genuine), n_attacks, confidence)


def _union(value: float, lows: Scores, highs: Scores) -> Interval:
    """Return the interval from the lowest to the highest end, including the value."""
    # With many equal scores there may be no threshold with such errors.
    if not len(lows):
        return NOTHING_KNOWN
    return min(float(np.min(lows)), value), max(float(np.max(highs)), value)
