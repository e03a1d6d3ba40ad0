"""The user's cache of exported graphs and of the outcomes of trial runs.

The file of a graph is its SHA-256 followed by a safetensors file. Files are replaced atomically; a
graph that does not match its digest is made again.
"""

import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors import numpy as tensors

from lmkl_core.errors import InvalidInputError
from lmkl_core.system.files import CACHE_VARIABLE, cache_folder, make_private, replacing
from lmkl_core.system.processes import Locked, only_one

_DIGEST_BYTES = 32
_FAILURE_LASTS = 7 * 24 * 3600.0  # seconds


@dataclass(frozen=True, eq=False)
class Entry:
    """An exported graph with reference crops and their views."""

    onnx: bytes
    crops: NDArray[np.uint8]
    views: list[NDArray[np.float32]]


class Probe(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Outcome of a trial run."""

    key: str
    engine: str
    label: str
    problem: str
    """Empty if the engine did not crash and gave the right values."""
    time: float = msgspec.field(default_factory=time.time)


class Cache:
    """A folder of graphs and probes, created when something is first stored."""

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        self.folder = cache_folder() if folder is None else Path(folder)
        self._graphs = self.folder / "graphs"
        self._probes = self.folder / "probes"

    def load(self, key: str) -> Entry | None:
        """Return the graph stored under a key, or None if it is missing or damaged."""
        with suppress(OSError, SafetensorError, KeyError):
            data = memoryview((self._graphs / f"{key}.graph").read_bytes())
            block = data[_DIGEST_BYTES:]
            if hashlib.sha256(block).digest() == data[:_DIGEST_BYTES]:
                arrays = tensors.load(bytes(block))
                onnx, crops = arrays.pop("onnx"), arrays.pop("crops")
                return Entry(onnx.tobytes(), crops, [arrays[name] for name in sorted(arrays)])
        return None

    def store(self, key: str, entry: Entry) -> None:
        """Store a graph; raise `InvalidInputError` if the folder cannot be written."""
        views = {f"view.{number:03}": view for number, view in enumerate(entry.views)}
        onnx = np.frombuffer(entry.onnx, np.uint8)
        block = tensors.save({"onnx": onnx, "crops": entry.crops, **views})
        self._write(self._graphs / f"{key}.graph", hashlib.sha256(block).digest(), block)

    def probe(self, key: str) -> Probe | None:
        """Return the stored outcome of a trial run; a failure expires after a week."""
        try:
            found = msgspec.json.decode((self._probes / f"{key}.json").read_bytes(), type=Probe)
        except (OSError, ValueError, RecursionError):  # msgspec's errors are ValueErrors
            return None
        is_valid = not found.problem or 0 <= time.time() - found.time < _FAILURE_LASTS
        return found if is_valid and found.key == key else None

    def remember(self, probe: Probe) -> None:
        """Store the outcome of a trial run."""
        self._write(self._probes / f"{probe.key}.json", msgspec.json.encode(probe))

    @contextmanager
    def first_use(self, key: str) -> Iterator[int]:
        """Yield the number of processes that died inside this block since one last survived it.

        The count is 0 if no file can be locked or another process is inside.
        """
        deaths, count = 0, self._probes / f"{key}.using"
        with ExitStack() as stack:
            with suppress(OSError, Locked):
                make_private(count.parent)
                stack.enter_context(only_one(count.with_suffix(".lock")))
                stack.callback(count.unlink, missing_ok=True)
                with count.open("ab") as file:
                    deaths = file.tell()
                    file.write(b".")
            yield deaths

    def failed_probes(self) -> list[Probe]:
        """Return the failures that have not expired, for the doctor."""
        found = (self.probe(path.stem) for path in sorted(self._probes.glob("*.json")))
        return [probe for probe in found if probe is not None and probe.problem]

    def _write(self, path: Path, *parts: bytes) -> None:
        try:
            make_private(path.parent)
            try:
                with replacing(path) as file:
                    file.writelines(parts)
            except PermissionError:
                # Windows refuses while another process reads the file, which then exists already.
                if not path.exists():
                    raise
        except OSError as error:
            raise InvalidInputError(
                f"The cache folder {self.folder} cannot be written ({error.strerror or error}); "
                f"free some space, or name another folder in the environment variable "
                f"{CACHE_VARIABLE}."
            ) from error
