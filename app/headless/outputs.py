"""Files that grow while the work goes on and get their name at its end."""

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from app.headless.errors import OutputError
from lmkl_core.modelfile.storage import write_atomically


@contextlib.contextmanager
def growing_text(path: Path) -> Iterator[TextIO]:
    """Write a text file line by line; an interruption or an error leaves the old one, or none.

    Parameters
    ----------
    path : Path
        The file; its folder exists.

    Raises
    ------
    OutputError
        When it cannot be written.
    """
    try:
        handle, name = tempfile.mkstemp(prefix=".lmkl-", suffix=".tmp", dir=path.parent)
    except OSError as error:
        raise _cannot_write(path, error) from error
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace", newline="") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(name, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(name)
        # A disk that fills up names no file; what does is not about this one.
        if isinstance(error, OSError) and error.filename is None and error.errno != errno.EPIPE:
            raise _cannot_write(path, error) from error
        raise


def write_bytes(path: Path, data: bytes) -> None:
    """Replace a file by new contents, all of them or none.

    Raises
    ------
    OutputError
        When it cannot be written.
    """
    try:
        write_atomically(path, data)
    except OSError as error:
        raise _cannot_write(path, error) from error


def _cannot_write(path: Path, error: OSError) -> OutputError:
    return OutputError(f"Cannot write {path}: {error.strerror or error}.")
