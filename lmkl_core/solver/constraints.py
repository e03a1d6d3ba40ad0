r"""Feasible sets of kernel weights, and their geometry.

The ``(C, G)`` weights are divided into *groups*, each with ``|m|_p |m|_q <= 1`` and ``m >= 0``.

=================  ==================  =========================================
name               groups              constraint of a group
=================  ==================  =========================================
joint-matrix       all ``C G`` at once ``|mu mu^T|_{p,q} = |mu|_p |mu|_q <= 1``
joint-vector       all ``C G`` at once ``|mu|_p <= 1`` (the pair ``p, p``)
disjoint-matrix    one per cluster     ``|mu_c|_p |mu_c|_q <= 1``
disjoint-vector    one per cluster     ``|mu_c|_p <= 1`` (the pair ``p, p``)
=================  ==================  =========================================

Slices
------
``J = {m >= 0 : |m|_p |m|_q <= 1}`` need not be convex when ``p != q``, but it is a union
of convex sets over one positive number ``t`` per group, in two ways:

* ``J = U_t J_t`` with ``J_t = {|m|_p <= t, |m|_q <= 1/t}``, the smaller slice, used to
  *bound* (`lmkl_core.solver.certificate`);
* ``J = U_t E_t`` with ``E_t = {(|m|_p / t + t |m|_q) / 2 <= 1}``, the larger slice, used
  to *search* (`lmkl_core.solver.newton`): by the inequality of the means
  ``sqrt(|m|_p |m|_q) <= (|m|_p / t + t |m|_q) / 2`` with equality at
  ``t^2 = |m|_p / |m|_q``. The right side is a norm: ``E_t`` is convex with a smooth boundary.

Curvature
---------
With ``x = log m``, shares ``a = m^p / sum m^p`` and ``b = m^q / sum m^q``, and a tangent
direction ``z`` (``m -> m e^z``), the curvature of the norm of ``J`` along its boundary is

``1/2 [(p-1) Var_a z + (q-1) Var_b z] - 1/4 (E_a z - E_b z)^2``,

and the last term is absent for the slice ``E_t``. So ``J`` is convex exactly when
``(E_a z - E_b z)^2 <= 2 [(p-1) Var_a z + (q-1) Var_b z]`` for all ``m`` and ``z``
(`constraint_is_convex`).
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

FAMILIES = ("joint-matrix", "joint-vector", "disjoint-matrix", "disjoint-vector")
"""Families with learned weights."""

FIXED_FAMILIES = ("uniform", "single")
"""Families with fixed weights."""

SMALLEST_EXCESS = 1e-9
"""The search treats ``p = 1`` as ``1 + SMALLEST_EXCESS``; the certificate does not."""


def logsumexp(values: np.ndarray) -> np.ndarray:
    """``log sum exp`` along the last axis, at a tenth of the cost of SciPy's function."""
    top = np.max(values, axis=-1)
    safe = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        return safe + np.log(np.sum(np.exp(values - safe[..., None]), axis=-1))


@dataclass(frozen=True)
class NormConstraint:
    """``n_groups`` groups of ``group_size`` weights, each with ``|m|_p |m|_q <= 1``."""

    p: float
    q: float
    n_groups: int
    group_size: int

    @property
    def is_vector_norm(self) -> bool:
        """Whether ``p == q``, so that the set of each group is an ``l_p`` ball."""
        return self.p == self.q

    @property
    def is_convex(self) -> bool | None:
        """Whether the set is convex; ``None`` if unknown."""
        return constraint_is_convex(self.p, self.q, self.group_size)

    @property
    def max_log_ratio(self) -> float:
        """Largest value of ``|log(|m|_p / |m|_q)|``; the smallest is 0."""
        return abs(1 / self.p - 1 / self.q) * float(np.log(self.group_size))

    def split(self, weights: np.ndarray) -> np.ndarray:
        """Reshape ``(C, G)`` or flat weights to ``(n_groups, group_size)``."""
        return np.asarray(weights, dtype=float).reshape(self.n_groups, self.group_size)

    def uniform(self) -> np.ndarray:
        """Return equal weights of norm one, the start of Algorithm 1, split into groups."""
        value = self.group_size ** (-(self.p + self.q) / (2 * self.p * self.q))
        return np.full((self.n_groups, self.group_size), value)

    def log_norms(self, log_weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """``log |m|_p`` and ``log |m|_q`` of every group."""
        log_p = logsumexp(self.p * log_weights) / self.p
        if self.is_vector_norm:
            return log_p, log_p
        return log_p, logsumexp(self.q * log_weights) / self.q

    def norm(self, weights: np.ndarray) -> float:
        """Return the largest ``|m|_p |m|_q`` of the groups, at most one for feasible weights."""
        with np.errstate(divide="ignore"):
            log_p, log_q = self.log_norms(np.log(self.split(weights)))
        return float(np.exp(np.max(log_p + log_q)))

    def normalise(self, log_weights: np.ndarray) -> np.ndarray:
        """Scale every group onto the boundary of its set."""
        log_p, log_q = self.log_norms(log_weights)
        return log_weights - ((log_p + log_q) / 2)[:, None]


def make_constraint(family: str, p: float, q: float, n_clusters: int, n_views: int):
    """Return the `NormConstraint` of a named family."""
    if family.endswith("vector"):
        q = p
    groups = 1 if family.startswith("joint") else n_clusters
    return NormConstraint(float(p), float(q), groups, n_clusters * n_views // groups)


@lru_cache(maxsize=4096)
def constraint_is_convex(p: float, q: float, size: int) -> bool | None:
    """Return whether ``{m >= 0 : |m|_p |m|_q <= 1}`` in ``size`` dimensions is convex.

    ``False`` has a witness: weights of two levels with negative curvature (see above). ``True``
    follows from ``p == q``, or from
    ``(E_a z - E_b z)^2 <= min(chi2(a|b) Var_b z, chi2(b|a) Var_a z)``, which is also largest at
    two levels and is checked by a fine scan with a margin. Otherwise the answer is ``None``. No gap
    depends on it: it only decides whether to look for other local minima.
    """
    p, q = min(p, q), max(p, q)
    if p == q or size == 1:
        return True
    counts = np.arange(1, size)
    log_level = -np.geomspace(1e-3, 200, 400)[:, None]
    log_odds = np.log((size - counts) / counts)[None, :]
    upper_a = 1 / (1 + np.exp(log_odds + p * log_level))
    upper_b = 1 / (1 + np.exp(log_odds + q * log_level))
    excess = (upper_a - upper_b) ** 2 - 2 * (
        (p - 1) * upper_a * (1 - upper_a) + (q - 1) * upper_b * (1 - upper_b)
    )
    if excess.max() > 1e-12:
        return False
    return True if _chi_square_condition(p, q, size) else None


def _chi_square_condition(p: float, q: float, size: int) -> bool:
    """Sufficient condition for convexity, with a margin for the scan's resolution.

    ``chi2(a|b) + 1 = S_q S_{2p-q} / S_p^2`` has stationary points ``c y + d / y = const`` with
    ``y = m^{q-p}``, so at most two levels, and so has ``chi2(b|a)``. The first is finite only for
    ``2p > q``.
    """
    first = _largest_chi_square((q - p) / p, size) if 2 * p > q else np.inf
    second = _largest_chi_square((q - p) / q, size)
    return (q - 1) / first + (p - 1) / second >= 0.5 * 1.01


def _largest_chi_square(spread: float, size: int) -> float:
    """Return the maximum of ``sum x^(1+s) sum x^(1-s) / (sum x)^2 - 1`` over two levels."""
    log_level = -np.geomspace(1e-3, 200, 1000)[:, None]
    ratio = np.geomspace(1 / (size - 1), size - 1, 400)[None, :]
    plus = 1 + ratio * np.exp((1 + spread) * log_level)
    minus = 1 + ratio * np.exp((1 - spread) * log_level)
    plain = 1 + ratio * np.exp(log_level)
    return float(np.max(plus * minus / plain**2)) - 1


def mixed_power_root(log_target, log_first, log_second, first, second):
    """Solve ``e^log_first r^first + e^log_second r^second = e^log_target`` for ``log r``.

    The logarithm of the left side is convex and increasing in ``log r``, and the smaller of
    the two one-term roots lies to the right of the solution, so Newton's method converges
    without safeguards.
    """
    log_first = np.asarray(log_first, dtype=float)
    log_second = np.asarray(log_second, dtype=float)
    y = np.minimum((log_target - log_first) / first, (log_target - log_second) / second)
    for _ in range(60):
        one = log_first + first * y
        two = log_second + second * y
        total = np.logaddexp(one, two)
        share = np.exp(one - total)
        step = (total - log_target) / (share * first + (1 - share) * second)
        y = y - step
        if np.max(np.abs(step) / (1 + np.abs(y)), initial=0.0) < 1e-13:
            break
    return y
