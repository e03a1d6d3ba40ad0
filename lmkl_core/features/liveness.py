"""The probability that a face is live, from two networks trained on many people and attacks.

It complements the views: it does not know the enrolled person, but remains valid in light that was
never enrolled.
"""

import os
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from lmkl_core.features.engines.choose import Progress
from lmkl_core.features.extractor import Extractor
from lmkl_core.features.presets.preset import Branch, Crop, Preset
from lmkl_core.features.weights.catalogue import Weights, entry_of
from lmkl_core.features.weights.store import Checksum, Finding, inspect

LIVE = 1
"""Column of the class "live" in the networks' output."""

LIVENESS = Preset(
    "liveness of frames",
    "The output of two liveness networks on the detector's box.",
    (Crop("head", 80, of="box", scale=2.7), Crop("scene", 80, of="box", scale=4.0)),
    (
        Branch("minifasnet-v2", ("head",), ("live",), "mean", normalisation="none"),
        Branch("minifasnet-v1se", ("scene",), ("live",), "mean", normalisation="none"),
    ),
)
"""The crops and outputs of `LivenessMeter`."""


def can_measure(folder: str | os.PathLike[str] | None = None) -> bool:
    """Whether the networks' weights are on this computer."""
    return all(finding.checksum is not Checksum.NONE for finding in _findings(folder))


def missing_weights(folder: str | os.PathLike[str] | None = None) -> tuple[Weights, ...]:
    """Return the networks' weights that are missing on this computer or damaged."""
    findings = _findings(folder)
    return tuple(each.entry for each in findings if each.checksum is not Checksum.RIGHT)


def _findings(folder: str | os.PathLike[str] | None) -> list[Finding]:
    place = None if folder is None else os.fspath(folder)
    return [inspect(entry_of(name), place) for name in LIVENESS.networks]


class LivenessMeter:
    """Measure the probability that a face is live: the larger output of two networks.

    In harsh light one of them often takes a live face for an attack; the larger value separates
    live faces from attacks better than the mean (``python -m benchmarks real``).
    """

    def __init__(self, extractor: Extractor) -> None:
        self._extractor = extractor

    @classmethod
    def find(
        cls,
        folder: str | os.PathLike[str] | None = None,
        *,
        progress: Progress | None = None,
        cancel: Callable[[], bool] | None = None,
    ) -> "LivenessMeter | None":
        """Return a meter, or None if weights are missing; for the parameters see `Extractor`."""
        if not can_measure(folder):
            return None
        return cls(Extractor(LIVENESS, folder=folder, progress=progress, cancel=cancel))

    @property
    def crops(self) -> tuple[Crop, ...]:
        """The crops to cut out of a frame."""
        return self._extractor.preset.crops

    def __call__(self, crops: Mapping[str, NDArray[np.uint8]]) -> float:
        """Return the probability, 0 to 1, for one frame's crops; raise as `Extractor` does."""
        return max(float(rows[0, LIVE]) for rows in self._extractor(crops).values())
