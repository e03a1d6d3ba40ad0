"""From a preset to the graphs that compute it: what runs once, and which row is which view.

Branches with one network, photometry and size of crop share a graph: the network runs once for
all their crops and layers.
"""

from dataclasses import dataclass

from lmkl_core.errors import InvalidInputError
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


def plan(preset: Preset) -> tuple[Group, ...]:
    """Return the groups of a preset.

    Raises
    ------
    InvalidInputError
        If the preset names a crop, network or layer that does not exist, or a view twice.
    """
    names = preset.view_names
    if not names:
        raise InvalidInputError(f"The preset {preset.name} has no views; add a branch.")
    for name in names:
        if names.count(name) > 1:
            raise InvalidInputError(f"The preset {preset.name} has the view {name} twice.")
    sizes = _sizes(preset)
    shared: dict[tuple[str, Photometry, int], list[tuple[Branch, str]]] = {}
    for branch in preset.branches:
        for crop in branch.crops:
            if crop not in sizes:
                raise InvalidInputError(
                    f"The preset {preset.name} uses the crop {crop!r}, which it does not define."
                )
            key = (branch.network, branch.photometry, sizes[crop])
            shared.setdefault(key, []).append((branch, crop))
    return tuple(_group(*key, uses) for key, uses in shared.items())


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
