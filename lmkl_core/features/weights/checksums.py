"""SHA-256 of large files, remembered so that nobody waits for it at every start.

The memory is a small JSON file in the user's cache. An entry counts only while the file's size and
times are those it was computed for; a memory that cannot be read or written costs time, never an
answer.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from lmkl_core.errors import Cancelled, asked_to_stop
from lmkl_core.system.folders import cache_folder, make_private

MEMORY_FILE = "checksums.json"
MAX_REMEMBERED = 200
BLOCK = 1 << 20


def sha256_of(path: Path, *, afresh: bool = False, cancel: Callable[[], bool] | None = None) -> str:
    """Return the SHA-256 of a file in lower-case hex digits.

    Parameters
    ----------
    path : Path
        The file.
    afresh : bool
        Read the file even if its checksum is remembered.
    cancel : callable, optional
        Asked now and then whether to stop.

    Raises
    ------
    OSError
        If the file cannot be read.
    Cancelled
        If ``cancel`` said so.
    """
    state = _state(path)  # first, because a circle of links is an OSError here alone
    key = str(path.resolve())
    if not afresh and (known := _remembered().get(key)) and known[:-1] == state:
        return str(known[-1])
    digest = _compute(path, cancel)
    if _state(path) == state:
        _remember(key, [*state, digest])
    return digest


def memory_path() -> Path:
    """Return where the checksums are remembered."""
    return cache_folder() / MEMORY_FILE


def _compute(path: Path, cancel: Callable[[], bool] | None) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            if asked_to_stop(cancel):
                raise Cancelled(f"Checking {path.name} was cancelled.")
            digest.update(block)
    return digest.hexdigest()


def _state(path: Path) -> list[int]:
    # The change time is there for files put in place with their old modification time.
    status = path.stat()
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns]


def _remembered() -> dict[str, list[object]]:
    try:
        content = json.loads(memory_path().read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(content, dict):
        return {}
    return {key: value for key, value in content.items() if _is_entry(value)}


def _is_entry(value: object) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 4
        and all(type(number) is int for number in value[:-1])
        and isinstance(value[-1], str)
        and len(value[-1]) == 64
    )


def _remember(key: str, entry: list[object]) -> None:
    kept = {name: value for name, value in _remembered().items() if name != key}
    kept = {name: value for name, value in kept.items() if os.path.exists(name)}
    kept = dict(list(kept.items())[1 - MAX_REMEMBERED :])
    kept[key] = entry
    target = memory_path()
    temporary = ""
    try:
        make_private(target.parent)
        handle, temporary = tempfile.mkstemp(prefix=MEMORY_FILE, dir=target.parent)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(kept, file, indent=0)
        os.replace(temporary, target)
    except OSError:
        # Two processes at once, a full disk, a read-only home: the next start computes again.
        if temporary:
            Path(temporary).unlink(missing_ok=True)
