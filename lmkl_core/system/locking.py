"""One process at a time: a lock that the system releases when its holder dies."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock
from filelock import Timeout as Locked

__all__ = ["Locked", "is_held", "only_one"]


@contextmanager
def only_one(path: Path) -> Iterator[None]:
    """Hold the lock of that name, a file that is made here and removed again.

    Raises
    ------
    Locked
        At once, if another process or thread holds it.
    OSError
        If the file cannot be made or locked.
    """
    lock = _acquired(path)
    try:
        yield
    finally:
        # Windows removes no file that is open; an empty one left behind does no harm.
        with suppress(OSError):
            path.unlink()
        lock.release()


def is_held(path: Path) -> bool:
    """Whether a live process holds the lock of that name; the file stays as it is.

    Raises
    ------
    OSError
        If there is no such file, or it cannot be locked.
    """
    times = path.stat()
    try:
        _acquired(path).release()
    except Locked:
        return True
    # Some versions of filelock touch the file, and on Windows they remove it.
    path.touch()
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    return False


def _acquired(path: Path) -> FileLock:
    lock = FileLock(path, mode=0o600, thread_local=False)
    try:
        lock.acquire(blocking=False)
    except NotImplementedError as error:
        raise OSError(errno.ENOLCK, str(error), str(path)) from error
    return lock
