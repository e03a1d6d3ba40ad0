"""Time of a set of views over the time of a reference set, in alternation."""

import time

import numpy as np

from benchmarks.candidates import CROPS
from lmkl_core.features.extractor import Extractor
from lmkl_core.features.presets import Branch, Preset

ROUNDS = 15


def preset_of(views):
    """The smallest preset that makes these views."""
    branches = {}
    for view in views:
        key = (view.network, view.pooling, view.photometry)
        crops, layers = branches.setdefault(key, ({}, {}))
        crops[view.crop] = layers[view.layer] = None
    return Preset(
        "candidate",
        "",
        tuple(crop for crop in CROPS if crop.name in {view.crop for view in views}),
        tuple(
            Branch(network, tuple(crops), tuple(layers), pooling, photometry)
            for (network, pooling, photometry), (crops, layers) in branches.items()
        ),
    )


class Costs:
    """Ratios to a reference, measured once for every amount of work."""

    def __init__(self, reference):
        self.reference = self._runner(reference)
        self.known = {}

    def of(self, views):
        sizes = {crop.name: crop.size for crop in CROPS}
        work = tuple(sorted((v.network, v.layer, sizes[v.crop], v.photometry) for v in views))
        if work not in self.known:
            self.known[work] = self._measure(self._runner(views))
        return self.known[work]

    def _measure(self, run):
        pairs = [(seconds(run), seconds(self.reference)) for _ in range(ROUNDS)]
        return float(np.median([a / b for a, b in pairs]))

    def _runner(self, views):
        preset = preset_of(views)
        extractor = Extractor(preset)
        rng = np.random.default_rng(0)
        crops = {
            crop.name: rng.integers(0, 256, (crop.size, crop.size, 3), dtype=np.uint8)
            for crop in preset.crops
        }
        extractor(crops)
        return lambda: extractor(crops)


def seconds(run):
    start = time.perf_counter()
    run()
    return time.perf_counter() - start
