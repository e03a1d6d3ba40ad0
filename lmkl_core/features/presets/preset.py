"""What a preset says, as values: no file, no network and no picture is touched here.

Crops are squares in *face coordinates*: a similarity transform takes the five landmarks of a face
as close as it can to `TEMPLATE`, whose unit square is the tight face. So a crop means the same
part of the face in every frame, whatever the distance and the tilt of the head.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Pooling: TypeAlias = Literal["mean", "std", "mean+std"]
Photometry: TypeAlias = Literal["none", "grey-world", "standardise"]
Normalisation: TypeAlias = Literal["l2", "l2-each", "none"]

POOLINGS: tuple[Pooling, ...] = ("mean", "std", "mean+std")
PHOTOMETRIES: tuple[Photometry, ...] = ("none", "grey-world", "standardise")
NORMALISATIONS: tuple[Normalisation, ...] = ("l2", "l2-each", "none")

# Eyes, nose and mouth corners of the widely used 112-pixel alignment template, over 112.
TEMPLATE = (
    (0.3419, 0.4616),
    (0.6565, 0.4598),
    (0.5002, 0.6405),
    (0.3709, 0.8247),
    (0.6315, 0.8232),
)


@dataclass(frozen=True)
class Crop:
    """A square that is cut out and given to a network or a descriptor.

    Attributes
    ----------
    name : str
        How branches and views call it.
    size : int
        Side of the result in pixels.
    centre : tuple of float
        Centre in face coordinates.
    side : float or None
        Side in face coordinates; the square is resampled to ``size``. None takes ``size`` pixels
        of the frame as they are, upright and never resampled.
    of : {"face", "image", "box"}
        ``"image"`` takes the whole frame, resized to the square; ``"box"`` the detector's box,
        ``scale`` times as wide and high. Centre and side then say nothing.
    scale : float
        How many times larger than the box, as far as the frame is large enough.
    """

    name: str
    size: int
    centre: tuple[float, float] = (0.5, 0.5)
    side: float | None = 1.0
    of: Literal["face", "image", "box"] = "face"
    scale: float = 1.0

    @property
    def is_native(self) -> bool:
        """Whether pixels are taken as they are."""
        return self.of == "face" and self.side is None


@dataclass(frozen=True)
class Branch:
    """One network on some crops: every crop and layer makes one view.

    Attributes
    ----------
    network : str
        Name in the registry of networks.
    crops, layers : tuple of str
        Names of crops of the preset and of layers of the network.
    pooling : {"mean", "std", "mean+std"}
        Statistics of a layer's channels over the crop's area.
    photometry : {"none", "grey-world", "standardise"}
        What is taken out of each crop's light before the network: nothing, its colour cast and
        brightness, or these and its contrast.
    normalisation : {"l2", "l2-each", "none"}
        What is done to the pooled vector: division by its Euclidean norm; the same for each
        pooled statistic by itself, so that both count alike; or nothing.
    """

    network: str
    crops: tuple[str, ...]
    layers: tuple[str, ...]
    pooling: Pooling = "mean+std"
    photometry: Photometry = "none"
    normalisation: Normalisation = "l2"

    def view_name(self, crop: str, layer: str) -> str:
        """Name of the view that a crop and a layer make."""
        return f"{crop}/{self.network}.{layer}"

    @property
    def view_names(self) -> tuple[str, ...]:
        """Names of the views, in their order."""
        return tuple(self.view_name(crop, layer) for crop in self.crops for layer in self.layers)


@dataclass(frozen=True)
class DescriptorBranch:
    """A descriptor made by hand on some crops: every crop makes one view.

    Attributes
    ----------
    descriptor : str
        Name in the registry of descriptors.
    crops : tuple of str
        Names of crops of the preset.
    """

    descriptor: str
    crops: tuple[str, ...]

    def view_name(self, crop: str) -> str:
        """Name of the view that a crop makes."""
        return f"{crop}/{self.descriptor}"

    @property
    def view_names(self) -> tuple[str, ...]:
        """Names of the views, in their order."""
        return tuple(self.view_name(crop) for crop in self.crops)


@dataclass(frozen=True)
class Preset:
    """A named set of crops and branches."""

    name: str
    description: str
    crops: tuple[Crop, ...]
    branches: tuple[Branch | DescriptorBranch, ...]

    @property
    def view_names(self) -> tuple[str, ...]:
        """Names of all views, in the order in which they are computed and shown."""
        return tuple(name for branch in self.branches for name in branch.view_names)

    @property
    def networks(self) -> tuple[str, ...]:
        """Names of the networks whose weights are needed, each once."""
        return tuple(dict.fromkeys(branch.network for branch in self.network_branches))

    @property
    def network_branches(self) -> tuple[Branch, ...]:
        """The branches that are networks."""
        return tuple(branch for branch in self.branches if isinstance(branch, Branch))

    @property
    def descriptor_branches(self) -> tuple[DescriptorBranch, ...]:
        """The branches that are descriptors made by hand."""
        return tuple(branch for branch in self.branches if isinstance(branch, DescriptorBranch))

    def crop(self, name: str) -> Crop:
        """Return the crop of that name."""
        return next(crop for crop in self.crops if crop.name == name)
