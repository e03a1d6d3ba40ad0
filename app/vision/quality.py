"""The quality gate: named values with limits, and advice for each failure.

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
    """Limits of a face that is enrolled or judged.

    ``docs/eyes.md`` says how often each limit refused frames of real recordings.
    """

    min_size: float = 80.0  # side of the tight face square in pixels of the frame
    min_visible: float = 1.0  # of `app.vision.faces.alignment.visible_share`
    brightness: tuple[float, float] = (15.0, 225.0)  # mean luma; below, hardly a thing is visible
    min_contrast: float = 8.0  # standard deviation of the luma; a real face's is brightness / 4
    min_sharpness: float = -3.6  # of `sharpness`
    max_yaw: float = 35.0  # degrees either way
    max_pitch: float = 40.0  # a person's own nose shifts it by about ten degrees
    max_roll: float = 30.0
    max_motion: float = 1.0  # face sides per second


@dataclass(frozen=True)
class FaceMeasures:
    """Measures of a face for the quality gate and the condition alike."""

    size: float  # side of the tight face square in pixels of the frame
    visible: float  # `app.vision.faces.alignment.visible_share`
    brightness: float
    contrast: float
    sharpness: float
    side_light: float  # log ratio of the mean luma of the left half to that of the right
    colour: Colour
    room: Colour  # `surroundings`
    pose: Pose
    motion: float  # face sides per second


def measure(
    aligned: Image, *, room: Colour, size: float, visible: float, pose: Pose, motion: float
) -> FaceMeasures:
    """Add the measures of an aligned face, `ALIGNED_SIZE` pixels square, to those of its place."""
    luma = cv2.cvtColor(aligned, cv2.COLOR_RGB2GRAY).astype(np.float32)
    red, green, blue = (float(value) for value in cv2.mean(aligned)[:3])
    half = luma.shape[1] // 2
    left, right = luma[:, :half].mean() + 1.0, luma[:, half:].mean() + 1.0
    return FaceMeasures(
        size=size,
        visible=visible,
        brightness=float(luma.mean()),
        contrast=float(luma.std()),
        sharpness=sharpness(luma),
        side_light=math.log(left / right),
        colour=(red, green, blue),
        room=room,
        pose=pose,
        motion=motion,
    )


def surroundings(image: Image, centre: tuple[float, float], side: float) -> Colour:
    """Return the mean colour of the frame outside the head: a square of `HEAD_SIDES` face sides."""
    sample = image[::_STEP, ::_STEP].astype(np.float32)
    rows, columns = (np.arange(n) * _STEP for n in sample.shape[:2])
    reach = HEAD_SIDES * side / 2
    outside = (np.abs(rows - centre[1]) > reach)[:, None] | (np.abs(columns - centre[0]) > reach)
    if np.count_nonzero(outside) < 0.05 * outside.size:
        # The head fills the frame: its rim is the best guess at the background.
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


ADVICE = {
    "size": "Come closer.",
    "visible": "The face is cut off: move into the picture.",
    "brightness": "Too dark: turn on a light.",
    "contrast": "Too flat: wipe the lens or change the light.",
    "sharpness": "Blurred: hold still or let the camera focus.",
    "turn": "Look towards the camera.",
    "nod": "Lift or lower your head a little.",
    "tilt": "Hold your head upright.",
    "motion": "Hold still.",
}
TOO_BRIGHT = "Too bright: turn away from the light or lower the exposure."


def judge(measures: FaceMeasures, limits: Limits) -> Quality:
    """Check the measures against the limits, most important first."""
    pose, any_more = measures.pose, math.inf
    checks = (
        ("size", measures.size, limits.min_size, any_more, "px"),
        ("visible", measures.visible, limits.min_visible, any_more, ""),
        ("brightness", measures.brightness, *limits.brightness, ""),
        ("contrast", measures.contrast, limits.min_contrast, any_more, ""),
        ("sharpness", measures.sharpness, limits.min_sharpness, any_more, ""),
        ("turn", pose.yaw, -limits.max_yaw, limits.max_yaw, "°"),
        ("nod", pose.pitch, -limits.max_pitch, limits.max_pitch, "°"),
        ("tilt", pose.roll, -limits.max_roll, limits.max_roll, "°"),
        ("motion", measures.motion, 0.0, limits.max_motion, "faces/s"),
    )
    return Quality(tuple(_check(*check) for check in checks))


def _check(name: str, value: float, low: float, high: float, unit: str) -> Check:
    reason = "" if low <= value <= high else ADVICE[name]
    if name == "brightness" and value > high:
        reason = TOO_BRIGHT
    return Check(name, value, low, high, unit, reason)
