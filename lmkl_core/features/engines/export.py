"""Make the ONNX graph of a network, in a child process: the app imports neither onnx nor torch.

`build` writes described networks; torch traces the others, which are compared with torch.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from lmkl_core.features.engines import winograd
from lmkl_core.features.engines.build import onnx_graph
from lmkl_core.features.engines.cache import Entry
from lmkl_core.features.engines.engine import GraphMismatchError
from lmkl_core.features.engines.onnx_engine import OnnxEngine, simplified
from lmkl_core.features.engines.probe import LIMIT, reference_crops, relative_difference
from lmkl_core.features.networks.registry import Graph


def make_entry(
    graph: Graph, weights: Path, exporter: Callable[[Any, Any, list[str]], bytes] | None = None
) -> Entry:
    """Make the ONNX graph of a network with its reference values.

    The reference is torch or, for a described network, the same graph without onnxruntime's
    optimisations. The exporter is `torch_engine.traced` by default. Raises `InvalidInputError` if
    the weights do not fit the network, `GraphMismatchError` if the graph differs from the
    reference.
    """
    crops = reference_crops(graph.size)
    if graph.spec.needs_torch:
        # Only here, because described networks do not need torch.
        from lmkl_core.features.engines.torch_engine import TorchEngine, traced

        reference = TorchEngine(graph, weights, channels_last=False)
        views = reference.run(crops)
        names = [f"view{number}" for number in range(len(views))]
        plain = simplified((exporter or traced)(reference.module, crops[:2], names))
        fast = winograd.rewritten(plain)
        models = [plain] if fast is None else [fast, plain]
    else:
        models = [onnx_graph(graph, weights)]
        views = OnnxEngine(models[0], optimised=False).run(crops)
    for model in models:
        difference = _difference(model, crops, views)
        if difference <= LIMIT:
            return Entry(model, crops, views)
    raise GraphMismatchError(f"its graph differs from the reference by {difference:.1e}")


def _difference(model: bytes, crops: np.ndarray, views: list[np.ndarray]) -> float:
    engine = OnnxEngine(model)
    alone = [engine.run(crop[None]) for crop in crops]
    joined = [np.concatenate(rows) for rows in zip(*alone, strict=True)]
    return max(relative_difference(engine.run(crops), views), relative_difference(joined, views))
