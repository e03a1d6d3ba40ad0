"""Digests of large files, remembered so that gigabytes need not be read again for every run.

A remembered digest counts while the file's size, its times of writing and of change, and its place
on the disk are the same. A file that was written within moments of being read could change again
without any of them showing it, so its digest is not remembered. Whoever deletes the memory, or
damages it, makes the next run slower and nothing else.
"""

import json
import os
import stat
import time
from contextlib import suppress
from pathlib import Path

from app.evaluation.protocols.recordings import FileReader
from app.evaluation.protocols.types import Recording
from app.storage import DIGESTS_NAME, StorageError, read_text, write_text

SMALLEST = 1 << 20
"""Bytes from which a file's digest is worth remembering."""

SETTLED = 10.0
"""Seconds after which a file that was written counts as finished."""

MOST = 100_000
"""Digests that are remembered."""

_LARGEST = 64 << 20


class Digests:
    """Digests of recordings.

    Parameters
    ----------
    folder : path
        Where the memory is kept.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / DIGESTS_NAME
        self._known = _read(self._path)
        self._taken: dict[str, str] = {}
        self._changed = False

    def of(self, recording: Recording) -> str:
        """Return the digest of a recording's content, taken at most once a run."""
        if recording.name not in self._taken:
            self._taken[recording.name] = self._of(recording)
        return self._taken[recording.name]

    def _of(self, recording: Recording) -> str:
        reader = recording.reader
        before = _state(reader.path) if isinstance(reader, FileReader) else None
        if before is None or not isinstance(reader, FileReader):
            return reader.digest()
        name = os.path.abspath(reader.path)
        known = self._known.get(name)
        if known is not None and known[:-1] == before:
            return known[-1]
        digest = reader.digest()
        # Otherwise what was read may be neither the old content nor the new.
        if _state(reader.path) == before and _is_settled(reader.path):
            self._known[name] = [*before, digest]
            self._changed = True
        return digest

    def save(self) -> None:
        """Write the memory; where that fails, the next run reads files again."""
        if not self._changed:
            return
        while len(self._known) > MOST:
            del self._known[next(iter(self._known))]
        with suppress(StorageError):
            write_text(self._path, json.dumps(self._known))
            self._changed = False


def _state(path: Path) -> list[str] | None:
    """Return what changes when a large file does; None for anything else."""
    try:
        status = path.stat()
    except OSError:
        return None
    if not stat.S_ISREG(status.st_mode) or status.st_size < SMALLEST:
        return None
    numbers = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_dev, status.st_ino)
    return [str(number) for number in numbers]


def _is_settled(path: Path) -> bool:
    status = path.stat()
    return time.time() - max(status.st_mtime, status.st_ctime) > SETTLED


def _read(path: Path) -> dict[str, list[str]]:
    try:
        known = json.loads(read_text(path, _LARGEST))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(known, dict):
        return {}
    return {
        name: values
        for name, values in known.items()
        if isinstance(values, list)
        and len(values) == 6
        and all(isinstance(value, str) for value in values)
    }
