"""Hand-crafted descriptors: views of a crop without network, weights or engine.

One-class face detectors used them before networks; here they allow comparisons on the same crops.
"""

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from lmkl_core.features.descriptors import iqm, lbp


@dataclass(frozen=True)
class Descriptor:
    """A descriptor: from one crop, uint8 (size, size, 3), to one row that is always finite."""

    name: str  # in presets and views
    version: int  # raised whenever a crop would give other values than before
    columns: int
    smallest: int  # side of a crop in pixels
    weight: int  # how much work a crop is, in the unit of the networks' engines
    compute: Callable[[NDArray[np.uint8]], NDArray[np.float32]]


_LBP = Descriptor("lbp", lbp.VERSION, lbp.COLUMNS, lbp.SMALLEST, 1_000_000, lbp.lbp)
_IQM = Descriptor("iqm", iqm.VERSION, iqm.COLUMNS, iqm.SMALLEST, 4_000_000, iqm.iqm)

DESCRIPTORS = MappingProxyType({item.name: item for item in (_LBP, _IQM)})
"""Every descriptor, by its name."""


class DescriptorEngine:
    """Run a descriptor where networks run; each crop by itself, whatever else is in the batch."""

    name = "numpy"
    brings_threads = False

    def __init__(self, descriptor: Descriptor) -> None:
        self.weight = descriptor.weight
        self._compute, self._columns = descriptor.compute, descriptor.columns

    def run(self, crops: NDArray[np.uint8]) -> list[NDArray[np.float32]]:
        """Compute the descriptor of every crop; see `Engine.run`."""
        found = np.empty((len(crops), self._columns), np.float32)
        for row, crop in zip(found, crops, strict=True):
            row[...] = self._compute(crop)
        return [found]
