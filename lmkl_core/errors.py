"""The errors and warnings of the library: each says in one sentence what is wrong.

Importing this loads nothing: the application shows its first frame before scikit-learn is there.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sklearn.exceptions import ConvergenceWarning


class InvalidInputError(ValueError):
    """Bad input, told in one sentence that names the problem and the way out."""


class ModelFileError(ValueError):
    """A model file that cannot be used, told in one sentence."""


class Cancelled(RuntimeError):
    """The caller asked a long computation to stop."""


class DuplicateRowsWarning(UserWarning):
    """Some training rows are exact copies of others."""


__all__ = [
    "Cancelled",
    "ConvergenceWarning",
    "DuplicateRowsWarning",
    "InvalidInputError",
    "ModelFileError",
]


def __getattr__(name: str) -> Any:
    if name == "ConvergenceWarning":
        from sklearn.exceptions import ConvergenceWarning

        return ConvergenceWarning
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
