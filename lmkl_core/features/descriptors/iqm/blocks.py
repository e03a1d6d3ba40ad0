"""How much a picture looks like decompressed JPEG, without a picture to compare it with.

Wang, Sheikh, Bovik: No-reference perceptual quality assessment of JPEG compressed images.
ICIP 2002.
"""

import numpy as np

from lmkl_core.features.descriptors.iqm.filters import Picture
from lmkl_core.features.descriptors.iqm.pair import Pair

BLOCK = 8

# What the authors fitted to people's judgement.
_OFFSET, _SCALE = -245.8909, 261.9373
_POWERS = (-0.02398886, 0.01601664, 0.00642859)

SMALLEST_FEATURE = 1e-3
"""The features' floor: flat pictures have none of them, and powers of zero are not finite."""


def jqi(pair: Pair) -> float:
    """JPEG quality index: ``-245.9 + 261.9 B^-0.0240 A^0.0160 Z^0.00643`` of the image.

    B is the mean step between blocks of 8, A the mean step within, and Z the rate at which steps
    change their sign, each averaged over both directions. Crops are resampled, so that blocks of
    the camera's own compression are seldom where this looks for them.
    """
    directions = np.array([_features(pair.image), _features(pair.image.T)])
    features = np.maximum(directions.mean(axis=0), SMALLEST_FEATURE)
    return float(_OFFSET + _SCALE * np.prod(features ** np.array(_POWERS)))


def _features(picture: Picture) -> tuple[float, float, float]:
    """Return B, A and Z across."""
    steps = np.diff(picture, axis=1)
    size = np.abs(steps)
    n_borders = picture.shape[1] // BLOCK - 1
    between = float(np.mean(size[:, BLOCK - 1 :: BLOCK][:, :n_borders]))
    within = (BLOCK * float(np.mean(size)) - between) / (BLOCK - 1)
    crossings = float(np.mean(steps[:, :-1] * steps[:, 1:] < 0))
    return between, within, crossings
