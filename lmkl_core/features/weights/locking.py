"""One process at a time: a lock that the system lets go of when its holder dies."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


class Locked(Exception):
    """Another process holds the lock."""


@contextmanager
def only_one(path: Path) -> Iterator[None]:
    """Hold the lock of that name, or raise `Locked` at once.

    Parameters
    ----------
    path : Path
        A file of its own, made here and removed again.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            _lock(handle)
        except OSError as error:
            raise Locked(str(path)) from error
        try:
            yield
        finally:
            # Windows removes no file that is open; an empty one left behind does no harm.
            with suppress(OSError):
                path.unlink()
    finally:
        os.close(handle)


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
