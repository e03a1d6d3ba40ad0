r"""Certified kernel weights on the simplex, for SVDD and the one-class SVM (SimpleMKL).

The inner problem
-----------------
Both are quadratic programmes over ``A = {alpha : sum alpha = 1, 0 <= alpha_i <= 1 / (nu n)}``:

- one-class SVM: ``max_A -alpha' K alpha`` (Schoelkopf et al., 2001; twice its usual objective);
- SVDD: ``max_A sum_i alpha_i K_ii - alpha' K alpha`` (Tax and Duin, 2004).

Because ``sum alpha = 1``, the linear term of SVDD can be absorbed in the matrix: its objective is
``-alpha' M alpha`` with ``M_ij = K_ij - (K_ii + K_jj) / 2 = -|phi_i - phi_j|^2 / 2``. So SVDD of
*any* kernel is the programme of the one-class SVM on ``M``. ``M`` is positive semi-definite on the
directions that keep the sum of ``alpha``, the only ones that matter. So the problem stays convex,
and libsvm, which moves two coefficients against each other, can solve it. Where the diagonal is
constant (RBF), ``M = K - const`` and the two methods are the same.

The gradient of the concave ``S(alpha) = -alpha' M alpha`` bounds the possible improvement: no
feasible ``beta`` has ``S(beta) > S(alpha) + max_beta 2 (M alpha)'(alpha - beta)``, and the maximum
is attained by filling the coefficients with the smallest ``M alpha`` first. libsvm works in single
precision, but the bound is computed in double precision and holds for any ``alpha``.

The problem
-----------
With ``M_g`` the matrix of view ``g``, ``s_g(alpha) = -alpha' M_g alpha`` and weights ``d`` on the
simplex, SimpleMKL (Rakotomamonjy et al., 2008) solves

``min_d J(d)``,  ``J(d) = max_{alpha in A} sum_g d_g s_g(alpha)``.

``J`` is convex, a maximum of linear functions, and lies above its tangents
``J(d') >= d' . s(alpha)``.

The certificate
---------------
So every mixture ``lambda`` of the coefficients found on the way proves

``min_d J(d) >= min_g sum_k lambda_k s_g(alpha_k)``.

The best ``lambda`` solves a linear programme. Its result is made non-negative with sum one before
use, so the bound holds whatever the tolerance of the solver. From above, ``J(d)`` is at most the
inner objective plus the possible improvement there. The gap is their difference over ``|J(d)|``.
Where the data surround the origin, ``J`` of the one-class SVM is zero, so the divisor is at least
`LEAST_OBJECTIVE`, for kernels with a mean diagonal of one.

The descent
-----------
The reduced gradient of SimpleMKL needs hundreds of inner solves, Newton's method a few. While
the set ``F`` of coefficients strictly between their bounds stays the same, ``alpha_F`` solves a
linear system, and

``J'' = 2 P_F T P_F'``,  ``P_g = M_g alpha``,

with ``T`` the inverse of ``M_FF`` on the directions of sum zero. A step minimises the quadratic
model over the simplex exactly and is shortened until ``J`` falls enough. The model's minimiser is
the point of a polytope nearest to the origin, ``y / 1'y`` for the non-negative least-squares
solution ``y`` of ``min |B y|^2 + (1'y - 1)^2``. Where ``J`` has kinks (kernels of low rank) and a
step fails, Kelley's cutting-plane step to the minimiser of the tangents replaces it.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import linprog, nnls
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import OneClassSVM

from lmkl_core.errors import raise_if_cancelled
from lmkl_core.solver.problem import Solution

LIBSVM_STEPS = 1_000_000
"""Maximum number of steps of libsvm, which could take hours on kernels of low rank."""

SUFFICIENT_DECREASE = 1e-4
"""Smallest accepted decrease, as a fraction of the decrease predicted by the gradient."""

SHORTEST_STEP = 2.0**-12
"""Shorter steps mean that the quadratic model does not fit."""

AT_BOUND = 1e-9
"""Coefficients this close to a bound, relative to the upper bound, count as on it."""

ROUNDING = 1e-12
"""Allowance for rounding in the gap."""

LEAST_OBJECTIVE = 1e-3
"""Smallest divisor of a gap, for kernels with a mean diagonal of one."""

MAX_FRUITLESS_STEPS = 5
"""Stop after this many consecutive steps that reduce the gap by less than a tenth."""


def distance_form(gram: np.ndarray) -> np.ndarray:
    """``K_ij - (K_ii + K_jj) / 2``, minus half the squared distances in feature space."""
    half = 0.5 * np.diag(gram)
    return gram - half[:, None] - half[None, :]


def solve_one_class(matrix: np.ndarray, nu: float) -> np.ndarray:
    """Maximise ``-alpha' matrix alpha`` over the capped simplex; return ``alpha``, ``(n,)``."""
    if nu == 1:  # only one point is feasible, and libsvm finds no offset for it
        return np.full(len(matrix), 1 / len(matrix))
    # libsvm stores kernels in single precision, so a smaller tolerance is pointless.
    machine = OneClassSVM(
        kernel="precomputed", nu=nu, tol=1e-8, cache_size=500, max_iter=LIBSVM_STEPS
    )
    with warnings.catch_warnings():
        # `gain_left` bounds the distance to the optimum.
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine.fit(matrix)
    alpha = np.zeros(len(matrix))
    alpha[machine.support_] = np.maximum(machine.dual_coef_[0], 0.0)
    return alpha / alpha.sum()


def gain_left(alpha: np.ndarray, slopes: np.ndarray, nu: float) -> float:
    """Bound on ``max S - S(alpha)``, with ``slopes = M alpha``."""
    n = len(alpha)
    cap = max(1 / (nu * n), 1 / n)
    lowest = np.sort(slopes)
    full = min(int(1 / cap), n)
    least = cap * float(lowest[:full].sum())
    if full < n:
        least += (1 - full * cap) * float(lowest[full])
    return max(2 * (float(alpha @ slopes) - least), 0.0)


@dataclass
class Visit:
    """The inner solution at some weights; ``products`` are ``M_g alpha``, ``terms`` ``s_g``."""

    weights: np.ndarray
    alpha: np.ndarray
    products: np.ndarray
    terms: np.ndarray
    objective: float


@dataclass
class Search:
    """The problem, with all tangents and the best lower bound found so far."""

    stack: np.ndarray
    nu: float
    cancel: Callable[[], bool] | None = None
    n_solves: int = 0
    tangents: list[np.ndarray] = field(default_factory=list)
    lower_bound: float = -np.inf

    def visit(self, weights: np.ndarray) -> Visit:
        """Solve the inner problem and record its tangent."""
        raise_if_cancelled(self.cancel)
        self.n_solves += 1
        alpha = solve_one_class(weighted(self.stack, weights), self.nu)
        products = self.stack @ alpha
        terms = -products @ alpha
        value = float(weights @ terms) + gain_left(alpha, weights @ products, self.nu)
        self.tangents.append(terms)
        return Visit(weights, alpha, products, terms, value)

    def bound(self) -> np.ndarray:
        """Raise the lower bound to the best mixture of tangents; return their minimiser."""
        cuts = np.array(self.tangents)
        n_cuts, n_views = cuts.shape
        self.lower_bound = max(self.lower_bound, float(cuts.min(axis=1).max()))
        # min t  subject to  cuts d <= t, d on the simplex
        result = linprog(
            np.append(np.zeros(n_views), 1.0),
            A_ub=np.column_stack([cuts, -np.ones(n_cuts)]),
            b_ub=np.zeros(n_cuts),
            A_eq=np.append(np.ones(n_views), 0.0)[None],
            b_eq=[1.0],
            bounds=[(0, None)] * n_views + [(None, None)],
        )
        if not result.success:
            return np.full(n_views, 1 / n_views)
        mixture = np.maximum(-result.ineqlin.marginals, 0.0)
        if mixture.sum() > 0:
            proven = float(((mixture / mixture.sum()) @ cuts).min())
            self.lower_bound = max(self.lower_bound, proven)
        return on_simplex(result.x[:n_views])

    def gap(self, objective: float) -> float:
        """Return the relative gap of an objective."""
        scale = max(abs(objective), LEAST_OBJECTIVE)
        return max(objective - self.lower_bound, 0.0) / scale + ROUNDING


def weighted(stack: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """``sum_g d_g M_g``, skipping views without weight."""
    used = np.flatnonzero(weights)
    total = weights[used[0]] * stack[used[0]]
    for view in used[1:]:
        total += weights[view] * stack[view]
    return total


def on_simplex(weights: np.ndarray) -> np.ndarray:
    """Clip negative weights, which come from rounding, and normalise the sum to one."""
    weights = np.maximum(weights, 0.0)
    return weights / weights.sum()


def curvature(stack: np.ndarray, visit: Visit, nu: float) -> np.ndarray:
    """Return the second derivatives of ``J``, ``(G, G)``, for a fixed set of free coefficients."""
    cap = 1 / (nu * len(visit.alpha))
    margin = AT_BOUND * min(cap, 1.0)
    free = np.flatnonzero((visit.alpha > margin) & (visit.alpha < cap - margin))
    n_views = len(stack)
    if len(free) < 2:
        return np.zeros((n_views, n_views))
    system = np.ones((len(free) + 1, len(free) + 1))
    system[:-1, :-1] = weighted(stack, visit.weights)[np.ix_(free, free)]
    system[-1, -1] = 0.0
    right = np.zeros((len(free) + 1, n_views))
    right[:-1] = visit.products[:, free].T
    try:
        moves = np.linalg.solve(system, right)[:-1]
    except np.linalg.LinAlgError:
        moves = np.linalg.lstsq(system, right, rcond=None)[0][:-1]
    second = 2 * right[:-1].T @ moves
    second = (second + second.T) / 2
    values, vectors = np.linalg.eigh(second)
    return (vectors * np.maximum(values, 0.0)) @ vectors.T


def model_minimiser(weights: np.ndarray, gradient: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Minimise the quadratic model on the simplex."""
    spread = float(np.ptp(gradient))
    ridge = 1e-10 * max(float(np.trace(second)), spread, np.finfo(float).tiny)
    lower = np.linalg.cholesky(second + ridge * np.eye(len(weights)))
    # Only differences of the gradient matter on the simplex.
    offset = np.linalg.solve(lower, gradient - gradient @ weights) - lower.T @ weights
    columns = lower.T + offset[:, None]
    columns /= max(float(np.linalg.norm(columns, axis=0).min()), np.finfo(float).tiny)
    system = np.vstack([columns, np.ones(len(weights))])
    target = np.append(np.zeros(len(weights)), 1.0)
    try:
        point = nnls(system, target)[0]
    except RuntimeError:  # no convergence: the caller has another step
        return weights
    return on_simplex(point) if point.sum() > 0 else weights


def descend(search: Search, here: Visit) -> Visit | None:
    """Take a Newton step with backtracking; return ``None`` if ``J`` does not decrease enough."""
    second = curvature(search.stack, here, search.nu)
    target = model_minimiser(here.weights, here.terms, second)
    slope = float(here.terms @ (target - here.weights))
    if not slope < 0:
        return None
    step = 1.0
    while step >= SHORTEST_STEP:
        trial = search.visit(on_simplex(here.weights + step * (target - here.weights)))
        if trial.objective <= here.objective + SUFFICIENT_DECREASE * step * slope:
            return trial
        step /= 2
    return None


def solve(
    stack: np.ndarray,
    *,
    nu: float,
    tol: float = 1e-6,
    max_iter: int = 100,
    cancel: Callable[[], bool] | None = None,
) -> Solution:
    """Learn kernel weights from ``stack``, the ``M_g`` of all views, ``(G, n, n)``.

    In the result, ``objective`` is ``J`` and ``dual_coef`` is ``alpha`` at the best weights.
    A `ConvergenceWarning` is issued if the relative gap stays above ``tol``.
    """
    n_views = len(stack)
    search = Search(stack, nu, cancel)
    best, reason, fruitless = search.visit(np.full(n_views, 1 / n_views)), "iteration cap", 0
    objectives: list[float] = []
    gaps: list[float] = []
    while True:
        corner = search.bound()
        objectives.append(best.objective)
        gaps.append(search.gap(best.objective))
        fruitless = fruitless + 1 if len(gaps) > 1 and gaps[-1] > 0.9 * gaps[-2] else 0
        if gaps[-1] <= tol:
            reason = "certified"
        elif fruitless == MAX_FRUITLESS_STEPS:
            reason = "stalled"
        elif len(gaps) < max_iter:
            found = descend(search, best) or search.visit(corner)
            best = min(best, found, key=lambda visit: visit.objective)
            continue
        break
    if reason != "certified":
        warnings.warn(
            f"The certified relative gap {gaps[-1]:.1e} stayed above tol={tol:.1e} ({reason}): "
            "accept the gap, or raise tol or max_iter.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return Solution(
        weights=best.weights[None],
        dual_coef=best.alpha,
        objective=best.objective,
        lower_bound=search.lower_bound,
        gap=gaps[-1],
        objective_history=np.array(objectives),
        gap_history=np.array(gaps),
        n_iter=len(objectives),
        n_solves=search.n_solves,
        stop_reason=reason,
        solver="SimpleMKL",
        constraint_is_convex=True,
    )
