"""Errors and warnings, each with a message of one sentence; importing this loads nothing."""

from collections.abc import Callable


class InvalidInputError(ValueError):
    """Bad input; the message names the problem and what to do."""


class UnusableViewsError(InvalidInputError):
    """Non-finite features of one crop: the frame gets no score."""


class MissingWeightsError(InvalidInputError):
    """Weights that are not on this computer; the message says where to get and to put them.

    ``name`` is set where `lmkl_core.features.weights.fetch` can get them.
    """

    def __init__(self, message: str, name: str = "") -> None:
        super().__init__(message)
        self.name = name


class WrongWeightsError(InvalidInputError):
    """A file whose checksum is not that of its weights; ``is_download`` if a server sent it."""

    def __init__(self, message: str, is_download: bool = False) -> None:
        super().__init__(message)
        self.is_download = is_download


class ModelFileError(ValueError):
    """A model file cannot be used."""


class PassphraseNeeded(ModelFileError):
    """A model file is protected by a passphrase, and none was given."""


class WrongPassphrase(ModelFileError):
    """A protected model file does not open: the passphrase is wrong, or the file was changed.

    Authenticated encryption notices both, and cannot tell one from the other.
    """


class DuplicateRowsWarning(UserWarning):
    """Some training rows are exact copies of others."""


class Cancelled(RuntimeError):
    """The caller asked a long computation to stop."""


def shortened(text: str, limit: int) -> str:
    """Return text that may hold anything on one line of at most ``limit`` characters."""
    line = "".join(letter if letter.isprintable() else "?" for letter in text[: limit + 1])
    return line if len(line) <= limit else line[: limit - 1] + "…"


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
