"""Atomic writes, the cache folder, and private folders.

New contents are written to a temporary file beside the old one, flushed to disk and then renamed.
Any error or interrupt removes the temporary file. A killed process leaves one behind; a later write
into the same folder removes it after it has been unchanged for a day.
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
"""Environment variable with the path of another cache folder."""

UNFINISHED = ".lmkl-*.tmp"
"""Name pattern of temporary files."""

ABANDONED_SECONDS = 24 * 3600.0
"""Temporary files that changed within this time may still be in use."""

_NAME = re.compile(r"\.lmkl-[0-9a-z_]+\.tmp")


def write_atomically(path: Path, data: bytes) -> None:
    """Replace the contents of a file, completely or not at all, readable by the owner only."""
    write_together({path: data})


def write_together(contents: Mapping[Path, bytes]) -> None:
    """Replace several files, each completely, and none unless there is space for all of them.

    They are replaced in this order, in quick succession, after all contents are on disk.
    """
    with contextlib.ExitStack() as stack:
        # The stack replaces files in reverse order.
        for path, data in reversed(list(contents.items())):
            stream = stack.enter_context(replacing(path))
            stream.write(data)
            _to_disk(stream)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a stream whose contents replace a file at the end, readable by the owner only.

    After an error or interrupt only the old file, if any, is left.
    """
    sweep(path.parent)
    # Name it first, so that an interrupt right after its creation can remove it.
    unfinished = path.with_name(f".lmkl-{secrets.token_hex(8)}.tmp")
    try:
        with open(unfinished, "xb", opener=_owner_only) as stream:
            yield stream
            _to_disk(stream)
        os.replace(unfinished, path)
    except BaseException:
        with contextlib.suppress(OSError):
            unfinished.unlink()
        raise
    _sync_folder(path.parent)


def sweep(folder: Path) -> None:
    """Remove the temporary files of killed processes."""
    abandoned = time.time() - ABANDONED_SECONDS
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _NAME.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with contextlib.suppress(OSError):
                    if entry.stat().st_mtime < abandoned:
                        os.unlink(entry.path)


def _owner_only(name: str, flags: int) -> int:
    return os.open(name, flags, stat.S_IRUSR | stat.S_IWUSR)


def _to_disk(stream: IO[bytes]) -> None:
    stream.flush()
    os.fsync(stream.fileno())


def _sync_folder(folder: Path) -> None:
    """Make the rename durable on systems that can synchronise folders."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def cache_folder() -> Path:
    """Return the folder of files that can be recreated; it need not exist yet."""
    path = os.environ.get(CACHE_VARIABLE)
    return Path(path) if path else Path(platformdirs.user_cache_dir(PROGRAM, False))


def make_private(folder: Path) -> None:
    """Create a folder that only its owner may enter, with its missing parents.

    An existing folder is left unchanged. `Path.mkdir` applies the mode only to the last folder:
    depending on the ``umask``, others could rename the contents of its parents.
    """
    if folder.is_dir():
        return
    if folder.parent != folder:
        make_private(folder.parent)
    folder.mkdir(mode=stat.S_IRWXU, exist_ok=True)
