"""Make the ONNX graph of a network, in a child process: the app imports neither onnx nor torch.

Described networks are written by `build`; the others are exported from torch and compared with
it. Of torch's two exporters, tracing takes half a second a network; capturing takes 7 to 15 and is
the one that torch will keep. The first whose graph agrees with torch is used.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from lmkl_core.features.engines import winograd
from lmkl_core.features.engines.build import onnx_graph
from lmkl_core.features.engines.cache import Entry
from lmkl_core.features.engines.onnx_engine import OnnxEngine, simplified
from lmkl_core.features.engines.probe import LIMIT, reference_crops, relative_difference
from lmkl_core.features.networks.registry import Graph

Exporter = Callable[[Any, Any, list[str]], bytes]


def make_entry(graph: Graph, weights: Path, exporters: tuple[Exporter, ...] = ()) -> Entry:
    """Make the ONNX graph of a network, with reference values.

    These are torch's, or for a described network its own without onnxruntime's optimisations. The
    exporters are torch's two by default.

    Raises
    ------
    InvalidInputError
        If the weights do not fit the network.
    RuntimeError
        If no graph came close enough.
    """
    crops = reference_crops(graph.size)
    models: Iterable[bytes]
    problems: list[str] = []
    if graph.spec.needs_torch:
        # Here, because described networks need no torch.
        from lmkl_core.features.engines.torch_engine import TorchEngine, captured, traced

        reference = TorchEngine(graph, weights, channels_last=False)
        views = reference.run(crops)
        names = [f"view{number}" for number in range(len(views))]
        models = _exported(
            exporters or (traced, captured), (reference.module, crops[:2], names), problems
        )
    else:
        models = [onnx_graph(graph, weights)]
        views = OnnxEngine(models[0], optimised=False).run(crops)
    for model in models:
        difference = _difference(model, crops, views)
        if difference <= LIMIT:
            return Entry(model, crops, views)
        problems.append(f"the graph differs from its reference by {difference:.1e}")
    raise RuntimeError("; ".join(problems))


def _exported(
    exporters: tuple[Exporter, ...], arguments: tuple[Any, ...], problems: list[str]
) -> Iterator[bytes]:
    """Yield graphs in the order in which they are to be tried: of each exporter, the fastest first.

    What an exporter raises is added to the problems.
    """
    for exporter in exporters:
        try:
            plain = simplified(exporter(*arguments))
        except Exception as error:  # exporters fail in their own ways; the other one may not
            problems.append(f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}")
            continue
        fast = winograd.rewritten(plain)
        if fast is not None:
            yield fast
        yield plain


def _difference(model: bytes, crops: np.ndarray, views: list[np.ndarray]) -> float:
    engine = OnnxEngine(model)
    alone = [engine.run(crop[None]) for crop in crops]
    joined = [np.concatenate(rows) for rows in zip(*alone, strict=True)]
    return max(relative_difference(engine.run(crops), views), relative_difference(joined, views))
