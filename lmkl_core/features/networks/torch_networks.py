"""Networks in torch: build them, load weights, and truncate them to pooled vectors.

`Truncated` defines what every engine computes. For a crop with pixels p (0 to 255), channel by
channel:

1. photometry: ``none`` keeps p; ``grey-world`` is ``p * grey / mean(p)``, which removes the colour
   and the strength of the light; ``standardise`` is ``grey + spread * (p - mean(p)) / std(p)``,
   which removes the contrast as well;
2. the network's own normalisation, ``(p / 255 - mean) / std``, and its order of colours;
3. the stages up to the deepest layer in use;
4. pooling over the area: mean, standard deviation, or one followed by the other;
5. normalisation: ``l2`` divides by the Euclidean norm; ``l2-each`` divides each of the k statistics
   by its own norm and all of them by sqrt(k), so that the vector has norm 1.

Everything is float32, and each crop is independent of its batch. Every network is a chain of its
named layers, so truncating it means taking the first stages.
"""

import math
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

from lmkl_core.errors import InvalidInputError
from lmkl_core.features.networks.description import Activation, Block
from lmkl_core.features.networks.filling import (
    COUNTER,
    Filled,
    FilledConv,
    State,
    fill,
)
from lmkl_core.features.networks.registry import (
    DARKEST,
    FLATTEST,
    GREY,
    SMALLEST_NORM,
    SPREAD,
    VARIANCE_FLOOR,
    Graph,
    NetworkSpec,
    Output,
    Photometry,
)

_AREA = (2, 3)


# ------------------------------------------------- truncated networks


class Truncated(nn.Module):
    """A network up to the deepest layer of a graph, with pooled outputs."""

    scale: Tensor
    shift: Tensor

    def __init__(self, graph: Graph, stages: tuple[nn.Module, ...]) -> None:
        super().__init__()
        spec = graph.spec
        self._photometry: Photometry = graph.photometry
        self._is_bgr = spec.is_bgr
        self._outputs = tuple((spec.place(output.layer), output) for output in graph.outputs)
        deepest = max(place for place, _ in self._outputs)
        self.stages = nn.ModuleList(stages[: deepest + 1])
        mean = torch.tensor(spec.mean).reshape(1, 3, 1, 1)
        std = torch.tensor(spec.std).reshape(1, 3, 1, 1)
        self.register_buffer("scale", 1 / (255 * std), persistent=False)
        self.register_buffer("shift", -mean / std, persistent=False)

    def forward(self, crops: Tensor) -> tuple[Tensor, ...]:
        """Return the graph's outputs for RGB crops, uint8 (n, size, size, 3)."""
        x = _apply_photometry(crops.permute(0, 3, 1, 2).to(torch.float32), self._photometry)
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
    """Build the network of a graph with the weights of a file, ready to run."""
    return Truncated(graph, load_network(graph.spec, State.read(graph.spec, weights))).eval()


def _apply_photometry(x: Tensor, photometry: Photometry) -> Tensor:
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


# ------------------------------------------------- loading weights


def load_network(spec: NetworkSpec, state: State) -> tuple[nn.Module, ...]:
    """Build a network with the weights of a file; return one module per layer, in eval mode."""
    if spec.description is not None:
        return tuple(
            nn.Sequential(*map(_module, steps)).eval().requires_grad_(False)
            for steps in fill(spec, state)
        )
    # On the meta device, so that memory holds only one copy of the weights.
    with torch.device("meta"):
        body, chain = build_network(spec)
    tensors = {
        name: torch.zeros((), dtype=torch.int64)
        if name.endswith(COUNTER)
        else torch.from_numpy(state.take(name, tuple(place.shape)))
        for name, place in body.state_dict().items()
    }
    state.finish()
    body.load_state_dict(tensors, strict=True, assign=True)
    for stage in (body, *chain):
        stage.eval().requires_grad_(False)
    return chain


def _module(filled: Filled) -> nn.Module:
    return _Convolution(filled) if isinstance(filled, FilledConv) else _Block(filled)


_ACTIVATIONS: dict[Activation, Callable[[Tensor], Tensor]] = {
    "none": lambda x: x,
    "relu": torch.relu,
    "relu6": functional.relu6,
    "sigmoid": torch.sigmoid,
    "softmax": lambda x: x.softmax(1),
}


class _Convolution(nn.Module):
    def __init__(self, filled: FilledConv) -> None:
        super().__init__()
        self._filled = filled
        self.kernel = nn.Parameter(torch.from_numpy(filled.kernel))
        self.bias = nn.Parameter(torch.from_numpy(filled.bias))
        slope = filled.slope
        self.slope = None if slope is None else nn.Parameter(torch.from_numpy(slope))

    def forward(self, x: Tensor) -> Tensor:
        filled = self._filled
        # Plain integers, so that the padding is a constant in a traced graph.
        top, bottom = filled.step.pads(int(x.shape[2]))
        left, right = filled.step.pads(int(x.shape[3]))
        x = functional.pad(x, (left, right, top, bottom))
        x = functional.conv2d(x, self.kernel, self.bias, filled.step.stride, groups=filled.groups)
        if self.slope is not None:
            return functional.prelu(x, self.slope)
        return _ACTIVATIONS[filled.step.activation](x)


class _Block(nn.Module):
    def __init__(self, block: Block) -> None:
        super().__init__()
        self._excites = block.excites
        self.steps = nn.Sequential(*map(_module, block.steps))

    def forward(self, x: Tensor) -> Tensor:
        if self._excites:
            return x * self.steps(x.mean(_AREA, keepdim=True))
        return x + self.steps(x)


# ------------------------------------------------- networks of torchvision and timm


def _slices(*ends: int) -> tuple[str, ...]:
    """Return the names of the modules in ``features`` up to each end."""
    starts = (0, *ends)
    return tuple(
        " ".join(f"features.{number}" for number in range(start, end))
        for start, end in zip(starts, ends, strict=False)
    )


# The modules of each layer, in order. Poolings and transitions belong to the layer after them. The
# layers of VGG16 and AlexNet end with the ReLU of a convolution, the last with the last pooling.
CHAINS: dict[str, tuple[str, ...]] = {
    "mobilenet-v2": _slices(*range(1, 20)),
    "resnet50": ("conv1 bn1 relu maxpool", "layer1", "layer2", "layer3", "layer4"),
    "googlenet": (
        *("conv1", "maxpool1 conv2", "conv3"),
        *("maxpool2 inception3a", "inception3b"),
        *("maxpool3 inception4a", "inception4b", "inception4c", "inception4d", "inception4e"),
        *("maxpool4 inception5a", "inception5b"),
    ),
    "vgg16": _slices(4, 9, 16, 23, 30, 31),
    "alexnet": _slices(2, 5, 8, 10, 12, 13),
    "densenet201": (
        "features.conv0 features.norm0 features.relu0 features.pool0",
        "features.denseblock1",
        "features.transition1 features.denseblock2",
        "features.transition2 features.denseblock3",
        "features.transition3 features.denseblock4",
        "features.norm5 features.relu0",
    ),
}
_OPTIONS = {
    "googlenet": {"aux_logits": False, "init_weights": False},
    "vgg16": {"init_weights": False},
}


def build_network(spec: NetworkSpec) -> tuple[nn.Module, tuple[nn.Module, ...]]:
    """Build a network that has no description, without weights.

    Returns the body, in which every weight has the name used in files, and one module per layer,
    each of which takes the output of the one before.
    """
    if spec.name == "nasnetlarge":
        return _nasnetlarge()
    # Only here, because it takes as long to import as torch, and described networks do not need it.
    from torchvision import models

    builder = getattr(models, spec.name.replace("-", "_"))
    body = builder(weights=None, **_OPTIONS.get(spec.name, {}))
    # The classifier is not used, and has nine tenths of VGG16's weights.
    delattr(body, spec.unused[0].rstrip("."))
    return body, tuple(
        nn.Sequential(*(body.get_submodule(name) for name in names.split()))
        for names in CHAINS[spec.name]
    )


def _nasnetlarge() -> tuple[nn.Module, tuple[nn.Module, ...]]:
    """Return NASNetLarge, up to the feature maps that its classifier pools, as one stage."""
    try:
        from timm.models.nasnet import NASNetALarge  # an extra
    except ImportError as error:
        raise InvalidInputError(
            "NASNetLarge needs the package timm; install it with: pip install lmkl-pad[objects]"
        ) from error

    body = NASNetALarge()
    del body.last_linear
    body.forward = body.forward_features  # type: ignore[method-assign]
    return body, (body,)
