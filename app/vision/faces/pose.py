"""Head pose from five landmarks and a generic head.

The camera is taken as far away (weak perspective): landmarks are a scaled, shifted picture of the
turned head. The best affine map from head to image is linear least squares; the nearest scaled
rotation to it starts a few Gauss-Newton steps on the true problem, the squared distance between
the landmarks and the projected head.

A smile widens the mouth and lifts its corners, which looks like a nod. So only the sideways place
of its middle counts in full: pitch is read from the nose against the eyes.

Accuracy: roll is the tilt of the line through the eyes, within about a degree. Yaw and pitch come
from the place of the nose, which differs between people: yaw by a few degrees, pitch by about ten.
They tell frontal from turned and follow *changes*. Beyond about 60 degrees the landmarks are
guesses.
"""

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from app.types import Pose

# The head in eye distances, x right, y down, z to the camera. The frontal shape is the mean of ten
# neutral portraits, made symmetric; depths are those of an average head.
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

# How much the mouth's height, width and tilt count, beside one for everything else.
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
    # Upright first, so that "height" and "width" of the mouth mean what they say.
    x, y = points[1] - points[0]
    tilt = cv2.Rodrigues(np.array([0.0, 0.0, math.atan2(y, x)]))[0]
    upright = (points - points.mean(axis=0)) @ tilt[:2, :2]
    # The rotation whose first two rows are nearest to the affine map, up to scale.
    left, _, right = np.linalg.svd((_TO_AFFINE @ upright).T, full_matrices=False)
    rows = left @ right
    turned = np.vstack([rows, np.cross(rows[0], rows[1])])
    for _ in range(_STEPS):
        turned = _improved(turned, upright)
    # A nod first, then a turn, then a tilt within the image.
    turned = tilt @ turned
    yaw = math.asin(min(max(-turned[2, 0], -1.0), 1.0))
    pitch = math.atan2(turned[2, 1], turned[2, 2])
    roll = math.atan2(turned[1, 0], turned[0, 0])
    return Pose(*map(math.degrees, (yaw, pitch, roll)))


def _improved(turned: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """One Gauss-Newton step in scale, place and a small rotation after the present one."""
    seen = HEAD @ turned.T
    flat, depth = seen[:, :2], seen[:, 2]
    scale = float((flat * points).sum() / (flat * flat).sum())
    # A small rotation w moves a seen point s by w x s.
    columns = np.zeros((len(points), 2, 6))
    columns[:, :, 0] = flat
    columns[:, 1, 1] = -scale * depth
    columns[:, 0, 2] = scale * depth
    columns[:, 0, 3], columns[:, 1, 3] = -scale * flat[:, 1], scale * flat[:, 0]
    columns[:, 0, 4] = columns[:, 1, 5] = 1.0
    system = _WEIGHTING @ columns.reshape(10, 6)
    rest = _WEIGHTING @ (points - scale * flat).ravel()
    rotation = np.linalg.lstsq(system, rest, rcond=None)[0][1:4]
    # At most half a radian, so that no step overshoots.
    rotation *= min(1.0, 0.5 / max(float(np.linalg.norm(rotation)), 1e-12))
    return np.asarray(cv2.Rodrigues(rotation)[0] @ turned)
