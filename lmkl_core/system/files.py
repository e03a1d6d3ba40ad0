"""Atomic writes, the cache folder, and folders that only their owner may enter.

New contents go into an unfinished file beside the old one, reach the disk, and then take its name.
Any error or interrupt removes the unfinished file. Only a killed process leaves one; the next write
into the same folder removes it once it has not changed for a minute and its writer's lock is free,
or after a day where files cannot be locked.
"""

import contextlib
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO

import platformdirs

try:
    import fcntl
except ImportError:  # Windows, where a file that is open cannot be deleted anyway
    fcntl = None  # type: ignore[assignment]

PROGRAM = "lmkl-pad"

CACHE_VARIABLE = "LMKL_PAD_CACHE"
"""Environment variable that names another cache folder."""

UNFINISHED = ".lmkl-*.tmp"
"""Pattern of the names of unfinished files."""

STILL_SECONDS = 60.0
"""An unfinished file that has changed within this time is left alone, locked or not."""

ABANDONED_SECONDS = 24 * 3600.0
"""The same where files cannot be locked."""

_NAME = re.compile(r"\.lmkl-[0-9a-z_]+\.tmp")


def write_atomically(path: Path, data: bytes) -> None:
    """Replace a file by new contents, all of them or none, readable by the owner only."""
    write_together({path: data})


def write_together(contents: Mapping[Path, bytes]) -> None:
    """Replace several files, each as a whole; none unless there is room for all of them.

    They are replaced in this order, in quick succession, after everything has reached the disk.
    """
    with contextlib.ExitStack() as stack:
        # What is entered last is replaced first.
        for path, data in reversed(list(contents.items())):
            stream = stack.enter_context(replacing(path))
            stream.write(data)
            _to_disk(stream)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Give a stream whose contents take the place of a file at the end, readable by the owner only.

    Any error or interrupt leaves the old file, or none, and nothing else.
    """
    sweep(path.parent)
    # Named before it is made: an interrupt right after would not know what to take away.
    unfinished = path.with_name(f".lmkl-{secrets.token_hex(8)}.tmp")
    try:
        with contextlib.ExitStack() as stack:
            stream = open(unfinished, "xb", opener=_for_its_owner)
            stack.callback(_close, stream)
            _lock(stream.fileno())
            yield stream
            _to_disk(stream)
            if fcntl is not None:  # the lock is held until the name is taken
                os.replace(unfinished, path)
        if fcntl is None:  # an open file cannot be renamed there
            os.replace(unfinished, path)
    except BaseException:
        with contextlib.suppress(OSError):
            unfinished.unlink()
        raise
    _sync_folder(path.parent)


def sweep(folder: Path) -> None:
    """Remove the unfinished files of writers that are certainly gone."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _NAME.fullmatch(entry.name):
                with contextlib.suppress(OSError):
                    _remove_if_dead(Path(entry.path))


def _remove_if_dead(path: Path) -> None:
    status = path.lstat()
    still = time.time() - status.st_mtime
    if not stat.S_ISREG(status.st_mode) or still < STILL_SECONDS:
        return
    if fcntl is None:
        is_free: bool | None = None
    else:
        handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            is_free = _lock(handle)
        finally:
            os.close(handle)
    if is_free or (is_free is None and still >= ABANDONED_SECONDS):
        path.unlink()


def _lock(handle: int) -> bool | None:
    """Try to lock a file for as long as it is open; None where files cannot be locked."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _for_its_owner(name: str, flags: int) -> int:
    return os.open(name, flags, stat.S_IRUSR | stat.S_IWUSR)


def _close(stream: IO[bytes]) -> None:
    """Close; what a full disk refused is tried again here, and its error was raised already."""
    with contextlib.suppress(OSError):
        stream.close()


def _to_disk(stream: IO[bytes]) -> None:
    stream.flush()
    os.fsync(stream.fileno())


def _sync_folder(folder: Path) -> None:
    """Make the new name durable, where folders can be synchronised."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def cache_folder() -> Path:
    """Return the folder for what can be made again, which need not exist yet."""
    named = os.environ.get(CACHE_VARIABLE)
    return Path(named) if named else Path(platformdirs.user_cache_dir(PROGRAM, False))


def make_private(folder: Path) -> None:
    """Make a folder that only its owner may enter, and those above it that are missing.

    One that exists is left as it is. `Path.mkdir` gives the rights it is asked for to the last
    folder alone: others could rename what lies in those above it, if the ``umask`` lets them.
    """
    if folder.is_dir():
        return
    if folder.parent != folder:
        make_private(folder.parent)
    folder.mkdir(mode=stat.S_IRWXU, exist_ok=True)
