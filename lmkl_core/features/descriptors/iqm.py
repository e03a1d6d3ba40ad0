r"""Image quality measures: how much a slight smoothing changes a face.

Galbally, Marcel and Fierrez (2014) detect fakes by 25 measures of image quality. A picture that was
printed or shown on a screen has already lost detail, so smoothing changes it less, or in another
way, than a face in front of the camera. The crop's luma ``I`` is compared with ``J``, which is
``I`` smoothed by a 3 x 3 Gaussian of width 0.5; two measures use ``I`` alone. Sums run over all
``N`` pixels.

Twenty-one of the 25 are in `MEASURES`. Four are not: AD, the average difference, which is zero
after smoothing that keeps the mean; BIQI and NIQE, which are trained models; and RRED, which
compares bands of a steerable pyramid.

Where a formula is undefined, the measure has the value of an unchanged picture, so all are finite
for every picture. Angles are compared on the circle. Choices that the paper leaves open (limits of
edges and corners, which frequencies are low) follow MATLAB's defaults.

References
----------
Galbally, Marcel, Fierrez: Image quality assessment for fake biometric detection: application to
iris, fingerprint, and face recognition. TIP 23 (2014).

Avcibas, Memon, Sankur: Steganalysis using image quality metrics. TIP 12 (2003).

Wang, Bovik, Sheikh, Simoncelli: Image quality assessment: from error visibility to structural
similarity. TIP 13 (2004).

Sheikh, Bovik: Image information and visual quality. TIP 15 (2006).

Wang, Sheikh, Bovik: No-reference perceptual quality assessment of JPEG compressed images.
ICIP 2002.
"""

from collections.abc import Callable
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lmkl_core.features.descriptors.iqm_pair import (
    NEGLIGIBLE,
    Pair,
    Picture,
    Spectrum,
    decibels,
    gaussian,
    laplacian,
    phase_differences,
    ratio,
    sobel,
)

VERSION = 1
"""Increased when a crop would give other values than before."""

SMALLEST = 64
"""Smallest side of a crop in pixels: the first multiple of 32 from `VIF_SMALLEST` on."""

LARGEST_DIFFERENCES = 10
EDGE_FACTOR = 4.0
HARRIS_SENSITIVITY, HARRIS_QUALITY = 0.04, 0.01
HARRIS_RADIUS, HARRIS_SIGMA = 2, 1.5
LOW_SHARE = 0.15
SSIM_RADIUS, SSIM_SIGMA = 5, 1.5
SSIM_C1, SSIM_C2 = (0.01 * 255.0) ** 2, (0.03 * 255.0) ** 2
VIF_RADII = (8, 4, 2, 1)
VIF_NOISE = 2.0
VIF_SMALLEST = 41
"""Smallest side of a picture that contains a window at the coarsest scale."""

BLOCK = 8
SMALLEST_FEATURE = 1e-3
"""Lower bound of `jqi`'s features, which are 0 in flat pictures: powers of 0 are not finite."""

_ROUNDING = 1e-12
# Fitted to people's judgement by the authors of `jqi`.
_OFFSET, _SCALE = -245.8909, 261.9373
_POWERS = (-0.02398886, 0.01601664, 0.00642859)


# ------------------------------------------------- pixel by pixel


def ramd(pair: Pair) -> float:
    """R-averaged maximum difference: the mean of the 10 largest ``|I - J|``."""
    ordered = np.partition(pair.absolute_error, -LARGEST_DIFFERENCES, axis=None)
    return float(np.mean(ordered[-LARGEST_DIFFERENCES:]))


def lmse(pair: Pair) -> float:
    """Laplacian error: ``sum (h(I) - h(J))^2 / sum h(I)^2`` with Laplacian h; 0 if I is flat."""
    detail = laplacian(pair.image)
    lost = float(np.sum((detail - laplacian(pair.degraded)) ** 2))
    return ratio(lost, float(np.sum(detail**2)), 0.0)


# ------------------------------------------------- edges, corners and gradients


def tcd(pair: Pair) -> float:
    """Total corner difference: ``|n - m| / max(n, m)`` for n and m corners; 0 without corners."""
    n, m = (int(np.count_nonzero(corners(g))) for g in pair.gradients)
    return abs(n - m) / max(n, m, 1)


def edges(picture: Picture) -> NDArray[np.bool_]:
    """Return which pixels, at least two from the border, are Sobel edges.

    Their squared gradient exceeds four times the picture's mean and is a ridge along the axis
    closer to its direction: at least that of the pixel before and more than that of the one after.
    """
    across, down = sobel(picture)
    strength = across**2 + down**2
    here = strength[1:-1, 1:-1]
    is_ridge = np.where(
        np.abs(across[1:-1, 1:-1]) >= np.abs(down[1:-1, 1:-1]),
        (here >= strength[1:-1, :-2]) & (here > strength[1:-1, 2:]),
        (here >= strength[:-2, 1:-1]) & (here > strength[2:, 1:-1]),
    )
    return is_ridge & (here > max(EDGE_FACTOR * float(np.mean(strength)), NEGLIGIBLE))


def corners(gradient: Spectrum) -> NDArray[np.bool_]:
    """Return which pixels, at least three from the border, are Harris corners.

    With ``A, B, C`` the 5 x 5 Gaussian means (width 1.5) of ``Gx^2, Gy^2, Gx Gy``, a corner is a
    maximum of ``A B - C^2 - 0.04 (A + B)^2`` among its eight neighbours that exceeds a hundredth
    of the picture's largest value.
    """
    across, down = gradient.real, gradient.imag
    a, b, c = (
        gaussian(product, HARRIS_RADIUS, HARRIS_SIGMA)
        for product in (across**2, down**2, across * down)
    )
    response = a * b - c**2 - HARRIS_SENSITIVITY * (a + b) ** 2
    wide = np.maximum(np.maximum(response[:, :-2], response[:, 1:-1]), response[:, 2:])
    around = np.maximum(np.maximum(wide[:-2], wide[1:-1]), wide[2:])
    here = response[1:-1, 1:-1]
    return (here == around) & (here > max(HARRIS_QUALITY * float(np.max(response)), NEGLIGIBLE))


# ------------------------------------------------- Fourier spectra


def hlfi(pair: Pair) -> float:
    """High-low frequency index of the image: ``(sum_low |F| - sum_high |F|) / sum |F|``.

    Frequencies are low if they are below 0.15 of the side both across and down, and high if they
    are above in both. 0 for black.
    """
    magnitude = np.abs(pair.spectra[0])
    low_rows, low_columns = (_is_low(length) for length in magnitude.shape)
    low = float(np.sum(magnitude[np.ix_(low_rows, low_columns)]))
    high = float(np.sum(magnitude[np.ix_(~low_rows, ~low_columns)]))
    return ratio(low - high, float(np.sum(magnitude)), 0.0)


def _is_low(length: int) -> np.ndarray:
    place = np.arange(length)
    return np.minimum(place, length - place) < LOW_SHARE * length


# ------------------------------------------------- structure and information


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
    """Visual information fidelity in the pixel domain: the share of information that is left.

    In windows of 17, 9, 5 and 3 pixels at four scales, each a low-passed half of the one before,
    the degraded picture is modelled as ``g`` times the image plus noise of variance ``u``, with
    ``g = s / v`` and ``u = w - g s``, and both are seen through noise of variance 2:
    ``sum log(1 + g^2 v / (u + 2)) / sum log(1 + v / 2)``. 1 if the image has no information.
    """
    image, degraded = pair.image, pair.degraded
    left = total = 0.0
    for number, radius in enumerate(VIF_RADII):

        def window(picture: Picture, radius: int = radius) -> Picture:
            return gaussian(picture, radius, (2 * radius + 1) / 5.0)

        if number:
            image, degraded = window(image)[::2, ::2], window(degraded)[::2, ::2]
        _, _, v, w, s = _moments(image, degraded, window)
        gain = np.where(v > NEGLIGIBLE, s / np.maximum(v, NEGLIGIBLE), 0.0)
        # With a negative gain the degraded picture is treated as pure noise.
        gain = np.maximum(gain, 0.0)
        noise = np.maximum(w - gain * s, 0.0)
        left += float(np.sum(np.log1p(gain**2 * v / (noise + VIF_NOISE))))
        total += float(np.sum(np.log1p(v / VIF_NOISE)))
    return ratio(left, total, 1.0)


def _moments(
    first: Picture, second: Picture, window: Callable[[Picture], Picture]
) -> tuple[Picture, Picture, Picture, Picture, Picture]:
    """Return both local means, both variances and the covariance."""
    m, n = window(first), window(second)
    v, w = window(first**2) - m**2, window(second**2) - n**2
    # Differences of large numbers: in a flat area only rounding errors are left.
    v[v < NEGLIGIBLE] = w[w < NEGLIGIBLE] = 0.0
    return m, n, v, w, window(first * second) - m * n


# ------------------------------------------------- traces of JPEG


def jqi(pair: Pair) -> float:
    """JPEG quality index: ``-245.9 + 261.9 B^-0.0240 A^0.0160 Z^0.00643`` of the image.

    B is the mean step between blocks of 8, A the mean step within, and Z the rate at which steps
    change sign, each averaged over both directions.
    """
    directions = np.array([_features(pair.image), _features(pair.image.T)])
    features = np.maximum(directions.mean(axis=0), SMALLEST_FEATURE)
    return float(_OFFSET + _SCALE * np.prod(features ** np.array(_POWERS)))


def _features(picture: Picture) -> tuple[float, float, float]:
    """Return B, A and Z along the rows."""
    steps = np.diff(picture, axis=1)
    size = np.abs(steps)
    n_borders = picture.shape[1] // BLOCK - 1
    between = float(np.mean(size[:, BLOCK - 1 :: BLOCK][:, :n_borders]))
    within = (BLOCK * float(np.mean(size)) - between) / (BLOCK - 1)
    crossings = float(np.mean(steps[:, :-1] * steps[:, 1:] < 0))
    return between, within, crossings


# ------------------------------------------------- the view


class Measure(NamedTuple):
    """A measure, with its unit and origin in the view.

    Units make measures comparable in a distance. They are rounded standard deviations over genuine
    frames of generated people in several lights, with faces of 64 pixels.
    """

    of: Callable[[Pair], float]
    unit: float
    origin: float = 0.0


def _magnitude_error(first: Spectrum, second: Spectrum) -> float:
    return float(np.mean((np.abs(first) - np.abs(second)) ** 2))


def _phase_error(first: Spectrum, second: Spectrum, floor: float) -> float:
    """Return the mean squared phase difference; values below the floor have no phase."""
    return float(np.mean(phase_differences(first, second, floor) ** 2))


# G, H are the gradients of I and J; F, E their spectra; a the angle between a pixel's two colours,
# divided by a right angle; delta their distance.
MEASURES = MappingProxyType(
    {
        # Mean squared error: sum (I - J)^2 / N
        "MSE": Measure(lambda p: p.error_energy / p.image.size, 2.0),
        # Peak signal to noise: 10 log10(max I^2 / MSE) decibels
        "PSNR": Measure(
            lambda p: decibels(float(np.max(p.image**2)), p.error_energy / p.image.size), 1.0
        ),
        # Signal to noise: 10 log10(sum I^2 / sum (I - J)^2) decibels
        "SNR": Measure(lambda p: decibels(p.energy, p.error_energy), 1.0),
        # Structural content: sum I^2 / sum J^2; 1 for black
        "SC": Measure(lambda p: ratio(p.energy, float(np.sum(p.degraded**2)), 1.0), 0.001, 1.0),
        # Maximum difference: max |I - J|
        "MD": Measure(lambda p: float(np.max(p.absolute_error)), 4.0),
        # Normalised absolute error: sum |I - J| / sum |I|; 0 for black
        "NAE": Measure(
            lambda p: ratio(float(np.sum(p.absolute_error)), float(np.sum(p.image)), 0.0), 0.002
        ),
        "RAMD": Measure(ramd, 3.0),
        "LMSE": Measure(lmse, 0.01),
        # Normalised cross-correlation: sum I J / sum I^2; 1 for black
        "NXC": Measure(
            lambda p: ratio(float(np.sum(p.image * p.degraded)), p.energy, 1.0), 0.0007, 1.0
        ),
        # Mean angle similarity: 1 - sum a / N; in colour, because greys have no angles
        "MAS": Measure(lambda p: 1.0 - float(np.mean(p.angle)), 0.003, 1.0),
        # Mean angle-magnitude similarity: sum (1 - (1 - a)(1 - delta / (255 sqrt 3))) / N
        "MAMS": Measure(
            lambda p: float(np.mean(1.0 - (1.0 - p.angle) * (1.0 - p.distance))), 0.004
        ),
        # Total edge difference: the share of pixels that are an edge in one picture only
        "TED": Measure(lambda p: float(np.mean(edges(p.image) != edges(p.degraded))), 0.002),
        "TCD": Measure(tcd, 0.05),
        # Spectral magnitude error: sum (|F| - |E|)^2 / N
        "SME": Measure(lambda p: _magnitude_error(*p.spectra), 9000.0),
        # Spectral phase error: sum |arg F - arg E|^2 / N on the circle
        "SPE": Measure(
            lambda p: _phase_error(*p.spectra, floor=_ROUNDING * float(np.sum(p.image))), 0.03
        ),
        # Gradient magnitude error: sum (|G| - |H|)^2 / N
        "GME": Measure(lambda p: _magnitude_error(*p.gradients), 2.0),
        # Gradient phase error: sum |arg G - arg H|^2 / N on the circle
        "GPE": Measure(lambda p: _phase_error(*p.gradients, floor=NEGLIGIBLE), 0.02),
        "SSIM": Measure(ssim, 0.0008, 1.0),
        "VIF": Measure(vif, 0.02, 1.0),
        "JQI": Measure(jqi, 0.6),
        "HLFI": Measure(hlfi, 0.03),
    }
)
"""The measures by name, in the order of the paper's table and of the view's columns."""

COLUMNS = len(MEASURES)


def iqm(crop: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return all `MEASURES` of an RGB crop (rows, columns, 3), in their units."""
    pair = Pair.of(crop)
    values = [(of(pair) - origin) / unit for of, unit, origin in MEASURES.values()]
    return np.array(values, np.float32)
