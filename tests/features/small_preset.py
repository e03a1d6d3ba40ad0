"""A preset that is quick to export and run, and crops for it."""

import numpy as np

from lmkl_core.features.presets import Branch, Crop, Preset, with_descriptors

SMALL = Preset(
    "small",
    "",
    crops=(Crop("face", 64), Crop("wide", 64, side=1.6), Crop("nose", 32, side=None)),
    branches=(
        Branch("efficientnet-lite0", ("face", "nose"), ("block2", "stem")),
        Branch("efficientnet-lite0", ("wide",), ("block2",), pooling="mean", normalisation="none"),
    ),
)

BOTH = with_descriptors(SMALL)
"""The same with hand-crafted descriptors."""


def crops_for(preset, frames, seed=0):
    """Return random crops, smooth shapes with noise, for a number of frames."""
    random = np.random.default_rng(seed)

    def crop(size):
        coarse = random.integers(0, 200, (frames, 4, 4, 3))
        smooth = coarse.repeat(size // 4, axis=1).repeat(size // 4, axis=2)
        return (smooth + random.integers(0, 56, (frames, size, size, 3))).astype(np.uint8)

    return {item.name: crop(item.size) for item in preset.crops}
