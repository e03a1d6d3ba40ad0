"""Atomic writes, the cache folder, and folders that only their owner may enter.

New contents go into an unfinished file beside the old one, reach the disk, and then take its name.
Any error or interrupt removes the unfinished file. Only a killed process leaves one; a write into
the same folder removes it once it has not changed for a day.
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

PROGRAM = "lmkl-pad"

CACHE_VARIABLE = "LMKL_PAD_CACHE"
"""Environment variable that names another cache folder."""

UNFINISHED = ".lmkl-*.tmp"
"""Pattern of the names of unfinished files."""

ABANDONED_SECONDS = 24 * 3600.0
"""An unfinished file that has changed within this time is left alone."""

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
        with open(unfinished, "xb", opener=_for_its_owner) as stream:
            yield stream
            _to_disk(stream)
        os.replace(unfinished, path)
    except BaseException:
        with contextlib.suppress(OSError):
            unfinished.unlink()
        raise
    _sync_folder(path.parent)


def sweep(folder: Path) -> None:
    """Remove the unfinished files of writers that were killed."""
    abandoned = time.time() - ABANDONED_SECONDS
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _NAME.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with contextlib.suppress(OSError):
                    if entry.stat().st_mtime < abandoned:
                        os.unlink(entry.path)


def _for_its_owner(name: str, flags: int) -> int:
    return os.open(name, flags, stat.S_IRUSR | stat.S_IWUSR)


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
