r"""The radius ``Lambda``, and bounds on the expected error on bona fide samples (Proposition 3)."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from lmkl_core.errors import InvalidInputError
from lmkl_core.theory.complexity import RademacherBound, check_number, finite_array, inverse_order
from lmkl_core.validation import check_choice, check_integer, check_rate

GENERALISATION_FORMS = ("paper", "mohri")


@dataclass(frozen=True)
class DualNormBound:
    """Bounds on ``|lambda|_2`` (``value``) and on ``Lambda`` (``radius``) from ``delta``."""

    value: float
    radius: float


@dataclass(frozen=True)
class LossBound:
    """``B_l`` (``value``), ``max |f|`` and the Lipschitz constant of the squared loss."""

    value: float
    score_bound: float
    lipschitz: float


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
        """Whether the bound says no more than ``error <= B_l``, which was assumed anyway."""
        return self.value >= self.loss_bound


def lambda_radius(dual_coef: ArrayLike, effective_kernel_quadratic: float) -> float:
    """Radius ``Lambda = sqrt(lambda^T K lambda)`` that a fitted model needs; only descriptive.

    Parameters
    ----------
    dual_coef : array-like of shape (n,)
        ``lambda``.
    effective_kernel_quadratic : float
        ``lambda^T K lambda``, without the ``delta I``. It equals ``sum lambda - delta
        |lambda|^2`` at ``lambda = (delta I + K)^-1 1``, but that difference cancels badly when
        ``delta`` is small; ``lambda^T f`` with the training scores ``f = K lambda`` does not.
    """
    quadratic = check_number("effective_kernel_quadratic", effective_kernel_quadratic, -math.inf)
    if quadratic < -1e-9 * np.sum(finite_array(dual_coef, "dual_coef", ndim=1) ** 2):
        raise InvalidInputError(
            f"effective_kernel_quadratic is {quadratic:g}, and lambda^T K lambda cannot be "
            "negative: check that K is positive semi-definite and that delta is not subtracted."
        )
    return math.sqrt(max(quadratic, 0.0))


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
    """
    n = check_integer("n", n, 1)
    delta = check_number("delta", delta, 0, strict=True)
    vartheta = check_number("smallest_eigenvalue", smallest_eigenvalue, 0)
    worst = max(vartheta, delta)
    radius = math.sqrt(n * worst) / (worst + delta)
    return DualNormBound(math.sqrt(n) / (vartheta + delta), radius)


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
    Lambda, r, n_views, p, q, constraint
        As in `lmkl_core.theory.rademacher_bound`.
    """
    scale = check_number("Lambda", Lambda, 0) * check_number("r", r, 0)
    G = check_integer("n_views", n_views, 1)
    score = scale * math.sqrt(float(G) ** (1 - inverse_order(constraint, p, q)))
    return LossBound((1 + score) ** 2, score, 2 * (1 + score))


def generalisation_bound(
    scores: ArrayLike,
    rademacher: RademacherBound,
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
    rademacher : RademacherBound
        Bound ``R`` on the empirical complexity, for the same ``n`` samples.
    Delta : float
        The bound holds with confidence ``1 - Delta``; in (0, 1).
    loss_bound : float
        ``B_l``, no loss of the class exceeds it; `squared_loss_bound` computes one.
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
    """
    check_choice("form", form, GENERALISATION_FORMS)
    scores = finite_array(scores, "scores", ndim=1)
    Delta = check_rate("Delta", Delta)
    B_l = check_number("loss_bound", loss_bound, 0, strict=True)
    n, worst = scores.size, float(np.max(np.abs(scores - 1)))
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
        slope = 2 * math.sqrt(B_l) if lipschitz is None else lipschitz
        slope = check_number("lipschitz", slope, 0, strict=True)
        if slope < 2 * worst * (1 - 1e-12):
            raise InvalidInputError(
                f"lipschitz is {slope:g} and the squared loss has slope {2 * worst:g} at a "
                "training score: leave it out to use 2 sqrt(B_l)."
            )
        factor = 2 * slope
    elif lipschitz is not None:
        raise InvalidInputError(
            "the printed form has no Lipschitz constant: leave lipschitz out or use form='mohri'."
        )
    empirical = float(np.mean((scores - 1) ** 2))
    complexity = factor * rademacher.value
    confidence = 3 * B_l * math.sqrt(math.log(2 / Delta) / (2 * n))
    return GeneralisationBound(
        empirical + complexity + confidence, empirical, complexity, confidence, B_l
    )
