"""MiniFASNet: small networks that tell live faces from prints and screens.

A stem, inverted bottlenecks in three groups that each halve the side first, and a head that
turns the last 5 x 5 pixels into one vector, the embedding, and three probabilities of which the
second is "live". A bottleneck widens by a 1 x 1 convolution, filters every channel on its own and
narrows without an activation; within a group its input is added. V1SE weighs the channels of each
group's last bottleneck (squeeze and excitation) before that sum.

The published networks are pruned, each layer to a width of its own. So widths are read from the
shapes of a file of weights, whose names of weights are also those of the modules.

References
----------
Minivision, "Silent-Face-Anti-Spoofing", 2020, github.com/minivision-ai/Silent-Face-Anti-Spoofing.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping

from torch import Tensor, nn

Shapes = Mapping[str, tuple[int, ...]]

EMBEDDING, CLASSES = 128, 3
LARGEST_WIDTH = 1024
"""Twice the widest layer. Wider ones are capped, so that such a file fails to load."""

_GROUPS = (("conv_23", "conv_3", 4), ("conv_34", "conv_4", 6), ("conv_45", "conv_5", 2))


class MiniFASNet(nn.Module):
    """The whole network.

    Parameters
    ----------
    shapes : mapping of str to tuple of int
        Shapes of a file's tensors. A width that it does not hold is 1; whoever loads the file then
        finds that it does not fit.
    has_attention : bool
        Whether each group's last bottleneck weighs its channels.
    """

    def __init__(self, shapes: Shapes, has_attention: bool) -> None:
        super().__init__()

        def width(layer: str) -> int:
            first, *_ = (*shapes.get(f"{layer}.weight", ()), 1)
            return min(max(first, 1), LARGEST_WIDTH)

        n = width("conv1.conv")
        self.conv1 = _convolution(3, n, 3, stride=2)
        self.conv2_dw = _convolution(n, n, 3, groups=n)
        body: list[nn.Module] = [self.conv1, self.conv2_dw]
        for first, group, n_blocks in _GROUPS:
            inside, outputs = width(f"{first}.conv.conv"), width(f"{first}.project.conv")
            entrance = _Bottleneck(n, inside, outputs, stride=2)
            n = outputs
            blocks = nn.Sequential()
            for number in range(n_blocks):
                name = f"{group}.model.{number}"
                weighs = has_attention and number == n_blocks - 1
                squeezed = width(f"{name}.se_module.fc1") if weighs else 0
                blocks.append(_Residual(n, width(f"{name}.conv.conv"), squeezed))
            residual = nn.Sequential(OrderedDict(model=blocks))
            self.add_module(first, entrance)
            self.add_module(group, residual)
            body += [entrance, residual]
        wide = width("conv_6_sep.conv")
        self.conv_6_sep = _convolution(n, wide)
        self.conv_6_dw = _convolution(wide, wide, 5, groups=wide, padding=0, is_linear=True)
        self.linear = nn.Linear(wide, EMBEDDING, bias=False)
        self.bn = nn.BatchNorm1d(EMBEDDING)
        self.prob = nn.Linear(EMBEDDING, CLASSES, bias=False)
        self._body = body

    def chain(self) -> tuple[nn.Module, ...]:
        """Return the stages: ``embedding`` and ``live``, each a map of 1 x 1 pixels."""
        head = (self.conv_6_sep, self.conv_6_dw, nn.Flatten(), self.linear, self.bn)
        embedding = nn.Sequential(*self._body, *head, _pixel(EMBEDDING))
        live = nn.Sequential(nn.Flatten(), self.prob, nn.Softmax(1), _pixel(CLASSES))
        return embedding, live


class _Bottleneck(nn.Module):
    """Widen, filter, narrow."""

    def __init__(self, inputs: int, inside: int, outputs: int, stride: int = 1) -> None:
        super().__init__()
        self.conv = _convolution(inputs, inside)
        self.conv_dw = _convolution(inside, inside, 3, stride=stride, groups=inside)
        self.project = _convolution(inside, outputs, is_linear=True)

    def forward(self, x: Tensor) -> Tensor:
        """Apply the three convolutions."""
        return self.project(self.conv_dw(self.conv(x)))


class _Residual(_Bottleneck):
    """A bottleneck, weighed where ``squeezed`` is not 0, that is added to its input."""

    def __init__(self, channels: int, inside: int, squeezed: int) -> None:
        super().__init__(channels, inside, channels)
        self.se_module: Callable[[Tensor], Tensor] = (
            _Attention(channels, squeezed) if squeezed else nn.Identity()
        )

    def forward(self, x: Tensor) -> Tensor:
        """Add what the bottleneck makes of the input."""
        return x + self.se_module(super().forward(x))


class _Attention(nn.Module):
    """Squeeze and excitation: a factor for every channel, from the means of all."""

    def __init__(self, channels: int, squeezed: int) -> None:
        super().__init__()
        self.fc1 = nn.Conv2d(channels, squeezed, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(squeezed)
        self.fc2 = nn.Conv2d(squeezed, channels, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)

    def forward(self, x: Tensor) -> Tensor:
        """Weigh the channels."""
        squeezed = self.bn1(self.fc1(x.mean((2, 3), keepdim=True))).relu()
        return x * self.bn2(self.fc2(squeezed)).sigmoid()


class _PReLU(nn.PReLU):
    """PReLU in plain sums and products: onnxruntime's own operator took half of the whole time."""

    def forward(self, x: Tensor) -> Tensor:
        """Multiply what is negative by a slope of the channel's own."""
        slope = self.weight.reshape(-1, 1, 1)
        return slope * x + (1 - slope) * x.relu()


def _convolution(
    inputs: int,
    outputs: int,
    kernel: int = 1,
    *,
    stride: int = 1,
    groups: int = 1,
    padding: int | None = None,
    is_linear: bool = False,
) -> nn.Sequential:
    """Return a convolution with batch norm and, unless it is linear, PReLU."""
    padding = kernel // 2 if padding is None else padding
    layers: OrderedDict[str, nn.Module] = OrderedDict(
        conv=nn.Conv2d(inputs, outputs, kernel, stride, padding, groups=groups, bias=False),
        bn=nn.BatchNorm2d(outputs),
    )
    if not is_linear:
        layers["prelu"] = _PReLU(outputs)
    return nn.Sequential(layers)


def _pixel(channels: int) -> nn.Module:
    return nn.Unflatten(1, (channels, 1, 1))
