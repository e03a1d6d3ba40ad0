"""The errors and warnings of the library: each says in one sentence what is wrong.

Importing this loads nothing: the application shows its first frame before scikit-learn is there.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sklearn.exceptions import ConvergenceWarning


class InvalidInputError(ValueError):
    """Bad input, told in one sentence that names the problem and the way out."""


class UnusableViewsError(InvalidInputError):
    """Views of some crop that are no finite numbers: it gets no score, and the next one may."""


class ModelFileError(ValueError):
    """A model file that cannot be used, told in one sentence."""


class PassphraseNeeded(ModelFileError):
    """A model file is protected by a passphrase, and none was given."""


class WrongPassphrase(ModelFileError):
    """A protected model file does not open: the passphrase is wrong, or the file was changed.

    Authenticated encryption notices both, and cannot tell one from the other.
    """


class Cancelled(RuntimeError):
    """The caller asked a long computation to stop."""


def asked_to_stop(cancel: Callable[[], bool] | None) -> bool:
    """Whether the caller, who may have passed no ``cancel``, wants to stop."""
    return cancel is not None and cancel()


def raise_if_cancelled(
    cancel: Callable[[], bool] | None,
    message: str = "The fit was cancelled; the model is as it was before.",
) -> None:
    """Raise `Cancelled` if the caller wants to stop."""
    if asked_to_stop(cancel):
        raise Cancelled(message)


class DuplicateRowsWarning(UserWarning):
    """Some training rows are exact copies of others."""


__all__ = [
    "Cancelled",
    "ConvergenceWarning",
    "DuplicateRowsWarning",
    "InvalidInputError",
    "ModelFileError",
    "PassphraseNeeded",
    "UnusableViewsError",
    "WrongPassphrase",
    "asked_to_stop",
    "raise_if_cancelled",
]


def __getattr__(name: str) -> Any:
    if name == "ConvergenceWarning":
        from sklearn.exceptions import ConvergenceWarning

        return ConvergenceWarning
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
