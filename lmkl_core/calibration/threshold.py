r"""The threshold, from genuine samples only, and its uncertainty.

The threshold is `LEVEL_SHARE` of the median left-out score (`operating_point`). Genuine scores of
real people gather around that median and attacks stay far below it, while quantiles of a few dozen
correlated frames are noise. A target BPCER can be set instead: a new genuine score falls below the
``k``-th smallest of ``n`` exchangeable left-out scores with probability at most ``k / (n + 1)``, so
``k = floor(target (n + 1))``, and fewer than ``1 / target - 1`` scores cannot promise the target.

Frames of one take are not independent. ``n_effective`` divides their number by the larger of two
effects: the design effect ``1 + (m - 1) rho``, with ``rho`` the share of the variance between
blocks, and the autocorrelation time of the scores inside takes. With fewer than `FEW_BLOCKS` blocks
neither can be estimated, and the blocks are counted instead. The exact (Clopper-Pearson) interval
uses that effective number (Korn and Graubard). It refers to other moments of the enrolled sessions,
not to another day.

The stress figure is the error rate at the same threshold when all takes of a condition are left
out: an estimate for a condition that was never enrolled.
"""

from dataclasses import dataclass, field

import numpy as np
from scipy.special import betaincinv

from lmkl_core.errors import InvalidInputError


def clopper_pearson(failures, trials: float, confidence: float = 0.95):
    """Return the exact two-sided interval of a proportion; ``failures`` may be an array.

    Counts may be effective numbers, so they need not be integers. No trials give ``(0, 1)``.
    """
    counts = np.asarray(failures, dtype=float)
    if not np.all((counts >= 0) & (counts <= trials)) or not 0 < confidence < 1:
        raise InvalidInputError(
            f"An interval needs 0 <= failures <= trials and 0 < confidence < 1, not "
            f"failures={failures}, trials={trials}, confidence={confidence}."
        )
    tail = (1 - confidence) / 2
    low = np.where(counts == 0, 0.0, betaincinv(counts, trials - counts + 1, tail))
    high = np.where(counts == trials, 1.0, betaincinv(counts + 1, trials - counts, 1 - tail))
    return (low, high) if counts.ndim else (float(low), float(high))


def percent(share: float, decimals: int = 1) -> str:
    """Return a share as ``"26.5 %"``."""
    return f"{100 * share:.{decimals}f} %"


FEW_BLOCKS = 8
"""With fewer blocks, the variance between them cannot be estimated."""


def effective_number(scores: np.ndarray, blocks: np.ndarray, takes: np.ndarray) -> float:
    """Number of independent scores that carry as much information as these."""
    n_blocks = len(np.unique(blocks))
    number = min(
        number_by_blocks(scores, blocks), len(scores) / autocorrelation_time(scores, takes)
    )
    if n_blocks < FEW_BLOCKS:
        number = min(number, n_blocks)
    return float(max(number, 1.0))


def autocorrelation_time(scores: np.ndarray, takes: np.ndarray) -> float:
    """``1 + 2 sum_lag rho_lag`` inside takes, up to the lag where the correlation is noise.

    Deviations are from the mean of all takes, so differences between takes count as correlation.
    """
    deviations = scores - scores.mean()
    runs = [deviations[takes == take] for take in np.unique(takes)]
    variance = float(np.mean(deviations**2))
    total = 1.0
    if variance == 0:
        return total
    for lag in range(1, max(len(run) for run in runs)):
        products = [run[:-lag] @ run[lag:] for run in runs if len(run) > lag]
        pairs = sum(len(run) - lag for run in runs if len(run) > lag)
        correlation = float(sum(products)) / (pairs * variance)
        if correlation <= max(NO_CORRELATION, 2 / np.sqrt(pairs)):  # two standard errors
            break
        total += 2 * correlation * pairs / len(scores)
    return total


NO_CORRELATION = 0.05
"""Correlations below this are neglected, even if they are significant."""


def number_by_blocks(scores: np.ndarray, blocks: np.ndarray) -> float:
    """Number of scores divided by the design effect of blocks, at least the number of blocks."""
    parts = [scores[blocks == name] for name in np.unique(blocks)]
    n, n_blocks = len(scores), len(parts)
    if n_blocks < 2 or n_blocks == n:
        return float(n_blocks)
    sizes = np.array([len(part) for part in parts])
    means = np.array([part.mean() for part in parts])
    within = sum(float(np.sum((part - part.mean()) ** 2)) for part in parts) / (n - n_blocks)
    between = float(np.sum(sizes * (means - scores.mean()) ** 2)) / (n_blocks - 1)
    typical = (n - np.sum(sizes**2) / n) / (n_blocks - 1)
    variance = max((between - within) / typical, 0.0)
    total = variance + within
    rho = variance / total if total > 0 else 1.0
    design_effect = 1 + (np.sum(sizes**2) / n - 1) * rho
    return float(np.clip(n / design_effect, n_blocks, n))


@dataclass(frozen=True)
class Calibration:
    """A threshold with its origin and its uncertainty.

    Attributes
    ----------
    threshold : float
        Accept when ``score >= threshold``.
    target_bpcer : float or None
        Requested share of genuine frames that may be refused, if any.
    bpcer, interval : float, tuple of float
        Share of left-out scores below the threshold, and the exact interval of the true share.
    n_scores, n_effective, n_blocks, n_takes, block_length
        Amount of data behind it, in time blocks of about ``block_length`` rows.
    promised : bool or None
        Whether there is enough data to promise the target in expectation; None without a target.
    stress_bpcer, stress_interval : float, tuple of float
        The same when whole conditions are left out; NaN and ``(0, 1)`` with a single condition.
    scores, stress_scores : ndarray (n,)
        Left-out scores by time block, and by whole condition.
    origin, statement : str
        Descriptions in words.
    """

    threshold: float
    target_bpcer: float | None
    bpcer: float
    interval: tuple[float, float]
    confidence: float
    n_scores: int
    n_effective: float
    n_blocks: int
    n_takes: int
    block_length: int
    promised: bool | None
    stress_bpcer: float
    stress_interval: tuple[float, float]
    scores: np.ndarray = field(repr=False)
    stress_scores: np.ndarray = field(repr=False)
    origin: str = field(repr=False, default="")
    statement: str = ""

    @property
    def level(self) -> float:
        """Median left-out score."""
        return float(np.median(self.scores))

    @property
    def is_usable(self) -> bool:
        """Whether a sample of score 0, unlike anything enrolled, is refused."""
        return self.threshold > 0


def threshold_for(scores: np.ndarray, target: float) -> float:
    """Return the threshold below which a new score falls with probability at most ``target``."""
    rank = max(1, int(np.floor(target * (len(scores) + 1) + 1e-9)))
    return float(np.sort(scores)[rank - 1])


LEVEL_SHARE = 0.65
"""Threshold as a fraction of the median left-out score, chosen on real people
(``python -m benchmarks real``)."""

LEAST_SHARE = 0.5
"""Lowest threshold for any target BPCER, as a fraction of the median left-out score."""

LEAST_TRAINING_SHARE = 0.1
"""Lowest threshold of all, as a fraction of the median training score."""


def operating_point(
    scores: np.ndarray, training_scores: np.ndarray, target_bpcer: float | None = None
) -> tuple[float, str]:
    """Return the threshold of a `lmkl_core.LocalisedMKL` and a description of its rule.

    Without a target it is `LEVEL_SHARE` of the median left-out score: on recordings of real people
    genuine frames score about 0.9 and 95 % of attacks below 0.35. With a target it refuses that
    share of left-out scores, but is at least `LEAST_SHARE` of their median. Otherwise a few unusual
    frames would lower it to their own scores.

    It is also at least `LEAST_TRAINING_SHARE` of the median training score, for enrolments too
    small to leave anything out: a sample of score 0, unlike anything enrolled, must be refused.
    """
    training_level = float(np.median(training_scores))
    of_training = f"of the median training score {training_level:.3g}, the lowest allowed"
    least = (
        LEAST_TRAINING_SHARE * training_level,
        f"{percent(LEAST_TRAINING_SHARE, 0)} {of_training}",
    )
    return max(_left_out_rule(scores, target_bpcer), least, key=lambda rule: rule[0])


def least_threshold(scores: np.ndarray, target_bpcer: float | None = None) -> float:
    """Return the lowest threshold of `operating_point` for any training scores."""
    return _left_out_rule(scores, target_bpcer)[0]


def _left_out_rule(scores: np.ndarray, target_bpcer: float | None) -> tuple[float, str]:
    level = float(np.median(scores))
    of_level = f"of the median left-out score {level:.3g}"
    if target_bpcer is None:
        return LEVEL_SHARE * level, f"{percent(LEVEL_SHARE, 0)} {of_level}"
    wanted = (threshold_for(scores, target_bpcer), f"a BPCER of {percent(target_bpcer)}")
    least = (LEAST_SHARE * level, f"{percent(LEAST_SHARE, 0)} {of_level}, the lowest for any BPCER")
    return max(wanted, least, key=lambda rule: rule[0])


def calibrate(
    scores: np.ndarray,
    threshold: float,
    rule: str,
    blocks: np.ndarray,
    takes: np.ndarray,
    stress_scores: np.ndarray | None = None,
    *,
    target_bpcer: float | None = None,
    confidence: float = 0.95,
    block_length: int = 1,
    n_conditions: int | None = None,
) -> Calibration:
    """Measure the share of left-out scores that a threshold refuses, and its uncertainty.

    Parameters
    ----------
    scores, stress_scores : ndarray (n,)
        Left-out scores by time block, and by whole condition.
    threshold, rule : float, str
        As returned by `operating_point`.
    blocks, takes : ndarray (n,)
        Block number and take number of every score.
    target_bpcer : float, optional
        Share of genuine frames that the threshold may refuse.
    block_length : int
        Mentioned in the origin.
    n_conditions : int, optional
        Number of conditions; by default every take has its own.
    """
    if target_bpcer is not None and not 0 < target_bpcer < 1:
        raise InvalidInputError(f"target_bpcer={target_bpcer!r} must lie between 0 and 1.")
    if not np.all(np.isfinite(scores)):
        raise InvalidInputError("Left-out scores are not finite: raise delta.")
    n, n_blocks, n_takes = len(scores), len(np.unique(blocks)), len(np.unique(takes))
    refused = int(np.sum(scores < threshold))
    bpcer, effective = refused / n, effective_number(scores, blocks, takes)
    interval = clopper_pearson(bpcer * effective, effective, confidence)
    promised = None
    if target_bpcer is not None:
        enough = target_bpcer * (effective + 1) >= 1 - 1e-9
        promised = bool(enough and bpcer <= target_bpcer)
    n_conditions = n_takes if n_conditions is None else n_conditions
    stress_bpcer, stress_interval = float("nan"), (0.0, 1.0)
    if stress_scores is not None and n_conditions > 1:
        stress_bpcer = float(np.mean(stress_scores < threshold))
        # Conditions, not frames, are the independent trials here.
        stress_interval = clopper_pearson(stress_bpcer * n_conditions, n_conditions, confidence)
    return Calibration(
        threshold=threshold,
        target_bpcer=target_bpcer,
        bpcer=bpcer,
        interval=interval,
        confidence=confidence,
        n_scores=n,
        n_effective=effective,
        n_blocks=n_blocks,
        n_takes=n_takes,
        block_length=block_length,
        promised=promised,
        stress_bpcer=stress_bpcer,
        stress_interval=stress_interval,
        scores=scores,
        stress_scores=np.full(n, np.nan) if stress_scores is None else stress_scores,
        origin=(
            f"{rule}, from {n} left-out scores in {n_blocks} time blocks of about {block_length} "
            f"rows, {n_takes} take{'s' if n_takes != 1 else ''}"
        ),
        statement=_statement(rule, target_bpcer, bpcer, interval, effective, promised, confidence)
        + ("" if threshold > 0 else NOT_POSITIVE),
    )


NOT_POSITIVE = (
    " The threshold is not positive, so samples that resemble nothing enrolled would be accepted: "
    "enrol more, or use another kernel or delta."
)


def _statement(rule, target, bpcer, interval, effective, promised, confidence) -> str:
    low, high = interval
    rate = (
        f"BPCER {percent(bpcer)} on left-out scores, {percent(confidence, 0)} interval "
        f"{100 * low:.1f} to {percent(high)} (about {effective:.0f} independent scores)"
    )
    if target is None:
        return f"{rate}."
    if promised:
        return f"{rate}: the target of {percent(target)} is met in expectation."
    if bpcer > target:
        more = f"more than the target of {percent(target)}"
        return f"{rate}: {more}, because the threshold is {rule}."
    needed = int(np.ceil(1 / target - 1 - 1e-9))
    return (
        f"{rate}: too little data to promise {percent(target)}. The lowest rate that can be "
        f"promised is {percent(1 / (effective + 1))}; about {needed} independent scores are "
        "needed, so enrol more takes."
    )
