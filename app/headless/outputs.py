"""Files that grow while the work goes on and get their name at its end."""

import contextlib
import errno
import io
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from app.headless.errors import OutputError
from lmkl_core.system.atomic import replacing, write_atomically


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
    with contextlib.ExitStack() as stack:
        try:
            stream = stack.enter_context(replacing(path))
        except OSError as error:
            raise _cannot_write(path, error) from error
        try:
            text = io.TextIOWrapper(stream, "utf-8", "replace", newline="", write_through=True)
            stack.callback(_let_go, text)
            yield text
            text.flush()
            stack.pop_all().close()
        except OSError as error:
            # A disk that fills up names no file; what names another is not about this one.
            is_ours = error.filename is None or str(error.filename) == str(stream.name)
            if is_ours and error.errno != errno.EPIPE:
                raise _cannot_write(path, error) from error
            raise


def _let_go(text: io.TextIOWrapper) -> None:
    """Leave the stream to whoever opened it, and with it the last word on what was not written."""
    with contextlib.suppress(OSError):
        text.detach()


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
