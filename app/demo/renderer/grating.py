"""Fine periodic structure (subpixels of a screen, halftone of a print) as a camera samples it.

Such structure is finer than the camera's pixels, so it shows as moiré or not at all. Rendering it
would need pictures of thousands of pixels, and rendering it too coarsely would make up moiré that
no camera has. Here each harmonic is attenuated by what lens and photosite do to its frequency and
then evaluated at the photosites, which is exactly what sampling does to it, aliasing included.

A 640 x 480 picture is read from a mosaic of twice that size: every colour has photosites of half
a pixel, at its own place within the pixel. That is where the colours of moiré come from.
"""

from dataclasses import dataclass

import numpy as np

from app.capture.opencv import cv2
from app.demo.renderer.arrays import F32, f32

PHOTOSITE = 0.5
"""Width of a photosite in camera pixels."""

# Red and blue photosites lie in opposite corners of a pixel; green is the mean of the other two.
_SITES = (-0.25, 0.0, 0.25)
_INVISIBLE = 2e-3


@dataclass(frozen=True)
class Harmonic:
    """One wave on a plate.

    Attributes
    ----------
    across, down : float
        Cycles per eye distance along the plate's axes.
    amplitude : tuple of float
        For red, green and blue, relative to the local mean.
    phase : tuple of float
        In cycles, for red, green and blue.
    """

    across: float
    down: float
    amplitude: tuple[float, float, float]
    phase: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Grating:
    """The harmonics of a plate's fine structure."""

    harmonics: tuple[Harmonic, ...]

    def modulation(self, x: F32, y: F32, blur: float) -> F32 | None:
        """Relative change of each camera pixel, (height, width, 3); None where nothing shows.

        Parameters
        ----------
        x, y : ndarray
            Place on the plate seen by each camera pixel, in eye distances.
        blur : float
            Standard deviation of the lens blur in camera pixels.
        """
        rows, columns = x.shape
        middle = (slice(rows // 2 - 1, rows // 2 + 2), slice(columns // 2 - 1, columns // 2 + 2))
        to_x, to_y = _slopes(x[middle]), _slopes(y[middle])
        total: F32 | None = None
        for wave in self.harmonics:
            # Cycles per camera pixel along the picture's axes.
            frequency = wave.across * to_x + wave.down * to_y
            seen = _transfer(frequency, blur)
            if seen * max(map(abs, wave.amplitude)) < _INVISIBLE:
                continue
            if total is None:
                total = np.zeros((rows, columns, 3), np.float32)
            turns = x * np.float32(wave.across) + y * np.float32(wave.down)
            for colour, site in enumerate(_SITES):
                offset = wave.phase[colour] + site * float(frequency.sum())
                strength = wave.amplitude[colour] * seen
                if colour == 1:
                    # Two green photosites on the other diagonal: their mean.
                    strength *= float(np.cos(np.pi * 0.5 * (frequency[0] - frequency[1])))
                total[..., colour] += _cosine(turns, offset) * np.float32(strength)
        return total


def _slopes(values: F32) -> np.ndarray:
    """Change of a field from one camera pixel to the next: along x, along y."""
    return np.array([values[1, 2] - values[1, 0], values[2, 1] - values[0, 1]]) / 2.0


def _transfer(frequency: np.ndarray, blur: float) -> float:
    """What a lens and a photosite leave of a wave (frequency in cycles per camera pixel)."""
    lens = np.exp(-2.0 * (np.pi * blur) ** 2 * float(frequency @ frequency))
    return float(lens * np.abs(np.prod(np.sinc(PHOTOSITE * frequency))))


def _cosine(turns: F32, offset: float) -> F32:
    """Cosine of an angle given in turns, by OpenCV's table (several times faster)."""
    angle = ((turns + np.float32(offset)) % 1.0) * np.float32(2 * np.pi)
    return f32(cv2.polarToCart(np.ones_like(angle), angle)[0])
