"""torch as an engine: the reference that others are held to, and the fallback without them."""

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from lmkl_core.features.networks.graph import Graph
from lmkl_core.features.networks.torch_networks import load_truncated


class TorchEngine:
    """Run a graph with torch in float32.

    Parameters
    ----------
    graph, weights : Graph, Path
        What to compute, and the file of the network's weights.
    threads : int, optional
        Threads of torch; they are set for the whole process. By default torch decides.
    channels_last : bool, default=True
        The faster order in memory; False is torch as it comes, for comparisons.
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
