"""The disk: reading what may be anything, and writing so that a crash leaves the old file."""

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from lmkl_core.modelfile.refusal import ANOTHER_FILE, Refused


@contextlib.contextmanager
def opened(path: Path, max_bytes: int) -> Iterator[tuple[BinaryIO, int]]:
    """Open a regular file of at most ``max_bytes`` and tell its size."""
    # Without O_NONBLOCK opening a named pipe would wait for a writer.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    if "\0" in str(path):
        raise Refused("its name is impossible", "check the path")
    with open(path, "rb", opener=lambda name, _: os.open(name, flags), buffering=0) as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise Refused("it is not a file of its own", ANOTHER_FILE)
        if status.st_size > max_bytes:
            raise Refused(
                f"its {status.st_size / 2**20:.1f} MiB exceed the limit of "
                f"{max_bytes / 2**20:.1f} MiB",
                "raise max_bytes if you trust it",
            )
        yield stream, status.st_size


def write_atomically(path: Path, data: bytes) -> None:
    """Replace a file by new contents, all of them or none, readable by the owner only."""
    handle, name = tempfile.mkstemp(prefix=".lmkl-", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:  # mkstemp makes it with mode 0o600
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Make the new name durable, where folders can be synchronised."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
