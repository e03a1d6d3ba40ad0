"""Clean names typed by people or read from files, and format lists and counts."""

import re
import unicodedata
from collections.abc import Sequence

from lmkl_core.errors import MissingWeightsError, WrongWeightsError

LONGEST_NAME = LONGEST_PERSON = 60
"""Characters of a typed name: of a take, an attack or a template, and of a person."""

TAKE_NAMES = ("window light", "lamp light", "ceiling light", "glasses", "further away", "evening")
"""Names suggested for takes, in this order."""

_INVISIBLE = re.compile(
    # Control characters, direction marks, line separators and tags. Joiners stay, because some
    # scripts need them.
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def cleaned_name(text: str, longest: int) -> str:
    """Return a name on one line, of bounded length, without invisible characters."""
    kept = "".join(
        " " if character.isspace() else character
        for character in unicodedata.normalize("NFC", text)
        if character.isspace() or unicodedata.category(character)[0] != "C"
    )
    return " ".join(kept.split())[:longest].strip()


def visible(text: str) -> str:
    """Return text for a page, without invisible characters and direction marks."""
    return _INVISIBLE.sub("", text)


def listed(names: Sequence[str], most: int | None = None) -> str:
    """Return ``"a, b and c"``, or ``"a, b and 4 more"`` for more than ``most`` names."""
    if most is not None and len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def counted(n: int, singular: str, plural: str = "") -> str:
    """Return ``"1 attack"``, ``"2 attacks"``."""
    return f"{n} {singular if n == 1 else plural or singular + 's'}"


def with_command(error: BaseException) -> str:
    """Return an error's message, with the command that installs missing weights."""
    if isinstance(error, MissingWeightsError) and error.name:
        return f"{error} `lmkl-pad weights fetch {error.name}` does both."
    is_wrong_download = isinstance(error, WrongWeightsError) and error.is_download
    if isinstance(error, MissingWeightsError) or is_wrong_download:
        return f"{error} `lmkl-pad weights import FILE` puts it there."
    return str(error)


def natural_order(name: str) -> tuple[list[tuple[bool, int, str]], str]:
    """Return a sort key with ``img2`` before ``img10``; different names get different keys."""
    parts = [
        (not part.isdecimal(), int(part) if part.isdecimal() else 0, part)
        for part in re.split(r"(\d+)", name.casefold())
        if part
    ]
    return parts, name


def spreadsheet_cell(value: object) -> object:
    """Quote text that a spreadsheet would read as a formula; return anything else unchanged."""
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return f"'{value}"
    return value
