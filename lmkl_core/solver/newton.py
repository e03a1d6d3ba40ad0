r"""Newton's method on the logarithms of the kernel weights, with the norm divided out.

Each group of weights is written ``m = e^x / n(e^x)`` with ``n`` the norm of the set searched:
``sqrt(|m|_p |m|_q)`` for the whole set ``J``, ``(|m|_p / t + t |m|_q) / 2`` for a convex
slice ``E_t`` of it (`lmkl_core.solver.constraints`). The method minimises ``F(x) = phi(m(x))``
without constraints. With ``D = diag(m)``, the shares ``a``, ``b`` of the two norms, their
mix ``s = w a + (1 - w) b`` (``w = 1/2`` on ``J``), ``kappa = u . m`` of the group and
``P = I - 1 s^T``:

* gradient ``kappa s - m u``;
* second derivative ``P^T D H D P + kappa [w (p-1) cov_a + (1-w) (q-1) cov_b
  - j w (1-w) (a-b)(a-b)^T]`` plus a term that vanishes at the solution, where ``j`` is 1
  on ``J`` and 0 on a slice.

All terms but the ``j`` term are positive semi-definite. Without it the step always descends: it is
the step of the slice ``E_t`` that touches ``J`` here. The term is kept where the sum is positive
definite, for quadratic convergence. ``H`` costs one triangular solve with the existing factor.

Weights too small to matter at working precision are set by their own stationarity condition, so
that they can grow again.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from lmkl_core.solver.constraints import SMALLEST_EXCESS, NormConstraint, mixed_power_root
from lmkl_core.solver.problem import Evaluation, Problem

NEGLIGIBLE = 1e-14
"""Weights with a smaller share have no influence at working precision."""

LARGEST_STEP = 30.0
"""Largest change of the logarithm of a weight that matters, in one step."""

SMALLEST_LOG_WEIGHT = -700.0
"""Lower limit of the logarithms of weights: ``e^-700`` is still a normal number."""

SMALLEST_WEIGHT = float(np.exp(SMALLEST_LOG_WEIGHT))


@dataclass(frozen=True)
class Shares:
    """First and second order geometry of the norm at one point, split into groups."""

    first: np.ndarray
    second: np.ndarray
    mix: np.ndarray
    share: np.ndarray


class Geometry:
    """The norm that is divided out: the whole set, or one convex slice per group."""

    def __init__(self, constraint: NormConstraint, log_slices: np.ndarray | None = None):
        self.constraint = constraint
        self.log_slices = log_slices
        self.p = max(constraint.p, 1 + SMALLEST_EXCESS)
        self.q = max(constraint.q, 1 + SMALLEST_EXCESS)

    @property
    def is_whole(self) -> bool:
        """Whether this is the whole set rather than a slice of it."""
        return self.log_slices is None

    def normalise(self, x: np.ndarray) -> np.ndarray:
        """Scale every group to norm one."""
        log_p, log_q = self.constraint.log_norms(x)
        if self.log_slices is None:
            return x - ((log_p + log_q) / 2)[:, None]
        half = self.log_slices / 2
        return x - (np.logaddexp(log_p - half, log_q + half) - np.log(2))[:, None]

    def shares(self, x: np.ndarray) -> Shares:
        """Return ``a``, ``b``, ``w`` and ``s`` at normalised ``x``."""
        log_p, log_q = self.constraint.log_norms(x)
        first = np.exp(self.constraint.p * (x - log_p[:, None]))
        second = np.exp(self.constraint.q * (x - log_q[:, None]))
        if self.log_slices is None:
            mix = np.full((len(x), 1), 0.5)
        else:
            half = self.log_slices / 2
            mix = (1 / (1 + np.exp(log_q + half - (log_p - half))))[:, None]
        return Shares(first, second, mix, mix * first + (1 - mix) * second)

    def stationary(self, x: np.ndarray, shares: Shares, sensitivity: np.ndarray) -> np.ndarray:
        """Logarithms of weights that are each stationary while the norms are held fixed."""
        log_p, log_q = self.constraint.log_norms(x)
        kappa = np.sum(np.exp(x) * sensitivity, axis=1, keepdims=True)
        # The sensitivity of an empty cluster, for example, is zero.
        kappa = np.where(kappa > 0, kappa, 1.0)
        with np.errstate(divide="ignore"):
            log_target = np.log(sensitivity) - np.log(kappa)
        log_target = np.maximum(log_target, SMALLEST_LOG_WEIGHT)
        # kappa s_i = m_i u_i, with a_i = m_i^p / |m|_p^p and b_i likewise.
        log_first = np.log(shares.mix) - (self.constraint.p * log_p)[:, None]
        log_second = np.log1p(-shares.mix) - (self.constraint.q * log_q)[:, None]
        root = mixed_power_root(log_target, log_first, log_second, self.p - 1, self.q - 1)
        return np.maximum(root, SMALLEST_LOG_WEIGHT)


def weights_that_matter(shares: Shares, pull: np.ndarray) -> np.ndarray:
    """Return which weights have any influence at working precision; ``pull`` is ``m u``."""
    kappa = pull.sum(axis=1, keepdims=True)
    return (shares.share > NEGLIGIBLE) | (pull > NEGLIGIBLE * kappa)


def newton_direction(geometry: Geometry, x: np.ndarray, evaluation: Evaluation):
    """Return the step in ``x`` and the negative slope of ``F`` along it."""
    sensitivity = evaluation.sensitivity.reshape(x.shape)
    weights = np.exp(x)
    shares = geometry.shares(x)
    pull = weights * sensitivity
    kappa = pull.sum(axis=1, keepdims=True)
    gradient = kappa * shares.share - pull
    scale = max(float(kappa.max()), np.finfo(float).tiny)
    matters = weights_that_matter(shares, pull)
    matrix = _model_matrix(geometry, shares, weights, kappa, evaluation.hessian, matters.ravel())
    right = -gradient[matters]
    step = geometry.stationary(x, shares, sensitivity) - x
    step[matters] = _solve_positive(matrix, right, scale)
    largest = np.max(np.abs(step[matters]), initial=0.0)
    if largest > LARGEST_STEP:
        step[matters] *= LARGEST_STEP / largest
    return step, float(right @ step[matters])


def _model_matrix(geometry, shares, weights, kappa, hessian, matters):
    """Positive definite model of the second derivative, for the weights that matter."""
    n_groups, size = weights.shape
    flat = weights.ravel()
    curvature = (flat[:, None] * hessian) * flat[None, :]
    indefinite = np.zeros_like(curvature)
    for row in range(n_groups):
        block = slice(row * size, (row + 1) * size)
        share = shares.share[row]
        # P^T X P with P = I - 1 s^T acting inside the group, from both sides.
        curvature[:, block] -= np.outer(curvature[:, block].sum(axis=1), share)
        curvature[block, :] -= np.outer(share, curvature[block, :].sum(axis=0))
        w, k = float(shares.mix[row, 0]), float(kappa[row, 0])
        a, b = shares.first[row], shares.second[row]
        part = curvature[block, block]
        part += k * w * (geometry.p - 1) * (np.diag(a) - np.outer(a, a))
        part += k * (1 - w) * (geometry.q - 1) * (np.diag(b) - np.outer(b, b))
        part += k * np.outer(share, share)
        if geometry.is_whole:
            indefinite[block, block] = k * w * (1 - w) * np.outer(a - b, a - b)
    kept = np.ix_(matters, matters)
    curvature, indefinite = curvature[kept], indefinite[kept]
    if geometry.is_whole and not geometry.constraint.is_vector_norm:
        full = curvature - indefinite
        if _is_positive_definite(full):
            return full
    return curvature


def _is_positive_definite(matrix: np.ndarray) -> bool:
    # Scale to a unit diagonal, so that weights of tiny share do not mask the answer.
    diagonal = np.diag(matrix)
    if np.any(diagonal <= 0):
        return False
    scale = 1 / np.sqrt(diagonal)
    scaled = scale[:, None] * matrix * scale[None, :]
    scaled.flat[:: len(scaled) + 1] -= 1e-8
    try:
        np.linalg.cholesky(scaled)
    except np.linalg.LinAlgError:
        return False
    return True


def _solve_positive(matrix: np.ndarray, right: np.ndarray, scale: float) -> np.ndarray:
    """Solve with a positive semi-definite matrix, scaled to unit diagonal plus a ridge."""
    diagonal = np.maximum(np.diag(matrix), scale * 1e-300)
    root = 1 / np.sqrt(diagonal)
    scaled = root[:, None] * matrix * root[None, :]
    ridge = 1e-14
    while True:
        scaled.flat[:: len(scaled) + 1] = 1 + ridge
        try:
            factor = cho_factor(scaled, lower=True, check_finite=False)
        except np.linalg.LinAlgError:
            ridge *= 100
            if not np.isfinite(ridge):  # no ridge helps against NaN
                raise FloatingPointError("the second derivative is not finite") from None
            continue
        return root * cho_solve(factor, root * right, check_finite=False)


def descend(
    problem: Problem, geometry: Geometry, x: np.ndarray, evaluation: Evaluation
) -> tuple[np.ndarray, Evaluation] | None:
    """Return a point with a lower objective and its evaluation, or ``None`` if none is found.

    Weights that do not matter yet move linearly, not logarithmically, so that a shortened step
    still revives them; ``revival`` is the first-order gain of doing so.
    """
    direction, predicted = newton_direction(geometry, x, evaluation)
    sensitivity = evaluation.sensitivity.reshape(x.shape)
    small = ~weights_that_matter(geometry.shares(x), np.exp(x) * sensitivity)
    change = np.exp(x[small] + direction[small]) - np.exp(x[small])
    revival = float(np.sum(np.maximum(change, 0.0) * sensitivity[small]))
    if not predicted + revival > 1e-16 * evaluation.objective:
        return None
    length = 1.0
    for _ in range(12):
        trial_x = x + length * direction
        trial_x[small] = np.log(np.exp(x[small]) + length * change + SMALLEST_WEIGHT)
        trial_x = geometry.normalise(np.maximum(trial_x, SMALLEST_LOG_WEIGHT))
        trial = problem.evaluate(np.exp(trial_x))
        decrease = evaluation.objective - trial.objective
        if decrease > 0 and decrease >= 1e-4 * length * predicted:
            return trial_x, trial
        # Minimum of the parabola through both values and the slope.
        curvature = 2 * (length * predicted - decrease)
        length *= float(np.clip(length * predicted / max(curvature, 1e-300), 0.1, 0.5))
    return None
