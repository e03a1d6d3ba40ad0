"""What is known of a network before it is built."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lmkl_core.errors import InvalidInputError
from lmkl_core.features.networks import old_names

if TYPE_CHECKING:
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
    build : callable
        Builds the network without weights: its body and, in the order of ``layers``, its stages.
        Imports torch, so it is called only where a network runs.
    takes_shapes : bool
        Whether ``build`` is given the shapes of the file's tensors, by the body's names: the
        layers of a pruned network have widths of their own.
    layers : tuple of Layer
        From the input to the output; the last one also answers to `LAST`.
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
    build: "Callable[..., Stages]"
    layers: tuple[Layer, ...]
    scaling: Scaling
    unused: tuple[str, ...]
    rename: Callable[[Sequence[str]], list[str]] = old_names.unchanged
    smallest: int = 32
    largest: int = LARGEST_CROP
    takes_shapes: bool = False
    is_bgr: bool = False

    @property
    def layer_names(self) -> tuple[str, ...]:
        """All names that a preset may use, `LAST` included."""
        return (*(layer.name for layer in self.layers), LAST)

    def layer(self, name: str) -> Layer:
        """Return the layer of that name.

        Raises
        ------
        InvalidInputError
            If the network has no such layer.
        """
        if name == LAST:
            return self.layers[-1]
        for layer in self.layers:
            if layer.name == name:
                return layer
        raise InvalidInputError(
            f"The network {self.name} has no layer {name!r}; "
            f"its layers are {', '.join(self.layer_names)}."
        )
