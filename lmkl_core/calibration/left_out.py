r"""Scores of genuine samples under the model without them, and the threshold they give.

With ``A = delta I + K_mu`` and ``lambda = A^{-1} 1``, the scores that samples ``B`` would get
from a model trained without them, weights and memberships held fixed, are

``f_{-B}(x_B) = 1 - ((A^{-1})_BB)^{-1} lambda_B``.

Proof: without ``B`` the coefficients are ``lambda_R - A^{-1}_RB (A^{-1}_BB)^{-1} lambda_B`` on the
rest ``R`` (block inverse) and zero on ``B``. Row ``B`` of ``A`` times these is then
``1 - (A^{-1}_BB)^{-1} lambda_B``, and since they vanish on ``B`` the ridge does not enter: it is
the score.
"""

from collections.abc import Callable

import numpy as np
from scipy.linalg import cho_factor, cho_solve, lapack

from lmkl_core.calibration.blocks import (
    block_numbers,
    choose_block_length,
    rows_of_takes,
    time_blocks,
)
from lmkl_core.calibration.threshold import Calibration, calibrate, operating_point


def inverse_from_cholesky(lower: np.ndarray) -> np.ndarray:
    """``A^{-1}`` from the lower Cholesky factor of ``A``."""
    inverse, _ = lapack.dpotri(lower, lower=1)
    inverse = np.tril(inverse)
    return inverse + np.tril(inverse, -1).T


def left_out_scores(inverse: np.ndarray, dual_coef: np.ndarray, blocks) -> np.ndarray:
    """Scores of every block under the model trained without it, in closed form."""
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
    kernel: Callable[[], np.ndarray],
    takes: np.ndarray,
    conditions: np.ndarray,
    *,
    target_bpcer: float | None = None,
    block_length: int | None = None,
) -> Calibration:
    """Calibrate on left-out scores of an exact fit.

    ``kernel`` makes the mean kernel of the rows, asked for only where the block length is to
    be chosen.
    """
    length = choose_block_length(kernel(), takes) if block_length is None else block_length
    inverse = inverse_from_cholesky(cholesky)
    return calibrate_left_out(
        lambda blocks: left_out_scores(inverse, dual_coef, blocks),
        1 - delta * dual_coef,  # the scores of the training rows, since (K + delta I) lambda = 1
        takes,
        conditions,
        target_bpcer=target_bpcer,
        block_length=length,
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
    """Calibrate on the scores of left-out blocks, and of left-out conditions for the stress figure.

    ``left_out`` gives the scores of every block of rows under the model without it.
    """
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
