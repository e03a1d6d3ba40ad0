r"""The certified solver of localised one-class multiple kernel learning.

The problem
-----------
Given base kernels ``K_g`` (``g = 1..G``), memberships ``p_c`` (``c = 1..C``) and a
regulariser ``delta > 0``, the paper asks for weights ``mu`` and coefficients ``lambda`` with

``min_{mu in J} max_lambda  -lambda^T K_mu lambda - delta lambda^T lambda + 2 lambda^T 1``,
``K_mu = sum_cg mu_cg diag(p_c) K_g diag(p_c)``,  ``J = {mu >= 0 : |mu|_p |mu|_q <= 1}``

(groups of weights with a norm each, in the disjoint families). The inner maximum is attained at
``lambda = (delta I + K_mu)^{-1} 1`` and equals ``phi(mu) = lambda^T 1``, a convex and decreasing
function of ``C G`` numbers that costs one Cholesky factorisation (`lmkl_core.solver.problem`).

Why not the paper's fixed point
-------------------------------
Algorithm 1 alternates ``lambda`` with a closed form in ``mu`` that is only a fixed-point
condition. For ``p = q`` it is ``mu <- u mu^{2-p}`` up to scale: each iteration multiplies the
logarithm by ``2 - p``, so it oscillates for ``p > 2`` and diverges for ``p >= 3``. Instead,

1. Newton's method on ``log mu`` (`lmkl_core.solver.newton`) descends monotonically to a
   stationary point, usually in three to eight factorisations;
2. the certificate is evaluated at every step. By convexity, for every feasible ``nu``,
   ``phi(nu) >= phi(mu) - u . (nu - mu)``, hence

   ``phi(mu) - min_J phi  <=  max_{nu in J} u . nu  -  u . mu``,

   whether or not ``J`` is convex. The maximum is bounded by duality, never by search
   (`lmkl_core.solver.certificate`), so the reported gap is never too small;
3. where ``J`` is not convex (contrary to the paper, see `lmkl_core.solver.constraints`) there may
   be several local minima, and the linear bound need not be tight. Then the search restarts from
   the maximiser that the certificate found, and branch and bound over the convex slices of ``J``
   (`lmkl_core.solver.branch`) closes the gap.

The result is the best point found, with the largest proven lower bound.
"""

import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from lmkl_core.errors import asked_to_stop
from lmkl_core.solver.branch import BranchAndBound
from lmkl_core.solver.certificate import support_bound
from lmkl_core.solver.constraints import SMALLEST_EXCESS, NormConstraint
from lmkl_core.solver.newton import SMALLEST_LOG_WEIGHT, Geometry, descend
from lmkl_core.solver.problem import Evaluation, Problem, Solution

SMOOTH_EXCESS = 1 / 40
"""Newton's method needs no smoothing where both exponents exceed one by this."""


class Run:
    """Best point, best proven bound and history of one call of a solver."""

    def __init__(self, problem, constraint: NormConstraint, tol: float, outer: "Run | None" = None):
        self.problem: Problem = problem
        self.constraint, self.tol, self.outer = constraint, tol, outer
        self._solves_before = self.problem.n_solves
        self.lower_bound, self.bound_rounding = 0.0, 0.0
        self.best: Evaluation | None = None
        self.best_x: np.ndarray | None = None
        self.objectives: list[float] = []
        self.gaps: list[float] = []

    @property
    def gap(self) -> float:
        """Relative gap between the best point and the best bound, including rounding."""
        assert self.best is not None
        gap = (self.best.objective - self.lower_bound) / self.best.objective
        # A bound above the objective is due to rounding and counts as gap.
        return abs(gap) + max(self.best.rounding, self.bound_rounding)

    @property
    def is_certified(self) -> bool:
        """Whether the gap is small enough to stop."""
        return self.gap <= self.tol

    @property
    def n_solves(self) -> int:
        """Cholesky factorisations since the start."""
        return self.problem.n_solves - self._solves_before

    def solution(self, stop_reason: str, solver: str) -> Solution:
        """Return the best point with the best bound."""
        best = self.best
        assert best is not None
        return Solution(
            weights=best.weights,
            dual_coef=self.problem.dual_coef(best),
            objective=best.objective,
            lower_bound=min(self.lower_bound, best.objective),
            gap=self.gap,
            objective_history=np.array(self.objectives),
            gap_history=np.array(self.gaps),
            n_iter=len(self.objectives),
            n_solves=self.n_solves,
            stop_reason=stop_reason,
            solver=solver,
            constraint_is_convex=self.constraint.is_convex,
            evaluation=best,
        )

    def bound_by(self, evaluation: Evaluation) -> np.ndarray:
        """Improve the bound by a point, feasible or not; return the maximiser of its cut."""
        groups = self.constraint.split(evaluation.sensitivity)
        at_point = np.sum(self.constraint.split(evaluation.weights) * groups, axis=1)
        tolerance = 0.1 * self.tol * evaluation.objective
        bound, maximiser = support_bound(
            groups, self.constraint.p, self.constraint.q, at_point, tolerance
        )
        if evaluation.cut_constant - bound > self.lower_bound:
            self.lower_bound = evaluation.cut_constant - bound
            self.bound_rounding = evaluation.rounding
        if self.outer is not None:
            self.outer.bound_by(evaluation)
        return maximiser

    def visit(self, x, evaluation: Evaluation, keep_last: bool = False) -> np.ndarray:
        """Record a point, improve the bound, and return the maximiser of the certificate.

        With ``keep_last`` the point replaces the best one even if it is worse.
        """
        maximiser = self.bound_by(evaluation)
        if self.best is None or keep_last or evaluation.objective < self.best.objective:
            self.best, self.best_x = evaluation, x
        self.objectives.append(self.best.objective)
        self.gaps.append(self.gap)
        return maximiser

    def descend_from(self, x: np.ndarray, max_iter: int, cancel) -> np.ndarray:
        """Descend from ``x`` until certified or stationary; return the last maximiser.

        At exponents close to one weights vanish, and their logarithms have no minimum. So the
        smoother problems with ``max(p, 1 + excess)`` are solved first, with decreasing excess.
        """
        least = min(self.constraint.p, self.constraint.q) - 1
        excess = SMOOTH_EXCESS
        if excess > least:
            maximiser = self.visit(x, self.problem.evaluate(np.exp(x)))
            if self.is_certified:
                return maximiser
        while excess > max(least, SMALLEST_EXCESS):
            p, q = max(self.constraint.p, 1 + excess), max(self.constraint.q, 1 + excess)
            smooth = replace(self.constraint, p=p, q=q)
            stage = Run(self.problem, smooth, max(0.1 * excess, 0.1 * self.tol), outer=self)
            stage.newton(smooth.normalise(x), min(max_iter, 50), cancel)
            assert stage.best_x is not None
            x = self.constraint.normalise(stage.best_x)
            if excess < self.tol or asked_to_stop(cancel):
                break
            excess *= 0.1
        if least < SMALLEST_EXCESS:
            return self.visit(x, self.problem.evaluate(np.exp(x)))
        return self.newton(x, max_iter, cancel)

    def newton(self, x: np.ndarray, max_iter: int, cancel) -> np.ndarray:
        """Run Newton's method until certified or stationary; return the last maximiser."""
        geometry = Geometry(self.constraint)
        evaluation = self.problem.evaluate(np.exp(x))
        maximiser = self.visit(x, evaluation)
        for _ in range(max_iter):
            if self.is_certified or asked_to_stop(cancel):
                break
            step = descend(self.problem, geometry, x, evaluation)
            if step is None:
                break
            x, evaluation = step
            maximiser = self.visit(x, evaluation)
        return maximiser


def solve(
    problem: Problem,
    constraint: NormConstraint,
    *,
    tol: float = 1e-6,
    max_iter: int = 200,
    max_branch_solves: int = 2000,
    init: np.ndarray | None = None,
    cancel: Callable[[], bool] | None = None,
    warn: bool = True,
) -> Solution:
    """Minimise ``phi`` over the constraint set and prove how close the result is.

    ``tol`` is the certified relative gap to stop at, ``max_iter`` limits the Newton steps of one
    descent and ``max_branch_solves`` the factorisations of branch and bound. ``init`` is a warm
    start of shape (C, G), feasible or not. When ``cancel`` returns ``True``, the best point so far
    is returned. ``warn`` says whether to warn if the tolerance is not met.
    """
    run = Run(problem, constraint, tol)
    maximiser = run.descend_from(_start(constraint, init), max_iter, cancel)
    reason = "stalled"
    if init is not None and not run.is_certified and not asked_to_stop(cancel):
        # Do not lose the certificate to a bad warm start.
        maximiser = run.descend_from(_start(constraint, None), max_iter, cancel)
    if not run.is_certified and constraint.is_convex is not True:
        _leave_local_minimum(run, maximiser, max_iter, cancel)
        if not run.is_certified and not asked_to_stop(cancel):
            _branch(run, max_branch_solves, cancel)
            reason = "budget"
    if run.is_certified:
        reason = "certified"
    elif asked_to_stop(cancel):
        reason = "cancelled"
    elif warn:
        warnings.warn(
            f"The certified relative gap {run.gap:.1e} stayed above tol={tol:.1e} ({reason}): "
            "accept the gap, raise tol, or choose p and q closer together.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return run.solution(reason, "certified")


def _leave_local_minimum(run: Run, maximiser: np.ndarray, max_iter: int, cancel) -> None:
    """Restart from the maximiser of the certificate as long as that helps."""
    for _ in range(3):
        objective = run.objectives[-1]
        maximiser = run.descend_from(_start(run.constraint, maximiser), max_iter, cancel)
        if run.is_certified or not run.objectives[-1] < objective:
            break


def _branch(run: Run, max_solves: int, cancel) -> None:
    search = BranchAndBound(run.problem, run.constraint, run.best_x, run.best, run.tol)
    search.run(max_solves, cancel=cancel)
    run.visit(search.x, search.evaluation)
    run.lower_bound = max(run.lower_bound, min(search.lower_bound, search.evaluation.objective))
    run.gaps[-1] = run.gap


def _start(constraint: NormConstraint, weights: np.ndarray | None) -> np.ndarray:
    """Return the logarithms of feasible weights to start from; zeros become tiny weights."""
    if weights is None:
        return constraint.normalise(np.log(constraint.uniform()))
    weights = constraint.split(weights)
    top = np.max(weights, axis=1, keepdims=True)
    relative = np.divide(weights, top, out=np.ones_like(weights), where=top > 0)
    with np.errstate(divide="ignore"):
        x = np.maximum(np.log(relative), SMALLEST_LOG_WEIGHT / 2)
    return constraint.normalise(x)
