"""Head pose from five landmarks and a generic head.

The camera is assumed far away (weak perspective): landmarks are a scaled, shifted projection of the
rotated head. Linear least squares gives the best affine map from head to image; the scaled rotation
nearest to it starts a few Gauss-Newton steps on the actual problem, the squared distance between
the landmarks and the projected head.

A smile widens the mouth and lifts its corners, which looks like a nod. So only the horizontal
position of its middle counts in full: pitch comes from the nose relative to the eyes.

Accuracy: roll is the tilt of the line through the eyes, within about a degree. Yaw and pitch come
from the position of the nose, which differs between people: yaw by a few degrees, pitch by about
ten. They separate frontal from turned faces and follow *changes*. Beyond about 60 degrees the
landmarks are guesses.
"""

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from app.types import Pose

# The head in eye distances: x right, y down, z towards the camera. The frontal shape is the mean of
# ten neutral portraits, made symmetric; depths are those of an average head.
HEAD = np.array(
    [
        (-0.50, 0.00, 0.00),
        (0.50, 0.00, 0.00),
        (0.00, 0.63, 0.48),
        (-0.43, 1.08, 0.00),
        (0.43, 1.08, 0.00),
    ]
)
HEAD -= HEAD.mean(axis=0)
_TO_AFFINE = np.linalg.pinv(HEAD)
_STEPS = 3

# Weight of the mouth's height, width and tilt; everything else has weight one.
_MOUTH = 0.25
# From (x, y) of each landmark to weighted residuals: the mouth's middle, then its extent.
_WEIGHTING = np.eye(10)
for _axis, _middle in ((0, 1.0), (1, _MOUTH)):
    _corners = [6 + _axis, 8 + _axis]
    _WEIGHTING[np.ix_(_corners, _corners)] = [[_middle, _middle], [-_MOUTH, _MOUTH]]
    _WEIGHTING[_corners] *= math.sqrt(0.5)


def head_pose(landmarks: NDArray[np.float64]) -> Pose:
    """Estimate the pose of (5, 2) landmarks that `face_transform` accepts."""
    points = np.asarray(landmarks, dtype=np.float64)
    # Rotate upright first, so that the mouth's height and width are vertical and horizontal.
    x, y = points[1] - points[0]
    tilt = cv2.Rodrigues(np.array([0.0, 0.0, math.atan2(y, x)]))[0]
    upright = (points - points.mean(axis=0)) @ tilt[:2, :2]
    # The rotation with the first two rows nearest to the affine map, up to scale.
    left, _, right = np.linalg.svd((_TO_AFFINE @ upright).T, full_matrices=False)
    rows = left @ right
    rotation = np.vstack([rows, np.cross(rows[0], rows[1])])
    for _ in range(_STEPS):
        rotation = _improved(rotation, upright)
    # Pitch first, then yaw, then roll within the image.
    rotation = tilt @ rotation
    yaw = math.asin(min(max(-rotation[2, 0], -1.0), 1.0))
    pitch = math.atan2(rotation[2, 1], rotation[2, 2])
    roll = math.atan2(rotation[1, 0], rotation[0, 0])
    return Pose(*map(math.degrees, (yaw, pitch, roll)))


def _improved(rotation: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rotation after a Gauss-Newton step in scale, position and rotation."""
    projected = HEAD @ rotation.T
    flat, depth = projected[:, :2], projected[:, 2]
    scale = float((flat * points).sum() / (flat * flat).sum())
    # A small rotation w moves a point s by w x s.
    columns = np.zeros((len(points), 2, 6))
    columns[:, :, 0] = flat
    columns[:, 1, 1] = -scale * depth
    columns[:, 0, 2] = scale * depth
    columns[:, 0, 3], columns[:, 1, 3] = -scale * flat[:, 1], scale * flat[:, 0]
    columns[:, 0, 4] = columns[:, 1, 5] = 1.0
    system = _WEIGHTING @ columns.reshape(10, 6)
    residuals = _WEIGHTING @ (points - scale * flat).ravel()
    step = np.linalg.lstsq(system, residuals, rcond=None)[0][1:4]
    # At most half a radian, so that no step overshoots.
    step *= min(1.0, 0.5 / max(float(np.linalg.norm(step)), 1e-12))
    return np.asarray(cv2.Rodrigues(step)[0] @ rotation)
