"""What is known of a network before it is built."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lmkl_core.features.networks import old_names

if TYPE_CHECKING:
    from lmkl_core.features.networks.description import Layers
    from lmkl_core.features.networks.families import Stages

LAST = "last"
"""In every network, the last layer: the feature maps that its classifier starts from."""

LARGEST_CROP = 1024
"""Largest side of a crop in pixels."""


@dataclass(frozen=True)
class Layer:
    """A place in a network where statistics can be taken."""

    name: str
    channels: int


@dataclass(frozen=True)
class Scaling:
    """What a network was trained to see: ``(pixel / 255 - mean) / std`` for red, green, blue."""

    mean: tuple[float, float, float]
    std: tuple[float, float, float]


@dataclass(frozen=True)
class NetworkSpec:
    """A network of the registry.

    Attributes
    ----------
    name : str
        Name in presets, and of its weights.
    layers : tuple of Layer
        From the input to the output; the last one also answers to `LAST`.
    description : tuple of tuple, optional
        The steps of every layer. Such a network runs without torch.
    build : callable, optional
        Of a network without a description: builds it without weights, in torch, as its body and,
        in the order of ``layers``, its stages.
    scaling : Scaling
        How its input is scaled.
    unused : tuple of str
        Beginnings of the weights' names that files have and no layer needs: the classifier.
    rename : callable
        Turns the names of a published file into those of the body.
    smallest, largest : int
        Limits of a crop's side in pixels.
    is_bgr : bool
        Whether its input is blue, green, red.
    """

    name: str
    layers: tuple[Layer, ...]
    scaling: Scaling
    unused: tuple[str, ...]
    description: "Layers | None" = None
    build: "Callable[[], Stages] | None" = None
    rename: Callable[[Sequence[str]], list[str]] = old_names.unchanged
    smallest: int = 32
    largest: int = LARGEST_CROP
    is_bgr: bool = False

    @property
    def needs_torch(self) -> bool:
        """Whether it runs only where torch is installed."""
        return self.description is None

    @property
    def layer_names(self) -> tuple[str, ...]:
        """All names that a preset may use, `LAST` included."""
        return (*(layer.name for layer in self.layers), LAST)

    def layer(self, name: str) -> Layer:
        """Return the layer of that name, or the last one for `LAST`."""
        if name == LAST:
            return self.layers[-1]
        return next(layer for layer in self.layers if layer.name == name)
