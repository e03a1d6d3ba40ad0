"""EfficientNet-Lite0, written for feature extraction.

The network is a stem, sixteen inverted bottlenecks and a head. Each bottleneck widens its input
by a 1 x 1 convolution, filters every channel on its own, and narrows again without an activation;
where input and output have one shape, the input is added. "Lite" means ReLU6 and no
squeeze-and-excitation. Padding follows TensorFlow, where the weights come from: with stride 2, an
even side gets its odd padding pixel on the right and at the bottom.

Names of weights are those of the published file, so that it loads as it is.

References
----------
M. Tan and Q. Le, "EfficientNet: Rethinking model scaling for convolutional neural networks",
ICML 2019; the Lite variants were published with the TensorFlow TPU models in 2020.
"""

import math

from torch import Tensor, nn
from torch.nn import functional

# Blocks in the group, kernel, stride of the first, widening, channels.
_GROUPS = (
    (1, 3, 1, 1, 16),
    (2, 3, 2, 6, 24),
    (2, 5, 2, 6, 40),
    (3, 3, 2, 6, 80),
    (3, 5, 1, 6, 112),
    (4, 5, 2, 6, 192),
    (1, 3, 1, 6, 320),
)
_STEM, _HEAD = 32, 1280
_BN_EPS = 1e-3


class SameConv(nn.Conv2d):
    """A convolution that pads as TensorFlow's SAME does: ceil(side / stride) outputs a side."""

    def __init__(self, inputs: int, outputs: int, kernel: int, stride: int = 1, groups: int = 1):
        padding = kernel // 2 if stride == 1 else 0
        super().__init__(
            inputs, outputs, kernel, stride, padding=padding, groups=groups, bias=False
        )

    def forward(self, x: Tensor) -> Tensor:
        """Convolve, after padding where the padding depends on the side."""
        stride, kernel = self.stride[0], self.kernel_size[0]
        if stride > 1:
            # Plain numbers, so that a traced graph holds the padding as a constant.
            top, bottom = _same_padding(int(x.shape[2]), kernel, stride)
            left, right = _same_padding(int(x.shape[3]), kernel, stride)
            x = functional.pad(x, (left, right, top, bottom))
        return super().forward(x)


def _same_padding(side: int, kernel: int, stride: int) -> tuple[int, int]:
    total = max((math.ceil(side / stride) - 1) * stride + kernel - side, 0)
    return total // 2, total - total // 2


class Bottleneck(nn.Module):
    """Widen, filter each channel, narrow; add the input where shapes allow."""

    def __init__(self, inputs: int, outputs: int, kernel: int, stride: int, widening: int):
        super().__init__()
        wide = inputs * widening
        self.widens = widening > 1
        if self.widens:
            self._expand_conv = SameConv(inputs, wide, 1)
            self._bn0 = nn.BatchNorm2d(wide, eps=_BN_EPS)
        self._depthwise_conv = SameConv(wide, wide, kernel, stride, groups=wide)
        self._bn1 = nn.BatchNorm2d(wide, eps=_BN_EPS)
        self._project_conv = SameConv(wide, outputs, 1)
        self._bn2 = nn.BatchNorm2d(outputs, eps=_BN_EPS)
        self.adds = stride == 1 and inputs == outputs

    def forward(self, x: Tensor) -> Tensor:
        """Return the block's output."""
        y = x
        if self.widens:
            y = functional.relu6(self._bn0(self._expand_conv(y)))
        y = functional.relu6(self._bn1(self._depthwise_conv(y)))
        y = self._bn2(self._project_conv(y))
        return x + y if self.adds else y


class EfficientNetLite0(nn.Module):
    """The weights of all layers; `chain` gives the layers as modules in order."""

    def __init__(self) -> None:
        super().__init__()
        self._conv_stem = SameConv(3, _STEM, 3, stride=2)
        self._bn0 = nn.BatchNorm2d(_STEM, eps=_BN_EPS)
        self._blocks = nn.ModuleList(_bottlenecks())
        self._conv_head = SameConv(_GROUPS[-1][-1], _HEAD, 1)
        self._bn1 = nn.BatchNorm2d(_HEAD, eps=_BN_EPS)

    def chain(self) -> tuple[nn.Module, ...]:
        """Return stem, blocks and head."""
        stem = nn.Sequential(self._conv_stem, self._bn0, nn.ReLU6())
        head = nn.Sequential(self._conv_head, self._bn1, nn.ReLU6())
        return (stem, *self._blocks, head)


def _bottlenecks() -> list[Bottleneck]:
    blocks, inputs = [], _STEM
    for count, kernel, stride, widening, outputs in _GROUPS:
        for number in range(count):
            blocks.append(
                Bottleneck(inputs, outputs, kernel, stride if number == 0 else 1, widening)
            )
            inputs = outputs
    return blocks
