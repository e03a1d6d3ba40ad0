"""From crops to pooled vectors as one torch module: the definition that every engine follows.

For a crop with pixels p (0 to 255), channel by channel:

1. photometry: ``none`` leaves p; ``grey-world`` takes ``p * grey / mean(p)``, so that neither the
   colour of the light nor its strength is left; ``standardise`` takes
   ``grey + spread * (p - mean(p)) / std(p)``, which removes contrast as well;
2. the network's own normalisation, ``(p / 255 - mean) / std``, and its order of colours;
3. the stages up to the deepest layer asked for, and none after it;
4. pooling over the area: mean m, standard deviation s, or both one after the other;
5. ``l2``: division by the Euclidean norm; ``l2-each``: each of k statistics by its own norm, and
   all of them by sqrt(k), so that the whole has norm 1.

All of it in float32, and each crop on its own: what else is in the batch changes nothing.
"""

import math
from pathlib import Path

import torch
from torch import Tensor, nn

from lmkl_core.features.networks.graph import (
    DARKEST,
    FLATTEST,
    GREY,
    SMALLEST_NORM,
    SPREAD,
    VARIANCE_FLOOR,
    Graph,
    Output,
)
from lmkl_core.features.networks.spec import LAST
from lmkl_core.features.networks.torch_modules import load_network
from lmkl_core.features.presets.preset import Photometry

_AREA = (2, 3)


class Truncated(nn.Module):
    """A network up to the deepest layer of a graph, with pooled outputs.

    Parameters
    ----------
    graph : Graph
        What to compute.
    stages : sequence of Module
        The loaded network, one module a layer.
    """

    scale: Tensor
    shift: Tensor

    def __init__(self, graph: Graph, stages: tuple[nn.Module, ...]) -> None:
        super().__init__()
        spec = graph.spec
        names = [layer.name for layer in spec.layers]
        self._photometry: Photometry = graph.photometry
        self._is_bgr = spec.is_bgr
        self._outputs = tuple(
            (names.index(_own_name(output, names)), output) for output in graph.outputs
        )
        deepest = max(place for place, _ in self._outputs)
        self.stages = nn.ModuleList(stages[: deepest + 1])
        mean = torch.tensor(spec.scaling.mean).reshape(1, 3, 1, 1)
        std = torch.tensor(spec.scaling.std).reshape(1, 3, 1, 1)
        self.register_buffer("scale", 1 / (255 * std), persistent=False)
        self.register_buffer("shift", -mean / std, persistent=False)

    def forward(self, crops: Tensor) -> tuple[Tensor, ...]:
        """Compute all outputs of some crops.

        Parameters
        ----------
        crops : Tensor
            uint8, (n, size, size, 3), red-green-blue.

        Returns
        -------
        tuple of Tensor
            float32, (n, columns) each, in the order of the graph's outputs.
        """
        x = _relit(crops.permute(0, 3, 1, 2).to(torch.float32), self._photometry)
        x = x * self.scale + self.shift
        if self._is_bgr:
            x = x.flip(1)
        pooled: dict[Output, Tensor] = {}
        for place, stage in enumerate(self.stages):
            x = stage(x)
            for wanted, output in self._outputs:
                if wanted == place:
                    pooled[output] = _pooled(x, output)
        return tuple(pooled[output] for _, output in self._outputs)


def load_truncated(graph: Graph, weights: Path) -> Truncated:
    """Build the graph's network with the weights of a file, ready to run."""
    return Truncated(graph, load_network(graph.spec, weights)).eval()


def _own_name(output: Output, names: list[str]) -> str:
    return names[-1] if output.layer == LAST else output.layer


def _relit(x: Tensor, photometry: Photometry) -> Tensor:
    if photometry == "none":
        return x
    mean = x.mean(_AREA, keepdim=True)
    if photometry == "grey-world":
        return x * (GREY / mean.clamp(min=DARKEST))
    x = x - mean
    std = x.square().mean(_AREA, keepdim=True).sqrt()
    return x * (SPREAD / std.clamp(min=FLATTEST)) + GREY


def _pooled(x: Tensor, output: Output) -> Tensor:
    mean = x.mean(_AREA, keepdim=True)
    parts = []
    if "mean" in output.pooling:
        parts.append(mean.flatten(1))
    if "std" in output.pooling:
        variance = (x - mean).square().mean(_AREA)
        parts.append((variance + VARIANCE_FLOOR).sqrt())
    if output.normalisation == "l2-each":
        return torch.cat([_unit(part) for part in parts], dim=1) / math.sqrt(len(parts))
    vector = torch.cat(parts, dim=1)
    return _unit(vector) if output.normalisation == "l2" else vector


def _unit(vector: Tensor) -> Tensor:
    norm = vector.square().sum(1, keepdim=True).sqrt()
    return vector / norm.clamp(min=SMALLEST_NORM)
