r"""Capacity and generalisation bounds of localised one-class multiple kernel learning.

Symbols, as in the paper: ``n`` training samples, ``C`` clusters, ``G`` views (base kernels),
weights ``mu`` of shape (C, G), memberships ``p_c(x)``, base kernels with ``kappa_g(x, x) <= r^2``,
effective kernel ``K = sum_cg mu_cg diag(p_c) K_g diag(p_c)``, dual coefficients ``lambda``, radius
``Lambda >= sqrt(lambda^T K lambda)``, confidence ``1 - Delta``. Below, ``N = C G``,
``T_c = sum_i p_c(x_i)^2`` and ``v_cg = sigma^T K_cg sigma`` for random signs ``sigma``.

**Weight sums.** ``|mu|_p |mu|_q <= 1`` implies ``|mu|_m <= 1`` for the harmonic mean ``m`` of
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

**Two conditions no formula here removes.** ``Lambda`` has to be chosen before the data are seen
(:func:`dual_norm_bound` gives such a value for a given ``delta``; the fitted ``Lambda`` is
smaller, and only descriptive), and memberships, kernel widths and ``delta`` have to be fixed
independently of the sample. The expected error is that on bona fide samples: no bound of this kind
says anything about attacks.
"""

import math
import numbers
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lmkl_core.errors import InvalidInputError

CONSTRAINTS = ("joint-matrix", "joint-vector", "disjoint-vector", "disjoint-matrix")
RADEMACHER_FORMS = ("paper", "learned-weights")
GENERALISATION_FORMS = ("paper", "mohri")


@dataclass(frozen=True)
class WeightSumBound:
    """Largest possible sum of kernel weights under one constraint family."""

    value: float
    constraint: str
    n_clusters: int
    n_views: int
    p: float
    q: float | None


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


@dataclass(frozen=True)
class LambdaRadius:
    """``Lambda = sqrt(lambda^T K lambda)`` of a fitted model, with ``|lambda|_2``."""

    value: float
    quadratic: float
    dual_norm: float
    n: int


@dataclass(frozen=True)
class DualNormBound:
    """Bounds on ``|lambda|_2`` (``value``) and on ``Lambda`` (``radius``) from ``delta``."""

    value: float
    radius: float
    n: int
    delta: float
    theta: float
    smallest_eigenvalue: float


@dataclass(frozen=True)
class LossBound:
    """``B_l`` (``value``), ``max |f|`` and the Lipschitz constant of the squared loss."""

    value: float
    score_bound: float
    lipschitz: float
    Lambda: float
    r: float
    constraint: str
    n_views: int
    p: float
    q: float | None


@dataclass(frozen=True)
class GeneralisationBound:
    """``value = empirical_error + complexity_term + confidence_term``, and every symbol in it."""

    value: float
    empirical_error: float
    complexity_term: float
    confidence_term: float
    complexity_factor: float
    lipschitz: float | None
    loss_bound: float
    Delta: float
    n: int
    rademacher: RademacherBound | FixedWeightsRademacherBound
    form: str

    @property
    def is_vacuous(self) -> bool:
        """Whether the bound says no more than ``error <= B_l``, which was assumed anyway."""
        return self.value >= self.loss_bound


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
    n_clusters: int
    n_views: int
    p: float
    q: float


def weight_sum_bound(
    constraint: str, n_clusters: int, n_views: int, p: float, q: float | None = None
) -> WeightSumBound:
    """Bound ``sum_cg mu_cg`` over a constraint family (proofs of Propositions 2 and 4).

    Parameters
    ----------
    constraint : {"joint-matrix", "joint-vector", "disjoint-vector", "disjoint-matrix"}
        ``|mu|_p |mu|_q <= 1``; ``|mu|_p <= 1``; ``|mu_c|_p <= 1`` for every cluster; and
        ``|mu_c|_p |mu_c|_q <= 1`` for every cluster.
    n_clusters, n_views : int
        ``C`` and ``G``.
    p, q : float
        Norm orders, at least 1. The vector families ignore ``q``.

    Returns
    -------
    WeightSumBound
        ``(CG)^(1-1/2p-1/2q)``, ``(CG)^(1-1/p)``, ``C G^(1-1/p)``, ``C G^(1-1/2p-1/2q)``. Each is
        attained by uniform weights.

    Examples
    --------
    >>> weight_sum_bound("joint-vector", n_clusters=2, n_views=8, p=2).value
    4.0
    """
    inverse_order = _inverse_order(constraint, p, q)
    C = _positive_integer(n_clusters, "n_clusters")
    G = _positive_integer(n_views, "n_views")
    exponent = 1 - inverse_order
    joint = constraint.startswith("joint")
    value = float(C * G) ** exponent if joint else C * float(G) ** exponent
    return WeightSumBound(value, constraint, C, G, p, q)


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
        Constraint family, see :func:`weight_sum_bound`.
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
    _one_of(form, RADEMACHER_FORMS, "form")
    Lambda = _number(Lambda, "Lambda", minimum=0)
    r = _number(r, "r", minimum=0)
    P = _memberships(memberships)
    n, C = P.shape
    weights = weight_sum_bound(constraint, C, n_views, p, q)
    G = weights.n_views
    mass_per_cluster = np.sum(P**2, axis=0)
    mass = float(mass_per_cluster.sum())

    printed = Lambda * r / n * math.sqrt(weights.value * mass)
    factor, order = _learned_weights_factor(
        mass_per_cluster, G, 1 - _inverse_order(constraint, p, q), constraint.startswith("joint")
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
    Lambda = _number(Lambda, "Lambda", minimum=0)
    diagonal = _vector(effective_kernel_diagonal, "effective_kernel_diagonal")
    if np.any(diagonal < 0):
        raise InvalidInputError(
            "effective_kernel_diagonal has negative entries, which no kernel has: "
            "pass the diagonal of K for non-negative weights."
        )
    trace, n = float(diagonal.sum()), diagonal.size
    return FixedWeightsRademacherBound(Lambda * math.sqrt(trace) / n, Lambda, trace, n)


def lambda_radius(dual_coef: ArrayLike, effective_kernel_quadratic: float) -> LambdaRadius:
    """Radius ``Lambda = sqrt(lambda^T K lambda)`` that a fitted model needs.

    Parameters
    ----------
    dual_coef : array-like of shape (n,)
        ``lambda``.
    effective_kernel_quadratic : float
        ``lambda^T K lambda``, without the ``delta I``. It equals ``sum lambda - delta
        |lambda|^2`` at ``lambda = (delta I + K)^-1 1``, but that difference cancels badly when
        ``delta`` is small; ``lambda^T f`` with the training scores ``f = K lambda`` does not.

    Returns
    -------
    LambdaRadius
        ``Lambda`` with ``|lambda|_2``, to hold against :func:`dual_norm_bound`.
    """
    dual_coef = _vector(dual_coef, "dual_coef")
    quadratic = _number(effective_kernel_quadratic, "effective_kernel_quadratic")
    dual_norm = float(np.linalg.norm(dual_coef))
    if quadratic < -1e-9 * dual_norm**2:
        raise InvalidInputError(
            f"effective_kernel_quadratic is {quadratic:g}, and lambda^T K lambda cannot be "
            "negative: check that K is positive semi-definite and that delta is not subtracted."
        )
    quadratic = max(quadratic, 0.0)
    return LambdaRadius(math.sqrt(quadratic), quadratic, dual_norm, dual_coef.size)


def dual_norm_bound(n: int, delta: float, smallest_eigenvalue: float = 0.0) -> DualNormBound:
    """Bound ``|lambda|_2`` and ``Lambda`` before the fit (App. D).

    ``|lambda|_2 <= sqrt(n) / (vartheta + delta) <= sqrt(n) / delta = theta / sqrt(n)`` with the
    smallest eigenvalue ``vartheta`` of ``K``. The paper stops there; one step further, every
    eigenvalue ``k`` of ``K`` adds at most ``k / (k + delta)^2 <= 1 / (4 delta)`` per unit of
    ``|1|^2 = n``, so ``Lambda <= sqrt(n / (4 delta))``: a radius that depends on no data, as the
    bounds require. (For ``vartheta > delta`` it is ``sqrt(n vartheta) / (vartheta + delta)``.)

    Parameters
    ----------
    n : int
        Number of training samples.
    delta : float
        The paper's ``delta = n / theta``, positive; not the estimator's, which is ``delta / n``.
    smallest_eigenvalue : float
        ``vartheta``; 0 is always allowed.

    Returns
    -------
    DualNormBound
        Bound on ``|lambda|_2`` as ``value``, bound on ``Lambda`` as ``radius``.
    """
    n = _positive_integer(n, "n")
    delta = _number(delta, "delta", minimum=0, strict=True)
    vartheta = _number(smallest_eigenvalue, "smallest_eigenvalue", minimum=0)
    worst = max(vartheta, delta)
    radius = math.sqrt(n * worst) / (worst + delta)
    return DualNormBound(math.sqrt(n) / (vartheta + delta), radius, n, delta, n / delta, vartheta)


def squared_loss_bound(
    *,
    Lambda: float,
    r: float,
    n_views: int,
    p: float,
    q: float | None = None,
    constraint: str = "joint-matrix",
) -> LossBound:
    """Bound the squared loss ``(f(x) - 1)^2`` over the whole class: a ``B_l`` for Proposition 3.

    ``|f(x)| <= Lambda sqrt(k(x, x))`` and ``k(x, x) <= r^2 sum_c p_c(x)^2 sum_g mu_cg <=
    r^2 max_c sum_g mu_cg <= r^2 G^(1-1/m)``, joint or disjoint, with ``m = p`` for vector norms
    and the harmonic mean of ``p`` and ``q`` for matrix norms. Then ``B_l = (1 + max|f|)^2`` and
    the loss is ``2 (1 + max|f|)``-Lipschitz in ``f(x)``.

    Parameters
    ----------
    Lambda : float
        Radius of the class.
    r : float
        Kernel bound, ``kappa_g(x, x) <= r^2``; 1 for RBF kernels.
    n_views : int
        ``G``.
    p, q : float
        Norm orders, at least 1. The vector families ignore ``q``.
    constraint : str
        Constraint family, see :func:`weight_sum_bound`.

    Returns
    -------
    LossBound
        ``B_l``, ``max |f|`` and the Lipschitz constant.
    """
    Lambda = _number(Lambda, "Lambda", minimum=0)
    r = _number(r, "r", minimum=0)
    G = _positive_integer(n_views, "n_views")
    score = Lambda * r * math.sqrt(float(G) ** (1 - _inverse_order(constraint, p, q)))
    return LossBound((1 + score) ** 2, score, 2 * (1 + score), Lambda, r, constraint, G, p, q)


def generalisation_bound(
    scores: ArrayLike,
    rademacher: RademacherBound | FixedWeightsRademacherBound,
    *,
    Delta: float,
    loss_bound: float,
    form: str = "paper",
    lipschitz: float | None = None,
) -> GeneralisationBound:
    """Bound the expected squared error on bona fide samples (Proposition 3).

    Parameters
    ----------
    scores : array-like of shape (n,)
        Training scores ``f(x_i)``.
    rademacher : RademacherBound or FixedWeightsRademacherBound
        Bound ``R`` on the empirical complexity, for the same ``n`` samples.
    Delta : float
        The bound holds with confidence ``1 - Delta``; in (0, 1).
    loss_bound : float
        ``B_l``, no loss of the class exceeds it; :func:`squared_loss_bound` computes one.
    form : {"paper", "mohri"}
        "paper": ``mean (f(x_i) - 1)^2 + R + 3 B_l sqrt(ln(2/Delta) / 2n)``, as printed.
        "mohri": ``... + 2 L R + ...``, what the cited theorem states (Mohri, Rostamizadeh and
        Talwalkar, *Foundations of Machine Learning*, 2nd ed., Theorem 11.3). The 2 comes from
        symmetrisation, the Lipschitz constant ``L`` (the paper's ``mu``) from Talagrand's
        contraction lemma; the paper assumes ``L`` and then drops both. The printed form follows
        from the theorem only if ``2 L <= 1``, that is, if no score is further than 1/4 from 1.
    lipschitz : float, optional
        ``L``, only for "mohri". By default ``2 sqrt(B_l)``: where ``(f - 1)^2 <= B_l``, the slope
        ``2 |f - 1|`` is at most that.

    Returns
    -------
    GeneralisationBound
        Its ``is_vacuous`` tells whether the value reaches ``B_l`` and so says nothing.
    """
    _one_of(form, GENERALISATION_FORMS, "form")
    scores = _vector(scores, "scores")
    Delta = _number(Delta, "Delta", minimum=0, strict=True)
    B_l = _number(loss_bound, "loss_bound", minimum=0, strict=True)
    n, worst = scores.size, float(np.max(np.abs(scores - 1)))
    if Delta >= 1:
        raise InvalidInputError(
            f"Delta is {Delta:g}: the confidence 1 - Delta needs 0 < Delta < 1."
        )
    if n != rademacher.n:
        raise InvalidInputError(
            f"there are {n} scores and the Rademacher bound is for {rademacher.n} samples: "
            "pass the scores of the training samples it was computed for."
        )
    if worst**2 > B_l * (1 + 1e-12):
        raise InvalidInputError(
            f"loss_bound is {B_l:g} and a training sample already has loss {worst**2:g}: "
            "pass a B_l that bounds every loss, such as squared_loss_bound(...).value."
        )
    factor = 1.0
    if form == "mohri":
        if lipschitz is None:
            lipschitz = 2 * math.sqrt(B_l)
        lipschitz = _number(lipschitz, "lipschitz", minimum=0, strict=True)
        if lipschitz < 2 * worst * (1 - 1e-12):
            raise InvalidInputError(
                f"lipschitz is {lipschitz:g} and the squared loss has slope {2 * worst:g} at a "
                "training score: leave it out to use 2 sqrt(B_l)."
            )
        factor = 2 * lipschitz
    elif lipschitz is not None:
        raise InvalidInputError(
            "the printed form has no Lipschitz constant: leave lipschitz out or use form='mohri'."
        )
    empirical = float(np.mean((scores - 1) ** 2))
    complexity = factor * rademacher.value
    confidence = 3 * B_l * math.sqrt(math.log(2 / Delta) / (2 * n))
    return GeneralisationBound(
        value=empirical + complexity + confidence,
        empirical_error=empirical,
        complexity_term=complexity,
        confidence_term=confidence,
        complexity_factor=factor,
        lipschitz=lipschitz,
        loss_bound=B_l,
        Delta=Delta,
        n=n,
        rademacher=rademacher,
        form=form,
    )


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

    Returns
    -------
    ComplexityRatios
        Three ratios with their exponents, each with ``holds``: whether it is at most 1.
    """
    C = _positive_integer(n_clusters, "n_clusters")
    G = _positive_integer(n_views, "n_views")
    p, q = _norm_order(p, "p"), _norm_order(q, "q")
    difference, total = 1 / (4 * p) - 1 / (4 * q), 1 / (4 * p) + 1 / (4 * q)

    def ratio(against: str, exponent_C: float, exponent_G: float) -> ComplexityRatio:
        value = float(C) ** exponent_C * float(G) ** exponent_G
        return ComplexityRatio(value, against, exponent_C, exponent_G, value <= 1)

    return ComplexityRatios(
        ratio("joint-vector", difference, difference),
        ratio("disjoint-vector", -total, difference),
        ratio("disjoint-matrix", -total, 0.0),
        C,
        G,
        p,
        q,
    )


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


def _inverse_order(constraint: str, p: float, q: float | None) -> float:
    """``1/m``: of ``p`` for vector families, of the harmonic mean of p and q for matrix ones."""
    _one_of(constraint, CONSTRAINTS, "constraint")
    p = _norm_order(p, "p")
    if constraint.endswith("vector"):
        return 1 / p
    if q is None:
        raise InvalidInputError(f"constraint {constraint!r} needs q: pass a norm order q >= 1.")
    return (1 / p + 1 / _norm_order(q, "q")) / 2


def _one_of(value: str, allowed: tuple[str, ...], name: str) -> None:
    if value not in allowed:
        raise InvalidInputError(f"{name} is {value!r}: use one of {', '.join(allowed)}.")


def _number(
    value: float, name: str, *, minimum: float | None = None, strict: bool = False
) -> float:
    if not isinstance(value, numbers.Real) or not math.isfinite(value):
        raise InvalidInputError(f"{name} is {value!r}: pass a finite number.")
    if minimum is not None and (value < minimum or (strict and value == minimum)):
        relation = "above" if strict else "of at least"
        raise InvalidInputError(f"{name} is {value!r}: pass a number {relation} {minimum:g}.")
    return float(value)


def _norm_order(value: float, name: str) -> float:
    if not isinstance(value, numbers.Real) or not value >= 1:
        raise InvalidInputError(f"{name} is {value!r}: pass a norm order of at least 1.")
    return float(value)


def _positive_integer(value: int, name: str) -> int:
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < 1:
        raise InvalidInputError(f"{name} is {value!r}: pass a whole number of at least 1.")
    return int(value)


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


def _vector(values: ArrayLike, name: str) -> NDArray[np.float64]:
    return _finite_array(values, name, ndim=1)


def _memberships(values: ArrayLike) -> NDArray[np.float64]:
    P = _finite_array(values, "memberships", ndim=2)
    if np.any(P < 0) or np.any(np.abs(P.sum(axis=1) - 1) > 1e-4):
        raise InvalidInputError(
            "memberships are not probabilities: pass an (n, C) array of non-negative entries "
            "whose rows sum to 1."
        )
    return P
