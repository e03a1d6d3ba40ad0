r"""Scores of time blocks under a model trained without them.

Neighbouring frames are nearly identical. If frames are left out one at a time, their neighbours
stay and the scores are too optimistic; if whole takes are left out, a condition disappears and the
scores are those of a condition that was *never enrolled*. The threshold is about other moments of
the enrolled conditions. So the length of a block depends on how long neighbouring frames resemble
each other more than the rest of their take, and is at most half a take.

With ``A = delta I + K_mu`` and ``lambda = A^{-1} 1``, the scores that samples ``B`` would get from
a model trained without them, with the same weights and memberships, are

``f_{-B}(x_B) = 1 - ((A^{-1})_BB)^{-1} lambda_B``.

Proof: without ``B`` the coefficients are ``lambda_R - A^{-1}_RB (A^{-1}_BB)^{-1} lambda_B`` on the
rest ``R`` (block inverse) and zero on ``B``. Row ``B`` of ``A`` times these is then
``1 - (A^{-1}_BB)^{-1} lambda_B``, and since they are zero on ``B`` the ridge does not contribute.
"""

from collections.abc import Callable

import numpy as np
from scipy.linalg import cho_factor, cho_solve, lapack

from lmkl_core.calibration.threshold import Calibration, calibrate, operating_point
from lmkl_core.errors import InvalidInputError

SHORTEST_TAKE_WITH_LAGS = 12
"""Shorter takes are too short to measure lags and are cut in half."""

DECAYS_PER_BLOCK = 6
"""Block length, in units of the lag at which the similarity of rows has decayed."""


def rows_of_takes(takes: np.ndarray) -> list[np.ndarray]:
    """Return the row numbers of every take, in time order."""
    return [np.flatnonzero(takes == take) for take in np.unique(takes)]


def time_blocks(takes: np.ndarray, length: int) -> list[np.ndarray]:
    """Cut every take into contiguous blocks of about ``length`` rows, at least two per take."""
    if length < 1:
        raise InvalidInputError(f"A block length of {length} leaves nothing out: use at least 1.")
    blocks = []
    for rows in rows_of_takes(takes):
        parts = min(len(rows), max(2, round(len(rows) / length)))
        blocks.extend(np.array_split(rows, parts))
    return blocks


def with_new_takes(conditions: np.ndarray, takes: np.ndarray) -> np.ndarray:
    """Append conditions for new takes, each with its own."""
    new = np.arange(len(np.unique(takes))) + conditions.max() + 1
    return np.concatenate([conditions, new])


def block_numbers(blocks: list[np.ndarray], n_samples: int) -> np.ndarray:
    """Number of the block of every row."""
    numbers = np.empty(n_samples, dtype=int)
    for number, rows in enumerate(blocks):
        numbers[rows] = number
    return numbers


def lag_similarity(kernel: np.ndarray, takes: np.ndarray, max_lag: int) -> np.ndarray:
    """Return the mean normalised similarity of rows of a take at each ``lag`` up to ``max_lag``."""
    root = np.sqrt(np.maximum(np.diag(kernel), np.finfo(float).tiny))
    sums, counts = np.zeros(max_lag), np.zeros(max_lag)
    for rows in rows_of_takes(takes):
        part = kernel[np.ix_(rows, rows)] / np.outer(root[rows], root[rows])
        for lag in range(1, min(max_lag, len(rows) - 1) + 1):
            diagonal = np.diagonal(part, offset=lag)
            sums[lag - 1] += diagonal.sum()
            counts[lag - 1] += len(diagonal)
    return sums / np.maximum(counts, 1)


def choose_block_length(kernel: np.ndarray, takes: np.ndarray) -> int:
    """Choose the block length from the data.

    The similarity of rows ``lag`` apart falls from its value at lag one to a plateau. The block is
    `DECAYS_PER_BLOCK` times the lag at which the excess over the plateau has fallen to ``1/e``, so
    that most rows of a block are more than one such lag from the remaining rows, but at most half
    the median take. Short takes are cut in half.
    """
    lengths = np.array([len(rows) for rows in rows_of_takes(takes)])
    half = max(1, int(np.median(lengths)) // 2)
    if np.median(lengths) < SHORTEST_TAKE_WITH_LAGS:
        return half
    similarity = lag_similarity(kernel, takes, half)
    tail = max(1, len(similarity) // 4)
    plateau = float(np.median(similarity[-tail:]))
    excess = similarity - plateau
    spread = max(1.0 - plateau, np.finfo(float).tiny)
    if excess[0] <= 0.01 * spread:
        return 1
    below = np.flatnonzero(excess <= excess[0] / np.e)
    decay = int(below[0]) + 1 if below.size else half
    return int(np.clip(DECAYS_PER_BLOCK * decay, 1, half))


def inverse_from_cholesky(lower: np.ndarray) -> np.ndarray:
    """Return ``A^{-1}`` from the lower Cholesky factor of ``A``."""
    inverse, _ = lapack.dpotri(lower, lower=1)
    inverse = np.tril(inverse)
    return inverse + np.tril(inverse, -1).T


def left_out_scores(inverse: np.ndarray, dual_coef: np.ndarray, blocks) -> np.ndarray:
    """Score every block under the model trained without it, in closed form."""
    scores = np.full(len(dual_coef), np.nan)
    for rows in blocks:
        if len(rows) == 1:
            scores[rows] = 1 - dual_coef[rows] / inverse[rows, rows]
        else:
            factor = cho_factor(inverse[np.ix_(rows, rows)], lower=True, check_finite=False)
            scores[rows] = 1 - cho_solve(factor, dual_coef[rows], check_finite=False)
    return scores


def exact_calibration(
    cholesky: np.ndarray,
    dual_coef: np.ndarray,
    delta: float,
    takes: np.ndarray,
    conditions: np.ndarray,
    *,
    target_bpcer: float | None,
    block_length: int,
) -> Calibration:
    """Calibrate on left-out scores of an exact fit."""
    inverse = inverse_from_cholesky(cholesky)
    return calibrate_left_out(
        lambda blocks: left_out_scores(inverse, dual_coef, blocks),
        1 - delta * dual_coef,  # training scores, since (K + delta I) lambda = 1
        takes,
        conditions,
        target_bpcer=target_bpcer,
        block_length=block_length,
    )


def calibrate_left_out(
    left_out: Callable[[list[np.ndarray]], np.ndarray],
    training_scores: np.ndarray,
    takes: np.ndarray,
    conditions: np.ndarray,
    *,
    target_bpcer: float | None,
    block_length: int,
    with_stress: bool = True,
) -> Calibration:
    """Calibrate on ``left_out`` scores of time blocks, and of conditions for the stress figure."""
    blocks = time_blocks(takes, block_length)
    whole = rows_of_takes(conditions[takes])
    scores = left_out(blocks)
    return calibrate(
        scores,
        *operating_point(scores, training_scores, target_bpcer),
        block_numbers(blocks, len(takes)),
        takes,
        left_out(whole) if with_stress and len(whole) > 1 else None,
        target_bpcer=target_bpcer,
        block_length=block_length,
        n_conditions=len(whole),
    )
