"""The people of the demo: generated studio portraits from the package ``openpeople`` (MIT)."""

from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.capture.opencv import cv2
from app.demo.renderer.arrays import F32, f32, smoothstep, to_linear
from lmkl_core.errors import InvalidInputError

EYE_DISTANCE = 200
"""Pixels between the eyes in the canonical picture; the unit of other lengths."""

CANVAS = (1500, 1400)
"""Height and width of the canonical picture."""

EYES = (700.0, 500.0)
"""x and y of the point between the eyes in the canonical picture."""

# Left eye, right eye, middle of the mouth, in pixels of the 2048-pixel portraits.
_LANDMARKS = {
    "P001": ((848, 880), (1229, 870), (1052, 1266)),
    "P002": ((848, 832), (1200, 822), (1039, 1192)),
    "P003": ((877, 707), (1178, 691), (1043, 1022)),
    "P004": ((848, 739), (1264, 733), (1066, 1197)),
    "P005": ((899, 618), (1210, 611), (1063, 972)),
    "P006": ((861, 730), (1235, 730), (1050, 1123)),
    "P007": ((883, 826), (1226, 819), (1059, 1199)),
    "P008": ((864, 800), (1232, 797), (1053, 1212)),
    "P009": ((848, 787), (1267, 784), (1061, 1229)),
    "P010": ((842, 781), (1254, 774), (1061, 1212)),
}

PEOPLE = tuple(_LANDMARKS)
"""Names of the people, in the package's order."""


@dataclass(frozen=True, eq=False)
class Person:
    """A person's canonical picture, as in uniform studio light.

    ``alpha`` is the share of each pixel that belongs to the person, ``cloth`` the share of the
    white shirt, which a take may dye; ``mouth`` is its distance below the eyes, in eye distances.
    """

    name: str
    albedo: F32
    alpha: F32
    cloth: F32
    mouth: float


def portrait_path(name: str) -> Path:
    if name not in _LANDMARKS:
        raise InvalidInputError(
            f"There is no person {name!r} in the demo; choose one of {', '.join(PEOPLE)}."
        )
    try:
        package = distribution("openpeople")
    except PackageNotFoundError as error:
        raise InvalidInputError(
            "The demo's people are not installed; run `pip install openpeople==0.1.2`."
        ) from error
    path = Path(str(package.locate_file(f"openpeople/data/curated/{name}/assets")))
    return path / "studio_portrait.jpg"


@lru_cache(maxsize=2)  # 45 MB each; an attack with a mask needs two people
def load_person(name: str) -> Person:
    path = portrait_path(name)
    # OpenCV's own reader does not open every path on Windows.
    encoded = np.frombuffer(path.read_bytes(), np.uint8) if path.is_file() else None
    picture = None if encoded is None else cv2.imdecode(encoded, cv2.IMREAD_COLOR)
    if picture is None:
        raise InvalidInputError(f"The demo's picture {path} cannot be read; reinstall openpeople.")
    left, right, mouth = np.array(_LANDMARKS[name], dtype=np.float64)
    scale = EYE_DISTANCE / float(np.hypot(*(right - left)))
    small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    rgb = np.ascontiguousarray(small[..., ::-1], np.uint8)
    backdrop = _backdrop(rgb)
    alpha = _matte(rgb, backdrop)
    # The retouched black of portraits is darker than any hair or cloth.
    colour = 0.012 + 0.988 * _without_spill(to_linear(rgb), to_linear(backdrop), alpha)

    middle = (left + right) / 2 * scale
    angle = float(np.arctan2(right[1] - left[1], right[0] - left[0]))
    layers = _placed(np.dstack([colour, alpha]), middle, angle)
    albedo = np.ascontiguousarray(layers[..., :3])
    shape = layers[..., 3] * _top_limit(float(middle[1]), cut=bool(alpha[1].max() > 0.5))
    below = float((mouth * scale - middle)[1]) / EYE_DISTANCE
    return Person(name, albedo, shape, _cloth(albedo, below), below)


def _placed(picture: F32, middle: NDArray[np.float64], angle: float) -> F32:
    """Move the eyes to their canonical position; shoulders slope down beyond the edges."""
    height, width = CANVAS
    rows, columns = picture.shape[:2]
    x = (np.arange(width) - EYES[0])[None, :]
    y = (np.arange(height) - EYES[1])[:, None]
    at_x = np.cos(angle) * x - np.sin(angle) * y + middle[0]
    at_y = np.sin(angle) * x + np.cos(angle) * y + middle[1]
    past = np.maximum(np.maximum(-at_x, at_x - (columns - 1)), 0.0) / EYE_DISTANCE
    at_y = at_y - (0.35 * past + 1.1 * past**2) * EYE_DISTANCE
    maps = at_x.astype(np.float32), np.minimum(at_y, rows - 1).astype(np.float32)
    placed = cv2.remap(picture, *maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return f32(placed)


def _backdrop(rgb: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the grey studio background, a smooth surface fitted to where it is visible."""
    step = 8
    small = cv2.resize(rgb, None, fx=1 / step, fy=1 / step, interpolation=cv2.INTER_AREA)
    height, width = small.shape[:2]
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    basis = np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=-1).reshape(-1, 6)
    values = small.reshape(-1, 3).astype(np.float64)
    free = ((np.abs(x) > 0.94) & (y < -0.2)).ravel()
    for _ in range(4):
        surface = basis @ np.linalg.lstsq(basis[free], values[free], rcond=None)[0]
        free = (np.abs(values - surface).max(axis=1) < 9) & (y.ravel() < 0.5)
    fitted = np.clip(surface, 0, 255).reshape(height, width, 3).astype(np.float32)
    large = cv2.resize(fitted, (rgb.shape[1], rgb.shape[0]), interpolation=cv2.INTER_LINEAR)
    return large.round().astype(np.uint8)


def _matte(rgb: NDArray[np.uint8], backdrop: NDArray[np.uint8]) -> F32:
    """Return the share of each pixel that is the person: soft along hair, 1 inside."""
    red, green, blue = cv2.split(cv2.absdiff(rgb, backdrop))
    soft = smoothstep(f32(cv2.max(cv2.max(red, green), blue)), 8.0, 52.0)
    empty = (soft < 0.5).astype(np.uint8)
    _, labels = cv2.connectedComponents(empty, connectivity=4)
    rim = np.concatenate([labels[0], labels[:, 0], labels[:, -1]])
    outside = np.isin(labels, np.unique(rim[rim > 0])).astype(np.uint8)
    near = cv2.dilate(outside, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (9, 9)))
    return np.where(near > 0, soft, np.float32(1.0))


def _without_spill(colour: F32, backdrop: F32, alpha: F32) -> F32:
    """Remove the background from partly covered pixels."""
    share = alpha[..., None]
    clean = (colour - (1.0 - share) * backdrop) / np.maximum(share, 0.15)
    return np.where(share > 0.98, colour, np.clip(clean, 0.0, 1.0)).astype(np.float32)


def _top_limit(top: float, *, cut: bool) -> F32:
    """Return a mask of what lies below the portrait's upper edge; cut hair is rounded off."""
    y = np.arange(CANVAS[0])[:, None] - EYES[1]
    x = np.arange(CANVAS[1])[None, :] - EYES[0]
    if not cut:
        limit = np.broadcast_to(y > -top, CANVAS)
        return limit.astype(np.float32)
    dome = np.hypot(x / (1.95 * EYE_DISTANCE), np.minimum(y, 0.0) / (top - 4.0))
    return np.where(y < 0.0, smoothstep(dome, 1.0, 0.96), np.float32(1.0))


def _cloth(albedo: F32, mouth: float) -> F32:
    """Find the shirt: bright, almost grey, below the chin."""
    red, green, blue = cv2.split(albedo)
    bright = f32(cv2.max(cv2.max(red, green), blue))
    dark = f32(cv2.min(cv2.min(red, green), blue))
    grey = smoothstep((bright - dark) / (bright + 0.02), 0.34, 0.16)
    y = (np.arange(CANVAS[0]) - EYES[1]) / EYE_DISTANCE
    below = smoothstep(y, mouth + 0.55, mouth + 0.75)[:, None]
    mask = grey * smoothstep(dark, 0.10, 0.2) * below
    return f32(cv2.GaussianBlur(mask.astype(np.float32), (0, 0), 1.2))
