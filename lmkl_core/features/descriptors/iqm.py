r"""Image quality measures: how much of a face a slight smoothing takes away.

Galbally, Marcel and Fierrez (2014) detect fakes by 25 measures of image quality. A picture that
has been printed or shown on a screen has lost detail already, so smoothing it changes it less
or otherwise than it changes a face before the camera. The crop's luma :math:`I` is compared with
:math:`J`, itself smoothed by a 3 x 3 Gaussian of width 0.5; two measures look at :math:`I` alone.

Twenty-one of the 25 are here, each a function with its formula, in the order of the authors'
table: `MEASURES`. Four are not:

- AD, the average difference :math:`\overline{I - J}`: smoothing that repeats the border keeps the
  mean, so it is zero for every picture, and its rounding would be noise to a method that
  standardises columns.
- BIQI and NIQE: models trained on other people's pictures and judgements.
- RRED, reduced-reference entropic differencing: it compares bands of a steerable pyramid, which
  neither NumPy nor SciPy has.

Where a formula has no value the measure takes that of an unchanged picture: ratios of nothing to
nothing are 1 or 0, as each function says, and infinitely many decibels are 100. So all are finite
for every picture, black and flat ones too. Angles are compared on the circle. What the paper
leaves open (limits of edges and corners, which frequencies are low) is fixed in the functions;
MATLAB's defaults were followed where its authors probably used them.

The measures differ in size by seven orders of magnitude. In the view each is counted from a fixed
origin in a fixed unit (`Measure`), so that none outweighs the others in a distance. The units
are the rounded standard deviations over genuine frames of generated people in several lights, on
faces of 64 pixels. Methods that standardise columns by themselves are not touched by either.

References
----------
Galbally, Marcel, Fierrez: Image quality assessment for fake biometric detection: application to
iris, fingerprint, and face recognition. TIP 23 (2014).

Avcibas, Memon, Sankur: Steganalysis using image quality metrics. TIP 12 (2003).
"""

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from lmkl_core.features.descriptors import iqm_measures as measures
from lmkl_core.features.descriptors.iqm_pair import Pair

VERSION = 1
"""Raised whenever a crop would give other values than before."""

SMALLEST = 64
"""Smallest side of a crop in pixels (a multiple of 32 that is enough for `vif`)."""


@dataclass(frozen=True)
class Measure:
    """A measure of image quality, its name, and which value is one and which zero in the view."""

    of: Callable[[Pair], float]
    title: str
    unit: float
    origin: float = 0.0  # 1 where all values are a little beside it

    def in_view(self, pair: Pair) -> float:
        """Return the value as the view has it."""
        return (self.of(pair) - self.origin) / self.unit


MEASURES = MappingProxyType(
    {
        "MSE": Measure(measures.mse, "mean squared error", 2.0),
        "PSNR": Measure(measures.psnr, "peak signal to noise ratio", 1.0),
        "SNR": Measure(measures.snr, "signal to noise ratio", 1.0),
        "SC": Measure(measures.sc, "structural content", 0.001, 1.0),
        "MD": Measure(measures.md, "maximum difference", 4.0),
        "NAE": Measure(measures.nae, "normalised absolute error", 0.002),
        "RAMD": Measure(measures.ramd, "R-averaged maximum difference", 3.0),
        "LMSE": Measure(measures.lmse, "Laplacian mean squared error", 0.01),
        "NXC": Measure(measures.nxc, "normalised cross-correlation", 0.0007, 1.0),
        "MAS": Measure(measures.mas, "mean angle similarity", 0.003, 1.0),
        "MAMS": Measure(measures.mams, "mean angle-magnitude similarity", 0.004),
        "TED": Measure(measures.ted, "total edge difference", 0.002),
        "TCD": Measure(measures.tcd, "total corner difference", 0.05),
        "SME": Measure(measures.sme, "spectral magnitude error", 9000.0),
        "SPE": Measure(measures.spe, "spectral phase error", 0.03),
        "GME": Measure(measures.gme, "gradient magnitude error", 2.0),
        "GPE": Measure(measures.gpe, "gradient phase error", 0.02),
        "SSIM": Measure(measures.ssim, "structural similarity", 0.0008, 1.0),
        "VIF": Measure(measures.vif, "visual information fidelity", 0.02, 1.0),
        "JQI": Measure(measures.jqi, "JPEG quality index", 0.6),
        "HLFI": Measure(measures.hlfi, "high-low frequency index", 0.03),
    }
)
"""The measures by name, in the order of the view's columns."""

COLUMNS = len(MEASURES)


def iqm(crop: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return all `MEASURES` of one crop (rows, columns, 3), red-green-blue, in their units."""
    pair = Pair.of(crop)
    return np.array([measure.in_view(pair) for measure in MEASURES.values()], np.float32)
