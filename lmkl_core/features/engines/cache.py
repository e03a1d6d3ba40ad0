"""The user's cache: exported graphs, and which engines have been probed.

A graph is one file: a mark, the SHA-256 of the rest, the length of the ONNX graph, the graph, and
a safetensors block with reference crops and their views. Files are replaced whole; processes that
make the same graph write the same file. A file that does not match its digest is made again.
"""

import hashlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4

import msgspec
import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors import numpy as tensors

from lmkl_core.errors import InvalidInputError
from lmkl_core.system.files import CACHE_VARIABLE, cache_folder, make_private, replacing
from lmkl_core.system.processes import Locked, is_held, only_one

_MARK = b"LMKLGRF1"
_DIGEST_BYTES = 32
_LENGTH_BYTES = 8
_FACTS = "lmkl"
_LARGEST = 1 << 30
_FAILURE_COUNTS_FOR = 7 * 24 * 3600.0
_ALWAYS = float("inf")
_LARGEST_PROBE = 1 << 16
_MARK_OF_USE = ".using"


@dataclass(frozen=True, eq=False)
class Entry:
    """A graph as the cache keeps it, with reference crops and their views."""

    onnx: bytes
    crops: NDArray[np.uint8]
    views: list[NDArray[np.float32]]
    refused: str = ""  # why there is no ONNX graph


class Probe(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Outcome of an engine in a child process."""

    engine: str
    label: str
    problem: str
    """Empty when the engine survived and gave the right values."""
    time: float

    @property
    def counts(self) -> bool:
        """Whether it need not be repeated; a failure is tried again after a week."""
        return not self.problem or 0 <= time.time() - self.time < _FAILURE_COUNTS_FOR


class Cache:
    """A folder of graphs and probes, made when something is first stored."""

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        self.folder = cache_folder() if folder is None else Path(folder)
        self._graphs = self.folder / "graphs"
        self._probes = self.folder / "probes"

    def load(self, key: str) -> Entry | None:
        """Return the graph of that key, or None if there is none that is whole."""
        with (
            suppress(OSError, SafetensorError, LookupError, ValueError, TypeError, RecursionError),
            open(self._graphs / f"{key}.graph", "rb") as file,
        ):
            return _read(file)
        return None

    def store(self, key: str, entry: Entry) -> None:
        """Keep a graph; raise `InvalidInputError` if the folder cannot be written."""
        self._write(self._graphs / f"{key}.graph", *_written(entry))

    def probe(self, key: str) -> Probe | None:
        """Return the remembered outcome of a probe, or None if it has to be run."""
        try:
            with open(self._probes / f"{key}.json", "rb") as file:
                values = msgspec.json.decode(file.read(_LARGEST_PROBE), type=dict[str, Any])
            is_ours = values.pop("key", None) == key
            found = msgspec.convert(values, Probe)
        except (OSError, ValueError, RecursionError):  # msgspec's errors are ValueErrors
            return None
        return found if is_ours and found.counts else None

    def remember(self, key: str, probe: Probe) -> None:
        """Keep the outcome of a probe."""
        text = json.dumps(msgspec.structs.asdict(probe) | {"key": key}, indent=1)
        self._write(self._probes / f"{key}.json", text.encode())

    @contextmanager
    def first_use(self, key: str) -> Iterator[None]:
        """Leave a mark while an engine runs here for the first time.

        A process that dies leaves its mark behind, and `deaths` counts it. One that survives
        removes the marks of those before it: the engine can be used after all.
        """
        mark = self._probes / f"{key}.{uuid4().hex}{_MARK_OF_USE}"
        with ExitStack() as held:
            try:
                make_private(mark.parent)
                held.enter_context(only_one(mark))
            except (OSError, Locked):  # without a mark an engine runs all the same
                with suppress(OSError):  # made before it could not be locked
                    mark.unlink()
            yield
        self.forget_deaths(key)

    def deaths(self, key: str) -> int:
        """Count the processes that died at the first use of an engine, in the last week."""
        return len(self._dead(key))

    def forget_deaths(self, key: str) -> None:
        """Remove the marks of processes that have died."""
        for mark in self._dead(key, _ALWAYS):
            with suppress(OSError):
                mark.unlink()

    def _dead(self, key: str, age: float = _FAILURE_COUNTS_FOR) -> list[Path]:
        found = []
        for mark in self._probes.glob(f"{key}.*{_MARK_OF_USE}"):
            with suppress(OSError):
                if time.time() - mark.stat().st_mtime < age and not is_held(mark):
                    found.append(mark)
        return found

    def failed_probes(self) -> list[Probe]:
        """Return the remembered failures, for the doctor."""
        found = (self.probe(path.stem) for path in sorted(self._probes.glob("*.json")))
        return [probe for probe in found if probe is not None and probe.problem]

    def _write(self, path: Path, *parts: bytes) -> None:
        try:
            make_private(path.parent)
            try:
                with replacing(path) as file:
                    file.writelines(parts)
            except PermissionError:
                # Windows refuses while another process reads the file; that one has it already.
                if not path.exists():
                    raise
        except OSError as error:
            raise InvalidInputError(
                f"The cache folder {self.folder} cannot be written ({error.strerror or error}); "
                f"make room there, or name another folder in the environment variable "
                f"{CACHE_VARIABLE}."
            ) from error


def _written(entry: Entry) -> tuple[bytes, ...]:
    arrays = {f"view.{number}": view for number, view in enumerate(entry.views)}
    facts = {"refused": entry.refused}
    block = tensors.save({"crops": entry.crops, **arrays}, metadata={_FACTS: json.dumps(facts)})
    length = len(entry.onnx).to_bytes(_LENGTH_BYTES, "little")
    return _MARK, _digest(length, entry.onnx, block), length, entry.onnx, block


def _read(file: BinaryIO) -> Entry | None:
    """Read an entry without copying the graph, which can have hundreds of megabytes."""
    if os.fstat(file.fileno()).st_size > _LARGEST or file.read(len(_MARK)) != _MARK:
        return None
    digest, length = file.read(_DIGEST_BYTES), file.read(_LENGTH_BYTES)
    # A wrong length reads too little or too much, and the digest shows it.
    onnx = file.read(min(int.from_bytes(length, "little"), _LARGEST))
    block = file.read()
    if _digest(length, onnx, block) != digest:
        return None
    arrays = tensors.load(block)
    header = json.loads(block[8 : 8 + int.from_bytes(block[:8], "little")])
    facts = json.loads(header["__metadata__"][_FACTS])
    return Entry(
        onnx=onnx,
        crops=arrays["crops"],
        views=[arrays[f"view.{number}"] for number in range(len(arrays) - 1)],
        refused=str(facts["refused"]),
    )


def _digest(*parts: bytes) -> bytes:
    digest = hashlib.sha256()
    for part in parts:  # joining them would copy the graph
        digest.update(part)
    return digest.digest()
