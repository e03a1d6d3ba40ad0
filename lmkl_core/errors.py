"""Errors and warnings. This module imports nothing heavy."""

from collections.abc import Callable


class InvalidInputError(ValueError):
    """Bad input; the message names the problem and what to do."""


class UnusableViewsError(InvalidInputError):
    """Non-finite features of one crop: the frame gets no score."""


class MissingWeightsError(InvalidInputError):
    """Missing weights; ``name`` is set if `lmkl_core.features.weights.fetch` can get them."""

    def __init__(self, message: str, name: str = "") -> None:
        super().__init__(message)
        self.name = name


class WrongWeightsError(InvalidInputError):
    """A weights file with a wrong checksum; ``is_download`` if a server sent it."""

    def __init__(self, message: str, is_download: bool = False) -> None:
        super().__init__(message)
        self.is_download = is_download


class ModelFileError(ValueError):
    """A model file cannot be used."""


class PassphraseNeeded(ModelFileError):
    """A model file is protected by a passphrase, and none was given."""


class WrongPassphrase(ModelFileError):
    """A protected model file does not open: the passphrase is wrong, or the file was changed."""


class DuplicateRowsWarning(UserWarning):
    """Some training rows are exact copies of others."""


class Cancelled(RuntimeError):
    """The caller asked a long computation to stop."""


def shortened(text: str, limit: int) -> str:
    """Return any text as one printable line of at most ``limit`` characters."""
    line = "".join(letter if letter.isprintable() else "?" for letter in text[: limit + 1])
    return line if len(line) <= limit else line[: limit - 1] + "…"


def asked_to_stop(cancel: Callable[[], bool] | None) -> bool:
    """Whether ``cancel`` was passed and returns ``True``."""
    return cancel is not None and cancel()


def raise_if_cancelled(
    cancel: Callable[[], bool] | None,
    message: str = "The fit was cancelled; the model is unchanged.",
) -> None:
    """Raise `Cancelled` if ``cancel`` returns ``True``."""
    if asked_to_stop(cancel):
        raise Cancelled(message)
