"""From a preset to what computes it: what runs once, and which row is which view.

Branches with one network, photometry and size of crop share a graph: the network runs once for
all their crops and layers. Descriptors made by hand share nothing: each runs on each of its crops.
"""

from dataclasses import dataclass

from lmkl_core.errors import InvalidInputError
from lmkl_core.features.descriptors import Descriptor, find_descriptor
from lmkl_core.features.networks.graph import Graph, Output
from lmkl_core.features.presets.preset import Branch, Photometry, Preset


@dataclass(frozen=True)
class PlannedView:
    """Where a view comes from: a crop of the group and an output of its graph, by number."""

    name: str
    crop: int
    output: int


@dataclass(frozen=True)
class Group:
    """A graph, the crops it runs on (one batch, in this order), and the views it makes."""

    graph: Graph
    crops: tuple[str, ...]
    views: tuple[PlannedView, ...]


@dataclass(frozen=True)
class DescribedView:
    """A view that a descriptor makes of a crop."""

    name: str
    crop: str
    descriptor: Descriptor


def plan(preset: Preset) -> tuple[Group, ...]:
    """Return the groups of a preset: what its networks compute.

    Raises
    ------
    InvalidInputError
        If the preset names a crop, network or layer that does not exist, or a view twice.
    """
    sizes = _checked_sizes(preset)
    shared: dict[tuple[str, Photometry, int], list[tuple[Branch, str]]] = {}
    for branch in preset.network_branches:
        for crop in branch.crops:
            key = (branch.network, branch.photometry, sizes[crop])
            shared.setdefault(key, []).append((branch, crop))
    return tuple(_group(*key, uses) for key, uses in shared.items())


def described_views(preset: Preset) -> tuple[DescribedView, ...]:
    """Return what a preset's descriptors compute.

    Raises
    ------
    InvalidInputError
        If the preset names a crop or descriptor that does not exist, or a view twice, or if a
        crop is too small.
    """
    sizes = _checked_sizes(preset)
    found = []
    for branch in preset.descriptor_branches:
        descriptor = find_descriptor(branch.descriptor)
        for crop in branch.crops:
            if sizes[crop] < descriptor.smallest:
                raise InvalidInputError(
                    f"{descriptor.name} takes crops of at least {descriptor.smallest} pixels, "
                    f"not of {sizes[crop]}; change the crop's size."
                )
            found.append(DescribedView(branch.view_name(crop), crop, descriptor))
    return tuple(found)


def _checked_sizes(preset: Preset) -> dict[str, int]:
    """Return the crops' sizes, if every view is there once and every crop defined."""
    names = preset.view_names
    if not names:
        raise InvalidInputError(f"The preset {preset.name} has no views; add a branch.")
    for name in names:
        if names.count(name) > 1:
            raise InvalidInputError(f"The preset {preset.name} has the view {name} twice.")
    sizes = _sizes(preset)
    for branch in preset.branches:
        for crop in branch.crops:
            if crop not in sizes:
                raise InvalidInputError(
                    f"The preset {preset.name} uses the crop {crop!r}, which it does not define."
                )
    return sizes


def _sizes(preset: Preset) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for crop in preset.crops:
        if crop.name in sizes:
            raise InvalidInputError(f"The preset {preset.name} has two crops named {crop.name}.")
        sizes[crop.name] = crop.size
    return sizes


def _group(
    network: str, photometry: Photometry, size: int, uses: list[tuple[Branch, str]]
) -> Group:
    crops = tuple(dict.fromkeys(crop for _, crop in uses))
    outputs = tuple(
        dict.fromkeys(_output(branch, layer) for branch, _ in uses for layer in branch.layers)
    )
    views = tuple(
        PlannedView(
            branch.view_name(crop, layer),
            crops.index(crop),
            outputs.index(_output(branch, layer)),
        )
        for branch, crop in uses
        for layer in branch.layers
    )
    return Group(Graph(network, size, photometry, outputs), crops, views)


def _output(branch: Branch, layer: str) -> Output:
    return Output(layer, branch.pooling, branch.normalisation)
