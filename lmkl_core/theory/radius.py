r"""The radius ``Lambda`` of the hypothesis class, fitted and known before the fit.

The bounds hold for a ``Lambda`` chosen before the data are seen (`dual_norm_bound`); that of a
fitted model (`lambda_radius`) is smaller, and only descriptive.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from lmkl_core.errors import InvalidInputError
from lmkl_core.theory.checks import number, positive_integer, vector


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
        ``Lambda`` with ``|lambda|_2``, to hold against `dual_norm_bound`.
    """
    dual_coef = vector(dual_coef, "dual_coef")
    quadratic = number(effective_kernel_quadratic, "effective_kernel_quadratic")
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
    n = positive_integer(n, "n")
    delta = number(delta, "delta", minimum=0, strict=True)
    vartheta = number(smallest_eigenvalue, "smallest_eigenvalue", minimum=0)
    worst = max(vartheta, delta)
    radius = math.sqrt(n * worst) / (worst + delta)
    return DualNormBound(math.sqrt(n) / (vartheta + delta), radius, n, delta, n / delta, vartheta)
