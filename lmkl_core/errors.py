"""The errors and warnings of the library: each says in one sentence what is wrong."""

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
