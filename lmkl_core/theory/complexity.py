r"""Sums of weights, the empirical Rademacher complexity (Propositions 2 and 4).

``N = C G``, ``T_c = sum_i p_c(x_i)^2`` and ``v_cg = sigma^T K_cg sigma`` for random signs
``sigma``; other symbols as in `lmkl_core.theory`.

**Sums of weights.** ``|mu|_p |mu|_q <= 1`` implies ``|mu|_m <= 1`` for the harmonic mean ``m`` of
``p`` and ``q`` (norms are log-convex in ``1/p``). So every family is a family of vector norms of
order ``m`` (``m = p`` for the vector families), joint over ``N`` weights or disjoint over ``C``
blocks of ``G``, and Hoelder gives ``sum mu <= N^(1-1/m)`` or ``C G^(1-1/m)``, both attained by
uniform weights.

**What Proposition 2 proves, and what it does not.** For one *fixed* ``mu`` the complexity is
``(Lambda/n) E sqrt(sigma^T K sigma) <= Lambda sqrt(tr K) / n``; the paper maximises that over
``mu``. Its class, however, lets ``mu`` follow the signs: the complexity is
``(Lambda/n) E sqrt(max_mu sum mu_cg v_cg)``, the maximum *inside* the mean, and can be larger. Two
samples and two views ``y_1 = (1, 1)``, ``y_2 = (1, -1)`` with ``K_g = y_g y_g^T``, ``C = 1``,
``p = q = 1`` have complexity ``Lambda``, while the printed bound says ``Lambda / sqrt(2)``.
(Cortes, Mohri and Rostamizadeh, ICML 2010, show that ``sqrt(log G)`` is the price at ``p = 1``.)

**A bound that covers learned weights.** By duality the inner maximum is at most ``|v|_{m*}`` with
``1/m* = 1 - 1/m``, and ``|v|_{m*} <= N^max(0, 1/m* - 1/s) |v|_s`` for every integer ``s >= 1``.
Minkowski over the eigenvectors of ``K_cg`` and Khintchine's inequality for even moments give
``E v_cg^s <= (2s-1)!! (tr K_cg)^s``, and ``tr K_cg <= r^2 T_c``. With Jensen, twice::

    R <= (Lambda r / n) sqrt(((2s-1)!!)^(1/s) N^max(0, 1/m* - 1/s) G^(1/s) |T|_s)

for joint families; for disjoint ones each block pays ``G`` in place of ``N``, and
``|T|_s`` becomes ``sum_c T_c``. The best ``s`` is taken. With several clusters this is often even
smaller than the printed bound, whose last step ``sum_c a_c T_c <= sum_c a_c sum_c T_c`` gives away
a factor of up to ``sqrt(C)``.
"""

import math
import numbers
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lmkl_core.errors import InvalidInputError
from lmkl_core.solver.constraints import FAMILIES
from lmkl_core.validation import check_choice, check_integer, check_real

RADEMACHER_FORMS = ("paper", "learned-weights")

check_number = partial(check_real, high=math.inf)


@dataclass(frozen=True)
class RademacherBound:
    """Upper bound on the empirical Rademacher complexity of the hypothesis class.

    Attributes
    ----------
    value : float
    n : int
        Samples it is for.
    covers_learned_weights : bool
        Whether the value is proven for weights that were chosen on the same data: always for the
        form "learned-weights", for "paper" only where it is no smaller than that.
    moment_order : int or None
        The ``s`` that was best in the form "learned-weights".
    """

    value: float
    n: int
    covers_learned_weights: bool = False
    moment_order: int | None = None


@dataclass(frozen=True)
class ComplexityRatio:
    """Bound of the joint matrix family over that of ``against``: ``C^exponent_C G^exponent_G``.

    ``holds`` tells whether the paper's claim "lower" is true here, ties included: value <= 1.
    """

    value: float
    against: str
    exponent_C: float
    exponent_G: float
    holds: bool


@dataclass(frozen=True)
class ComplexityRatios:
    """The three ratios of Proposition 4, in its order (i), (ii), (iii)."""

    joint_vector: ComplexityRatio
    disjoint_vector: ComplexityRatio
    disjoint_matrix: ComplexityRatio


def weight_sum_bound(
    constraint: str, n_clusters: int, n_views: int, p: float, q: float | None = None
) -> float:
    """Bound ``sum_cg mu_cg`` over a constraint family (proofs of Propositions 2 and 4).

    Parameters
    ----------
    constraint : {"joint-matrix", "joint-vector", "disjoint-matrix", "disjoint-vector"}
        ``|mu|_p |mu|_q <= 1``; ``|mu|_p <= 1``; ``|mu_c|_p |mu_c|_q <= 1`` for every cluster; and
        ``|mu_c|_p <= 1`` for every cluster.
    n_clusters, n_views : int
        ``C`` and ``G``.
    p, q : float
        Norm orders, at least 1. The vector families ignore ``q``.

    Returns
    -------
    float
        ``(CG)^(1-1/2p-1/2q)``, ``(CG)^(1-1/p)``, ``C G^(1-1/2p-1/2q)``, ``C G^(1-1/p)``. Each is
        attained by uniform weights.

    Examples
    --------
    >>> weight_sum_bound("joint-vector", n_clusters=2, n_views=8, p=2)
    4.0
    """
    exponent = 1 - inverse_order(constraint, p, q)
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
        Radius: the class holds all ``lambda`` with ``lambda^T K lambda <= Lambda^2``.
    r : float
        Kernel bound, ``kappa_g(x, x) <= r^2``; 1 for RBF kernels.
    memberships : array-like of shape (n, C)
        ``p_c(x_i)``: non-negative, every row sums to 1.
    n_views : int
        ``G``.
    p, q : float
        Norm orders, at least 1. The vector families ignore ``q``.
    constraint : str
        Constraint family, see `weight_sum_bound`.
    form : {"paper", "learned-weights"}
        "paper" is ``(Lambda r / n) sqrt(S sum_ci p_c(x_i)^2)`` with the weight sum bound ``S``,
        Proposition 2 as printed. Its proof covers weights fixed in advance; for weights learned
        on the same samples it is false in general. "learned-weights" covers those; the module
        docstring has the counterexample and the proof.

    Returns
    -------
    RademacherBound
        See its ``covers_learned_weights`` before quoting the printed form for a fitted model.
    """
    check_choice("form", form, RADEMACHER_FORMS)
    scale = check_number("Lambda", Lambda, 0) * check_number("r", r, 0)
    P = _membership_matrix(memberships)
    n, C = P.shape
    masses = np.sum(P**2, axis=0)
    printed = math.sqrt(weight_sum_bound(constraint, C, n_views, p, q) * float(masses.sum()))
    dual_inverse_order = 1 - inverse_order(constraint, p, q)
    joint = constraint.startswith("joint")
    factor, order = _learned_weights_factor(masses, n_views, dual_inverse_order, joint)
    learned = math.sqrt(factor)
    if form == "learned-weights":
        return RademacherBound(scale / n * learned, n, True, order)
    return RademacherBound(scale / n * printed, n, printed >= learned * (1 - 1e-12))


def fixed_weights_rademacher_bound(
    *, Lambda: float, effective_kernel_diagonal: ArrayLike
) -> RademacherBound:
    """Bound the complexity for one fixed ``mu`` by ``Lambda sqrt(tr K) / n`` (Theorem of App. C).

    For every feasible ``mu`` this is at most the printed Proposition 2, which majorises ``tr K``.
    It is proven only for weights (and memberships) fixed independently of the samples; with the
    weights that were learned on them it describes the fitted kernel and guarantees nothing.

    Parameters
    ----------
    Lambda : float
        Radius of the class.
    effective_kernel_diagonal : array-like of shape (n,)
        Diagonal of ``K``: ``K_ii = sum_cg mu_cg p_c(x_i)^2 kappa_g(x_i, x_i)``.
    """
    diagonal = finite_array(effective_kernel_diagonal, "effective_kernel_diagonal", ndim=1)
    if np.any(diagonal < 0):
        raise InvalidInputError(
            "effective_kernel_diagonal has negative entries, which no kernel has: "
            "pass the diagonal of K for non-negative weights."
        )
    value = check_number("Lambda", Lambda, 0) * math.sqrt(float(diagonal.sum())) / diagonal.size
    return RademacherBound(value, diagonal.size)


def complexity_ratios(n_clusters: int, n_views: int, p: float, q: float) -> ComplexityRatios:
    """Compare the printed bound of the joint matrix family with the other three (Prop. 4).

    (i) ``(CG)^(1/4p - 1/4q)`` against the joint vector family, (ii) ``C^(-1/4p - 1/4q)
    G^(1/4p - 1/4q)`` against the disjoint vector family, (iii) ``C^(-1/4p - 1/4q)`` against the
    disjoint matrix family. The printed exponents agree with the ratios of the square roots of the
    paper's own weight sum bounds (checked in the tests), so one value stands for both.

    "Lower" needs ``1 <= q <= p`` for (i); (iii) always holds; (ii) also holds for ``q > p`` as
    long as ``C`` outweighs ``G``. At ``p = q`` ratio (i) is 1: the two families are one. The
    ratios compare bounds at equal ``Lambda``, and of the printed form: not errors, and not the
    radii that fits under different constraints end with.

    Parameters
    ----------
    n_clusters, n_views : int
        ``C`` and ``G``.
    p, q : float
        Norm orders, at least 1.
    """
    C, G = check_integer("n_clusters", n_clusters, 1), check_integer("n_views", n_views, 1)
    p, q = _norm_order("p", p), _norm_order("q", q)
    difference, total = 1 / (4 * p) - 1 / (4 * q), 1 / (4 * p) + 1 / (4 * q)

    def ratio(against: str, exponent_C: float, exponent_G: float) -> ComplexityRatio:
        value = float(C) ** exponent_C * float(G) ** exponent_G
        return ComplexityRatio(value, against, exponent_C, exponent_G, value <= 1)

    return ComplexityRatios(
        ratio("joint-vector", difference, difference),
        ratio("disjoint-vector", -total, difference),
        ratio("disjoint-matrix", -total, 0.0),
    )


def inverse_order(constraint: str, p: float, q: float | None) -> float:
    """``1/m``: of ``p`` for vector families, of the harmonic mean of p and q for matrix ones."""
    check_choice("constraint", constraint, FAMILIES)
    p = _norm_order("p", p)
    if constraint.endswith("vector"):
        return 1 / p
    if q is None:
        raise InvalidInputError(f"constraint {constraint!r} needs q: pass a norm order q >= 1.")
    return (1 / p + 1 / _norm_order("q", q)) / 2


def finite_array(values: ArrayLike, name: str, ndim: int) -> NDArray[np.float64]:
    """Return a non-empty array of finite numbers."""
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InvalidInputError(f"{name} is not numeric: pass a {ndim}-D array.") from None
    if array.ndim != ndim or array.size == 0:
        raise InvalidInputError(f"{name} has shape {array.shape}: pass a non-empty {ndim}-D array.")
    if not np.all(np.isfinite(array)):
        raise InvalidInputError(f"{name} has NaN or infinite entries: remove or repair those rows.")
    return array


def _norm_order(name: str, value: float) -> float:
    """Return a norm order: at least 1, infinity included."""
    if not isinstance(value, numbers.Real) or not value >= 1:
        raise InvalidInputError(f"{name}={value!r} must be a norm order of at least 1.")
    return float(value)


def _membership_matrix(values: ArrayLike) -> NDArray[np.float64]:
    P = finite_array(values, "memberships", ndim=2)
    if np.any(P < 0) or np.any(np.abs(P.sum(axis=1) - 1) > 1e-4):
        raise InvalidInputError(
            "memberships are not probabilities: pass an (n, C) array of non-negative entries "
            "whose rows sum to 1."
        )
    return P


def _learned_weights_factor(
    masses: NDArray[np.float64], n_views: int, dual_inverse_order: float, joint: bool
) -> tuple[float, int]:
    """Bound on ``E max_mu sum mu_cg v_cg / r^2`` and its best ``s``; see the module docstring."""
    block = n_views * (masses.size if joint else 1)
    s = np.arange(1, math.ceil(2 * math.log(block)) + 3)
    khintchine = np.exp(np.cumsum(np.log(2 * s - 1)) / s)
    norm_change = float(block) ** np.maximum(0, dual_inverse_order - 1 / s)
    peak = masses.max()
    mass = (
        peak * np.sum((masses[:, None] / peak) ** s, axis=0) ** (1 / s) if joint else masses.sum()
    )
    candidates = khintchine * norm_change * float(n_views) ** (1 / s) * mass
    best = int(np.argmin(candidates))
    return float(candidates[best]), int(s[best])
