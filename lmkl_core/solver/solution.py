"""The one result object that all solvers return."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Solution:
    """Kernel weights and dual coefficients, with the proof of how good they are.

    Attributes
    ----------
    weights : ndarray (n_clusters, n_views)
        ``mu``.
    dual_coef : ndarray (n_samples,)
        ``lambda``.
    objective : float
        ``phi(mu) = 1^T (delta I + K_mu)^{-1} 1``.
    lower_bound : float
        Proven: no feasible weights reach a smaller objective.
    gap : float
        ``(objective - lower_bound) / objective`` plus an allowance for rounding.
    objective_history, gap_history : ndarray
        One entry an iteration. Gaps use the best bound proven so far.
    n_iter : int
        Iterations, restarts and branch and bound included.
    n_solves : int
        Cholesky factorisations, the unit of cost.
    stop_reason : str
        ``"certified"``, ``"budget"``, ``"stalled"``, ``"fixed weights"``, ``"fixed point"``,
        ``"iteration cap"``, ``"not finite"`` or ``"cancelled"``.
    solver : str
        Name of the solver.
    constraint_is_convex : bool or None
        Whether the feasible set is convex, where it can be told.
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
        """Whether the solver reached what it stops for."""
        return self.stop_reason in ("certified", "fixed weights", "fixed point")

    def __repr__(self) -> str:
        """One line for people."""
        return (
            f"Solution({self.solver}: {self.stop_reason}, objective={self.objective:.6g}, "
            f"gap={self.gap:.1e}, n_iter={self.n_iter}, n_solves={self.n_solves})"
        )
