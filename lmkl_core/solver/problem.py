r"""The convex objective of the kernel weights, its derivatives, and the result of a solver.

For weights ``mu`` of shape ``(C, G)`` the paper's inner maximum over ``lambda`` is

``phi(mu) = max_lambda  2 lambda^T 1 - lambda^T (delta I + K_mu) lambda
          = 1^T (delta I + K_mu)^{-1} 1``

with ``K_mu = sum_cg mu_cg K_cg`` and ``K_cg = diag(p_c) K_g diag(p_c)``. A maximum of linear
functions of ``mu`` is convex. With ``A = delta I + K_mu`` and ``lambda = A^{-1} 1``:

* gradient ``-u`` with ``u_cg = lambda^T K_cg lambda``;
* Hessian ``2 V^T A^{-1} V`` with the columns ``v_cg = K_cg lambda``;
* for every ``lambda``, optimal or not, and every feasible ``nu``,
  ``phi(nu) >= 2 lambda^T 1 - delta |lambda|^2 - nu . u(lambda)``. At ``lambda(mu)`` the
  constant is ``phi(mu) + mu . u``: a *cut*, the basis of every certificate.

The matrices ``K_cg`` are never formed: memory is ``G n^2``, not ``C G n^2``.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy.linalg import lapack, solve_triangular

from lmkl_core.errors import InvalidInputError

LEAST_ROUNDING = 1e-12
"""Smallest allowance for rounding in a relative gap, for well-conditioned problems."""


@dataclass(frozen=True)
class Evaluation:
    """``phi`` and its first derivative at one point; the second is computed on first use.

    ``cut_constant`` is ``2 lambda^T 1 - delta |lambda|^2``, the constant of the cut at this point.
    """

    weights: np.ndarray
    objective: float
    sensitivity: np.ndarray
    cut_constant: float
    second_derivative: Callable[[], np.ndarray]
    condition: float = 1.0
    state: Any = None

    @property
    def rounding(self) -> float:
        """Bound on the relative error of the objective from rounding."""
        return max(LEAST_ROUNDING, 4 * float(np.finfo(float).eps) * self.condition)

    @cached_property
    def hessian(self) -> np.ndarray:
        """Second derivative of ``phi``, ``(C G, C G)``, in the order of flattened weights."""
        return self.second_derivative()


@dataclass(frozen=True)
class Solution:
    """Kernel weights and dual coefficients, with a proven optimality gap.

    Attributes
    ----------
    weights, dual_coef : ndarray
        ``mu``, (C, G), and ``lambda``, (n,).
    objective, lower_bound : float
        ``phi(mu) = 1^T (delta I + K_mu)^{-1} 1``, and a bound on it for all feasible weights.
    gap : float
        ``(objective - lower_bound) / objective`` plus an allowance for rounding.
    objective_history, gap_history : ndarray
        One entry per iteration. Gaps use the best bound proven so far.
    n_iter, n_solves : int
        Iterations, including restarts and branch and bound, and Cholesky factorisations.
    stop_reason : str
        ``"certified"``, ``"budget"``, ``"stalled"``, ``"fixed weights"``, ``"fixed point"``,
        ``"iteration cap"``, ``"not finite"`` or ``"cancelled"``.
    constraint_is_convex : bool or None
        Whether the feasible set is convex; None if unknown.
    """

    weights: np.ndarray
    dual_coef: np.ndarray
    objective: float
    lower_bound: float
    gap: float
    objective_history: np.ndarray
    gap_history: np.ndarray
    n_iter: int
    n_solves: int
    stop_reason: str
    solver: str
    constraint_is_convex: bool | None
    evaluation: Any = field(repr=False, compare=False, default=None)

    @property
    def converged(self) -> bool:
        """Whether the solver reached its tolerance."""
        return self.stop_reason in ("certified", "fixed weights", "fixed point")

    def lean(self) -> "Solution":
        """Return the solution without its evaluation, which holds a Cholesky factor."""
        return replace(self, evaluation=None)

    def __repr__(self) -> str:
        return (
            f"Solution({self.solver}: {self.stop_reason}, objective={self.objective:.6g}, "
            f"gap={self.gap:.1e}, n_iter={self.n_iter}, n_solves={self.n_solves})"
        )


class Problem(Protocol):
    """What a solver needs of a kernel problem."""

    n_clusters: int
    n_views: int
    n_solves: int

    def evaluate(self, weights: np.ndarray) -> Evaluation:
        """Return objective and derivatives at ``(C, G)`` weights."""

    def dual_coef(self, evaluation: Evaluation) -> np.ndarray:
        """Return ``lambda`` at an evaluated point."""


class GramProblem:
    """The exact problem on base kernels ``grams`` (G, n, n) and memberships (n, C).

    ``delta`` is the paper's, not divided by ``n``. float32 kernels are kept in float32, but all
    arithmetic that the certificate depends on is done in float64.
    """

    def __init__(self, grams: np.ndarray, memberships: np.ndarray, delta: float):
        self.grams = np.ascontiguousarray(grams)
        self.memberships = np.asarray(memberships, dtype=float)
        self.delta = float(delta)
        self.n_views, self.n_samples = self.grams.shape[0], self.grams.shape[1]
        self.n_clusters = self.memberships.shape[1]
        self.n_solves = 0

    def effective_kernel(self, weights: np.ndarray) -> np.ndarray:
        """``K_mu = sum_g K_g * (P diag(mu_g) P^T)``, shape ``(n, n)``."""
        n = self.n_samples
        flat = self.grams.reshape(self.n_views, n * n)
        if flat.dtype == np.float64:
            mixed = (weights @ flat).reshape(self.n_clusters, n, n)
        else:
            mixed = _mix_in_double(weights, flat).reshape(self.n_clusters, n, n)
        kernel = np.zeros((n, n))
        for c in range(self.n_clusters):
            column = self.memberships[:, c]
            mixed[c] *= column[:, None]
            mixed[c] *= column[None, :]
            kernel += mixed[c]
        return kernel

    def factor(self, weights: np.ndarray) -> np.ndarray:
        """Return the lower Cholesky factor of ``A = delta I + K_mu``; counts as a linear solve."""
        matrix = self.effective_kernel(weights)
        matrix.flat[:: self.n_samples + 1] += self.delta
        self.n_solves += 1
        # LAPACK expects columns, and the transpose of a symmetric matrix is the matrix.
        lower, info = lapack.dpotrf(matrix.T, lower=1, clean=1, overwrite_a=1)
        if info != 0:
            raise InvalidInputError(
                "The weighted kernel plus delta is not positive definite: raise delta, "
                "or pass kernels that are positive semi-definite."
            )
        return lower

    def dual_coef(self, evaluation: Evaluation) -> np.ndarray:
        """``lambda = (delta I + K_mu)^{-1} 1``."""
        return evaluation.state[0]

    def cholesky(self, evaluation: Evaluation) -> np.ndarray:
        """Lower Cholesky factor of ``A`` at an evaluated point."""
        return evaluation.state[1]

    def kernel_products(self, dual_coef: np.ndarray) -> np.ndarray:
        """``v_cg = K_cg lambda`` as an array of shape ``(C, G, n)``."""
        scaled = (self.memberships * dual_coef[:, None]).T
        products = np.empty((self.n_clusters, self.n_views, self.n_samples))
        for g, gram in enumerate(self.grams):
            products[:, g] = scaled @ gram.astype(np.float64, copy=False)
        products *= self.memberships.T[:, None, :]
        return products

    def evaluate(self, weights: np.ndarray) -> Evaluation:
        """Return ``phi``, ``u`` and what the Hessian needs, with one Cholesky factorisation."""
        weights = np.asarray(weights, dtype=float).reshape(self.n_clusters, self.n_views)
        lower = self.factor(weights)
        half = solve_triangular(lower, np.ones(self.n_samples), lower=True, check_finite=False)
        dual = solve_triangular(lower, half, lower=True, trans="T", check_finite=False)
        products = self.kernel_products(dual)
        columns = products.reshape(-1, self.n_samples)
        objective, raw = float(half @ half), columns @ dual
        # Unclipped products: clipping negative ones would raise the cut.
        cut_constant = objective + float(weights.ravel() @ raw)
        sensitivity = np.maximum(raw, 0.0).reshape(weights.shape)

        def hessian() -> np.ndarray:
            root = solve_triangular(lower, columns.T, lower=True, check_finite=False)
            return 2 * (root.T @ root)

        # The trace bounds the largest eigenvalue, delta the smallest.
        condition = float(np.einsum("ij,ij->", lower, lower)) / self.delta
        state = (dual, lower)
        return Evaluation(weights, objective, sensitivity, cut_constant, hessian, condition, state)


def _mix_in_double(weights: np.ndarray, flat: np.ndarray, block: int = 1 << 18) -> np.ndarray:
    """``weights @ flat`` for float32 ``flat``, converted block by block."""
    mixed = np.empty((weights.shape[0], flat.shape[1]))
    for start in range(0, flat.shape[1], block):
        stop = start + block
        mixed[:, start:stop] = weights @ flat[:, start:stop].astype(np.float64)
    return mixed
