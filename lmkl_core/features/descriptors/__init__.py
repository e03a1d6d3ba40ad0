"""Hand-crafted descriptors: views of a crop that need no network, weights or engine."""

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from lmkl_core.features.descriptors import iqm, lbp


@dataclass
class Descriptor:
    """A descriptor, which is its own engine; every crop gives one finite row."""

    version: int  # increased when a crop would give other values than before
    columns: tuple[int, ...]  # length of its only output
    smallest: int  # side of a crop in pixels
    weight: int  # work per crop, in the unit of the engines
    compute: Callable[[NDArray[np.uint8]], NDArray[np.float32]]
    name: str = "numpy"  # of the engine
    brings_threads: bool = False

    def run(self, crops: NDArray[np.uint8]) -> list[NDArray[np.float32]]:
        """Compute the descriptor of every crop; see `Engine.run`."""
        found = np.empty((len(crops), *self.columns), np.float32)
        for row, crop in zip(found, crops, strict=True):
            row[...] = self.compute(crop)
        return [found]


DESCRIPTORS = MappingProxyType(
    {
        "lbp": Descriptor(lbp.VERSION, (lbp.COLUMNS,), lbp.SMALLEST, 1_000_000, lbp.lbp),
        "iqm": Descriptor(iqm.VERSION, (iqm.COLUMNS,), iqm.SMALLEST, 4_000_000, iqm.iqm),
    }
)
"""All descriptors by their names in presets and views."""
