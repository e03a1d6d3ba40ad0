"""Checks of views, takes and parameters."""

import hashlib
import math
import numbers
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import check_random_state

from lmkl_core.errors import DuplicateRowsWarning, InvalidInputError

Check: TypeAlias = Callable[[str, Any], Any]
"""Takes the name and value of a parameter; returns the value or raises `InvalidInputError`."""

LARGEST_PARAMETER = 1e12
"""Default upper bound of parameters, against overflow."""


@dataclass(frozen=True)
class Views:
    """Named 2-D arrays in a fixed order, with equal numbers of rows and one floating dtype."""

    names: tuple[str, ...]
    arrays: tuple[np.ndarray, ...]

    @property
    def n_samples(self) -> int:
        """Number of rows, the same in every view."""
        return len(self.arrays[0])

    @cached_property
    def n_columns(self) -> tuple[int, ...]:
        """Number of columns of every view."""
        return tuple(array.shape[1] for array in self.arrays)

    @property
    def dtype(self) -> np.dtype:
        """Floating dtype of all views."""
        return self.arrays[0].dtype

    def rows(self, index) -> "Views":
        """Return the given rows of every view."""
        return Views(self.names, tuple(array[index] for array in self.arrays))

    def followed_by(self, other: "Views") -> "Views":
        """Return these rows followed by those of ``other``."""
        pairs = zip(self.arrays, other.arrays, strict=True)
        return Views(self.names, tuple(np.concatenate(pair) for pair in pairs))


def is_single_view(X) -> bool:
    """Whether ``X`` is one 2-D array rather than several views."""
    if isinstance(X, Mapping):
        return issparse(X)  # SciPy's dictionary of keys is a mapping, but not of views
    if isinstance(X, (list, tuple)) and X:
        first = X[0]
        if isinstance(first, tuple) and len(first) == 2 and isinstance(first[0], str):
            return False
        return getattr(first, "ndim", 0) != 2
    return True


def has_names(X) -> bool:
    """Whether the views of ``X`` are named: a mapping, or ``(name, array)`` pairs."""
    return isinstance(X, Mapping) or (not is_single_view(X) and isinstance(X[0], tuple))


def as_views(X, check_finite: bool = True) -> Views:
    """Turn a mapping, a sequence of arrays or of ``(name, array)`` pairs into `Views`."""
    if isinstance(X, Views):
        return X
    if isinstance(X, Mapping):
        items = list(X.items())
    elif isinstance(X, Sequence) and not is_single_view(X):
        named = isinstance(X[0], tuple)
        if any(isinstance(item, tuple) is not named for item in X):
            raise InvalidInputError("Some views have names and others do not: name all or none.")
        items = list(X) if named else [(f"view{i}", array) for i, array in enumerate(X)]
    else:
        items = [("view0", X)]
    if not items:
        raise InvalidInputError("No views were given: pass at least one 2-D array.")
    names = tuple(str(name) for name, _ in items)
    if len(set(names)) != len(names):
        raise InvalidInputError(f"View names repeat ({', '.join(names)}): name each view once.")
    raw = [_as_float(name, item[1], check_finite) for name, item in zip(names, items, strict=True)]
    rows = len(raw[0])
    if any(len(array) != rows for array in raw):
        counts = ", ".join(f"{name}: {len(array)}" for name, array in zip(names, raw, strict=True))
        raise InvalidInputError(f"Views have unequal numbers of rows ({counts}): align them.")
    single = all(array.dtype == np.float32 for array in raw)
    dtype = np.float32 if single else np.float64
    return Views(names, tuple(np.ascontiguousarray(array, dtype=dtype) for array in raw))


def _as_float(name: str, array, check_finite: bool) -> np.ndarray:
    """Return one view as a 2-D float32 or float64 array."""
    if isinstance(array, np.ma.MaskedArray) and np.any(array.mask):
        raise InvalidInputError(f"View {name!r} has masked values: drop or fill those rows.")
    try:
        array = np.asarray(array)
    except ValueError:
        raise InvalidInputError(
            f"View {name!r} has rows of unequal length: pass a 2-D array."
        ) from None
    try:
        if array.dtype.kind in "cmM":
            raise TypeError("not real numbers")
        if array.dtype not in (np.float32, np.float64):
            array = array.astype(np.float64)
    except (TypeError, ValueError):
        raise InvalidInputError(
            f"View {name!r} has dtype {array.dtype}, which is not numeric: pass floats."
        ) from None
    if array.ndim != 2 or array.size == 0:
        raise InvalidInputError(
            f"View {name!r} has shape {array.shape}: pass a 2-D array with rows and columns."
        )
    if check_finite and not np.all(np.isfinite(array)):
        row = int(np.argmax(~np.all(np.isfinite(array), axis=1)))
        raise InvalidInputError(
            f"View {name!r} contains NaN or infinity (first in row {row}): drop or repair the row."
        )
    return array


def match_views(X, fitted: Views, check_finite: bool = True) -> Views:
    """Return views for scoring in the order and dtype of the fitted ones."""
    names, n_columns, dtype = fitted.names, fitted.n_columns, fitted.dtype
    if not check_finite and type(X) is dict and len(X) == len(names):
        # Fast path for live scoring, ten times faster than the checks below.
        arrays: tuple[Any, ...] = tuple(map(X.get, names))
        if all(type(array) is np.ndarray and array.dtype == dtype for array in arrays):
            rows = arrays[0].shape[:1]
            shapes = [(*rows, columns) for columns in n_columns]
            if rows != (0,) and shapes == [array.shape for array in arrays]:
                return Views(names, arrays)
    views = as_views(X, check_finite)
    if has_names(X):
        missing = [name for name in names if name not in views.names]
        unknown = [name for name in views.names if name not in names]
        if missing or unknown:
            parts = (("missing", missing), ("unexpected", unknown))
            problems = "; ".join(f"{word} {', '.join(found)}" for word, found in parts if found)
            raise InvalidInputError(
                f"These views do not match the model: {problems} (it was fitted on "
                f"{', '.join(names)})."
            )
        order = [views.names.index(name) for name in names]
        views = Views(names, tuple(views.arrays[i] for i in order))
    if len(views.names) != len(names):
        raise InvalidInputError(
            f"{len(views.names)} views were given but the model was fitted on {len(names)} "
            f"({', '.join(names)})."
        )
    for name, array, expected in zip(names, views.arrays, n_columns, strict=True):
        if array.shape[1] != expected:
            raise InvalidInputError(
                f"View {name!r} has {array.shape[1]} columns but the model was fitted on "
                f"{expected}."
            )
    with np.errstate(over="ignore"):
        return Views(names, tuple(array.astype(dtype, copy=False) for array in views.arrays))


def check_groups(groups, n_samples: int) -> np.ndarray:
    """Number the take of every row, in order of first appearance; by default there is one take."""
    if groups is None:
        return np.zeros(n_samples, dtype=int)
    return _numbered(groups, n_samples, "groups", "take")


def check_conditions(conditions, takes: np.ndarray) -> np.ndarray:
    """Number the condition of every take; by default every take has its own."""
    n_takes = int(takes.max()) + 1
    if conditions is None:
        return np.arange(n_takes)
    rows = _numbered(conditions, len(takes), "conditions", "condition")
    first = np.unique(takes, return_index=True)[1]
    if not np.array_equal(rows[first][takes], rows):
        raise InvalidInputError(
            "conditions changes within a take: name one condition for all rows of a take."
        )
    return rows[first]


def _numbered(names, n_samples: int, parameter: str, what: str) -> np.ndarray:
    """Number the names of rows in order of first appearance."""
    try:
        names = np.asarray(names)
    except ValueError:
        raise InvalidInputError(f"{parameter} is ragged: name one {what} per row.") from None
    if names.shape != (n_samples,):
        raise InvalidInputError(
            f"{parameter} has shape {names.shape} but there are {n_samples} rows: "
            f"name one {what} per row."
        )
    try:
        _, first, inverse = np.unique(names, return_index=True, return_inverse=True)
    except TypeError:
        raise InvalidInputError(
            f"{parameter} mixes names that cannot be compared: use text or numbers throughout."
        ) from None
    rank = np.argsort(np.argsort(first))
    return rank[inverse.ravel()]


def warn_of_duplicates(views: Views) -> int:
    """Warn of rows that repeat an earlier row in every view; return how many there are."""
    # Compare digests: a second copy of the data may not fit into memory.
    seen = set()
    for i in range(views.n_samples):
        row = hashlib.blake2b(digest_size=16)
        for array in views.arrays:
            row.update(array[i])
        seen.add(row.digest())
    copies = views.n_samples - len(seen)
    if copies:
        warnings.warn(
            f"{copies} of {views.n_samples} rows are exact copies of others: they add no "
            "information and make left-out scores too optimistic, so drop them.",
            DuplicateRowsWarning,
            stacklevel=3,
        )
    return copies


def check_real(
    name: str, value, low: float, *, strict: bool = False, high: float = LARGEST_PARAMETER
) -> float:
    """Return a finite number from ``low`` (above it, if ``strict``) to ``high``."""
    relation = "greater than" if strict else "at least"
    good = isinstance(value, numbers.Real) and not isinstance(value, bool)
    try:
        good = good and math.isfinite(value)
    except OverflowError:  # an integer too large for a float
        good = False
    if not good or value < low or (strict and value == low):
        raise InvalidInputError(f"{name}={value!r} must be a finite number {relation} {low:g}.")
    if value > high:
        raise InvalidInputError(f"{name}={value!r} must be at most {high:g}.")
    return float(value)


def check_rate(name: str, value) -> float:
    """Return a number strictly between 0 and 1."""
    if check_real(name, value, 0, strict=True) >= 1:
        raise InvalidInputError(f"{name}={value!r} must be below 1.")
    return float(value)


def check_integer(name: str, value, low: int) -> int:
    """Return an integer of at least ``low``."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < low:
        raise InvalidInputError(f"{name}={value!r} must be an integer of at least {low}.")
    return int(value)


def check_share(name: str, value) -> float:
    """Return a number above 0 and at most 1."""
    return 1.0 if value == 1 and not isinstance(value, bool) else check_rate(name, value)


def check_seed(name: str, value):
    """Return anything that scikit-learn accepts as a seed."""
    try:
        check_random_state(value)
    except ValueError:
        raise InvalidInputError(
            f"{name}={value!r} must be None, an integer from 0 to 2**32 - 1 or a RandomState."
        ) from None
    return value


def optional(check: Check) -> Check:
    """Return a check that lets None pass."""
    return lambda name, value: None if value is None else check(name, value)


def check_choice(name: str, value, choices) -> str:
    """Return one of the allowed names."""
    if value not in choices:
        raise InvalidInputError(f"{name}={value!r} is unknown: choose one of {', '.join(choices)}.")
    return value
