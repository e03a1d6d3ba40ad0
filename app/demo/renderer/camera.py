"""A simulated camera: lens, sensor, image processing and compression, in this order."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from app.capture.opencv import cv2
from app.demo.renderer.arrays import F32, GAMMA, f32, generator
from app.demo.renderer.geometry import Wave
from app.demo.renderer.scene import View
from app.types import Image

_LEVELS = 4096

# Share of the blur before sampling (the lens); the rest is interpolation and scaling, which soften
# moiré but do not prevent it.
_OPTICS = 0.4
_STRAY = 0.035
_BEFORE = 0.4


@dataclass(frozen=True)
class CameraModel:
    """A kind of camera: ranges from which each unit is drawn.

    ``blur`` is the lens blur in pixels (standard deviation); ``noise`` the shot noise at full
    intensity and gain 1, as a share of the intensity range squared.
    """

    blur: tuple[float, float] = (0.45, 1.1)
    noise: float = 2.6e-4
    quality: tuple[int, int] = (80, 93)
    sharpening: float = 0.45
    saturation: tuple[float, float] = (0.95, 1.2)


WEBCAM = CameraModel()
"""The camera of every take."""

PHONE = CameraModel(
    blur=(0.5, 0.8), noise=0.8e-4, quality=(88, 95), sharpening=0.5, saturation=(1.05, 1.3)
)
"""The camera of the pictures that attackers print or show (at twice the resolution)."""


class Camera:
    """A camera during one take.

    ``unit`` determines hardware and settings, which takes of one session share; ``rng`` determines
    the noise of this take and how focus and exposure drift.
    """

    def __init__(
        self, model: CameraModel, unit: np.random.Generator, rng: np.random.Generator
    ) -> None:
        self._model, self._rng = model, rng
        self._blur = float(unit.uniform(*model.blur))
        self._quality = int(unit.integers(model.quality[0], model.quality[1] + 1))
        self._target = float(np.exp(unit.normal(np.log(0.25), 0.16)))
        self._taste = np.exp(unit.normal(0.0, 0.025, 3)).astype(np.float32)
        self._vivid = _saturation(float(unit.uniform(*model.saturation)))
        self._stretch = float(unit.uniform(0.4, 0.9))
        self._focus = Wave(rng, 0.05)
        self._exposure = Wave(rng, 0.02)
        self._balance: F32 | None = None
        self._black: float | None = None

    def shoot(self, view: View, time: float) -> bytes:
        """Record one picture; see `unpacked`."""
        light = self._through_lens(view, time)
        return self._process(self._sense(light, self._gains(light, time)))

    def _through_lens(self, view: View, time: float) -> F32:
        blur = self._blur * float(np.exp(self._focus(time)))
        # Part of the blur comes before downsampling, the rest after it, where it is cheap.
        lens = cv2.GaussianBlur(view.image, (5, 5), 2.0 * _BEFORE)
        height, width = lens.shape[0] // 2, lens.shape[1] // 2
        light = f32(cv2.resize(lens, (width, height), interpolation=cv2.INTER_AREA))
        light = _blurred(light, np.sqrt(max(blur**2 - _BEFORE**2, 0.0)))
        # Cheap lenses scatter some light over the whole picture, so black is never quite black.
        stray = np.array(cv2.mean(light)[:3]) * _STRAY
        mixing = np.column_stack([np.eye(3) * (1.0 - _STRAY), stray]).astype(np.float32)
        light = f32(cv2.transform(light, mixing))
        change = None if view.structure is None else view.structure(_OPTICS * blur)
        if change is not None:
            soft = _blurred(change, blur * np.sqrt(1.0 - _OPTICS**2))
            light = f32(cv2.add(light, cv2.multiply(light, soft)))
        return f32(cv2.multiply(light, _vignette(width, height)))

    def _gains(self, light: F32, time: float) -> F32:
        """Return the gains of auto exposure and white balance, which adapt slowly."""
        middle = cv2.mean(light, _metering(light.shape[1], light.shape[0]))[:3]
        grey = max(float(np.mean(middle)), 1e-5)
        # Partial grey-world balance, as in webcams: casts are weakened, never removed.
        colour = np.maximum(f32(cv2.mean(light)[:3]), np.float32(1e-5))
        balance = (colour.mean() / colour) ** np.float32(0.5) * self._taste
        exposure = min(self._target / grey, 7.0)
        wanted = (balance * np.float32(exposure)).astype(np.float32)
        if self._balance is None:
            self._balance = wanted
        self._balance = self._balance ** np.float32(0.94) * wanted ** np.float32(0.06)
        return self._balance * np.float32(np.exp(self._exposure(time)))

    def _sense(self, light: F32, gains: F32) -> F32:
        signal = f32(cv2.transform(light, np.diag(gains)))
        gain = float(gains.mean())
        shot = self._model.noise * gain
        read = 0.35 * self._model.noise * gain * gain * 0.02
        spread = cv2.sqrt(signal * np.float32(shot) + np.float32(read))
        noise = _noise_bank()
        height, width = light.shape[:2]
        top = int(self._rng.integers(0, noise.shape[0] - height + 1))
        left = int(self._rng.integers(0, noise.shape[1] - width + 1))
        grain = noise[top : top + height, left : left + width]
        if self._rng.integers(2):
            grain = grain[::-1]
        return f32(cv2.add(signal, cv2.multiply(spread, np.ascontiguousarray(grain))))

    def _black_level(self, signal: F32) -> float:
        """Return the level of black, which slowly follows the haze over the darkest parts."""
        small = cv2.resize(signal, (64, 48), interpolation=cv2.INTER_AREA).mean(axis=2)
        wanted = self._stretch * min(float(np.percentile(small, 2)), 0.12)
        self._black = wanted if self._black is None else 0.94 * self._black + 0.06 * wanted
        return self._black

    def _process(self, signal: F32) -> bytes:
        """Apply black level, saturation, tone curve, softer colour, sharpening and compression."""
        black = self._black_level(signal)
        signal = f32(cv2.transform(signal, self._vivid))
        scale = (_LEVELS - 1) / (1.0 - black)
        shifted = cv2.addWeighted(signal, scale, signal, 0.0, -black * scale, dtype=cv2.CV_16U)
        level = np.asarray(shifted, np.uint16)
        picture = cv2.cvtColor(_tone_curve().take(level), cv2.COLOR_RGB2YCrCb)
        luma, red, blue = cv2.split(picture)
        size = (luma.shape[1], luma.shape[0])
        half = (size[0] // 2, size[1] // 2)
        colours = [
            cv2.resize(cv2.resize(plane, half, interpolation=cv2.INTER_AREA), size)
            for plane in (red, blue)
        ]
        soft = cv2.GaussianBlur(luma, (0, 0), 1.0)
        sharp = self._model.sharpening
        luma = cv2.addWeighted(luma, 1.0 + sharp, soft, -sharp, 0.0)
        picture = cv2.cvtColor(cv2.merge([luma, *colours]), cv2.COLOR_YCrCb2BGR)
        flags = [cv2.IMWRITE_JPEG_QUALITY, self._quality]
        return cv2.imencode(".jpg", picture, flags)[1].tobytes()


def unpacked(packed: bytes) -> Image:
    """Decode a picture from `Camera.shoot`."""
    image = cv2.imdecode(np.frombuffer(packed, np.uint8), cv2.IMREAD_COLOR_RGB)
    return np.asarray(image, np.uint8)


def _blurred(image: F32, blur: float) -> F32:
    return f32(cv2.GaussianBlur(image, (0, 0), blur)) if blur > 0.1 else image


@lru_cache(maxsize=1)
def _tone_curve() -> NDArray[np.uint8]:
    """Map 16-bit levels to 8-bit values: a power law with a gentle S, as in webcams."""
    level = np.minimum(np.arange(2**16) / (_LEVELS - 1), 1.0)
    coded = level ** (1.0 / GAMMA)
    curved = coded - 0.22 * np.sin(2.0 * np.pi * coded) / (2.0 * np.pi)
    return np.round(255.0 * curved).astype(np.uint8)


def _saturation(strength: float) -> F32:
    """Return the matrix that moves colours away from grey."""
    grey = np.array([[0.25, 0.65, 0.1]] * 3)
    return f32(grey + (np.eye(3) - grey) * strength)


@lru_cache(maxsize=4)
def _vignette(width: int, height: int) -> F32:
    y = (np.arange(height) - (height - 1) / 2) / (width / 2)
    x = (np.arange(width) - (width - 1) / 2) / (width / 2)
    fall = 1.0 / (1.0 + 0.16 * (x[None, :] ** 2 + y[:, None] ** 2)) ** 2
    return np.repeat(fall.astype(np.float32)[..., None], 3, axis=2)


@lru_cache(maxsize=4)
def _metering(width: int, height: int) -> NDArray[np.uint8]:
    """Return a mask of the pixels that set the exposure: an ellipse in the middle."""
    mask = np.zeros((height, width), np.uint8)
    middle, axes = (width // 2, height // 2), (width * 2 // 5, height * 9 // 20)
    cv2.ellipse(mask, middle, axes, 0, 0, 360, 255, -1)
    return mask


@lru_cache(maxsize=1)
def _noise_bank() -> F32:
    """Return smooth noise; each frame takes a random window of it, as new noise takes 10 ms."""
    raw = generator("noise bank").standard_normal((1400, 1800, 3), np.float32)
    soft = cv2.GaussianBlur(raw, (0, 0), 0.55)
    return (soft / soft.std()).astype(np.float32)
