"""The descriptors by name, and one of them as an engine."""

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from lmkl_core.features.descriptors import iqm, lbp


@dataclass(frozen=True)
class Descriptor:
    """A descriptor of the registry.

    Attributes
    ----------
    name : str
        Name in presets and views.
    title : str
        What it is, for people.
    version : int
        Raised whenever a crop would give other values than before.
    columns : int
        Length of the view's rows.
    smallest : int
        Smallest side of a crop in pixels.
    weight : int
        How much work a crop is, in the unit of the networks' engines.
    compute : callable
        From one crop, uint8 (size, size, 3), to one row, float32 and finite for any crop.
    """

    name: str
    title: str
    version: int
    columns: int
    smallest: int
    weight: int
    compute: Callable[[NDArray[np.uint8]], NDArray[np.float32]]


DESCRIPTORS = MappingProxyType(
    {
        item.name: item
        for item in (
            Descriptor(
                "lbp",
                "colour local binary patterns",
                lbp.VERSION,
                lbp.COLUMNS,
                lbp.SMALLEST,
                1_000_000,
                lbp.lbp,
            ),
            Descriptor(
                "iqm",
                "image quality measures",
                iqm.VERSION,
                iqm.COLUMNS,
                iqm.SMALLEST,
                4_000_000,
                iqm.iqm,
            ),
        )
    }
)
"""Every descriptor, by its name."""


class DescriptorEngine:
    """Run a descriptor where networks run, crop by crop.

    Each crop is computed by itself, so that its row does not depend on what else is in the batch.

    Parameters
    ----------
    descriptor : Descriptor
        What to run.
    """

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
