"""EfficientNet-Lite0, described layer by layer.

A stem, sixteen inverted bottlenecks and a head. Each bottleneck widens its input by a 1 x 1
convolution, filters every channel on its own, and narrows again without an activation; where input
and output have one shape, the input is added. "Lite" means ReLU6 and no squeeze-and-excitation.
Padding is TensorFlow's, where the weights come from.

References
----------
M. Tan and Q. Le, "EfficientNet: Rethinking model scaling for convolutional neural networks",
ICML 2019; the Lite variants were published with the TensorFlow TPU models in 2020.
"""

from functools import partial

from lmkl_core.features.networks.description import Add, Conv, Layers, Step

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

_conv = partial(Conv, padding="same", epsilon=1e-3)


def _bottlenecks() -> list[tuple[Step, ...]]:
    blocks: list[tuple[Step, ...]] = []
    inputs = _STEM
    for count, kernel, first_stride, widening, outputs in _GROUPS:
        for number in range(count):
            stride = first_stride if number == 0 else 1
            steps = _bottleneck(f"_blocks.{len(blocks)}", inputs, outputs, kernel, stride, widening)
            adds = stride == 1 and inputs == outputs
            blocks.append((Add(steps),) if adds else steps)
            inputs = outputs
    return blocks


def _bottleneck(
    at: str, inputs: int, outputs: int, kernel: int, stride: int, widening: int
) -> tuple[Step, ...]:
    wide = inputs * widening
    widen = _conv(f"{at}._expand_conv", wide, norm=f"{at}._bn0", activation="relu6")
    return (
        *([widen] if widening > 1 else []),
        _conv(
            f"{at}._depthwise_conv",
            wide,
            kernel,
            stride,
            depthwise=True,
            norm=f"{at}._bn1",
            activation="relu6",
        ),
        _conv(f"{at}._project_conv", outputs, norm=f"{at}._bn2"),
    )


LITE0: Layers = (
    (_conv("_conv_stem", _STEM, 3, 2, norm="_bn0", activation="relu6"),),
    *_bottlenecks(),
    (_conv("_conv_head", _HEAD, norm="_bn1", activation="relu6"),),
)
"""Stem, blocks and head."""
