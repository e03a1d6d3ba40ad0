"""The networks that presets may name: their layers, how they are built, loaded and cut short.

`registry` and `graph` are plain values and import no torch; `families`, `efficientnet_lite`,
`minifasnet`, `state_dict` and `truncated` need it and are imported only where a network is built.
"""

from lmkl_core.features.networks.graph import Graph, Output
from lmkl_core.features.networks.registry import NETWORKS, find_network
from lmkl_core.features.networks.spec import Layer, NetworkSpec

__all__ = ["NETWORKS", "Graph", "Layer", "NetworkSpec", "Output", "find_network"]
