"""Export a graph and try an engine on it, in a child process that may crash or hang.

Some machines announce processor instructions that crash the process, and some engines hang or
miscompute with some drivers. So ``python -m lmkl_core.features.engines.probe`` has to run a graph
without crashing and return its reference values before the program uses the engine. The child reads
the engine's name, the cache folder and a `Task` from its standard input and writes a `Reply`.
"""

import hashlib
import json
import os
import platform
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from lmkl_core.errors import InvalidInputError
from lmkl_core.features.engines.cache import Cache
from lmkl_core.features.engines.engine import Engine, GraphMismatchError
from lmkl_core.features.networks.registry import Graph

LIMIT = 1e-4
"""Largest relative difference between an engine and torch in any view of any crop."""


@dataclass(frozen=True)
class Task:
    """A graph and its file of weights."""

    graph: Graph
    weights: str
    key: str  # in the cache


@dataclass(frozen=True)
class Reply:
    """The outcome of a trial run."""

    problem: str = ""  # of the engine; empty if there is none
    invalid: str = ""  # what is wrong with the weights or the cache
    is_mismatch: bool = False  # the exported graph was refused


def probe_key(engine: str, graph_key: str) -> str:
    """Return the key of a trial run: a hash of engine, version, machine and graph."""
    parts = (engine, metadata.version(engine), machine_id(), graph_key)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def problem_of(engine: Engine, crops: np.ndarray, expected: list[np.ndarray] | None = None) -> str:
    """Return what is wrong with an engine, or an empty text.

    It must give the same values twice, the same values for a crop alone as in a batch, and the
    expected values if there are any.
    """
    found = engine.run(crops)
    again = engine.run(crops)
    if not all(np.array_equal(a, b) for a, b in zip(found, again, strict=True)):
        return "its values are NaN, or change from run to run"
    alone = [rows[-1:] for rows in found]
    difference = relative_difference(engine.run(crops[-1:]), alone)
    if expected is not None:
        difference = max(difference, relative_difference(found, expected))
    if difference > LIMIT:
        return f"its values are off by {difference:.1e}, more than {LIMIT:.0e}"
    return ""


def reference_crops(size: int) -> NDArray[np.uint8]:
    """Return four fixed crops that excite a network in different ways.

    Noise, smooth shading, fine stripes as on a screen, and nearly black.
    """
    random = np.random.default_rng(20240)
    noise = random.integers(0, 256, (size, size, 3))
    y, x = np.mgrid[:size, :size] / size
    shading = np.stack([255 * x, 255 * y, 128 + 127 * np.sin(9 * (x + y))], axis=2)
    stripes = np.stack([127 + 120 * np.sin(k * size * (x + 0.3 * y)) for k in (1, 2, 3)], axis=2)
    dark = random.integers(0, 3, (size, size, 3))
    return np.stack([noise, shading, stripes, dark]).round().astype(np.uint8)


def relative_difference(
    found: Sequence[NDArray[np.float32]], expected: Sequence[NDArray[np.float32]]
) -> float:
    """Return the largest |found - expected| / |expected| over all rows of all views.

    Different shapes, or values that are not finite, are infinitely far apart.
    """
    if len(found) != len(expected):
        return float("inf")
    worst = 0.0
    for a, b in zip(found, expected, strict=True):
        if a.shape != b.shape or not (np.isfinite(a).all() and np.isfinite(b).all()):
            return float("inf")
        distance = np.linalg.norm(a.astype(np.float64) - b, axis=1)
        norm = np.linalg.norm(b.astype(np.float64), axis=1)
        worst = max(worst, float((distance / np.maximum(norm, 1e-30)).max(initial=0.0)))
    return worst


def machine_id() -> str:
    """Return a hash that changes if other processor instructions may be available."""
    facts = [platform.system(), platform.machine(), platform.processor()]
    with suppress(OSError):  # only Linux has it
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        first = text.partition("\n\n")[0]
        kept = ("model name", "flags", "Features", "CPU implementer", "CPU part")
        facts += [line for line in first.splitlines() if line.startswith(kept)]
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:16]


def _try(name: str, task: Task, cache: Cache) -> str:
    """Make the graph if the cache lacks it, and return what is wrong with the engine."""
    entry, weights = cache.load(task.key), Path(task.weights)
    engine: Engine
    if name == "torch":
        from lmkl_core.features.engines.torch_engine import TorchEngine

        engine = TorchEngine(task.graph, weights)
        if entry is None:
            return problem_of(engine, reference_crops(task.graph.size))
    else:
        from lmkl_core.features.engines.onnx_engine import OnnxEngine

        if entry is None:
            from lmkl_core.features.engines.export import make_entry

            entry = make_entry(task.graph, weights)
            cache.store(task.key, entry)
        engine = OnnxEngine(entry.onnx)
    return problem_of(engine, entry.crops, entry.views)


def main() -> None:
    """Answer the request on the standard input."""
    answers = os.dup(1)
    os.dup2(2, 1)  # libraries may print to the standard output
    try:
        engine, folder, task = json.loads(sys.stdin.read())
        reply = Reply(_try(engine, msgspec.convert(task, Task), Cache(folder)))
    except InvalidInputError as error:
        reply = Reply(invalid=str(error))
    except GraphMismatchError as error:
        reply = Reply(str(error), is_mismatch=True)
    except Exception as error:
        reply = Reply(f"a trial run failed: {type(error).__name__}: {error}")
    with open(answers, "w", encoding="ascii") as file:
        json.dump(asdict(reply), file)


if __name__ == "__main__":
    main()
