"""What a person is told when a worker's work fails."""

from lmkl_core.errors import InvalidInputError, ModelFileError


def sentence_of(error: BaseException, what: str) -> str:
    """Return one sentence: the error's own where it is one of ours, else one about the work.

    Parameters
    ----------
    error : BaseException
        What was raised.
    what : str
        The work, as the beginning of a sentence.
    """
    if isinstance(error, (InvalidInputError, ModelFileError)):
        return str(error)
    if isinstance(error, OSError):
        if error.strerror is None:  # not the system's, so a sentence of ours
            return str(error)
        return f"{what} ({error.strerror}): check the disk and the folder's permissions."
    if isinstance(error, MemoryError):
        return f"{what}, because memory is full: close other programs."
    return f"{what} ({type(error).__name__}: {error}): try again, or start the program again."
