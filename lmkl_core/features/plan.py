"""From a preset to what computes it: which graphs run, and which of their rows is which view.

Branches with one network, photometry and size of crop share a graph: the network runs once for
all their crops and layers. Descriptors made by hand share nothing: each runs on each of its crops.
"""

from dataclasses import dataclass

from lmkl_core.features.descriptors import DESCRIPTORS, Descriptor
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
    """Return the groups of a preset: what its networks compute."""
    shared: dict[tuple[str, Photometry, int], list[tuple[Branch, str]]] = {}
    for branch in preset.network_branches:
        for crop in branch.crops:
            key = (branch.network, branch.photometry, preset.crop(crop).size)
            shared.setdefault(key, []).append((branch, crop))
    return tuple(_group(*key, uses) for key, uses in shared.items())


def described_views(preset: Preset) -> tuple[DescribedView, ...]:
    """Return what a preset's descriptors compute."""
    return tuple(
        DescribedView(branch.view_name(crop), crop, DESCRIPTORS[branch.descriptor])
        for branch in preset.descriptor_branches
        for crop in branch.crops
    )


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
