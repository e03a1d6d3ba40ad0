"""Networks as torch modules with their weights: torchvision's, and the described ones."""

from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

from lmkl_core.features.networks.description import Add
from lmkl_core.features.networks.filling import Filled, FilledBranch, FilledConv, fill
from lmkl_core.features.networks.spec import NetworkSpec
from lmkl_core.features.networks.state import COUNTER, State


def load_network(spec: NetworkSpec, path: Path) -> tuple[nn.Module, ...]:
    """Build a network with the weights of a file.

    Returns
    -------
    tuple of Module
        One a layer of ``spec``, in evaluation mode, float32.

    Raises
    ------
    InvalidInputError
        If the file cannot be read or is not of this network.
    """
    return network_of(spec, State.read(spec, path))


def network_of(spec: NetworkSpec, state: State) -> tuple[nn.Module, ...]:
    """Build a network with weights that were read; see `load_network`."""
    if spec.build is None:
        return tuple(
            nn.Sequential(*map(_module, steps)).eval().requires_grad_(False)
            for steps in fill(spec, state)
        )
    # Without memory of its own at first, so that loading costs one copy of the weights.
    with torch.device("meta"):
        stages = spec.build()
    tensors = {
        name: torch.zeros((), dtype=torch.int64)
        if name.endswith(COUNTER)
        else torch.from_numpy(state.take(name, tuple(place.shape)))
        for name, place in stages.body.state_dict().items()
    }
    state.finish()
    stages.body.load_state_dict(tensors, strict=True, assign=True)
    for stage in (stages.body, *stages.chain):
        stage.eval().requires_grad_(False)
    return stages.chain


def _module(filled: Filled) -> nn.Module:
    return _Convolution(filled) if isinstance(filled, FilledConv) else _Branch(filled)


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
        # Plain numbers, so that a traced graph holds the padding as a constant.
        top, bottom = filled.pads(int(x.shape[2]))
        left, right = filled.pads(int(x.shape[3]))
        x = functional.pad(x, (left, right, top, bottom))
        x = functional.conv2d(x, self.kernel, self.bias, filled.step.stride, groups=filled.groups)
        match filled.step.activation:
            case "relu":
                return x.relu()
            case "relu6":
                return functional.relu6(x)
            case "prelu":
                assert self.slope is not None
                return functional.prelu(x, self.slope)
            case "sigmoid":
                return x.sigmoid()
            case "softmax":
                return x.softmax(1)
        return x


class _Branch(nn.Module):
    def __init__(self, filled: FilledBranch) -> None:
        super().__init__()
        self._adds = isinstance(filled.step, Add)
        self.steps = nn.Sequential(*map(_module, filled.steps))

    def forward(self, x: Tensor) -> Tensor:
        if self._adds:
            return x + self.steps(x)
        return x * self.steps(x.mean((2, 3), keepdim=True))
