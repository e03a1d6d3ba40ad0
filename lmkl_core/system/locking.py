"""One process at a time: a lock that the system lets go of when its holder dies."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

# What systems answer when somebody else holds the lock.
_HELD = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)


class Locked(Exception):
    """Another process holds the lock."""


@contextmanager
def only_one(path: Path) -> Iterator[None]:
    """Hold the lock of that name, or raise `Locked` at once.

    Parameters
    ----------
    path : Path
        A file of its own, made here and removed again.

    Raises
    ------
    Locked
        If another process, or another thread, holds it.
    OSError
        If the file cannot be made, or the file system knows no locks.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            _lock(handle)
        except OSError as error:
            if error.errno not in _HELD:
                raise OSError(error.errno, error.strerror, str(path)) from error
            raise Locked(str(path)) from error
        # Between opening and locking, the holder may have let go and removed the file. Then this
        # is the lock of a file nobody else will ever open, and keeps no one away.
        if not _is_still_there(handle, path):
            raise Locked(str(path))
        try:
            yield
        finally:
            # Windows removes no file that is open; an empty one left behind does no harm.
            with suppress(OSError):
                path.unlink()
    finally:
        os.close(handle)


def is_held(path: Path) -> bool:
    """Whether a process that is alive holds the lock of that name; the file stays as it is.

    Raises
    ------
    OSError
        If there is no such file, or the file system knows no locks.
    """
    handle = os.open(path, os.O_RDWR)
    try:
        _lock(handle)
    except OSError as error:
        if error.errno not in _HELD:
            raise
        return True
    finally:
        os.close(handle)
    return False


def _is_still_there(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except FileNotFoundError:
        return False


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
