"""Make the ONNX graph of a network; run as a child process, so that the app imports no torch.

``python -m lmkl_core.features.engines.export`` reads jobs and answers as `children` says.

Described networks are written by `build`; the others are exported from torch and compared with
it. Of torch's two exporters, tracing takes half a second a network; capturing takes 7 to 15 and is
the one that torch will keep. The first whose graph agrees with torch is used.
"""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from lmkl_core.features.engines import winograd
from lmkl_core.features.engines.build import onnx_graph
from lmkl_core.features.engines.cache import Cache, Entry
from lmkl_core.features.engines.children import serve
from lmkl_core.features.engines.onnx_engine import OnnxEngine, simplified
from lmkl_core.features.engines.probe import LIMIT, reference_crops, relative_difference
from lmkl_core.features.networks.registry import Graph

Exporter = Callable[[Any, Any, list[str]], bytes]


def make_entry(graph: Graph, weights: Path, exporters: tuple[Exporter, ...] = ()) -> Entry:
    """Make the ONNX graph of a network, with reference values.

    These are torch's, or for a described network its own without onnxruntime's optimisations.
    Where no exporter (by default torch's two) came close enough, the entry has the reason instead.

    Raises
    ------
    InvalidInputError
        If the weights do not fit the network.
    RuntimeError
        If no exporter gave a graph at all.
    """
    if not graph.spec.needs_torch:
        return _built(graph, weights)
    # Here, because described networks need no torch.
    from lmkl_core.features.engines.torch_engine import TorchEngine, captured, traced

    reference = TorchEngine(graph, weights, channels_last=False)
    crops = reference_crops(graph.size)
    views = reference.run(crops)
    closest, problems = float("inf"), []
    for exporter in exporters or (traced, captured):
        try:
            exported = exporter(reference.module, crops[:2], _output_names(graph))
            for model in _finished(exported):
                difference = _difference(model, crops, views)
                if difference <= LIMIT:
                    return Entry(model, crops, views)
                closest = min(closest, difference)
        except Exception as error:  # exporters fail in their own ways; the other one may not
            problems.append(f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}")
    if closest == float("inf") and problems:
        raise RuntimeError("; ".join(problems))
    reason = f"the exported graph differs from torch by {closest:.1e}, more than {LIMIT:.0e}"
    return Entry(b"", crops, views, refused=reason)


def _built(graph: Graph, weights: Path) -> Entry:
    model = onnx_graph(graph, weights)
    crops = reference_crops(graph.size)
    views = OnnxEngine(model, optimised=False).run(crops)
    difference = _difference(model, crops, views)
    if difference <= LIMIT:
        return Entry(model, crops, views)
    reason = f"onnxruntime's optimisations change its values by {difference:.1e}"
    return Entry(b"", crops, views, refused=reason)


def _output_names(graph: Graph) -> list[str]:
    return [f"view{number}" for number in range(len(graph.outputs))]


def _difference(model: bytes, crops: np.ndarray, views: list[np.ndarray]) -> float:
    engine = OnnxEngine(model)
    alone = [engine.run(crop[None]) for crop in crops]
    joined = [np.concatenate(rows) for rows in zip(*alone, strict=True)]
    return max(relative_difference(engine.run(crops), views), relative_difference(joined, views))


def _finished(model: bytes) -> Iterator[bytes]:
    """Yield the forms in which the graph may run: the fastest first, then the safest."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "simplified.onnx")
        simplified(model, str(path))
        plain = path.read_bytes()
    fast = winograd.rewritten(plain)
    if fast is not None:
        yield fast
    yield plain


def _answer(job: dict[str, Any]) -> dict[str, Any]:
    entry = make_entry(msgspec.convert(job["graph"], Graph), Path(job["weights"]))
    Cache(job["folder"]).store(job["key"], entry)
    return {"refused": entry.refused}


def main() -> None:
    """Answer the jobs on the standard input."""
    serve(_answer)


if __name__ == "__main__":
    main()
