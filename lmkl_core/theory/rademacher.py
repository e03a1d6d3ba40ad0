r"""Bounds on the empirical Rademacher complexity; symbols as in `lmkl_core.theory`.

``N = C G``, ``T_c = sum_i p_c(x_i)^2``, ``v_cg = sigma^T K_cg sigma`` for random signs ``sigma``,
and ``m`` is the order of `lmkl_core.theory.weight_bounds`.

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
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lmkl_core.errors import InvalidInputError
from lmkl_core.theory.checks import membership_matrix, number, one_of, vector
from lmkl_core.theory.weight_bounds import inverse_order, weight_sum_bound

RADEMACHER_FORMS = ("paper", "learned-weights")


@dataclass(frozen=True)
class RademacherBound:
    """Upper bound on the empirical Rademacher complexity of the hypothesis class.

    ``membership_mass`` is ``sum_ci p_c(x_i)^2``; ``moment_order`` is the ``s`` that was best in
    the form "learned-weights" and None otherwise. ``covers_learned_weights`` tells whether the
    value is proven for weights that were chosen on the same data: always for "learned-weights",
    for "paper" only where it is no smaller than that.
    """

    value: float
    Lambda: float
    r: float
    n: int
    n_clusters: int
    n_views: int
    p: float
    q: float | None
    membership_mass: float
    constraint: str
    form: str
    moment_order: int | None
    covers_learned_weights: bool


@dataclass(frozen=True)
class FixedWeightsRademacherBound:
    """``Lambda sqrt(tr K) / n``: valid only for weights fixed before the data were seen."""

    value: float
    Lambda: float
    trace: float
    n: int
    covers_learned_weights: bool = False


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
    one_of(form, RADEMACHER_FORMS, "form")
    Lambda = number(Lambda, "Lambda", minimum=0)
    r = number(r, "r", minimum=0)
    P = membership_matrix(memberships)
    n, C = P.shape
    weights = weight_sum_bound(constraint, C, n_views, p, q)
    G = weights.n_views
    mass_per_cluster = np.sum(P**2, axis=0)
    mass = float(mass_per_cluster.sum())

    printed = Lambda * r / n * math.sqrt(weights.value * mass)
    factor, order = _learned_weights_factor(
        mass_per_cluster, G, 1 - inverse_order(constraint, p, q), constraint.startswith("joint")
    )
    learned = Lambda * r / n * math.sqrt(factor)
    value = printed if form == "paper" else learned
    covers = value >= learned * (1 - 1e-12)
    moment_order = None if form == "paper" else order
    return RademacherBound(
        value, Lambda, r, n, C, G, p, q, mass, constraint, form, moment_order, covers
    )


def fixed_weights_rademacher_bound(
    *, Lambda: float, effective_kernel_diagonal: ArrayLike
) -> FixedWeightsRademacherBound:
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

    Returns
    -------
    FixedWeightsRademacherBound
        With ``tr K`` and ``n``; its ``covers_learned_weights`` is always False.
    """
    Lambda = number(Lambda, "Lambda", minimum=0)
    diagonal = vector(effective_kernel_diagonal, "effective_kernel_diagonal")
    if np.any(diagonal < 0):
        raise InvalidInputError(
            "effective_kernel_diagonal has negative entries, which no kernel has: "
            "pass the diagonal of K for non-negative weights."
        )
    trace, n = float(diagonal.sum()), diagonal.size
    return FixedWeightsRademacherBound(Lambda * math.sqrt(trace) / n, Lambda, trace, n)


def _learned_weights_factor(
    mass_per_cluster: NDArray[np.float64], n_views: int, dual_inverse_order: float, joint: bool
) -> tuple[float, int]:
    """Bound on ``E max_mu sum mu_cg v_cg / r^2`` and its best ``s``; see the module docstring."""
    T, block = mass_per_cluster, n_views * (mass_per_cluster.size if joint else 1)
    s = np.arange(1, math.ceil(2 * math.log(block)) + 3)
    khintchine = np.exp(np.cumsum(np.log(2 * s - 1)) / s)
    norm_change = float(block) ** np.maximum(0, dual_inverse_order - 1 / s)
    if joint:
        peak = T.max()
        mass = peak * np.sum((T[:, None] / peak) ** s, axis=0) ** (1 / s)
    else:
        mass = T.sum()
    candidates = khintchine * norm_change * float(n_views) ** (1 / s) * mass
    best = int(np.argmin(candidates))
    return float(candidates[best]), int(s[best])
