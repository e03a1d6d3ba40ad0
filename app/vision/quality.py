"""The quality gate: named values with limits, and for each failure what to do about it.

Everything is measured on the aligned face (one size for every distance and tilt) or on its
geometry, so that a limit means the same thing at every resolution of the camera.
"""

import math
from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from app.types import Check, Image, Pose, Quality

Colour: TypeAlias = tuple[float, float, float]

ALIGNED_SIZE = 112
"""Side in pixels of the aligned face on which light and sharpness are measured."""

HEAD_SIDES = 2.2
"""A head with its hair in sides of the tight face square."""

_STEP = 8


@dataclass(frozen=True)
class Limits:
    """What a face must fulfil to be enrolled or judged.

    ``docs/eyes.md`` says how often each limit refused frames of real recordings.

    Attributes
    ----------
    min_size : float
        Side of the tight face square in pixels of the frame.
    min_visible : float
        Share of the points of `app.vision.faces.alignment.visible_share` inside the frame.
    brightness : tuple of float
        Mean luma, 0 to 255. Below the lower limit hardly anything can be seen.
    min_contrast : float
        Standard deviation of the luma. It falls with the brightness: of real faces it is a quarter
        of that or more.
    min_sharpness : float
        See `sharpness`.
    max_yaw, max_pitch, max_roll : float
        Degrees either way. Pitch carries a person's own nose, about ten degrees.
    max_motion : float
        Movement in face sides per second.
    """

    min_size: float = 80.0
    min_visible: float = 1.0
    brightness: tuple[float, float] = (15.0, 225.0)
    min_contrast: float = 8.0
    min_sharpness: float = -3.6
    max_yaw: float = 35.0
    max_pitch: float = 40.0
    max_roll: float = 30.0
    max_motion: float = 1.0


@dataclass(frozen=True, eq=False)
class FaceMeasures:
    """What is measured once of a face, for the quality gate and the condition alike."""

    size: float
    visible: float
    luma: NDArray[np.float32]
    colour: Colour
    room: Colour
    sharpness: float
    pose: Pose
    motion: float

    @property
    def brightness(self) -> float:
        """Mean luma of the aligned face."""
        return float(self.luma.mean())

    @property
    def contrast(self) -> float:
        """Standard deviation of the aligned face's luma."""
        return float(self.luma.std())


def measure(
    aligned: Image, *, room: Colour, size: float, visible: float, pose: Pose, motion: float
) -> FaceMeasures:
    """Measure an aligned face.

    Parameters
    ----------
    aligned : ndarray
        The tight face square, `ALIGNED_SIZE` pixels a side, RGB.
    room : tuple of float
        Mean red, green and blue of what surrounds the head (`surroundings`).
    size : float
        Its side in pixels of the frame.
    visible : float
        Share of the face's points inside the frame (`app.vision.faces.alignment.visible_share`).
    pose : Pose
        Head pose.
    motion : float
        Movement since the frame before, in face sides per second.
    """
    luma = cv2.cvtColor(aligned, cv2.COLOR_RGB2GRAY).astype(np.float32)
    red, green, blue = (float(value) for value in cv2.mean(aligned)[:3])
    return FaceMeasures(
        size=size,
        visible=visible,
        luma=luma,
        colour=(red, green, blue),
        room=room,
        sharpness=sharpness(luma),
        pose=pose,
        motion=motion,
    )


def surroundings(image: Image, centre: tuple[float, float], side: float) -> Colour:
    """Return the mean colour of the frame outside a square about the head.

    Parameters
    ----------
    image : ndarray
        The frame, RGB; every eighth pixel is looked at.
    centre : tuple of float
        x and y of the face.
    side : float
        Side of the tight face square; the head is taken to fill `HEAD_SIDES` times that.
    """
    sample = image[::_STEP, ::_STEP].astype(np.float32)
    rows, columns = (np.arange(n) * _STEP for n in sample.shape[:2])
    reach = HEAD_SIDES * side / 2
    outside = (np.abs(rows - centre[1]) > reach)[:, None] | (np.abs(columns - centre[0]) > reach)
    if np.count_nonzero(outside) < 0.05 * outside.size:
        # The head fills the frame: its rim is the best guess at what lies behind.
        outside[:] = False
        outside[[0, -1], :] = outside[:, [0, -1]] = True
    red, green, blue = (float(value) for value in sample[outside].mean(axis=0))
    return red, green, blue


def sharpness(luma: NDArray[np.float32]) -> float:
    """Return the natural log of fine detail over coarse structure.

    The energy of the Laplacian over the variance of the picture: it does not change with
    brightness or contrast, falls with blur of any kind, and rises with noise.
    """
    variance = float(luma.var())
    if variance < 1.0:
        return -math.inf
    detail = float(cv2.Laplacian(luma, cv2.CV_32F, ksize=1).var())
    return math.log(max(detail, 1e-6) / variance)


def judge(measures: FaceMeasures, limits: Limits) -> Quality:
    """Hold the measures against the limits, the most telling checks first."""
    pose = measures.pose
    darkest, brightest = limits.brightness
    return Quality(
        (
            _at_least("size", measures.size, limits.min_size, "px", "Come closer."),
            _at_least(
                "visible",
                measures.visible,
                limits.min_visible,
                "",
                "The face is cut off: move into the picture.",
            ),
            _between(
                "brightness",
                measures.brightness,
                darkest,
                brightest,
                "",
                "Too dark: turn on a light.",
                "Too bright: turn away from the light or lower the exposure.",
            ),
            _at_least(
                "contrast",
                measures.contrast,
                limits.min_contrast,
                "",
                "Too flat: wipe the lens or change the light.",
            ),
            _at_least(
                "sharpness",
                measures.sharpness,
                limits.min_sharpness,
                "",
                "Blurred: hold still or let the camera focus.",
            ),
            _either_way("turn", pose.yaw, limits.max_yaw, "Look towards the camera."),
            _either_way("nod", pose.pitch, limits.max_pitch, "Lift or lower your head a little."),
            _either_way("tilt", pose.roll, limits.max_roll, "Hold your head upright."),
            _between(
                "motion", measures.motion, 0.0, limits.max_motion, "faces/s", "", "Hold still."
            ),
        )
    )


def _between(
    name: str, value: float, low: float, high: float, unit: str, below: str, above: str
) -> Check:
    # A value that is no number fails, and the upper reason is as good as the lower one.
    reason = "" if low <= value <= high else (below if value < low else above or below)
    return Check(name, value, low, high, unit, reason)


def _at_least(name: str, value: float, low: float, unit: str, below: str) -> Check:
    return _between(name, value, low, math.inf, unit, below, below)


def _either_way(name: str, degrees: float, limit: float, reason: str) -> Check:
    return _between(name, degrees, -limit, limit, "°", reason, reason)
