"""Warnings of others turned into notes."""

import warnings
from collections.abc import Callable
from typing import Any

from sklearn.exceptions import ConvergenceWarning


def unconverged(fit: Callable[[], Any]) -> bool:
    """Call; return whether it warned that it did not converge, and pass on other warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit()
    others = [one for one in caught if not issubclass(one.category, ConvergenceWarning)]
    for one in others:
        warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    return len(others) < len(caught)
