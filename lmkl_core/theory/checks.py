"""What the bounds accept: numbers, norm orders and arrays, refused in one sentence each."""

import math
import numbers

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lmkl_core.errors import InvalidInputError


def one_of(value: str, allowed: tuple[str, ...], name: str) -> None:
    """Refuse what is not one of the allowed names."""
    if value not in allowed:
        raise InvalidInputError(f"{name} is {value!r}: use one of {', '.join(allowed)}.")


def number(value: float, name: str, *, minimum: float | None = None, strict: bool = False) -> float:
    """Return a finite number not below ``minimum`` (above it, if ``strict``)."""
    if not isinstance(value, numbers.Real) or not math.isfinite(value):
        raise InvalidInputError(f"{name} is {value!r}: pass a finite number.")
    if minimum is not None and (value < minimum or (strict and value == minimum)):
        relation = "above" if strict else "of at least"
        raise InvalidInputError(f"{name} is {value!r}: pass a number {relation} {minimum:g}.")
    return float(value)


def norm_order(value: float, name: str) -> float:
    """Return a norm order: at least 1, infinity included."""
    if not isinstance(value, numbers.Real) or not value >= 1:
        raise InvalidInputError(f"{name} is {value!r}: pass a norm order of at least 1.")
    return float(value)


def positive_integer(value: int, name: str) -> int:
    """Return a whole number of at least 1."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < 1:
        raise InvalidInputError(f"{name} is {value!r}: pass a whole number of at least 1.")
    return int(value)


def finite_array(values: ArrayLike, name: str, ndim: int) -> NDArray[np.float64]:
    """Return a non-empty array of finite numbers."""
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InvalidInputError(f"{name} is not numeric: pass a {ndim}-D array.") from None
    if array.ndim != ndim or array.size == 0:
        raise InvalidInputError(f"{name} has shape {array.shape}: pass a non-empty {ndim}-D array.")
    if not np.all(np.isfinite(array)):
        raise InvalidInputError(f"{name} has NaN or infinite entries: remove or repair those rows.")
    return array


def vector(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Return a non-empty 1-D array of finite numbers."""
    return finite_array(values, name, ndim=1)


def membership_matrix(values: ArrayLike) -> NDArray[np.float64]:
    """Return an ``(n, C)`` array of probabilities by row."""
    P = finite_array(values, "memberships", ndim=2)
    if np.any(P < 0) or np.any(np.abs(P.sum(axis=1) - 1) > 1e-4):
        raise InvalidInputError(
            "memberships are not probabilities: pass an (n, C) array of non-negative entries "
            "whose rows sum to 1."
        )
    return P
