"""The interface of engines, and the thread pool that runs several of them on one frame."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from math import ceil
from pathlib import Path
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from lmkl_core.errors import InvalidInputError

INSTALL_TORCH: Final = 'pip install "lmkl-pad[torch]"'

LARGEST_PART = 8
"""Most crops per call of an engine, so that memory does not grow with the batch."""

MOST_THREADS = 4
"""Most threads by default; camera, window and detector need cores too."""


class EngineError(InvalidInputError):
    """No engine can run a network on this computer; the message gives the reason."""


class GraphMismatchError(RuntimeError):
    """An exported graph gives other values than its reference."""


class Engine(Protocol):
    """Runs one graph; safe to call from several threads at once."""

    name: str
    weight: int  # relative work per crop; heavy engines are started first
    brings_threads: bool  # whether one call uses several cores; otherwise batches are split

    def run(self, crops: NDArray[np.uint8]) -> list[NDArray[np.float32]]:
        """Return the graph's outputs, (n, columns) each, for RGB crops (n, size, size, 3)."""
        ...


def has_torch() -> bool:
    """Whether torch is installed; only networks without a description need it."""
    return find_spec("torch") is not None


def without_torch(what: str) -> EngineError:
    """Return the error for something that needs torch, which is not installed."""
    return EngineError(f"{what} needs torch, which is not installed: {INSTALL_TORCH}.")


class EnginePool:
    """Run several engines on their batches in parallel.

    A batch is split into one part per thread, or more if it is large. Threads synchronise only
    once, at the end.
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads
        # The threads end when the pool is garbage-collected.
        self._pool = ThreadPoolExecutor(threads, "lmkl-engine") if threads > 1 else None

    def run(
        self, work: Sequence[tuple[Engine, NDArray[np.uint8]]]
    ) -> list[list[NDArray[np.float32]]]:
        """Return every engine's outputs for its batch, in the order of ``work``."""
        parts = [
            (number, engine, part)
            for number, (engine, batch) in enumerate(work)
            for part in self._parts(engine, batch)
        ]
        started = {}
        if self._pool is not None:
            # The heaviest first: the others would have to wait for a long part that starts last.
            order = sorted(range(len(parts)), key=lambda k: -parts[k][1].weight * len(parts[k][2]))
            for place in order:
                _, engine, part = parts[place]
                if not engine.brings_threads:
                    started[place] = self._pool.submit(engine.run, part)
        results: list[list[list[NDArray[np.float32]]]] = [[] for _ in work]
        for place, (number, engine, part) in enumerate(parts):
            done = started[place].result() if place in started else engine.run(part)
            results[number].append(done)
        return [[np.concatenate(rows) for rows in zip(*result, strict=True)] for result in results]

    def _parts(self, engine: Engine, batch: NDArray[np.uint8]) -> list[NDArray[np.uint8]]:
        count = ceil(len(batch) / LARGEST_PART)
        if not engine.brings_threads:
            count = ceil(count / self.threads) * self.threads
        return np.array_split(batch, max(1, min(count, len(batch))))


def default_threads() -> int:
    """Return the number of physical cores that this process may use, at most `MOST_THREADS`."""
    if hasattr(os, "sched_getaffinity"):
        cores = len({_siblings(cpu) for cpu in os.sched_getaffinity(0)})
    else:  # most machines without this call run two threads per core
        cores = (os.cpu_count() or 2) // 2
    return max(1, min(cores, MOST_THREADS))


def _siblings(cpu: int) -> str:
    """Return an identifier that all hardware threads of a core share."""
    path = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return str(cpu)
