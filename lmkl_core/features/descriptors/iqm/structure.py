"""Measures of structure and information.

Wang, Bovik, Sheikh, Simoncelli: Image quality assessment: from error visibility to structural
similarity. TIP 13 (2004).

Sheikh, Bovik: Image information and visual quality. TIP 15 (2006).
"""

from collections.abc import Callable

import numpy as np

from lmkl_core.features.descriptors.iqm.filters import Picture, gaussian
from lmkl_core.features.descriptors.iqm.pair import NOTHING, Pair, ratio

SSIM_RADIUS, SSIM_SIGMA = 5, 1.5
SSIM_C1, SSIM_C2 = (0.01 * 255.0) ** 2, (0.03 * 255.0) ** 2

VIF_RADII = (8, 4, 2, 1)
"""Radii of the windows of the four scales, from fine to coarse."""

VIF_NOISE = 2.0
"""Variance of the noise of seeing."""

VIF_SMALLEST = 41
"""Smallest side of a picture that has a window at the coarsest scale."""


def ssim(pair: Pair) -> float:
    """Structural similarity.

    The mean of ``(2 m n + c1)(2 s + c2) / ((m^2 + n^2 + c1)(v + w + c2))``, where ``m, n`` are the
    means, ``v, w`` the variances and s the covariance of image and degraded image in 11 x 11
    Gaussian windows of width 1.5; ``c1 = (0.01 255)^2``, ``c2 = (0.03 255)^2``.
    """

    def window(picture: Picture) -> Picture:
        return gaussian(picture, SSIM_RADIUS, SSIM_SIGMA)

    m, n, v, w, s = _moments(pair.image, pair.degraded, window)
    likeness = (2.0 * m * n + SSIM_C1) * (2.0 * s + SSIM_C2)
    return float(np.mean(likeness / ((m**2 + n**2 + SSIM_C1) * (v + w + SSIM_C2))))


def vif(pair: Pair) -> float:
    """Visual information fidelity in the pixel domain: information that is left, over all.

    In windows of 17, 9, 5 and 3 pixels at four scales, each a low-passed half of the one before,
    the degraded picture is taken for ``g`` times the image plus noise of variance ``u``, with
    ``g = s / v`` and ``u = w - g s``, and both are seen through noise of variance 2:
    ``sum log(1 + g^2 v / (u + 2)) / sum log(1 + v / 2)``. 1 where nothing was there.
    """
    image, degraded = pair.image, pair.degraded
    left = there = 0.0
    for number, radius in enumerate(VIF_RADII):

        def window(picture: Picture, radius: int = radius) -> Picture:
            return gaussian(picture, radius, (2 * radius + 1) / 5.0)

        if number:
            image, degraded = window(image)[::2, ::2], window(degraded)[::2, ::2]
        _, _, v, w, s = _moments(image, degraded, window)
        gain = np.where(v > NOTHING, s / np.maximum(v, NOTHING), 0.0)
        # A negative gain would be noise that is the opposite of the image: all of it is noise.
        gain = np.maximum(gain, 0.0)
        noise = np.maximum(w - gain * s, 0.0)
        left += float(np.sum(np.log1p(gain**2 * v / (noise + VIF_NOISE))))
        there += float(np.sum(np.log1p(v / VIF_NOISE)))
    return ratio(left, there, 1.0)


def _moments(
    first: Picture, second: Picture, window: Callable[[Picture], Picture]
) -> tuple[Picture, Picture, Picture, Picture, Picture]:
    """Return both local means, both variances and the covariance."""
    m, n = window(first), window(second)
    v, w = window(first**2) - m**2, window(second**2) - n**2
    # Differences of large numbers: what is left of a flat area is rounding.
    v[v < NOTHING] = w[w < NOTHING] = 0.0
    return m, n, v, w, window(first * second) - m * n
