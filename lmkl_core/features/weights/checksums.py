"""SHA-256 of large files, remembered in a small JSON file in the user's cache.

An entry counts only while the file's size and times are those it was computed for. A memory that
cannot be read or written costs time, never an answer.
"""

import hashlib
import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec

from lmkl_core.errors import Cancelled, asked_to_stop
from lmkl_core.system.files import cache_folder, make_private, write_atomically

MEMORY_FILE = "checksums.json"
MAX_REMEMBERED = 200
BLOCK = 1 << 20

_State = tuple[int, int, int]


def sha256_of(path: Path, *, afresh: bool = False, cancel: Callable[[], bool] | None = None) -> str:
    """Return the SHA-256 of a file in lower-case hex digits; ``afresh`` ignores the memory."""
    state = _state(path)  # first, because a circle of links is an OSError here alone
    key = str(path.resolve())
    if not afresh and (known := _remembered().get(key)) and known[:-1] == state:
        return known[-1]
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            if asked_to_stop(cancel):
                raise Cancelled(f"Checking {path.name} was cancelled.")
            digest.update(block)
    if _state(path) == state:
        _remember(key, (*state, digest.hexdigest()))
    return digest.hexdigest()


def memory_path() -> Path:
    """Return where the checksums are remembered."""
    return cache_folder() / MEMORY_FILE


def _state(path: Path) -> _State:
    # The change time is there for files put in place with their old modification time.
    status = path.stat()
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _remembered() -> dict[str, tuple[int, int, int, str]]:
    try:
        kind = dict[str, tuple[int, int, int, str]]
        # Not decoded by msgspec, which reads no names that are not UTF-8.
        return msgspec.convert(json.loads(memory_path().read_bytes()), kind)
    except (OSError, ValueError, RecursionError):
        return {}


def _remember(key: str, entry: tuple[int, int, int, str]) -> None:
    kept = {name: value for name, value in _remembered().items() if os.path.exists(name)}
    kept.pop(key, None)
    kept = dict(list(kept.items())[1 - MAX_REMEMBERED :])
    # Two processes at once, a full disk, a read-only home: the next start computes again.
    with suppress(OSError):
        make_private(memory_path().parent)
        write_atomically(memory_path(), json.dumps(kept | {key: entry}, indent=0).encode())
