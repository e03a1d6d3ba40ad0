"""Output files: checked before the work, and afterwards either complete or absent."""

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
    """Make an output folder; stop with one sentence if it is not writable."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        stop(
            f"Cannot use {folder} as the output folder ({error.strerror or error}): name another.",
            ExitCode.UNWRITABLE,
        )


def check_output(path: Path) -> None:
    """Make the folder of an output file; refuse a path that is a folder or a device."""
    if path.is_dir():
        stop(f"Cannot write {path}: it is a folder; name a file in it.", ExitCode.UNWRITABLE)
    if path.exists() and not path.is_file():
        # Run as root, this would replace /dev/null.
        stop(f"Cannot write {path}: it is not a regular file; choose another.", ExitCode.UNWRITABLE)
    make_folder(path.parent)


def check_files_apart(outputs: Iterable[Path | None], inputs: Iterable[str | Path]) -> None:
    """Refuse outputs that would overwrite an input or each other."""
    paths = [path for path in outputs if path is not None]
    if len({path.resolve() for path in paths}) < len(paths):
        names = ", ".join(map(str, paths))
        stop(f"Two of the outputs are the same file: {names}; rename one.", ExitCode.USAGE)
    for path, source in product(filter(Path.exists, paths), filter(os.path.exists, inputs)):
        if path.samefile(source):
            stop(
                f"{path} is an input and would be overwritten: choose another output.",
                ExitCode.USAGE,
            )


def write_bytes(path: Path, data: bytes) -> None:
    with _output_errors(path):
        write_atomically(path, data)


@contextmanager
def rows_to(path: Path | None) -> Iterator[Callable[[str], object]]:
    """Yield a function that writes rows to standard output, or to a file replaced at the end."""
    if path is None:
        yield partial(print, end="", flush=True)  # so that a pipe gets each row at once
        return
    with _output_errors(path), replacing(path) as stream:
        yield lambda rows: stream.write(rows.encode("utf-8", "replace"))


@contextmanager
def _output_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(f"Cannot write {path}: {error.strerror or error}.") from error
