"""What counts as input: views, takes and parameters, checked once, told in one sentence."""

import numbers
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lmkl_core.errors import DuplicateRowsWarning, InvalidInputError


@dataclass(frozen=True)
class Views:
    """Named 2-D arrays with equal rows, in a fixed order, one floating dtype."""

    names: tuple[str, ...]
    arrays: tuple[np.ndarray, ...]

    @property
    def n_samples(self) -> int:
        """Number of rows, the same in every view."""
        return len(self.arrays[0])

    def rows(self, index) -> "Views":
        """Views of some rows only."""
        return Views(self.names, tuple(array[index] for array in self.arrays))


def is_single_view(X) -> bool:
    """Whether ``X`` is one 2-D array rather than several views."""
    if isinstance(X, Mapping):
        return False
    if isinstance(X, (list, tuple)) and X:
        first = X[0]
        if isinstance(first, tuple) and len(first) == 2 and isinstance(first[0], str):
            return False
        return getattr(first, "ndim", 0) != 2
    return True


def as_views(X) -> Views:
    """Turn a mapping, a sequence of arrays or of ``(name, array)`` pairs into `Views`."""
    if isinstance(X, Views):
        return X
    if isinstance(X, Mapping):
        items = list(X.items())
    elif isinstance(X, Sequence) and not is_single_view(X):
        named = isinstance(X[0], tuple)
        items = list(X) if named else [(f"view{i}", array) for i, array in enumerate(X)]
    else:
        items = [("view0", X)]
    if not items:
        raise InvalidInputError("No views were given: pass at least one 2-D array.")
    names = tuple(str(name) for name, _ in items)
    if len(set(names)) != len(names):
        raise InvalidInputError(f"View names repeat ({', '.join(names)}): name each view once.")
    raw = [_as_float(name, array) for name, (_, array) in zip(names, items, strict=True)]
    dtype = np.result_type(*raw)
    views = Views(names, tuple(np.ascontiguousarray(array, dtype=dtype) for array in raw))
    lengths = {name: len(array) for name, array in zip(names, views.arrays, strict=True)}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name}: {n}" for name, n in lengths.items())
        raise InvalidInputError(f"Views have unequal numbers of rows ({told}): align them.")
    return views


def _as_float(name: str, array) -> np.ndarray:
    """One view as a finite 2-D float32 or float64 array."""
    array = np.asarray(array)
    if array.dtype.kind not in "fiub":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            raise InvalidInputError(
                f"View {name!r} has dtype {array.dtype}, which is not numeric: pass floats."
            ) from None
    if array.dtype not in (np.float32, np.float64):
        array = array.astype(np.float64)
    if array.ndim != 2 or array.shape[0] == 0 or array.shape[1] == 0:
        raise InvalidInputError(
            f"View {name!r} has shape {array.shape}: pass a 2-D array with rows and columns."
        )
    # One reduction finds NaN and infinity; the exact place is looked up only on failure.
    if not np.isfinite(np.sum(array, dtype=np.float64)) and not np.all(np.isfinite(array)):
        row = int(np.argmax(~np.all(np.isfinite(array), axis=1)))
        raise InvalidInputError(
            f"View {name!r} contains NaN or infinity (first in row {row}): drop or repair the row."
        )
    return array


def match_views(X, names: tuple[str, ...], n_features: tuple[int, ...], dtype) -> Views:
    """Views for scoring: the names, order and widths that the model was fitted on."""
    views = as_views(X)
    if isinstance(X, Mapping):
        missing = [name for name in names if name not in views.names]
        unknown = [name for name in views.names if name not in names]
        if missing or unknown:
            raise InvalidInputError(
                "These views do not match the model: "
                + "; ".join(
                    part
                    for part in (
                        f"missing {', '.join(missing)}" if missing else "",
                        f"unexpected {', '.join(unknown)}" if unknown else "",
                    )
                    if part
                )
                + f". It was fitted on {', '.join(names)}."
            )
        order = [views.names.index(name) for name in names]
        views = Views(names, tuple(views.arrays[i] for i in order))
    if len(views.names) != len(names):
        raise InvalidInputError(
            f"{len(views.names)} views were given but the model was fitted on {len(names)} "
            f"({', '.join(names)})."
        )
    for name, array, expected in zip(names, views.arrays, n_features, strict=True):
        if array.shape[1] != expected:
            raise InvalidInputError(
                f"View {name!r} has {array.shape[1]} columns but the model was fitted on "
                f"{expected}."
            )
    return Views(names, tuple(array.astype(dtype, copy=False) for array in views.arrays))


def check_groups(groups, n_samples: int) -> np.ndarray:
    """Take of every row as integers in order of first appearance; one take by default."""
    if groups is None:
        return np.zeros(n_samples, dtype=int)
    groups = np.asarray(groups)
    if groups.shape != (n_samples,):
        raise InvalidInputError(
            f"groups has shape {groups.shape} but there are {n_samples} rows: name one take a row."
        )
    _, first, inverse = np.unique(groups, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    return rank[inverse.ravel()]


def warn_of_duplicates(views: Views) -> int:
    """Count rows that are exact copies of an earlier row in every view, and say so."""
    seen = {b"".join(array[i].tobytes() for array in views.arrays) for i in range(views.n_samples)}
    copies = views.n_samples - len(seen)
    if copies:
        warnings.warn(
            f"{copies} of {views.n_samples} rows are exact copies of others: they add no "
            "information and make left-out scores too optimistic, so drop them.",
            DuplicateRowsWarning,
            stacklevel=3,
        )
    return copies


def check_real(name: str, value, low: float, *, strict: bool = False) -> float:
    """Return a finite number not below ``low`` (above it, if ``strict``)."""
    relation = "greater than" if strict else "at least"
    good = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not good or not np.isfinite(float(value)) or value < low or (strict and value == low):
        raise InvalidInputError(f"{name}={value!r} must be a finite number {relation} {low:g}.")
    return float(value)


def check_integer(name: str, value, low: int) -> int:
    """Return an integer not below ``low``."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < low:
        raise InvalidInputError(f"{name}={value!r} must be an integer of at least {low}.")
    return int(value)


def check_choice(name: str, value, choices) -> str:
    """Return one of the allowed names."""
    if value not in choices:
        raise InvalidInputError(f"{name}={value!r} is unknown: choose one of {', '.join(choices)}.")
    return value
