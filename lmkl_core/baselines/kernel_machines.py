r"""Multiple-kernel SVDD and multiple-kernel one-class SVM with learned weights.

Both learn ``d`` on the simplex and ``alpha`` (`lmkl_core.baselines.simplemkl`) on the kernels and
widths of `lmkl_core.LocalisedMKL`. Kernels are divided by the mean of their diagonal on the
training rows, so that the weights do not depend on units.

With ``f(y) = sum_g d_g sum_i alpha_i k_g(x_i, y)``, the one-class SVM scores ``f(y)``. SVDD ranks
by the squared distance from the centre of its ball, ``k(y, y) - 2 f(y) + alpha' K alpha``. A sample
of typical norm that resembles nothing is orthogonal to the centre: its squared distance is the mean
of ``k(x, x)`` plus ``alpha' K alpha``. The score is half the difference of that distance and the
sample's own, ``f(y) - (k(y, y) - mean_i k(x_i, x_i)) / 2``. For RBF kernels this is the score of
the one-class SVM.

For left-out scores, widths and weights stay fixed and only ``alpha`` is solved for again.

The paper's tables also list ``Multiple Kernel-SVDD-Slim`` and ``Multiple Kernel-OCSVM-Slim``
(Arashloo, IEEE TIFS 16, 2021; Loosli and Aboubacar, CAp 2016). They are not implemented: the public
parts of both papers do not say what replaces ``J(d)``, and under which constraint.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from lmkl_core.baselines.base import COMMON_CHECKS, Baseline, finite
from lmkl_core.baselines.simplemkl import distance_form, solve, solve_one_class, weighted
from lmkl_core.errors import InvalidInputError
from lmkl_core.kernels import PRECOMPUTED, ViewKernel, fit_kernels, gram
from lmkl_core.validation import Check, Views, check_integer, check_real, check_share

MOST_GRAM_ROWS = 1500
"""Maximum number of rows: all Gram matrices are in memory, 540 MB for 30 views."""


@dataclass(frozen=True)
class KernelMachine:
    """A weighted kernel expansion over support rows.

    ``mean_norm`` is the mean of the weighted kernel's diagonal for SVDD, else ``None``.
    """

    kernels: tuple[ViewKernel, ...]
    weights: tuple[float, ...]
    support: tuple[np.ndarray, ...]
    alpha: np.ndarray
    mean_norm: float | None

    def __call__(self, arrays: tuple[np.ndarray, ...]) -> np.ndarray:
        total = np.zeros(len(arrays[0]))
        if self.mean_norm is not None:
            total += 0.5 * self.mean_norm
        parts = zip(self.kernels, self.weights, self.support, arrays, strict=True)
        for kernel, weight, support, array in parts:
            if weight == 0:
                continue
            rows = array.astype(np.float64)
            # Centre against cancellation in squared distances.
            centre = support.mean(axis=0) if kernel.name == "rbf" else 0.0
            rows_about = rows - centre
            # A squared distance that overflows would give a kernel value of zero.
            finite(np.einsum("ij,ij->i", rows_about, rows_about))
            total += weight * (kernel(rows_about, support - centre) @ self.alpha)
            if self.mean_norm is not None:
                total -= 0.5 * weight * kernel.diagonal(rows)
        return total


@dataclass(kw_only=True, eq=False, repr=False)
class MultipleKernelMachine(Baseline):
    """Base class: one kernel per view, with learned weights on the simplex."""

    most_rows = MOST_GRAM_ROWS
    _by_distance = False
    nu: float = 0.1
    kernel: Any = "rbf"
    tol: float = 1e-6
    max_iter: int = 100

    parameter_checks: ClassVar[Mapping[str, Check]] = COMMON_CHECKS | {
        "nu": check_share,
        "tol": partial(check_real, low=0, strict=True),
        "max_iter": partial(check_integer, low=1),
    }

    @property
    def gap_(self) -> float:
        """Certified relative gap: no weights on the simplex are better by more than this."""
        return self.solution_.gap

    def _fit_kernels(self, views: Views, takes: np.ndarray | None) -> tuple[ViewKernel, ...]:
        kernels = fit_kernels(views, self.kernel, takes)
        # Distances to new rows need k(y, y), which precomputed kernels lack.
        if any(kernel.name == PRECOMPUTED for kernel in kernels):
            raise InvalidInputError(
                "The compared methods do not support kernel='precomputed': pass features and a "
                "named kernel."
            )
        return kernels

    def _learn(self, views, kernels, notes, cancel):
        arrays = tuple(array.astype(np.float64) for array in views.arrays)
        stack = np.array([gram(k, X) for k, X in zip(kernels, arrays, strict=True)])
        norms = np.array([np.mean(np.diag(matrix)) for matrix in stack])
        stack /= norms[:, None, None]
        diagonals = np.diagonal(stack, axis1=1, axis2=2).copy()
        if self._by_distance:
            for matrix in stack:
                matrix[:] = distance_form(matrix)
        solution = solve(stack, nu=self.nu, tol=self.tol, max_iter=self.max_iter, cancel=cancel)
        if solution.stop_reason != "certified":
            notes.append(f"The kernel weights are only certified to a gap of {solution.gap:.1e}.")
        weights = solution.weights[0]
        matrix = weighted(stack, weights)
        mean_norm = float(np.mean(weights @ diagonals)) if self._by_distance else None
        scaled = tuple(float(w) for w in weights / norms)

        def machine_of(alpha: np.ndarray, rows: np.ndarray) -> KernelMachine:
            support = rows[alpha > 0]
            chosen = tuple(X[support] for X in arrays)
            return KernelMachine(kernels, scaled, chosen, alpha[alpha > 0], mean_norm)

        def refit(rows: np.ndarray) -> KernelMachine:
            return machine_of(solve_one_class(matrix[np.ix_(rows, rows)], self.nu), rows)

        self.solution_ = solution
        self.kernels_ = kernels
        self.kernel_weights_ = solution.weights
        self.dual_coef_ = solution.dual_coef
        self.gap_history_ = solution.gap_history
        self.n_iter_ = solution.n_iter
        return machine_of(solution.dual_coef, np.arange(views.n_samples)), refit


class MultipleKernelSVDD(MultipleKernelMachine):
    """Smallest soft ball around the data in a weighted sum of feature spaces (SimpleMKL).

    Parameters
    ----------
    nu : float
        Upper bound on the share of training rows outside the ball, above 0 and at most 1;
        Tax and Duin's ``C`` is ``1 / (nu n)``.
    kernel : str, sequence or mapping
        As in `lmkl_core.LocalisedMKL`, but not precomputed.
    tol, max_iter : float, int
        Certified relative gap of the weights to reach, and the maximum number of steps.

    Attributes
    ----------
    kernel_weights_ : ndarray (1, G)
        On the simplex, in the order of ``view_names_``.
    dual_coef_, gap_, solution_
        As in `lmkl_core.LocalisedMKL`.

    References
    ----------
    Loosli and Aboubacar, "Using SVDD in SimpleMKL for 3D-Shapes Filtering", CAp 2016. Rakotomamonjy
    et al., "SimpleMKL", JMLR 9, 2008. Tax and Duin, "Support Vector Data Description", Machine
    Learning 54, 2004.
    """

    _by_distance = True


class MultipleKernelOCSVM(MultipleKernelMachine):
    """Widest margin from the origin in a weighted sum of feature spaces (SimpleMKL).

    Parameters and attributes are those of `MultipleKernelSVDD`.

    References
    ----------
    Rakotomamonjy et al., "SimpleMKL", JMLR 9, 2008. Schoelkopf et al., "Estimating the support of a
    high-dimensional distribution", Neural Computation 13, 2001.
    """
