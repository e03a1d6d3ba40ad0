"""TOML files that people write, read with bounds and refused in one sentence."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from app import storage
from app.names import cleaned_name
from app.session.guided_test.presentation import TrialError

MAX_BYTES = 1 << 16

T = TypeVar("T")


def read_toml(path: Path, read: Callable[[Any], T], what: str) -> T:
    """Read a file of at most `MAX_BYTES`.

    Parameters
    ----------
    path : Path
        The file.
    read : callable
        Makes something of its values, or raises a ValueError with half a sentence.
    what : str
        What the file is, for the message.

    Raises
    ------
    TrialError
        In one sentence that names the file.
    """
    try:
        return read(tomllib.loads(storage.read_text(path, MAX_BYTES)))
    except OSError as error:
        why = error.strerror or str(error)
    except tomllib.TOMLDecodeError as error:
        why = f"no TOML: {error}"
    except RecursionError:
        why = "nested too deeply"
    except ValueError as error:
        why = str(error).rstrip(".")
    raise TrialError(
        f"The {what} {path.name} cannot be used ({cleaned_name(why, 200)}): mend the file or "
        "choose another."
    )
