"""May an engine run in this process? First it runs in a child process, and its word counts.

Some machines announce instructions that end the process which uses them, and some engines hang or
miscompute with some driver or other. So before an engine gets a graph here, a child process
(``python -m lmkl_core.features.engines.probe``) has to survive it and to give the values that
torch gave when the graph was exported. The outcome is remembered for this engine, its version,
this machine and this graph.
"""

import hashlib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from lmkl_core.features.engines.cache import Cache
from lmkl_core.features.engines.children import serve
from lmkl_core.features.engines.engine import Engine
from lmkl_core.features.engines.machine import machine_id
from lmkl_core.features.engines.reference import LIMIT, reference_crops, relative_difference
from lmkl_core.features.networks.graph import Graph

MODULE = "lmkl_core.features.engines.probe"


def probe_key(engine: str, graph_key: str) -> str:
    """Return the name under which the outcome of a probe is remembered."""
    parts = (engine, metadata.version(engine), machine_id(), graph_key)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def problem_of(engine: Engine, crops: np.ndarray, expected: list[np.ndarray] | None = None) -> str:
    """Return what is wrong with an engine, or nothing.

    Parameters
    ----------
    engine : Engine
        The candidate.
    crops : ndarray
        Crops to run.
    expected : list of ndarray, optional
        What it should give. Without, it is only held to its own word: the same values a second
        time, and alone the same as in a batch.
    """
    found = engine.run(crops)
    again = engine.run(crops)
    if not all(np.array_equal(a, b) for a, b in zip(found, again, strict=True)):
        return "it gives other values, or values that are not numbers, when asked again"
    alone = [rows[-1:] for rows in found]
    difference = relative_difference(engine.run(crops[-1:]), alone)
    if expected is not None:
        difference = max(difference, relative_difference(found, expected))
    if difference > LIMIT:
        return f"its values are off by {difference:.1e}, more than {LIMIT:.0e}"
    return ""


def _answer(job: dict[str, Any]) -> dict[str, Any]:
    graph = Graph.from_json(job["graph"])
    entry = Cache(job["folder"]).load(job["key"])
    engine: Engine
    if job["engine"] == "torch":
        from lmkl_core.features.engines.torch_engine import TorchEngine

        engine = TorchEngine(graph, Path(job["weights"]))
    else:
        from lmkl_core.features.engines.onnx_engine import OnnxEngine

        if entry is None or not entry.onnx:
            return {"failed": "the exported graph has gone from the cache"}
        engine = OnnxEngine(entry.onnx)
    if entry is None:
        return {"problem": problem_of(engine, reference_crops(graph.size))}
    return {"problem": problem_of(engine, entry.crops, entry.views)}


def main(lines: Iterator[str] | None = None) -> None:
    """Answer the jobs on the standard input."""
    serve(_answer, lines)


if __name__ == "__main__":
    main()
