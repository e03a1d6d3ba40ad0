r"""Algorithm 1 of the paper, exactly as printed, for reproduction.

Starting from uniform weights of norm one it repeats

``u_cg = lambda^T K_cg lambda``,
``ubar = u / (mu^{p-2} / |mu|_p^p + mu^{q-2} / |mu|_q^q)``,
``mu = ubar / sqrt(|ubar|_p |ubar|_q)``,  ``lambda = (delta I + K_mu)^{-1} 1``

until ``lambda`` stops changing; the disjoint families apply it to the weights of each cluster. It
converges on a minority of the paper's own grid (`lmkl_core.solver.solve`) and warns where it does
not. Results carry the same certificate as those of the certified solver.
"""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from lmkl_core.errors import asked_to_stop
from lmkl_core.solver.constraints import NormConstraint
from lmkl_core.solver.problem import Problem, Solution
from lmkl_core.solver.solve import Run


def solve_as_printed(
    problem: Problem,
    constraint: NormConstraint,
    *,
    tol: float = 1e-8,
    max_iter: int = 300,
    init: np.ndarray | None = None,
    track_gap: bool = True,
    cancel=None,
    warn: bool = True,
) -> Solution:
    """Run the paper's fixed-point iteration; parameters as in `lmkl_core.solver.solve.solve`.

    ``tol`` is the relative change of ``lambda`` that counts as convergence. Without ``track_gap``
    only the last iterate is certified, which is for timing.
    """
    run = Run(problem, constraint, tol)
    weights = constraint.uniform() if init is None else constraint.split(init)
    evaluation = problem.evaluate(weights)
    dual = problem.dual_coef(evaluation)
    reason = "iteration cap"
    for _ in range(max_iter):
        weights = _update(constraint, weights, constraint.split(evaluation.sensitivity))
        if not np.all(np.isfinite(weights)):
            reason = "not finite"
            break
        evaluation = problem.evaluate(weights)
        previous, dual = dual, problem.dual_coef(evaluation)
        if track_gap:
            run.visit(None, evaluation, keep_last=True)
        if np.linalg.norm(dual - previous) <= tol * np.linalg.norm(dual):
            reason = "fixed point"
            break
        if asked_to_stop(cancel):
            reason = "cancelled"
            break
    if not track_gap or not run.objectives:
        run.visit(None, evaluation, keep_last=True)
    if warn and reason in ("iteration cap", "not finite"):
        warnings.warn(
            f"Algorithm 1 as printed did not converge ({reason} after {run.n_solves - 1} "
            f'iterations, gap {run.gap:.1e}): use solver="certified".',
            ConvergenceWarning,
            stacklevel=2,
        )
    return run.solution(reason, "algorithm-1")


def _update(constraint: NormConstraint, weights: np.ndarray, sensitivity: np.ndarray):
    """Carry out lines 9 and 10 of Algorithm 1."""
    p, q = constraint.p, constraint.q
    with np.errstate(all="ignore"):
        power_p = np.sum(weights**p, axis=1, keepdims=True)
        power_q = np.sum(weights**q, axis=1, keepdims=True)
        raw = sensitivity / (weights ** (p - 2) / power_p + weights ** (q - 2) / power_q)
        norm_p = np.sum(raw**p, axis=1, keepdims=True) ** (1 / p)
        norm_q = np.sum(raw**q, axis=1, keepdims=True) ** (1 / q)
        return raw / np.sqrt(norm_p * norm_q)
