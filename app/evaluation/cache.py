"""The evaluation cache: views of recordings, outcomes of methods, digests of files.

An entry is one safetensors file with a manifest and a digest (`lmkl_core.model_file.container`),
written atomically. A truncated, damaged or misnamed entry counts as missing. Keys are digests of
everything that decides the values, so entries never become outdated, and all evaluations share one
folder.
"""

import contextlib
import hashlib
import json
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.evaluation.protocols.recordings import FileReader
from app.evaluation.protocols.types import Recording
from app.storage import DIGESTS_NAME, StorageError, make_private, read_text, write_text
from app.types import FrameResult
from app.vision.conditions import NAMES
from lmkl_core.errors import InvalidInputError
from lmkl_core.model_file.container import (
    Refused,
    canonical,
    opened,
    read_header,
    read_tensors,
    seal,
)
from lmkl_core.system.files import CACHE_VARIABLE, cache_folder, write_atomically

LARGEST_ENTRY = 1 << 30
"""Most bytes of an entry: about ten thousand frames of the paper's views."""

_ABANDONED = 24 * 3600.0


def key_of(values: Any) -> str:
    """Return a digest of JSON values as their key."""
    return hashlib.sha256(canonical(values).encode("ascii")).hexdigest()


def add_code(total: Any, part: Traversable) -> None:
    """Add a Python file, or those of a folder, to a digest."""
    if part.is_dir():
        for inner in sorted(part.iterdir(), key=lambda each: each.name):
            add_code(total, inner)
    elif part.name.endswith(".py"):
        total.update(part.name.encode() + b"\0" + part.read_bytes() + b"\0")


Arrays: TypeAlias = dict[str, NDArray[Any]]
"""Arrays of float64, float32 or int64 by name."""

Entry: TypeAlias = tuple[dict[str, Any], Arrays]
"""Plain JSON values, and arrays."""


class Cache:
    """A folder of entries, below `lmkl_core.system.files.cache_folder`."""

    def __init__(self, name: str, folder: Path | None = None) -> None:
        self.folder = (cache_folder() if folder is None else folder) / name

    def load(self, key: str) -> Entry | None:
        """Return an intact entry, or None."""
        try:
            with opened(self._path(key), LARGEST_ENTRY) as (stream, size):
                header = read_header(stream, size)
                tensors = read_tensors(stream, header)
        except (OSError, Refused, ValueError, TypeError, LookupError):
            return None
        # A renamed file is intact but wrong.
        return (header.document, tensors) if header.document.get("key") == key else None

    def store(self, key: str, document: dict[str, Any], arrays: Arrays) -> None:
        path = self._path(key)
        contiguous = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
        data = seal({**document, "key": key}, contiguous)
        if len(data) > LARGEST_ENTRY:
            raise InvalidInputError(
                f"The views of a recording take {len(data) / 2**30:.1f} GiB, too much for the "
                "cache: use fewer frames per recording."
            )
        with self.writable():
            make_private(path.parent)
            write_atomically(path, data)

    @contextlib.contextmanager
    def scratch(self) -> Iterator[Path]:
        """Provide a temporary folder on the same disk."""
        with self.writable():
            make_private(self.folder)
            for old in self.folder.glob(".views-*"):
                with contextlib.suppress(OSError):
                    if time.time() - old.stat().st_mtime > _ABANDONED:
                        shutil.rmtree(old)
            place = tempfile.mkdtemp(prefix=".views-", dir=self.folder)
        try:
            yield Path(place)
        finally:
            # Files that are still mapped, or of a killed process, are deleted by a later run.
            shutil.rmtree(place, ignore_errors=True)

    @contextlib.contextmanager
    def writable(self) -> Iterator[None]:
        """Turn disk errors into `InvalidInputError` with a way out."""
        try:
            yield
        except OSError as error:
            cause = (error.__cause__ or error) if isinstance(error, StorageError) else error
            why = getattr(cause, "strerror", None) or cause
            raise InvalidInputError(
                f"The cache folder {self.folder} cannot be written ({why}); free some space, or "
                f"name another folder in the environment variable {CACHE_VARIABLE}."
            ) from error

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.safetensors"


# ------------------------------------------------------------------ recordings

FORMAT = 1
"""Increased when the contents of a cached recording change."""

_UNMEASURABLE = 1e6
"""Replaces infinite conditions, such as the sharpness of an evenly grey face."""


@dataclass(frozen=True, eq=False)
class RecordingFeatures:
    """Views of one recording, one row per frame that is ready.

    ``conditions`` has a column for each of `app.vision.conditions.NAMES`, or none for presets of
    whole pictures; ``reasons`` say why the other frames have no views.
    """

    views: Mapping[str, NDArray[np.float32]]
    conditions: NDArray[np.float64]
    ready: NDArray[np.bool_]
    reasons: tuple[str, ...]

    @property
    def n_ready(self) -> int:
        return int(np.count_nonzero(self.ready))

    @classmethod
    def of(cls, results: Sequence[FrameResult], columns: Mapping[str, int]) -> "RecordingFeatures":
        good = [result for result in results if result.views is not None]
        views = {
            name: np.concatenate(
                [np.empty((0, width), np.float32)]
                + [result.views[name] for result in good if result.views is not None]
            )
            for name, width in columns.items()
        }
        known = [astuple(result.condition) for result in good if result.condition is not None]
        shape = (len(good), len(NAMES) if known else 0)
        conditions = np.array(known, dtype=np.float64).reshape(shape)
        return cls(
            views,
            np.clip(conditions, -_UNMEASURABLE, _UNMEASURABLE),
            np.array([result.views is not None for result in results], dtype=bool),
            tuple(result.reason for result in results if result.views is None),
        )

    def entry(self) -> Entry:
        document = {"format": FORMAT, "views": list(self.views), "reasons": list(self.reasons)}
        arrays: Arrays = {"ready": self.ready.astype(np.int64)}
        if self.n_ready:
            arrays |= {f"view.{number}": view for number, view in enumerate(self.views.values())}
            if self.conditions.shape[1]:
                arrays["conditions"] = self.conditions
        return document, arrays

    @classmethod
    def from_entry(cls, entry: Entry, columns: Mapping[str, int]) -> "RecordingFeatures":
        """Restore a recording from `entry`; the key covers the format and the columns."""
        document, arrays = entry
        views = {
            name: arrays.get(f"view.{number}", np.empty((0, width), np.float32))
            for number, (name, width) in enumerate(columns.items())
        }
        ready = arrays["ready"].astype(bool)
        conditions = arrays.get("conditions", np.empty((np.count_nonzero(ready), 0)))
        return cls(views, conditions, ready, tuple(document["reasons"]))


# ------------------------------------------------------------------ digests

SMALLEST = 1 << 20
"""Fewest bytes of a file whose digest is worth remembering."""

SETTLED = 10.0
"""Seconds after which a written file counts as finished."""

_LARGEST_MEMORY = 64 << 20


class Digests:
    """Digests of recordings, remembered so that a run does not read gigabytes again.

    A remembered digest is valid while the file's size, times and inode stay the same. A file
    written moments ago could change without any of these changing, so its digest is not
    remembered. Deleting the file of digests only makes the next run slower.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / DIGESTS_NAME
        self._known = _read_digests(self._path)
        self._taken: dict[str, str] = {}
        self._changed = False

    def of(self, recording: Recording) -> str:
        """Return the digest of a recording's content."""
        if recording.name not in self._taken:
            self._taken[recording.name] = self._of(recording)
        return self._taken[recording.name]

    def _of(self, recording: Recording) -> str:
        reader = recording.reader
        state = _settled_state(reader.path) if isinstance(reader, FileReader) else None
        if not isinstance(reader, FileReader) or state is None:
            return reader.digest()
        name = os.path.abspath(reader.path)
        *known, digest = self._known.get(name, [""])
        if known != state:
            digest = reader.digest()
            self._known[name] = [*state, digest]
            self._changed = True
        return digest

    def save(self) -> None:
        if self._changed:
            with contextlib.suppress(StorageError):
                write_text(self._path, json.dumps(self._known))
                self._changed = False


def _settled_state(path: Path) -> list[str] | None:
    """Return values that change with a file; None unless it is regular, large and settled."""
    try:
        status = path.stat()
    except OSError:
        return None
    if not stat.S_ISREG(status.st_mode) or status.st_size < SMALLEST:
        return None
    if time.time() - max(status.st_mtime, status.st_ctime) <= SETTLED:
        return None
    numbers = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_dev, status.st_ino)
    return [str(number) for number in numbers]


def _read_digests(path: Path) -> dict[str, list[str]]:
    try:
        # msgspec cannot decode names that are not UTF-8.
        known = msgspec.convert(json.loads(read_text(path, _LARGEST_MEMORY)), dict[str, list[str]])
    except (OSError, ValueError, RecursionError):
        return {}
    return {name: values for name, values in known.items() if len(values) == 6}
