"""One folder for each run of the program, locked while the run is alive."""

import contextlib
import logging
import os
import re
import secrets
import shutil
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from app import storage

MOST_RUNS = 100
"""Folders examined at most."""

_NAME = re.compile(r"[0-9A-Za-z-]{1,64}")
_LOCK_SUFFIX = ".lock"

# At level DEBUG it logs the path of every lock, and logs must not name paths (`app.logs`).
logging.getLogger("filelock").setLevel(logging.INFO)


@dataclass(eq=False)
class Run:
    """The folder of one run; this process holds its lock."""

    folder: Path
    _lock: FileLock = field(repr=False)

    @property
    def is_there(self) -> bool:
        """Whether folder and lock still exist: another instance may have deleted everything."""
        return self.folder.is_dir() and _lock_file(self.folder).exists()

    def remove(self) -> None:
        """Delete the folder; release the lock even if that raises `OSError`."""
        try:
            with contextlib.suppress(FileNotFoundError):
                shutil.rmtree(self.folder)
        finally:
            self.release()
            if not self.folder.exists():
                with contextlib.suppress(OSError):
                    _lock_file(self.folder).unlink()

    def release(self) -> None:
        """Release the lock, so that the next start may take over the folder."""
        with contextlib.suppress(OSError):
            self._lock.release()


def begin_run(kind: str = storage.TAKES_NAME) -> Run:
    """Make a folder in the personal folder ``kind``, locked from the start."""
    base = storage.data_folder() / kind
    storage.make_private(base)
    folder = base / f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(4)}"
    lock = _locked(folder)
    if lock is None:
        raise storage.StorageError(f"The folder {base} cannot be locked; check the disk.")
    run = Run(folder, lock)
    try:
        storage.make_private(folder)
    except BaseException:
        run.remove()
        raise
    return run


def ended_runs(kind: str = storage.TAKES_NAME) -> list[Run]:
    """Lock and return the folders of ended runs, newest first; remove stale locks."""
    base = storage.personal_folder() / kind
    names = set()
    try:
        with os.scandir(base) as entries:
            for entry in entries:
                is_folder = entry.is_dir(follow_symlinks=False)
                name = entry.name if is_folder else entry.name.removesuffix(_LOCK_SUFFIX)
                if _NAME.fullmatch(name) and (is_folder or name != entry.name):
                    names.add(name)
    except OSError:
        return []
    found = []
    for name in sorted(names, reverse=True)[:MOST_RUNS]:
        if (lock := _locked(base / name)) is not None:
            run = Run(base / name, lock)
            if run.folder.is_dir():
                found.append(run)
            else:  # a lock without a folder
                run.remove()
    return found


def _locked(folder: Path) -> FileLock | None:
    """Lock a folder; return None if it is already locked or cannot be."""
    # Acquired on one thread, released on another.
    lock = FileLock(_lock_file(folder), mode=0o600, thread_local=False)
    try:
        lock.acquire(blocking=False)
    except (Timeout, OSError, NotImplementedError):
        return None
    return lock


def _lock_file(folder: Path) -> Path:
    return folder.with_name(folder.name + _LOCK_SUFFIX)
