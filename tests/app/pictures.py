"""Generated pictures for tests that need structure but no face."""

import cv2
import numpy as np

from app.vision.quality import ALIGNED_SIZE


def skin(seed=0, mean=130.0, spread=40.0):
    """Return a picture with structure at every scale, as faces have."""
    rng = np.random.default_rng(seed)
    picture = np.zeros((ALIGNED_SIZE, ALIGNED_SIZE, 3), np.float32)
    for cells in (4, 8, 16, 32, 64, ALIGNED_SIZE):
        layer = rng.standard_normal((cells, cells, 1)).astype(np.float32)
        picture += cv2.resize(layer, picture.shape[:2])[..., np.newaxis] / cells**0.5
    picture = mean + spread * picture / picture.std()
    return np.clip(picture, 0, 255).astype(np.uint8)
