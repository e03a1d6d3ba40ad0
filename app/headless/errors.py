"""What can go wrong with work on whole sources, each told in one sentence."""

from lmkl_core.errors import InvalidInputError


class TooFewFramesError(InvalidInputError):
    """Sources that can be read, but show too few usable faces."""


class OutputError(OSError):
    """A result that could not be written."""
