"""Networks as data: the steps of each layer.

A described network needs no torch: `filling` gives the steps the weights of a file, and
`engines.build` writes them as an ONNX graph.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Activation: TypeAlias = Literal["none", "relu", "relu6", "prelu", "sigmoid", "softmax"]
Padding: TypeAlias = Literal["none", "half", "same"]
"""``half`` pads by half the kernel on each side, ``same`` as TensorFlow does."""


@dataclass(frozen=True)
class Conv:
    """A convolution, its batch norm and its activation.

    Attributes
    ----------
    name : str
        Of its weights in the file, without ``.weight``. A linear layer is a 1 x 1 convolution.
    outputs : int
        Channels; 0 for as many as the file has.
    norm : str
        Name of the batch norm's weights; empty without one.
    slope : str
        Name of PReLU's weights.
    """

    name: str
    outputs: int = 0
    kernel: int = 1
    stride: int = 1
    depthwise: bool = False
    padding: Padding = "half"
    norm: str = ""
    epsilon: float = 1e-5
    activation: Activation = "none"
    slope: str = ""


@dataclass(frozen=True)
class Add:
    """Steps whose result is added to their input."""

    steps: "tuple[Step, ...]"


@dataclass(frozen=True)
class Excite:
    """Steps on the channels' means, whose result multiplies their input."""

    steps: "tuple[Step, ...]"


Step: TypeAlias = Conv | Add | Excite

Layers: TypeAlias = tuple[tuple[Step, ...], ...]
"""The steps of every layer, in the order of the network's layers."""
