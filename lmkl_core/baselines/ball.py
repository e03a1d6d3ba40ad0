r"""The inner problem of SVDD and of the one-class SVM, for one given kernel.

Both are a quadratic programme over the capped simplex
``A = {alpha : sum alpha = 1, 0 <= alpha_i <= 1 / (nu n)}``:

- one-class SVM: ``max_A -alpha' K alpha``, the widest margin from the origin (Schoelkopf et al.,
  2001; twice its usual objective);
- SVDD: ``max_A sum_i alpha_i K_ii - alpha' K alpha``, the smallest soft ball (Tax and Duin, 2004).

Because ``sum alpha = 1``, the linear term of SVDD can be written into the matrix:

``sum_i alpha_i K_ii - alpha' K alpha = -alpha' M alpha``,
``M_ij = K_ij - (K_ii + K_jj) / 2 = -|phi_i - phi_j|^2 / 2``,

minus half the squared distances in feature space. So SVDD of *any* kernel is the one-class SVM's
programme on ``M``. ``M`` is not positive semi-definite, but it is so on the directions that keep
the sum of ``alpha``, the only ones that matter: the problem stays convex, and libsvm, which moves
two coefficients at a time against each other, solves it as it stands. Where the diagonal is
constant (RBF), ``M = K - const`` and the two methods are one.

How sure
--------
The gradient of the concave ``S(alpha) = -alpha' M alpha`` bounds what is left to gain: no feasible
``beta`` has ``S(beta) > S(alpha) + max_beta 2 (M alpha)'(alpha - beta)``, and the maximum is
attained by filling up the coefficients with the smallest ``M alpha`` first. libsvm keeps its kernel
in single precision; the bound is computed in double precision from its result and so holds anyway.
"""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import OneClassSVM

LIBSVM_TOLERANCE = 1e-8
"""Of libsvm's stopping rule; single precision kernels make less pointless."""

LIBSVM_STEPS = 1_000_000
"""Pairs of coefficients that libsvm may move: kernels of low rank would let it crawl for hours."""

LIBSVM_CACHE = 500
"""Megabytes of kernel that libsvm may keep."""


def distance_form(gram: np.ndarray) -> np.ndarray:
    """``K_ij - (K_ii + K_jj) / 2``, minus half the squared distances in feature space."""
    half = 0.5 * np.diag(gram)
    return gram - half[:, None] - half[None, :]


def solve_one_class(matrix: np.ndarray, nu: float) -> np.ndarray:
    """``alpha`` that maximises ``-alpha' matrix alpha`` over the capped simplex, ``(n,)``."""
    if nu == 1:  # one point is feasible, and libsvm has no offset for it
        return np.full(len(matrix), 1 / len(matrix))
    machine = OneClassSVM(
        kernel="precomputed",
        nu=nu,
        tol=LIBSVM_TOLERANCE,
        cache_size=LIBSVM_CACHE,
        max_iter=LIBSVM_STEPS,
    )
    with warnings.catch_warnings():
        # How far from the optimum it stopped is told by `gain_left`, and ends up in the gap.
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine.fit(matrix)
    alpha = np.zeros(len(matrix))
    alpha[machine.support_] = np.maximum(machine.dual_coef_[0], 0.0)
    return alpha / alpha.sum()


def gain_left(alpha: np.ndarray, slopes: np.ndarray, nu: float) -> float:
    """Bound on ``max S - S(alpha)``, with ``slopes = M alpha``."""
    n = len(alpha)
    cap = max(1 / (nu * n), 1 / n)
    lowest = np.sort(slopes)
    full = min(int(1 / cap), n)
    least = cap * float(lowest[:full].sum())
    if full < n:
        least += (1 - full * cap) * float(lowest[full])
    return max(2 * (float(alpha @ slopes) - least), 0.0)
