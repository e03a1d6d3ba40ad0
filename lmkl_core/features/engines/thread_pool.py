"""Threads that share the crops of a frame."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from math import ceil
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lmkl_core.features.engines.engine import Engine

LARGEST_PART = 8
"""Crops that one call of an engine gets at most, so that memory does not grow with the batch."""


MOST_THREADS = 4
"""More are not started by default: the camera, the window and the detector want cores too."""


def default_threads() -> int:
    """Return the number of physical cores that this process may use, at most `MOST_THREADS`."""
    return max(1, min(_physical_cores(), MOST_THREADS))


class EnginePool:
    """Run several engines on their batches, all parts at the same time.

    Each batch is cut into as many equal parts as there are threads (smaller ones if it is large).
    Parts meet once, at the end.
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads
        # Its threads end when the pool is garbage collected.
        self._pool = ThreadPoolExecutor(threads, "lmkl-engine") if threads > 1 else None

    def run(
        self, work: Sequence[tuple[Engine, NDArray[np.uint8]]]
    ) -> list[list[NDArray[np.float32]]]:
        """Return every engine's outputs for its batch, in the order of ``work``."""
        parts: list[tuple[int, Engine, NDArray[np.uint8]]] = [
            (number, engine, part)
            for number, (engine, batch) in enumerate(work)
            for part in self._parts(engine, batch)
        ]
        outputs = self._run_parts([(engine, part) for _, engine, part in parts])
        results: list[list[list[NDArray[np.float32]]]] = [[] for _ in work]
        for (number, _, _), output in zip(parts, outputs, strict=True):
            results[number].append(output)
        return [[np.concatenate(rows) for rows in zip(*result, strict=True)] for result in results]

    def _parts(self, engine: Engine, batch: NDArray[np.uint8]) -> list[NDArray[np.uint8]]:
        count = ceil(len(batch) / LARGEST_PART)
        if not engine.brings_threads:
            count = ceil(count / self.threads) * self.threads
        return np.array_split(batch, max(1, min(count, len(batch))))

    def _run_parts(
        self, parts: Sequence[tuple[Engine, NDArray[np.uint8]]]
    ) -> list[list[NDArray[np.float32]]]:
        if self._pool is None:
            return [engine.run(part) for engine, part in parts]
        # The heaviest first: a long part that starts last would keep everyone waiting.
        order = sorted(
            (place for place, (engine, _) in enumerate(parts) if not engine.brings_threads),
            key=lambda place: -parts[place][0].weight * len(parts[place][1]),
        )
        started = {
            place: self._pool.submit(parts[place][0].run, parts[place][1]) for place in order
        }
        return [
            started[place].result() if place in started else engine.run(part)
            for place, (engine, part) in enumerate(parts)
        ]


def _physical_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        ours = os.sched_getaffinity(0)
        return len({_siblings(cpu) for cpu in ours})
    # Most machines without that call run two threads a core.
    return (os.cpu_count() or 2) // 2


def _siblings(cpu: int) -> str:
    """Return what is the same for all hardware threads of one core."""
    path = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return str(cpu)
