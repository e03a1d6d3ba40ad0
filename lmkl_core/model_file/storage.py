"""The disk: reading what may be anything, and writing so that a crash leaves the old file."""

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from lmkl_core.model_file.refusal import ANOTHER_FILE, Refused
from lmkl_core.system.atomic import write_atomically

__all__ = ["opened", "write_atomically"]


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
