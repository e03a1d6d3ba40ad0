r"""Capacity and generalisation bounds of localised one-class multiple kernel learning.

Symbols, as in the paper: ``n`` training samples, ``C`` clusters, ``G`` views (base kernels),
``N = C G``, weights ``mu`` of shape (C, G), memberships ``p_c(x)``, base kernels with
``kappa_g(x, x) <= r^2``, effective kernel ``K = sum_cg mu_cg diag(p_c) K_g diag(p_c)``, dual
coefficients ``lambda``, radius ``Lambda >= sqrt(lambda^T K lambda)``, confidence ``1 - Delta``.

**Conditions.** ``Lambda`` must be chosen before the data are seen (`dual_norm_bound` computes one
from ``delta``; the fitted ``Lambda`` is smaller and only descriptive). Memberships, kernel widths
and ``delta`` must be fixed independently of the sample. The expected error is that on bona fide
samples: these bounds say nothing about attacks.

**Sums of weights.** ``|mu|_p |mu|_q <= 1`` implies ``|mu|_m <= 1`` for the harmonic mean ``m`` of
``p`` and ``q`` (norms are log-convex in ``1/p``). So every family is one of vector norms of order
``m`` (``m = p`` for the vector families), joint over ``N`` weights or disjoint over ``C`` blocks of
``G``, and Hoelder gives ``sum mu <= N^(1-1/m)`` or ``C G^(1-1/m)``, attained by uniform weights.

**What Proposition 2 proves.** For one *fixed* ``mu`` the empirical Rademacher complexity is
``(Lambda/n) E sqrt(sigma^T K sigma) <= Lambda sqrt(tr K) / n`` with random signs ``sigma``; the
paper maximises this over ``mu``. In its class, however, ``mu`` may follow the signs: with ``v_cg =
sigma^T K_cg sigma`` the complexity is ``(Lambda/n) E sqrt(max_mu sum mu_cg v_cg)``, the maximum
*inside* the mean, and can be larger. Two samples and two views ``y_1 = (1, 1)``, ``y_2 = (1, -1)``
with ``K_g = y_g y_g^T``, ``C = 1``, ``p = q = 1`` have complexity ``Lambda``; the printed bound is
``Lambda / sqrt(2)``. (``sqrt(log G)`` is the price at ``p = 1``: Cortes et al., ICML 2010.)

**A bound that covers learned weights.** By duality the inner maximum is at most ``|v|_{m*}`` with
``1/m* = 1 - 1/m``, and ``|v|_{m*} <= N^max(0, 1/m* - 1/s) |v|_s`` for every integer ``s >= 1``.
Minkowski over the eigenvectors of ``K_cg`` and Khintchine's inequality for even moments give
``E v_cg^s <= (2s-1)!! (tr K_cg)^s``, and ``tr K_cg <= r^2 T_c`` with ``T_c = sum_i p_c(x_i)^2``.
With Jensen, twice::

    R <= (Lambda r / n) sqrt(((2s-1)!!)^(1/s) N^max(0, 1/m* - 1/s) G^(1/s) |T|_s)

for joint families; for disjoint ones ``G`` takes the place of ``N``, and ``|T|_s`` becomes
``sum_c T_c``. The best ``s`` is used. With several clusters this is often even smaller than the
printed bound, whose last step loses a factor of up to ``sqrt(C)``.
"""

import math
import numbers
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lmkl_core.errors import InvalidInputError
from lmkl_core.solver.constraints import FAMILIES as CONSTRAINTS
from lmkl_core.validation import check_choice, check_integer, check_rate, check_real

RADEMACHER_FORMS = ("paper", "learned-weights")
GENERALISATION_FORMS = ("paper", "mohri")

_check_number = partial(check_real, high=math.inf)


@dataclass(frozen=True)
class RademacherBound:
    """Upper bound ``value`` on the empirical Rademacher complexity for ``n`` samples.

    ``covers_learned_weights`` says whether it is proven for weights learned on the same data. This
    is always so for the form "learned-weights", with its best ``s`` as ``moment_order``, and for
    "paper" where that bound is at least as large.
    """

    value: float
    n: int
    covers_learned_weights: bool = False
    moment_order: int | None = None


class DualNormBound(NamedTuple):
    """Bounds on ``|lambda|_2`` (``value``) and on ``Lambda`` (``radius``) from ``delta``."""

    value: float
    radius: float


@dataclass(frozen=True)
class GeneralisationBound:
    """``value = empirical_error + complexity_term + confidence_term``, and ``B_l``."""

    value: float
    empirical_error: float
    complexity_term: float
    confidence_term: float
    loss_bound: float

    @property
    def is_vacuous(self) -> bool:
        """Whether the bound adds nothing to the assumption ``error <= B_l``."""
        return self.value >= self.loss_bound


def weight_sum_bound(
    constraint: str, n_clusters: int, n_views: int, p: float, q: float | None = None
) -> float:
    """Bound ``sum_cg mu_cg`` over a constraint family (proofs of Propositions 2 and 4).

    For the families see `lmkl_core.solver.constraints`; the vector families ignore ``q``.

    Examples
    --------
    >>> weight_sum_bound("joint-vector", n_clusters=2, n_views=8, p=2)
    4.0
    """
    exponent = 1 - _inverse_order(constraint, p, q)
    C, G = check_integer("n_clusters", n_clusters, 1), check_integer("n_views", n_views, 1)
    return float(C * G) ** exponent if constraint.startswith("joint") else C * float(G) ** exponent


def rademacher_bound(
    *,
    Lambda: float,
    r: float,
    memberships: ArrayLike,
    n_views: int,
    p: float,
    q: float | None = None,
    constraint: str = "joint-matrix",
    form: str = "paper",
) -> RademacherBound:
    """Bound the empirical Rademacher complexity of the hypothesis class (Proposition 2).

    Parameters
    ----------
    Lambda : float
        Radius: the class contains all ``lambda`` with ``lambda^T K lambda <= Lambda^2``.
    r : float
        Kernel bound, ``kappa_g(x, x) <= r^2``; 1 for RBF kernels.
    memberships : array-like of shape (n, C)
        ``p_c(x_i)``: non-negative, every row sums to 1.
    n_views, p, q, constraint
        As in `weight_sum_bound`.
    form : {"paper", "learned-weights"}
        "paper" is ``(Lambda r / n) sqrt(S sum_ci p_c(x_i)^2)`` with the weight sum bound ``S``,
        Proposition 2 as printed: proven for weights fixed in advance, false in general for weights
        learned on the same samples. "learned-weights" covers those.
    """
    check_choice("form", form, RADEMACHER_FORMS)
    scale = _check_number("Lambda", Lambda, 0) * _check_number("r", r, 0)
    P = _finite_array(memberships, "memberships", ndim=2)
    if np.any(P < 0) or np.any(np.abs(P.sum(axis=1) - 1) > 1e-4):
        raise InvalidInputError("memberships must be non-negative with rows that sum to 1.")
    n, C = P.shape
    masses = np.sum(P**2, axis=0)
    printed = math.sqrt(weight_sum_bound(constraint, C, n_views, p, q) * float(masses.sum()))
    joint, dual_inverse = constraint.startswith("joint"), 1 - _inverse_order(constraint, p, q)
    factor, order = _learned_weights_factor(masses, n_views, dual_inverse, joint)
    learned = math.sqrt(factor)
    if form == "learned-weights":
        return RademacherBound(scale / n * learned, n, True, order)
    return RademacherBound(scale / n * printed, n, printed >= learned * (1 - 1e-12))


def _learned_weights_factor(
    masses: NDArray[np.float64], n_views: int, dual_inverse_order: float, joint: bool
) -> tuple[float, int]:
    """Bound on ``E max_mu sum mu_cg v_cg / r^2`` and its best ``s``; see the module docstring."""
    block = n_views * (masses.size if joint else 1)
    s = np.arange(1, math.ceil(2 * math.log(block)) + 3)
    khintchine = np.exp(np.cumsum(np.log(2 * s - 1)) / s)
    norm_change = float(block) ** np.maximum(0, dual_inverse_order - 1 / s)
    mass, peak = masses.sum(), masses.max()
    if joint:
        mass = peak * np.sum((masses[:, None] / peak) ** s, axis=0) ** (1 / s)
    candidates = khintchine * norm_change * float(n_views) ** (1 / s) * mass
    best = int(np.argmin(candidates))
    return float(candidates[best]), int(s[best])


def complexity_ratios(n_clusters: int, n_views: int, p: float, q: float) -> dict[str, float]:
    """Return the ratios of the joint matrix family's printed bound to the other three (Prop. 4).

    (i) ``(CG)^(1/4p - 1/4q)`` to the joint vector family, (ii) ``C^(-1/4p - 1/4q)
    G^(1/4p - 1/4q)`` to the disjoint vector family, (iii) ``C^(-1/4p - 1/4q)`` to the disjoint
    matrix family. The paper claims that they are at most 1: (i) needs ``1 <= q <= p``; (iii) always
    holds; (ii) also holds for ``q > p`` if ``C`` outweighs ``G``. The ratios compare printed bounds
    at equal ``Lambda``, not errors or the radii of fits.
    """
    C, G = check_integer("n_clusters", n_clusters, 1), check_integer("n_views", n_views, 1)
    p, q = _norm_order("p", p), _norm_order("q", q)
    difference, total = 1 / (4 * p) - 1 / (4 * q), 1 / (4 * p) + 1 / (4 * q)
    return {
        "joint-vector": float(C) ** difference * float(G) ** difference,
        "disjoint-vector": float(C) ** -total * float(G) ** difference,
        "disjoint-matrix": float(C) ** -total,
    }


def lambda_radius(dual_coef: ArrayLike, effective_kernel_quadratic: float) -> float:
    """Return the radius ``Lambda = sqrt(lambda^T K lambda)`` of a fit; only descriptive.

    Compute the quadratic form, without ``delta I``, as ``lambda^T f`` with the training scores
    ``f = K lambda``, because ``sum lambda - delta |lambda|^2`` suffers from cancellation.
    """
    quadratic = _check_number("effective_kernel_quadratic", effective_kernel_quadratic, -math.inf)
    if quadratic < -1e-9 * np.sum(_finite_array(dual_coef, "dual_coef", ndim=1) ** 2):
        raise InvalidInputError(
            f"effective_kernel_quadratic is {quadratic:g}, but lambda^T K lambda cannot be "
            "negative: check that K is positive semi-definite and that delta is not subtracted."
        )
    return math.sqrt(max(quadratic, 0.0))


def dual_norm_bound(n: int, delta: float, smallest_eigenvalue: float = 0.0) -> DualNormBound:
    """Bound ``|lambda|_2`` and ``Lambda`` before the fit (App. D).

    ``|lambda|_2 <= sqrt(n) / (vartheta + delta)`` with the smallest eigenvalue ``vartheta`` of
    ``K``. The paper stops there. Every eigenvalue ``k`` of ``K`` adds at most
    ``k / (k + delta)^2 <= 1 / (4 delta)`` per unit of ``|1|^2 = n``, so also
    ``Lambda <= sqrt(n / (4 delta))``, a radius independent of the data, as the bounds require. (For
    ``vartheta > delta`` it is ``sqrt(n vartheta) / (vartheta + delta)``.) ``delta`` is the paper's
    ``n / theta``, not the estimator's, which is divided by ``n``.
    """
    n = check_integer("n", n, 1)
    delta = _check_number("delta", delta, 0, strict=True)
    vartheta = _check_number("smallest_eigenvalue", smallest_eigenvalue, 0)
    worst = max(vartheta, delta)
    return DualNormBound(math.sqrt(n) / (vartheta + delta), math.sqrt(n * worst) / (worst + delta))


def squared_loss_bound(
    *,
    Lambda: float,
    r: float,
    n_views: int,
    p: float,
    q: float | None = None,
    constraint: str = "joint-matrix",
) -> float:
    """``B_l`` of Proposition 3: the largest squared loss ``(f(x) - 1)^2`` over the whole class.

    ``|f(x)| <= Lambda sqrt(k(x, x))`` and ``k(x, x) <= r^2 sum_c p_c(x)^2 sum_g mu_cg <=
    r^2 max_c sum_g mu_cg <= r^2 G^(1-1/m)``, joint or disjoint; ``B_l = (1 + max|f|)^2``.
    Parameters as in `rademacher_bound`.
    """
    scale = _check_number("Lambda", Lambda, 0) * _check_number("r", r, 0)
    G = check_integer("n_views", n_views, 1)
    return (1 + scale * math.sqrt(float(G) ** (1 - _inverse_order(constraint, p, q)))) ** 2


def generalisation_bound(
    scores: ArrayLike,
    rademacher: RademacherBound,
    *,
    Delta: float,
    loss_bound: float,
    form: str = "paper",
) -> GeneralisationBound:
    """Bound the expected squared error on bona fide samples (Proposition 3).

    Parameters
    ----------
    scores, rademacher : array-like of shape (n,), RademacherBound
        Training scores ``f(x_i)``, and ``R`` for the same samples.
    Delta : float
        One minus the confidence, in (0, 1).
    loss_bound : float
        ``B_l``, an upper bound on all losses of the class; `squared_loss_bound` computes one.
    form : {"paper", "mohri"}
        "paper": ``mean (f(x_i) - 1)^2 + R + 3 B_l sqrt(ln(2/Delta) / 2n)``, as printed.
        "mohri": ``... + 2 L R + ...``, as in the cited theorem (Mohri, Rostamizadeh and
        Talwalkar, *Foundations of Machine Learning*, 2nd ed., Theorem 11.3), with the Lipschitz
        constant ``L = 2 sqrt(B_l)`` of the loss (the paper's ``mu``). The printed form follows from
        it only if ``2 L <= 1``.
    """
    check_choice("form", form, GENERALISATION_FORMS)
    scores = _finite_array(scores, "scores", ndim=1)
    Delta = check_rate("Delta", Delta)
    B_l = _check_number("loss_bound", loss_bound, 0, strict=True)
    n, worst = scores.size, float(np.max(np.abs(scores - 1)))
    if n != rademacher.n:
        raise InvalidInputError(
            f"There are {n} scores but the Rademacher bound is for {rademacher.n} samples: pass "
            "the scores of those samples."
        )
    if worst**2 > B_l * (1 + 1e-12):
        raise InvalidInputError(
            f"loss_bound is {B_l:g}, but a training sample already has loss {worst**2:g}: "
            "pass a B_l that bounds every loss, such as squared_loss_bound(...)."
        )
    empirical = float(np.mean((scores - 1) ** 2))
    slope = 4 * math.sqrt(B_l) if form == "mohri" else 1.0
    complexity = slope * rademacher.value
    confidence = 3 * B_l * math.sqrt(math.log(2 / Delta) / (2 * n))
    total = empirical + complexity + confidence
    return GeneralisationBound(total, empirical, complexity, confidence, B_l)


def _inverse_order(constraint: str, p: float, q: float | None) -> float:
    """``1/m``: of ``p`` for vector families, of the harmonic mean of p and q for matrix ones."""
    check_choice("constraint", constraint, CONSTRAINTS)
    p = _norm_order("p", p)
    if constraint.endswith("vector"):
        return 1 / p
    if q is None:
        raise InvalidInputError(f"constraint {constraint!r} needs q: pass a norm order q >= 1.")
    return (1 / p + 1 / _norm_order("q", q)) / 2


def _norm_order(name: str, value: float) -> float:
    if not isinstance(value, numbers.Real) or not value >= 1:
        raise InvalidInputError(f"{name}={value!r} must be a norm order of at least 1.")
    return float(value)


def _finite_array(values: ArrayLike, name: str, ndim: int) -> NDArray[np.float64]:
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InvalidInputError(f"{name} is not numeric: pass a {ndim}-D array.") from None
    if array.ndim != ndim or array.size == 0:
        raise InvalidInputError(f"{name} has shape {array.shape}: pass a non-empty {ndim}-D array.")
    if not np.all(np.isfinite(array)):
        raise InvalidInputError(f"{name} has NaN or infinite entries: remove or repair those rows.")
    return array
