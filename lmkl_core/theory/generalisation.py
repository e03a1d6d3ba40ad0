r"""Bounds on the expected error on bona fide samples (Proposition 3), and on the loss.

No bound of this kind says anything about attacks.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from lmkl_core.errors import InvalidInputError
from lmkl_core.theory.checks import number, one_of, positive_integer, vector
from lmkl_core.theory.rademacher import FixedWeightsRademacherBound, RademacherBound
from lmkl_core.theory.weight_bounds import inverse_order

GENERALISATION_FORMS = ("paper", "mohri")


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
        Constraint family, see `weight_sum_bound`.

    Returns
    -------
    LossBound
        ``B_l``, ``max |f|`` and the Lipschitz constant.
    """
    Lambda = number(Lambda, "Lambda", minimum=0)
    r = number(r, "r", minimum=0)
    G = positive_integer(n_views, "n_views")
    score = Lambda * r * math.sqrt(float(G) ** (1 - inverse_order(constraint, p, q)))
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

    Returns
    -------
    GeneralisationBound
        Its ``is_vacuous`` tells whether the value reaches ``B_l`` and so says nothing.
    """
    one_of(form, GENERALISATION_FORMS, "form")
    scores = vector(scores, "scores")
    Delta = number(Delta, "Delta", minimum=0, strict=True)
    B_l = number(loss_bound, "loss_bound", minimum=0, strict=True)
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
        lipschitz = number(lipschitz, "lipschitz", minimum=0, strict=True)
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
