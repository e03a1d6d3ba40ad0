"""Kernel functions, the rule for their widths, and Gram matrices."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lmkl_core.errors import InvalidInputError
from lmkl_core.validation import Views

WIDTH_ROWS = 2000
"""Mean distances are computed on at most this many evenly spaced rows."""


def half_square_distances(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Return ``|x - y|^2 / 2`` for all pairs, ``(len(X), len(Y))``, never negative."""
    D = X @ Y.T
    np.negative(D, out=D)
    D += 0.5 * np.einsum("ij,ij->i", X, X)[:, None]
    D += 0.5 * np.einsum("ij,ij->i", Y, Y)[None, :]
    return np.maximum(D, 0.0, out=D)


def rbf(X: np.ndarray, Y: np.ndarray, *, width: float) -> np.ndarray:
    """Return ``exp(-|x - y|^2 / (2 width^2))`` for all pairs."""
    D = half_square_distances(X, Y)
    D *= -1.0 / width**2
    return np.exp(D, out=D)


def linear(X: np.ndarray, Y: np.ndarray, *, width: float = 1.0) -> np.ndarray:
    """Return ``x . y`` for all pairs; the width is ignored."""
    return X @ Y.T


KERNELS: dict[str, Callable[..., np.ndarray]] = {"rbf": rbf, "linear": linear}
"""Kernels by name."""

PRECOMPUTED = "precomputed"
"""Name of the kernel for views that are Gram matrices."""

LARGEST_NEGATIVE = 1e-7
"""Tolerated negative eigenvalues of a precomputed kernel, relative to its scale."""


def register_kernel(name: str, function: Callable[..., np.ndarray]) -> None:
    """Make a positive semi-definite ``function(X, Y, *, width)`` available as ``kernel=name``.

    ``width`` comes from `width_of`. A kernel must be registered before a model that uses it is
    loaded.
    """
    if not name or name == PRECOMPUTED or not callable(function):
        raise InvalidInputError(
            f"Kernel {name!r} cannot be registered: give a new name and a callable(X, Y, *, width)."
        )
    KERNELS[name] = function


def half_mean_distance(X: np.ndarray) -> float:
    """Return the paper's width: half the mean Euclidean distance between different rows."""
    if len(X) > WIDTH_ROWS:
        X = X[np.linspace(0, len(X) - 1, WIDTH_ROWS).astype(int)]
    X = X - X.mean(axis=0)
    n, total = len(X), 0.0
    for start in range(0, n, 512):
        D = half_square_distances(X[start : start + 512], X)
        rows = np.arange(len(D))
        D[rows, start + rows] = 0.0
        total += float(np.sum(np.sqrt(2.0 * D), dtype=np.float64))
    return 0.5 * total / (n * (n - 1)) if n > 1 else 0.0


TAKE_WIDTHS = 1.25
"""Smallest kernel width, as a multiple of the mean distance between rows of one take. With narrower
kernels another recording of the same person scores near 0. Chosen on real people
(``python -m benchmarks real``)."""


def width_of(X: np.ndarray, takes: np.ndarray | None = None) -> float:
    """Return a view's kernel width: the paper's, or the minimum set by `TAKE_WIDTHS` if larger."""
    width = half_mean_distance(X)
    if takes is None:
        return width
    names, sizes = np.unique(takes, return_counts=True)
    inside = [2 * half_mean_distance(X[takes == name]) for name in names[sizes > 1]]
    return max(width, TAKE_WIDTHS * float(np.mean(inside))) if inside else width


@dataclass(frozen=True)
class ViewKernel:
    """A kernel fitted to one view."""

    name: str
    width: float = 1.0

    def __call__(self, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """Return the kernel values of all pairs of rows."""
        if self.name not in KERNELS:
            raise InvalidInputError(
                f"Kernel {self.name!r} is not registered here: call "
                f"lmkl_core.register_kernel({self.name!r}, function) first."
            )
        return KERNELS[self.name](X, Y, width=self.width)

    def diagonal(self, X: np.ndarray) -> np.ndarray:
        """Return ``k(x, x)`` of every row."""
        if self.name == "rbf":
            return np.ones(len(X))
        if self.name == "linear":
            return np.einsum("ij,ij->i", X, X, dtype=np.float64)
        return np.array([float(self(row[None], row[None])[0, 0]) for row in X])


def fit_kernel(name: str, view: str, X: np.ndarray, takes: np.ndarray | None = None) -> ViewKernel:
    """Fit the kernel of one view; refuse a view that carries no information."""
    if name == PRECOMPUTED:
        return ViewKernel(name)
    if not isinstance(name, str) or name not in KERNELS:
        known = ", ".join(sorted([*KERNELS, PRECOMPUTED]))
        raise InvalidInputError(f"kernel={name!r} is unknown: choose one of {known}.")
    if np.all(X == X[0]):
        raise InvalidInputError(
            f"View {view!r} is constant (zero variance over {len(X)} rows): it carries "
            "no information, so leave it out."
        )
    with np.errstate(over="ignore", invalid="ignore"):
        width = width_of(X, takes)
    # Squared distances must not underflow.
    if not np.isfinite(width) or width**2 <= np.finfo(X.dtype).tiny / np.finfo(X.dtype).eps:
        raise InvalidInputError(
            f"View {view!r} varies too little or too much for dtype {X.dtype} (width {width:.1e}): "
            "rescale it or leave it out."
        )
    return ViewKernel(name, width)


def fit_kernels(views: Views, kernel, takes: np.ndarray | None = None) -> tuple[ViewKernel, ...]:
    """Fit one kernel per view; ``kernel`` is one name for all views, or names by view."""
    if isinstance(kernel, str):
        names = [kernel] * len(views.names)
    elif isinstance(kernel, Mapping):
        missing = [name for name in views.names if name not in kernel]
        if missing:
            raise InvalidInputError(f"kernel has no entry for view {', '.join(missing)}: add one.")
        names = [kernel[name] for name in views.names]
    else:
        names = list(kernel) if isinstance(kernel, Sequence) else [kernel]
        if len(names) != len(views.names):
            raise InvalidInputError(
                f"kernel names {len(names)} kernels for {len(views.names)} views: pass one name "
                "for all views, or one per view."
            )
    parts = zip(names, views.names, views.arrays, strict=True)
    return tuple(fit_kernel(name, view, array, takes) for name, view, array in parts)


def gram(kernel: ViewKernel, X: np.ndarray) -> np.ndarray:
    """Return the symmetric Gram matrix of one view's rows."""
    centred = X - X.mean(axis=0) if kernel.name == "rbf" else X
    with np.errstate(over="ignore", invalid="ignore"):
        K = kernel(centred, centred)
        if kernel.name == "rbf":
            np.fill_diagonal(K, 1.0)
        K += K.T.copy()
        K *= 0.5
    if not np.all(np.isfinite(K)):
        raise InvalidInputError(
            f"Values of the kernel {kernel.name!r} are NaN or too large for dtype {K.dtype}: "
            "rescale the views."
        )
    return K


def check_precomputed(view: str, K: np.ndarray) -> np.ndarray:
    """Validate a precomputed Gram matrix: square, symmetric, semi-definite, not zero."""
    if K.shape[0] != K.shape[1]:
        raise InvalidInputError(
            f"View {view!r} has shape {K.shape}, but kernel='precomputed' needs a square matrix."
        )
    scale = float(np.max(np.abs(K)))
    if scale == 0.0:
        raise InvalidInputError(f"View {view!r} contains only zeros: leave it out.")
    if float(np.max(np.abs(K - K.T))) > 1e-5 * scale:
        raise InvalidInputError(
            f"View {view!r} is not symmetric, so it is not a kernel: pass (K + K.T) / 2 if "
            "the difference is noise."
        )
    K = (K + K.T) / 2
    try:
        # The certificate holds only without negative eigenvalues, apart from rounding.
        np.linalg.cholesky(K + LARGEST_NEGATIVE * len(K) * scale * np.eye(len(K), dtype=float))
    except np.linalg.LinAlgError:
        raise InvalidInputError(
            f"View {view!r} is not positive semi-definite, so it is not a kernel: add the "
            "magnitude of its lowest eigenvalue to its diagonal, or pass another kernel."
        ) from None
    return K


def gram_stack(kernels, names, arrays) -> np.ndarray:
    """Return the Gram matrices of all views, ``(G, n, n)``, in the dtype of the views."""
    n = len(arrays[0])
    stack = np.empty((len(arrays), n, n), dtype=np.result_type(*arrays))
    for g, (kernel, name, X) in enumerate(zip(kernels, names, arrays, strict=True)):
        precomputed = kernel.name == PRECOMPUTED
        stack[g] = check_precomputed(name, X) if precomputed else gram(kernel, X)
    return stack


def mean_gram(kernels, arrays) -> np.ndarray:
    """Return the mean of the views' Gram matrices, with only one of them in memory at a time."""
    total = np.zeros((len(arrays[0]), len(arrays[0])))
    for kernel, X in zip(kernels, arrays, strict=True):
        total += X if kernel.name == PRECOMPUTED else gram(kernel, X)
    return total / len(kernels)
