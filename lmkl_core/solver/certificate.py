r"""Proven upper bounds on ``max u . m`` over a set that need not be convex.

The certificate needs ``h(u) = max {u . m : m in J}``, ``J = {m >= 0 : |m|_p |m|_q <= 1}``. A
maximum found by search would only be a *lower* bound, and the reported gap could be too small. Here
the bound comes from duality.

``J`` is the union over ``s`` of ``J_s = {|m|_p <= e^{s/2}, |m|_q <= e^{-s/2}}``
(``s = log t^2``). For any split ``u = a + b`` with ``a, b >= 0`` and any ``m`` in ``J_s``,
Hoelder's inequality gives

``u . m <= |a|_{p*} e^{s/2} + |b|_{q*} e^{-s/2}``      (a *curve*, valid for every ``s``).

The lower envelope of many curves bounds ``h_s(u)``, and since each curve is convex in ``s`` its
maximum over an interval is at one of its ends. The bound holds however inaccurate the splits are.
Good splits come from the stationary points of the problem, which lie on one path ``r(theta)``:
``u = theta r^{p-1} + (1 - theta) r^{q-1}`` coordinate by coordinate; the two terms are the
split, and the curve touches ``h_s`` at ``s = log(|r|_p / |r|_q)``. The pure splits ``theta = 0``
and ``1`` cover the slices beyond the ends of the path.
"""

import math

import numpy as np
from scipy.special import log_expit

from lmkl_core.solver.constraints import SMALLEST_EXCESS, logsumexp, mixed_power_root

FIRST_SPLITS = 24
"""Number of splits before refinement."""

_QUARTERS = np.array([[0.25], [0.5], [0.75]])

FURTHEST_LOGIT = 1000.0
"""Beyond this, splits equal the pure ones up to rounding."""

MOST_SPLITS = 2000
"""Limit of the refinement, for tolerances below rounding."""


def log_dual_norm(log_values: np.ndarray, p: float) -> np.ndarray:
    """``log |v|_{p*}`` along the last axis, with ``1/p + 1/p* = 1``."""
    if p == 1:
        return np.max(log_values, axis=-1)
    conjugate = p / (p - 1)
    return logsumexp(conjugate * log_values) / conjugate


class SupportCurves:
    """Curves that bound ``u . m`` on every slice of the set of one group; ``u >= 0``."""

    def __init__(self, sensitivity: np.ndarray, p: float, q: float):
        # The norm is symmetric in p and q: p <= q makes s grow as theta falls.
        self.p, self.q = min(p, q), max(p, q)
        self.size = sensitivity.size
        self.scale = float(np.max(sensitivity, initial=0.0))
        self.max_s = (1 / self.p - 1 / self.q) * np.log(self.size)
        if self.scale == 0.0:
            return
        with np.errstate(divide="ignore"):
            self._log_u = np.maximum(np.log(sensitivity / self.scale), -600.0)
        reach = (self.q - self.p) / max(self.q - 1, SMALLEST_EXCESS) * -np.min(self._log_u)
        logits = np.linspace(-8.0 - reach, 12.0, FIRST_SPLITS)
        self._pure_p = float(np.exp(log_dual_norm(self._log_u, self.p)))
        self._pure_q = float(np.exp(log_dual_norm(self._log_u, self.q)))
        self._set(*self._curves(logits))
        self._refined: set[tuple[float, float]] = set()

    def _curves(self, logits: np.ndarray):
        """Curves ``(logit, s, alpha, beta, value)`` at ``theta = expit(logit)``."""
        first = max(self.p - 1, SMALLEST_EXCESS)
        second = max(self.q - 1, SMALLEST_EXCESS)
        log_theta, log_rest = log_expit(logits)[:, None], log_expit(-logits)[:, None]
        log_r = mixed_power_root(self._log_u[None, :], log_theta, log_rest, first, second)
        one, two = log_theta + first * log_r, log_rest + second * log_r
        total = np.logaddexp(one, two)
        alpha = np.exp(log_dual_norm(self._log_u + one - total, self.p))
        beta = np.exp(log_dual_norm(self._log_u + two - total, self.q))
        norm_p = logsumexp(self.p * log_r) / self.p
        norm_q = logsumexp(self.q * log_r) / self.q
        value = np.exp(logsumexp(self._log_u + log_r) - (norm_p + norm_q) / 2)
        return logits, norm_p - norm_q, alpha, beta, value

    def _set(self, logits, s, alpha, beta, value):
        # s falls as the logit grows; rounding must not reorder splits of equal s.
        order = np.argsort(-logits, kind="stable")
        self._logits, self._s = logits[order], np.maximum.accumulate(s[order])
        self._alpha, self._beta, self._value = alpha[order], beta[order], value[order]
        # Sorted by the slices they touch, with the pure splits at the ends.
        self._alpha_all = np.concatenate([[self._pure_p], self._alpha, [0.0]])
        self._beta_all = np.concatenate([[0.0], self._beta, [self._pure_q]])

    def _insert(self, logits: np.ndarray):
        old = (self._logits, self._s, self._alpha, self._beta, self._value)
        both = zip(old, self._curves(logits), strict=True)
        self._set(*(np.concatenate(pair) for pair in both))

    def _pieces(self):
        """Curves in the order of ``s``, the pure ones at the ends, and the ends of their pieces."""
        alpha, beta = self._alpha_all, self._beta_all
        low = np.concatenate([[0.0], np.clip(self._s, 0, self.max_s)])
        high = np.concatenate([np.clip(self._s, 0, self.max_s), [self.max_s]])
        with np.errstate(divide="ignore", invalid="ignore"):
            crossing = np.log(-np.diff(beta) / np.diff(alpha))
        middle = (low + high) / 2
        ends = np.where(np.isfinite(crossing), np.clip(crossing, low, high), middle)
        return alpha, beta, np.concatenate([[0.0], ends, [self.max_s]])

    def maximum(self, at_point: float = 0.0, tolerance: float = 1e-12, rounds: int = 30):
        """Bound ``h(u)`` from above; also return the best feasible weights found on the way.

        The bound is refined until it exceeds the best value found by at most ``tolerance``, or by a
        tenth of the distance of that value from ``at_point``, the ``u . m`` to certify.
        """
        if self.scale == 0.0:
            return 0.0, np.full(self.size, self.size ** -((1 / self.p + 1 / self.q) / 2))
        at_point, tolerance = at_point / self.scale, tolerance / self.scale
        for _ in range(rounds):
            alpha, beta, ends = self._pieces()
            root = np.exp(ends / 2)
            left = alpha * root[:-1] + beta / root[:-1]
            right = alpha * root[1:] + beta / root[1:]
            bound, best = max(left.max(), right.max()), self._value.max()
            limit = max(at_point, best) + max(tolerance, 0.1 * (best - at_point))
            if bound <= limit:
                break
            # Junction j, between curves j and j + 1, lies between splits j - 1 and j.
            junctions = np.flatnonzero(np.maximum(right[:-1], left[1:]) > limit)
            inner = junctions[(junctions >= 1) & (junctions < self._logits.size)]
            gap = self._logits[inner] - self._logits[inner - 1]
            inner, gap = inner[np.abs(gap) > 1e-9], gap[np.abs(gap) > 1e-9]
            logits = (self._logits[inner - 1] + gap * _QUARTERS).ravel()
            beyond = []
            if 0 in junctions:
                beyond.append(self._logits.max() + 8.0)
            if self._logits.size in junctions:
                beyond.append(self._logits.min() - 8.0)
            logits = np.concatenate([logits, [b for b in beyond if abs(b) < FURTHEST_LOGIT]])
            if logits.size == 0 or self._logits.size > MOST_SPLITS:
                break
            self._insert(logits)
        return bound * self.scale, self._weights(self._logits[np.argmax(self._value)])

    def _weights(self, logit: float) -> np.ndarray:
        first = max(self.p - 1, SMALLEST_EXCESS)
        second = max(self.q - 1, SMALLEST_EXCESS)
        log_r = mixed_power_root(self._log_u, log_expit(logit), log_expit(-logit), first, second)
        norm_p = logsumexp(self.p * log_r) / self.p
        norm_q = logsumexp(self.q * log_r) / self.q
        return np.exp(log_r - (norm_p + norm_q) / 2)

    def on_slices(self, low: float, high: float, tighten: bool = False) -> float:
        """Bound ``u . m`` over all slices with ``low <= s <= high``.

        With ``tighten``, first add splits that touch inside the interval, once per interval.
        """
        if self.scale == 0.0:
            return 0.0
        if tighten and (low, high) not in self._refined:
            self._refined.add((low, high))
            self._touch(np.linspace(low, high, 3 if high > low else 1))
        # Every curve is a bound, and those that touch nearby are the tightest.
        nearest = int(np.searchsorted(self._s, (low + high) / 2))
        near = slice(max(nearest - 6, 0), nearest + 9)
        alpha, beta = self._alpha_all[near], self._beta_all[near]
        left = alpha * math.exp(low / 2) + beta * math.exp(-low / 2)
        right = alpha * math.exp(high / 2) + beta * math.exp(-high / 2)
        return float(np.maximum(left, right).min()) * self.scale

    def _touch(self, s: np.ndarray) -> None:
        """Add splits whose curves touch at the given slices: interpolate, halve, repeat.

        A curve that touches nearby is loose by the square of the distance, times a factor that
        grows without bound towards both ends of the range of ``s``. So closeness is relative.
        """
        close = 1e-5 * np.minimum(s, self.max_s - s)
        for _ in range(12):
            right = np.clip(np.searchsorted(self._s, s), 1, self._s.size - 1)
            distance = np.minimum(np.abs(self._s[right - 1] - s), np.abs(self._s[right] - s))
            width = np.abs(self._logits[right] - self._logits[right - 1])
            inside = (s >= self._s[0]) & (s <= self._s[-1])
            open_ = inside & (distance > close) & (width > 1e-9)
            if not open_.any():
                break
            middle = (self._logits[right - 1] + self._logits[right]) / 2
            interpolated = np.interp(s, self._s, self._logits)
            self._insert(np.concatenate([middle[open_], interpolated[open_]]))


def support_bound(sensitivity, p, q, at_point=None, tolerance=1e-12):
    """Bound ``max u . m`` over the product of all groups; also return the best weights found.

    ``sensitivity`` is ``u``, ``(n_groups, size)``; the rest is as in `SupportCurves.maximum`.
    """
    if p == q:
        return _vector_norm_support(sensitivity, p)
    n_groups = len(sensitivity)
    at_point = np.zeros(n_groups) if at_point is None else at_point
    bound, weights = 0.0, np.empty_like(sensitivity)
    for row, group in enumerate(sensitivity):
        curves = SupportCurves(group, p, q)
        value, weights[row] = curves.maximum(float(at_point[row]), tolerance / n_groups)
        bound += value
    return bound, weights


def _vector_norm_support(sensitivity: np.ndarray, p: float):
    """Return the dual norm for ``p == q`` and the weights that attain it, in closed form."""
    with np.errstate(divide="ignore"):
        log_u = np.log(sensitivity)
    log_bound = log_dual_norm(log_u, p)
    weights = np.zeros_like(sensitivity)
    if p == 1:
        weights[np.arange(len(weights)), np.argmax(sensitivity, axis=1)] = 1.0
    else:
        positive = np.isfinite(log_bound)
        log_weights = (log_u[positive] - log_bound[positive, None]) / (p - 1)
        log_norm = logsumexp(p * log_weights) / p
        weights[positive] = np.exp(log_weights - log_norm[:, None])
    return float(np.sum(np.exp(log_bound))), weights
