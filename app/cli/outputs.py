"""Output files: checked before the work, and whole or not there after it."""

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import product
from pathlib import Path

from app.cli.console import ExitCode, stop
from lmkl_core.system.files import replacing, write_atomically


class OutputError(OSError):
    """A result could not be written."""


def make_folder(folder: Path) -> None:
    """Make an output folder; stop with one sentence where nothing can be written there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        stop(
            f"Cannot use {folder} as output folder: {error.strerror or error}.",
            ExitCode.UNWRITABLE,
        )


def check_output(path: Path) -> None:
    """Make the folder of an output file; refuse a path that is a folder or a device."""
    if path.is_dir():
        stop(f"Cannot write {path}: it is a folder; name a file in it.", ExitCode.UNWRITABLE)
    if path.exists() and not path.is_file():
        # It would be replaced by a file: /dev/null, for an administrator.
        stop(f"Cannot write {path}: it is not a regular file.", ExitCode.UNWRITABLE)
    make_folder(path.parent)


def check_files_apart(outputs: Iterable[Path | None], inputs: Iterable[str | Path]) -> None:
    """Refuse outputs that would overwrite an input, or one another."""
    written = [path for path in outputs if path is not None]
    if len({path.resolve() for path in written}) < len(written):
        names = " and ".join(map(str, written))
        stop(f"The outputs {names} are the same file: name one for each.", ExitCode.USAGE)
    for path, source in product(filter(Path.exists, written), filter(os.path.exists, inputs)):
        if path.samefile(source):
            stop(
                f"{path} is also read and would be overwritten: name another output.",
                ExitCode.USAGE,
            )


def write_bytes(path: Path, data: bytes) -> None:
    with _told(path):
        write_atomically(path, data)


@contextmanager
def rows_to(path: Path | None) -> Iterator[Callable[[str], object]]:
    """Give a function that writes rows to standard output, or to a file replaced at the end."""
    if path is None:
        yield partial(print, end="", flush=True)  # flushed for those who read along
        return
    with _told(path), replacing(path) as stream:
        yield lambda rows: stream.write(rows.encode("utf-8", "replace"))


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(f"Cannot write {path}: {error.strerror or error}.") from error
