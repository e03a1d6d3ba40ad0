"""Names that people type or that files hold, made fit to be shown and kept."""

import unicodedata

PART_MARK = " #"
"""Stands between the name of a take and the number of its part."""


def cleaned_name(text: str, longest: int) -> str:
    """Return a name on one line, of bounded length, without marks that nobody can see.

    Line breaks and tabs part words; other control characters, direction marks and halves of
    characters, which no file can hold, are dropped.

    Parameters
    ----------
    text : str
        Anything.
    longest : int
        Characters that are kept.
    """
    visible = "".join(
        " " if mark.isspace() else mark
        for mark in unicodedata.normalize("NFC", text)
        if mark.isspace() or unicodedata.category(mark)[0] != "C"
    )
    return " ".join(visible.split())[:longest].strip()


def take_of(part: str) -> str:
    """Return the name of the take that a part belongs to."""
    name, mark, number = part.rpartition(PART_MARK)
    return name if mark and number.isdigit() else part
