"""Networks as data: the steps of each layer of EfficientNet-Lite0 and the two MiniFASNets.

A described network runs without torch: `filling` puts the weights of a file into its steps, and
`engines.build` writes these as an ONNX graph.

EfficientNet-Lite0 is a stem, sixteen inverted bottlenecks and a head, with ReLU6 and TensorFlow's
padding. MiniFASNets distinguish live faces from prints and screens. They have a stem, inverted
bottlenecks in three groups that each begin by halving the side, and a head that turns the last
5 x 5 pixels into one vector, the embedding, and three probabilities, the second of which is "live".
V1SE excites the channels of each group's last bottleneck. The published networks are pruned to a
different width in each layer, so widths are read from the file.

References
----------
M. Tan and Q. Le, "EfficientNet: Rethinking model scaling for convolutional neural networks",
ICML 2019; the Lite variants were published with the TensorFlow TPU models in 2020.

Minivision, "Silent-Face-Anti-Spoofing", 2020, github.com/minivision-ai/Silent-Face-Anti-Spoofing.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

Activation: TypeAlias = Literal["none", "relu", "relu6", "prelu", "sigmoid", "softmax"]
Padding: TypeAlias = Literal["none", "half", "same"]
"""``half`` pads by half the kernel on each side, ``same`` pads as TensorFlow does."""


@dataclass(frozen=True)
class Conv:
    """A convolution with batch norm and activation; a linear layer is a 1 x 1 convolution.

    ``name``, ``norm`` and ``slope`` are names in the file of weights, without ``.weight``.
    """

    name: str
    outputs: int = 0  # 0: as many as in the file
    kernel: int = 1
    stride: int = 1
    depthwise: bool = False
    padding: Padding = "half"
    norm: str = ""
    epsilon: float = 1e-5
    activation: Activation = "none"
    slope: str = ""

    def pads(self, side: int) -> tuple[int, int]:
        """Return the numbers of pixels to add before and after a side of this length."""
        if self.padding == "same":
            total = max((-(-side // self.stride) - 1) * self.stride + self.kernel - side, 0)
            return total // 2, total - total // 2
        half = self.kernel // 2 if self.padding == "half" else 0
        return half, half


@dataclass(frozen=True)
class Block:
    """Steps with a residual connection: their result is added to their input.

    If the block ``excites``, the steps get the channels' means and their result multiplies the
    input.
    """

    steps: tuple[Any, ...]
    excites: bool = False


Step: TypeAlias = Conv | Block

Layers: TypeAlias = tuple[tuple[Step, ...], ...]
"""The steps of every layer, in the order of the network's layers."""


# ------------------------------------------------- EfficientNet-Lite0

# Number of blocks, kernel, stride of the first block, widening, channels.
_LITE0_GROUPS = (
    (1, 3, 1, 1, 16),
    (2, 3, 2, 6, 24),
    (2, 5, 2, 6, 40),
    (3, 3, 2, 6, 80),
    (3, 5, 1, 6, 112),
    (4, 5, 2, 6, 192),
    (1, 3, 1, 6, 320),
)
_STEM, _HEAD = 32, 1280

_lite_conv = partial(Conv, padding="same", epsilon=1e-3)
_lite_relu = partial(_lite_conv, activation="relu6")


def _lite_bottlenecks() -> list[tuple[Step, ...]]:
    blocks: list[tuple[Step, ...]] = []
    inputs = _STEM
    for count, kernel, first_stride, widening, outputs in _LITE0_GROUPS:
        for stride in (first_stride, *[1] * (count - 1)):
            at, wide = f"_blocks.{len(blocks)}", inputs * widening
            steps: tuple[Step, ...] = (
                _lite_relu(f"{at}._expand_conv", wide, norm=f"{at}._bn0"),
                _lite_relu(f"{at}._depthwise_conv", wide, kernel, stride, True, norm=f"{at}._bn1"),
                _lite_conv(f"{at}._project_conv", outputs, norm=f"{at}._bn2"),
            )
            if widening == 1:
                steps = steps[1:]
            blocks.append((Block(steps),) if stride == 1 and inputs == outputs else steps)
            inputs = outputs
    return blocks


LITE0: Layers = (
    (_lite_relu("_conv_stem", _STEM, 3, 2, norm="_bn0"),),
    *_lite_bottlenecks(),
    (_lite_relu("_conv_head", _HEAD, norm="_bn1"),),
)
"""Stem, blocks and head."""


# ------------------------------------------------- MiniFASNet

EMBEDDING, CLASSES = 128, 3

_FAS_GROUPS = (("conv_23", "conv_3", 4), ("conv_34", "conv_4", 6), ("conv_45", "conv_5", 2))


def minifasnet(excites: bool) -> Layers:
    """Return the layers ``embedding`` and ``live``; V1SE excites, V2 does not."""
    body: list[Step] = [
        _fas_conv("conv1", kernel=3, stride=2),
        _fas_conv("conv2_dw", 3, depthwise=True),
    ]
    for entrance, group, n_blocks in _FAS_GROUPS:
        body += _fas_bottleneck(entrance, stride=2)
        for number in range(n_blocks):
            at = f"{group}.model.{number}"
            steps = _fas_bottleneck(at)
            if excites and number == n_blocks - 1:
                steps = (*steps, _excite(f"{at}.se_module"))
            body.append(Block(steps))
    embedding = (
        *body,
        _fas_conv("conv_6_sep"),
        _fas_conv("conv_6_dw", 5, depthwise=True, padding="none", linear=True),
        Conv("linear", EMBEDDING, norm="bn"),
    )
    return embedding, (Conv("prob", CLASSES, activation="softmax"),)


def _fas_bottleneck(at: str, stride: int = 1) -> tuple[Step, ...]:
    return (
        _fas_conv(f"{at}.conv"),
        _fas_conv(f"{at}.conv_dw", 3, stride=stride, depthwise=True),
        _fas_conv(f"{at}.project", linear=True),
    )


def _excite(at: str) -> Block:
    squeeze = Conv(f"{at}.fc1", norm=f"{at}.bn1", activation="relu")
    expand = Conv(f"{at}.fc2", norm=f"{at}.bn2", activation="sigmoid")
    return Block((squeeze, expand), excites=True)


def _fas_conv(at: str, kernel: int = 1, *, linear: bool = False, **options: Any) -> Conv:
    activation: dict[str, Any] = {} if linear else {"activation": "prelu", "slope": f"{at}.prelu"}
    return Conv(f"{at}.conv", kernel=kernel, norm=f"{at}.bn", **activation, **options)
