"""What evaluations keep on disk: values that took long to make, each under a key of its making.

An entry is one safetensors file with a manifest and a digest of all it holds
(`lmkl_core.model_file.container`); there is no pickle. It is written beside its place and moved
into it, so that readers see a whole entry or none, and a run that is broken off leaves what it had
finished. What is truncated, damaged or not what its key says counts as missing and is made again.

Keys are digests of everything that decides the values, so that entries never have to be declared
out of date, and all evaluations can share one folder.
"""

import contextlib
import hashlib
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.storage import StorageError, cache_folder, make_private
from lmkl_core.errors import InvalidInputError
from lmkl_core.model_file.container import (
    Refused,
    canonical,
    opened,
    read_header,
    read_tensors,
    seal,
)
from lmkl_core.system.atomic import write_atomically
from lmkl_core.system.folders import CACHE_VARIABLE

LARGEST_ENTRY = 1 << 30
"""Bytes of an entry; ten thousand frames of the paper's views have about this many."""

_ABANDONED = 24 * 3600.0


def key_of(values: Any) -> str:
    """Return the key of JSON values: equal values, equal keys."""
    return hashlib.sha256(canonical(values).encode("ascii")).hexdigest()


@dataclass(frozen=True, eq=False)
class Kept:
    """An entry: plain JSON values and arrays of float64, float32 or int64."""

    document: Mapping[str, Any]
    tensors: Mapping[str, NDArray[Any]]


class Cache:
    """A folder of entries.

    Parameters
    ----------
    name : str
        What it holds; also the folder's name.
    folder : path, optional
        Folder of all caches: by default `app.storage.cache_folder`, from which all of
        them are deleted with the person's data.
    """

    def __init__(self, name: str, folder: Path | None = None) -> None:
        self.folder = (cache_folder() if folder is None else folder) / name
        self._swept = False

    def load(self, key: str) -> Kept | None:
        """Return the entry of that key, or None if there is none that is whole."""
        try:
            with opened(self._path(key), LARGEST_ENTRY) as (stream, size):
                header = read_header(stream, size)
                tensors = read_tensors(stream, header)
        except (OSError, Refused, ValueError, TypeError, LookupError):
            return None
        # A file under another's name is whole, and wrong all the same.
        if header.document.get("key") != key:
            return None
        return Kept(header.document, tensors)

    def store(
        self, key: str, document: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]
    ) -> None:
        """Keep an entry, all of it or nothing.

        Raises
        ------
        InvalidInputError
            If the folder cannot be written.
        """
        path = self._path(key)
        arrays = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
        data = seal({**document, "key": key}, arrays)
        if len(data) > LARGEST_ENTRY:
            raise InvalidInputError(
                f"A recording's views have {len(data) / 2**30:.1f} GiB, too much for the cache: "
                "take fewer frames a recording."
            )
        try:
            make_private(path.parent)
            self._sweep()
            write_atomically(path, data)
        except StorageError as error:
            raise self.cannot_write(error.__cause__ or error) from error
        except OSError as error:
            raise self.cannot_write(error) from error

    @contextlib.contextmanager
    def scratch(self) -> Iterator[Path]:
        """Give a folder on the same disk that is gone afterwards.

        Raises
        ------
        InvalidInputError
            If the folder cannot be written.
        """
        try:
            make_private(self.folder)
            place = tempfile.mkdtemp(prefix=".views-", dir=self.folder)
        except StorageError as error:
            raise self.cannot_write(error.__cause__ or error) from error
        except OSError as error:
            raise self.cannot_write(error) from error
        try:
            yield Path(place)
        finally:
            # Where mapped files cannot be deleted yet, the next run does.
            shutil.rmtree(place, ignore_errors=True)

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.safetensors"

    def _sweep(self) -> None:
        """Delete what processes that were killed while writing have left, once a run."""
        if self._swept:
            return
        self._swept = True
        for path in (*self.folder.glob("*/.lmkl-*.tmp"), *self.folder.glob(".views-*")):
            with contextlib.suppress(OSError):
                if time.time() - path.stat().st_mtime <= _ABANDONED:
                    continue
                if path.is_dir():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink()

    def cannot_write(self, error: BaseException) -> InvalidInputError:
        """Return what to raise where the folder refuses."""
        why = getattr(error, "strerror", None) or error
        return InvalidInputError(
            f"The cache folder {self.folder} cannot be written ({why}); make room there, or name "
            f"another folder in the environment variable {CACHE_VARIABLE}."
        )
