"""Measurements of a face, and the quality gate: named values with limits and advice.

Everything is measured on the aligned face (one size for every distance and tilt) or on its
geometry, so a limit means the same at every camera resolution.
"""

import math
from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from app.types import Check, Condition, Image, Pose, Quality

Colour: TypeAlias = tuple[float, float, float]

ALIGNED_SIZE = 112  # side in pixels of the aligned face on which light and sharpness are measured

HEAD_SIDES = 2.2  # size of a head with hair, in sides of the tight face square

_STEP = 8


@dataclass(frozen=True)
class Limits:
    """Limits for faces that are enrolled or scored.

    ``docs/real.md`` shows how many frames of real recordings stricter limits refused.
    """

    min_size: float = 80.0  # side of the tight face square in pixels of the frame
    min_visible: float = 1.0  # see `app.vision.faces.alignment.visible_share`
    brightness: tuple[float, float] = (15.0, 225.0)  # mean luma; below, hardly anything is visible
    min_contrast: float = 8.0  # standard deviation of the luma; a real face's is brightness / 4
    min_sharpness: float = -3.6  # see `sharpness`
    max_yaw: float = 35.0  # degrees either way
    max_pitch: float = 40.0  # the shape of the nose shifts it by about ten degrees
    max_roll: float = 30.0
    max_motion: float = 1.0  # face sides per second


def condition_of(
    aligned: Image, *, room: Colour, size: float, frame_height: int, pose: Pose
) -> Condition:
    """Measure an aligned face, `ALIGNED_SIZE` pixels square and ``size`` pixels wide in its frame.

    Distance comes from the share of the frame's height that the face fills, at any resolution.
    """
    luma = cv2.cvtColor(aligned, cv2.COLOR_RGB2GRAY).astype(np.float32)
    red, green, blue = (float(value) for value in cv2.mean(aligned)[:3])
    warmth, tint = _cast((red, green, blue))
    room_warmth, room_tint = _cast(room)
    half = luma.shape[1] // 2
    left, right = luma[:, :half].mean() + 1.0, luma[:, half:].mean() + 1.0
    return Condition(
        brightness=float(luma.mean()),
        contrast=float(luma.std()),
        warmth=warmth,
        tint=tint,
        side_light=math.log(left / right),
        sharpness=sharpness(luma),
        room_brightness=sum(room) / 3,
        room_warmth=room_warmth,
        room_tint=room_tint,
        distance=math.log2(frame_height / size),
        yaw=pose.yaw,
        pitch=pose.pitch,
        roll=pose.roll,
    )


def _cast(colour: Colour) -> tuple[float, float]:
    """Return log ratios of red to blue, and of green to the mean of both."""
    # One more grey level keeps the logarithms finite for a channel that is all zero.
    red, green, blue = (value + 1.0 for value in colour)
    return math.log(red / blue), math.log(green / math.sqrt(red * blue))


def surroundings(image: Image, centre: tuple[float, float], side: float) -> Colour:
    """Return the mean colour of the frame outside the head: a square of `HEAD_SIDES` face sides."""
    sample = image[::_STEP, ::_STEP].astype(np.float32)
    rows, columns = (np.arange(n) * _STEP for n in sample.shape[:2])
    reach = HEAD_SIDES * side / 2
    outside = (np.abs(rows - centre[1]) > reach)[:, None] | (np.abs(columns - centre[0]) > reach)
    if np.count_nonzero(outside) < 0.05 * outside.size:
        # The head fills the frame: the frame's rim is the best guess at the background.
        outside[:] = False
        outside[[0, -1], :] = outside[:, [0, -1]] = True
    red, green, blue = (float(value) for value in sample[outside].mean(axis=0))
    return red, green, blue


def sharpness(luma: NDArray[np.float32]) -> float:
    """Return the natural log of fine detail over coarse structure.

    This is the variance of the Laplacian over that of the picture: it does not change with
    brightness or contrast, falls with any blur, and rises with noise.
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
    "contrast": "Too little contrast: wipe the lens or change the light.",
    "sharpness": "Blurred: hold still or let the camera focus.",
    "turn": "Look towards the camera.",
    "nod": "Lift or lower your head a little.",
    "tilt": "Hold your head upright.",
    "motion": "Hold still.",
}
TOO_BRIGHT = "Too bright: turn away from the light or lower the exposure."


def judge(
    condition: Condition, limits: Limits, *, size: float, visible: float, motion: float
) -> Quality:
    """Check a face against the limits, most important first."""
    return Quality(
        (
            _check("size", size, limits.min_size, unit="px"),
            _check("visible", visible, limits.min_visible),
            _check("brightness", condition.brightness, *limits.brightness),
            _check("contrast", condition.contrast, limits.min_contrast),
            _check("sharpness", condition.sharpness, limits.min_sharpness),
            _check("turn", condition.yaw, -limits.max_yaw, limits.max_yaw, "°"),
            _check("nod", condition.pitch, -limits.max_pitch, limits.max_pitch, "°"),
            _check("tilt", condition.roll, -limits.max_roll, limits.max_roll, "°"),
            _check("motion", motion, 0.0, limits.max_motion, "faces/s"),
        )
    )


def _check(name: str, value: float, low: float, high: float = math.inf, unit: str = "") -> Check:
    reason = "" if low <= value <= high else ADVICE[name]
    if name == "brightness" and value > high:
        reason = TOO_BRIGHT
    return Check(name, value, low, high, unit, reason)
