r"""Scores of given rows under every cell of a grid, for choosing parameters on development data.

Gram matrices, clusters and memberships depend on neither delta nor p nor q, and neither do the
kernel values between the rows to be scored and the training rows. So all are made once. With
``lambda`` and ``mu`` of every cell at hand, the scores

``f(y) = sum_cg mu_cg p_c(y) sum_i k_g(y, x_i) p_c(x_i) lambda_i``

of all cells are one matrix product a view: the kernel rows times the columns
``p_c(x_i) lambda_i`` of all cells. `lmkl_core.select` chooses from the same grid without
development data.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from sklearn.base import clone

from lmkl_core.errors import raise_if_cancelled
from lmkl_core.fitting.exact import Localised, localise
from lmkl_core.fitting.fit import Settings, solve_settings
from lmkl_core.kernels import fit_kernels
from lmkl_core.scorer import BLOCK_BYTES, SupportKernels
from lmkl_core.selection import DELTAS, EXPONENTS, exponent_pairs
from lmkl_core.solver.constraints import FIXED_FAMILIES
from lmkl_core.solver.problem import GramProblem
from lmkl_core.validation import as_views, check_groups, check_real, match_views


@dataclass(frozen=True, eq=False)
class GridScores:
    """Scores of the same rows under every cell.

    Attributes
    ----------
    cells : tuple of dict
        ``delta``, ``p`` and ``q`` of every cell, ready for ``LocalisedMKL(**cell)``. The norm is
        symmetric in p and q: of two cells that differ in their order only, that with
        ``p <= q`` is there.
    scores : ndarray (cells, rows)
        Higher is more genuine.
    gaps : ndarray (cells,)
        Certified relative gaps.
    """

    cells: tuple[dict[str, float], ...]
    scores: np.ndarray
    gaps: np.ndarray


def score_grid(
    estimator,
    X,
    Y,
    *,
    groups=None,
    deltas: Sequence[float] = DELTAS,
    exponents: Sequence[float] = EXPONENTS,
    cancel: Callable[[], bool] | None = None,
) -> GridScores:
    """Fit every cell of a grid on training rows, and score other rows.

    Parameters
    ----------
    estimator : LocalisedMKL
        Gives everything that is not on the grid, a number of clusters among it. Stays as it is.
    X : as in `LocalisedMKL.fit`
        Genuine training rows; their Gram matrices are held in memory.
    Y : as in `LocalisedMKL.score_samples`
        Rows to score.
    groups : as in `LocalisedMKL.fit`
    deltas, exponents : sequence of float
        The grid; constraints with one exponent, or with none, have fewer cells.
    cancel : callable, optional
        Asked now and then; once it says ``True``, `Cancelled` is raised.
    """
    views = as_views(X)
    names, columns = views.names, views.n_columns
    others = match_views(Y, names, columns, views.dtype, check_finite=True)
    settings = clone(estimator).set_params(delta=1.0).settings(views.names)
    takes = None if groups is None else check_groups(groups, views.n_samples)
    local = localise(views, fit_kernels(views, settings.kernel, takes), settings)
    cells, weights, duals, gaps = [], [], [], []
    for delta in deltas:
        here = replace(settings, delta=check_real("delta", delta, 0, strict=True))
        problem = GramProblem(local.grams, local.memberships, here.delta * views.n_samples)
        init = None
        for p, q in _pairs(settings, exponents):
            solution = solve_settings(
                problem, replace(here, p=p, q=q), init=init, cancel=cancel, warn=False
            )
            # The printed algorithm starts from uniform weights.
            init = solution.weights if settings.solver == "certified" else None
            cells.append({"delta": here.delta, "p": p, "q": q})
            weights.append(solution.weights)
            duals.append(solution.dual_coef)
            gaps.append(solution.gap)
            raise_if_cancelled(cancel, "The selection was cancelled.")
    scores = _scores(local, settings, views.arrays, others.arrays, np.array(weights), duals)
    return GridScores(tuple(cells), scores, np.array(gaps))


def _pairs(settings: Settings, exponents: Sequence[float]) -> list[tuple[float, float]]:
    if settings.constraint in FIXED_FAMILIES:
        return [(settings.p, settings.q)]
    values = [check_real("exponent", value, 1) for value in exponents]
    return exponent_pairs(settings.constraint, values)


def _scores(
    local: Localised, settings: Settings, support, arrays, weights: np.ndarray, duals
) -> np.ndarray:
    """Scores of all cells, a block of rows at a time."""
    n_cells, n_clusters, n_views = weights.shape
    n, m = len(support[0]), len(arrays[0])
    # (n, cells, C): what the kernel rows are multiplied with.
    coefficients = np.stack([local.memberships * dual[:, None] for dual in duals], axis=1)
    flat = coefficients.reshape(n, n_cells * n_clusters)
    kernels = SupportKernels(local.kernels, support)
    size = max(1, BLOCK_BYTES // (8 * n_views * max(n, n_cells * n_clusters)))
    scores = np.zeros((n_cells, m))
    for start in range(0, m, size):
        rows = slice(start, start + size)
        block, diagonal = kernels(tuple(array[rows] for array in arrays))
        mean = block.mean(axis=0, dtype=np.float64)
        memberships = local.clusters.memberships(mean, diagonal, settings.temperature)
        for g in range(n_views):
            sums = (block[g].astype(np.float64) @ flat).reshape(-1, n_cells, n_clusters)
            scores[:, rows] += np.einsum("mkc,kc,mc->km", sums, weights[:, :, g], memberships)
    return scores
