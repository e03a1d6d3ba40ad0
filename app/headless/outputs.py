"""Files that grow while the work goes on and get their name at its end."""

import contextlib
import errno
import os
import secrets
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
    # Named before it is made: an interrupt right after would not know what to take away.
    unfinished = path.with_name(f".lmkl-{secrets.token_hex(8)}.tmp")
    try:
        with _made(unfinished, path) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(unfinished, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            unfinished.unlink()
        # A disk that fills up names no file; what does is not about this one.
        if isinstance(error, OSError) and error.filename is None and error.errno != errno.EPIPE:
            raise _cannot_write(path, error) from error
        raise


def _made(unfinished: Path, path: Path) -> TextIO:
    try:
        return open(
            unfinished,
            "x",
            encoding="utf-8",
            errors="replace",
            newline="",
            opener=lambda name, flags: os.open(name, flags, 0o600),
        )
    except OSError as error:
        raise _cannot_write(path, error) from error


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
