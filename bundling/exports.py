"""The networks of the offline presets, exported for the build, so that it needs no torch."""

import json
import tempfile
from collections.abc import Iterable
from pathlib import Path

from lmkl_core.features.shipped import EXPORTER, WEIGHTS_FILE

from lmkl_core.errors import InvalidInputError
from lmkl_core.features.engines.cache import Cache
from lmkl_core.features.engines.export import make_entry
from lmkl_core.features.networks.graph import Graph
from lmkl_core.features.plan import plan
from lmkl_core.features.presets import load_preset, preset_names
from lmkl_core.features.weights import entry_of, find


def offline_presets() -> list[str]:
    """Return the shipped presets whose weights all arrive with packages."""
    return [
        name
        for name in preset_names()
        if all(entry_of(network).package is not None for network in load_preset(name).networks)
    ]


def graphs_of(presets: Iterable[str]) -> list[Graph]:
    """Return the graphs that presets compute, each once."""
    return list(dict.fromkeys(group.graph for name in presets for group in plan(load_preset(name))))


def export_all(folder: Path, presets: Iterable[str]) -> dict[str, str]:
    """Export everything that presets compute, as `lmkl_core.features.shipped` finds it.

    Parameters
    ----------
    folder : Path
        Gets the graphs and the list of their weights.
    presets : iterable of str
        Their names.

    Returns
    -------
    dict
        Name and SHA-256 of the weights.

    Raises
    ------
    InvalidInputError
        If a graph cannot be exported so that it agrees with torch.
    """
    cache, weights = Cache(folder), {}
    with tempfile.TemporaryDirectory() as nothing:
        # What somebody has put into their own folder does not go into a build.
        for graph in graphs_of(presets):
            file = find(graph.network, nothing)
            entry = make_entry(graph, file.path)
            if entry.refused:
                raise InvalidInputError(f"{graph.label} cannot be shipped: {entry.refused}.")
            cache.store(graph.key(file.sha256, EXPORTER), entry)
            weights[graph.network] = file.sha256
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(weights, indent=1, sort_keys=True) + "\n"
    (folder / WEIGHTS_FILE).write_text(text, encoding="utf-8")
    return weights
