"""torch as an engine, for reference and fallback, and its export to ONNX."""

import tempfile
import warnings
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from lmkl_core.features.networks.registry import OPSET, Graph
from lmkl_core.features.networks.torch_networks import load_truncated


class TorchEngine:
    """Run a graph with torch in float32.

    ``threads`` applies to the whole process. ``channels_last`` is the faster memory layout; False
    is torch's default, for comparisons.
    """

    name = "torch"
    brings_threads = True

    def __init__(
        self,
        graph: Graph,
        weights: Path,
        *,
        threads: int | None = None,
        channels_last: bool = True,
    ) -> None:
        if threads is not None:
            torch.set_num_threads(threads)
        order = torch.channels_last if channels_last else torch.contiguous_format
        self.module = load_truncated(graph, weights).to(memory_format=order)
        self.weight = sum(parameter.numel() for parameter in self.module.parameters())

    def run(self, crops: NDArray[np.uint8]) -> list[NDArray[np.float32]]:
        """Compute the graph's outputs; see `Engine.run`."""
        with torch.inference_mode():
            outputs = self.module(torch.from_numpy(np.require(crops, requirements=["C", "W"])))
        return [output.numpy() for output in outputs]


def traced(module: torch.nn.Module, crops: NDArray[np.uint8], outputs: list[str]) -> bytes:
    """Export by tracing one run, which is valid because no network branches on values."""
    with (
        tempfile.TemporaryDirectory() as folder,
        warnings.catch_warnings(),
        torch.inference_mode(),
    ):
        warnings.simplefilter("ignore")  # about deprecation, and sizes that become constants
        torch.onnx.export(
            module,
            (torch.from_numpy(crops),),
            path := Path(folder, "traced.onnx"),
            dynamo=False,
            opset_version=OPSET,
            input_names=["crops"],
            output_names=outputs,
            dynamic_axes={name: {0: "n"} for name in ("crops", *outputs)},
        )
        return path.read_bytes()
