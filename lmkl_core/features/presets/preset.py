"""Presets: crops, networks, layers, pooling and descriptors, checked on construction.

Crops are squares in *face coordinates*: a similarity transform maps the five landmarks of a face as
closely as possible to `TEMPLATE`, and the unit square is the tight face. So a crop is the same part
of the face at any distance and tilt of the head.
"""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from msgspec import Meta

from lmkl_core.errors import InvalidInputError, shortened
from lmkl_core.features.descriptors import DESCRIPTORS
from lmkl_core.features.networks.registry import LAST, NETWORKS, Normalisation, Photometry, Pooling

CHOICES = {
    "pooling": get_args(Pooling),
    "photometry": get_args(Photometry),
    "normalisation": get_args(Normalisation),
}

MAX_VIEWS = 100
SMALLEST, LARGEST, STEP = 32, 512, 32
MINIFASNET_SIZE, NASNET_SIZE = 80, 331
"""The sizes that these networks were trained on; not multiples of 32."""

# Eyes, nose and mouth corners of the widely used 112-pixel alignment template, divided by 112.
_EYES = (0.3419, 0.4616), (0.6565, 0.4598)
_MOUTH = (0.3709, 0.8247), (0.6315, 0.8232)
TEMPLATE = (*_EYES, (0.5002, 0.6405), *_MOUTH)

_Coordinate = Annotated[float, Meta(ge=-2, le=3)]


class PresetError(InvalidInputError):
    """A preset cannot be used; the message names the place and what is allowed."""


@dataclass(frozen=True)
class Crop:
    """A square that is cut out for a network or a descriptor.

    For a crop of the face, ``centre`` and ``side`` are in face coordinates, and the square is
    resampled to ``size``; if ``side`` is None, it consists of ``size`` unchanged pixels of the
    frame, upright. ``"image"`` is the whole frame, resized to the square. ``"box"`` is the
    detector's box, enlarged by ``scale`` as far as the frame reaches.
    """

    name: str  # in branches and views
    size: int  # side of the result in pixels
    centre: tuple[_Coordinate, _Coordinate] = (0.5, 0.5)
    side: Annotated[float, Meta(ge=0.05, le=10)] | None = 1.0
    of: Literal["face", "image", "box"] = "face"
    scale: Annotated[float, Meta(ge=0.1, le=10)] = 1.0

    @property
    def is_native(self) -> bool:
        """Whether pixels are never resampled."""
        return self.of == "face" and self.side is None


@dataclass(frozen=True)
class Branch:
    """One network on some crops; every crop and layer makes one view.

    Photometry removes from each crop, before the network: nothing, its colour cast and brightness
    (``grey-world``), or these and its contrast (``standardise``). Normalisation divides the pooled
    vector by its Euclidean norm (``l2``), or each pooled statistic by its own (``l2-each``).
    """

    network: str
    crops: tuple[str, ...]
    layers: tuple[str, ...]
    pooling: Pooling = "mean+std"  # statistics of a layer's channels over the crop's area
    photometry: Photometry = "none"
    normalisation: Normalisation = "l2"

    @property
    def view_names(self) -> tuple[str, ...]:
        """Names of the views: all layers of the first crop, then of the next."""
        return tuple(f"{crop}/{self.network}.{key}" for crop in self.crops for key in self.layers)


@dataclass(frozen=True)
class DescriptorBranch:
    """A hand-crafted descriptor on some crops; every crop makes one view."""

    descriptor: str
    crops: tuple[str, ...]

    @property
    def view_names(self) -> tuple[str, ...]:
        """Names of the views, one per crop."""
        return tuple(f"{crop}/{self.descriptor}" for crop in self.crops)


@dataclass(frozen=True)
class Preset:
    """A named set of crops and branches; raises `PresetError` if it cannot be computed."""

    name: str
    description: str
    crops: tuple[Crop, ...]
    branches: tuple[Branch | DescriptorBranch, ...]

    def __post_init__(self) -> None:
        sizes = {crop.name: crop.size for crop in self.crops}
        if len(sizes) < len(self.crops):
            raise PresetError(f"The preset {self.name} has two crops with the same name.")
        for name, size in sizes.items():
            _check_size(size, f"crops.{name}.size")
        for number, branch in enumerate(self.branches, start=1):
            _check_branch(branch, sizes, f"branches[{number}]")
        names = self.view_names
        if not names:
            raise PresetError(f"The preset {self.name} has no views; add a branch.")
        if len(names) > MAX_VIEWS:
            raise PresetError(
                f"The preset {self.name} has more than {MAX_VIEWS} views (each crop with each "
                "layer makes one)."
            )
        if twice := [name for name in names if names.count(name) > 1]:
            raise PresetError(
                f"The preset {self.name} has the view {twice[0]} twice; if you want both, add "
                "the crop again under another name."
            )

    @property
    def view_names(self) -> tuple[str, ...]:
        """Names of all views, in order."""
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
        """The branches that are hand-crafted descriptors."""
        return tuple(branch for branch in self.branches if isinstance(branch, DescriptorBranch))

    def crop(self, name: str) -> Crop:
        """Return a crop by name."""
        return next(crop for crop in self.crops if crop.name == name)


def check_choice(word: str, allowed: Iterable[str], what: str, where: str) -> None:
    """Raise unless the word is allowed, and suggest the closest word that is."""
    allowed = tuple(allowed)
    if word not in allowed:
        near = difflib.get_close_matches(word[:100].lower(), allowed, n=1)
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        raise PresetError(
            f"{where}: there is no {what} {short(word)}{hint}; choose one of {_joined(allowed)}."
        )


def short(value: object) -> str:
    """Return a short representation of a value."""
    # Python refuses to format numbers of more than 4300 digits.
    is_huge = isinstance(value, int) and abs(value) >= 10**12
    return "a huge number" if is_huge else shortened(repr(value), 40)


def _joined(names: Iterable[str]) -> str:
    """Join names, of which a hostile file may have thousands."""
    return shortened(", ".join(names), 400)


def _check_size(size: int, where: str) -> None:
    if size in (MINIFASNET_SIZE, NASNET_SIZE) or (SMALLEST <= size <= LARGEST and size % STEP == 0):
        return
    raise PresetError(
        f"{where} is {short(size)}; it must be a multiple of {STEP} from {SMALLEST} to {LARGEST}, "
        f"or {NASNET_SIZE} for NASNetLarge or {MINIFASNET_SIZE} for MiniFASNet."
    )


def _check_branch(branch: Branch | DescriptorBranch, sizes: dict[str, int], where: str) -> None:
    _check_names(branch.crops, sizes, "crop", f"{where}.crops")
    if isinstance(branch, DescriptorBranch):
        name = branch.descriptor
        check_choice(name, DESCRIPTORS, "descriptor", f"{where}.descriptor")
        smallest, largest = DESCRIPTORS[name].smallest, LARGEST
    else:
        name = branch.network
        check_choice(name, NETWORKS, "network", f"{where}.network")
        spec = NETWORKS[name]
        smallest, largest = spec.smallest, spec.largest
        _check_names(branch.layers, spec.layer_names, f"{name} layer", f"{where}.layers")
        if len({spec.place(layer) for layer in branch.layers}) < len(branch.layers):
            raise PresetError(f"{where}.layers: {LAST!r} is one of the other layers; remove it.")
        for key, allowed in CHOICES.items():
            check_choice(getattr(branch, key), allowed, key, f"{where}.{key}")
    for crop in branch.crops:
        if not smallest <= sizes[crop] <= largest:
            needed = smallest if sizes[crop] < smallest else largest
            raise PresetError(
                f"{where}.crops: the crop {crop!r} has {sizes[crop]} pixels, but {name} needs "
                f"{needed}."
            )


def _check_names(names: Sequence[str], allowed: Iterable[str], what: str, where: str) -> None:
    if not names:
        raise PresetError(f"{where} is empty; it needs one of {_joined(allowed)}.")
    for number, name in enumerate(names, start=1):
        check_choice(name, allowed, what, f"{where}[{number}]")
        if name in names[: number - 1]:
            raise PresetError(f"{where}[{number}]: the {what} {name!r} is named twice.")
