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


def _weighting() -> NDArray[np.float64]:
    """Return the 10 x 10 map from (x, y) of each landmark to weighted residuals."""
    rows = np.eye(10)
    middle, half = np.sqrt([0.5, 0.5])
    left, right = 6, 8
    for axis, weight in ((0, 1.0), (1, _MOUTH)):
        rows[left + axis] = 0.0
        rows[left + axis, [left + axis, right + axis]] = weight * middle
        rows[right + axis] = 0.0
        rows[right + axis, [left + axis, right + axis]] = -_MOUTH * half, _MOUTH * half
    return rows


_WEIGHTING = _weighting()


def rotation(pose: Pose) -> NDArray[np.float64]:
    """Return the 3 x 3 rotation: nod first, then turn, then tilt within the image."""
    yaw, pitch, roll = np.radians([pose.yaw, pose.pitch, pose.roll])
    nod = np.array(
        [[1, 0, 0], [0, np.cos(pitch), -np.sin(pitch)], [0, np.sin(pitch), np.cos(pitch)]]
    )
    turn = np.array([[np.cos(yaw), 0, np.sin(yaw)], [0, 1, 0], [-np.sin(yaw), 0, np.cos(yaw)]])
    tilt = np.array([[np.cos(roll), -np.sin(roll), 0], [np.sin(roll), np.cos(roll), 0], [0, 0, 1]])
    return np.asarray(tilt @ turn @ nod)


def head_pose(landmarks: NDArray[np.float64]) -> Pose:
    """Estimate the pose of (5, 2) landmarks that `face_transform` accepts."""
    points = np.asarray(landmarks, dtype=np.float64)
    # Upright first, so that "height" and "width" of the mouth mean what they say.
    eyes = points[1] - points[0]
    tilt = float(np.degrees(np.arctan2(eyes[1], eyes[0])))
    upright = (points - points.mean(axis=0)) @ rotation(Pose(0.0, 0.0, tilt))[:2, :2]
    turned = _nearest_rotation((_TO_AFFINE @ upright).T)
    for _ in range(_STEPS):
        turned = _improved(turned, upright)
    return _angles(rotation(Pose(0.0, 0.0, tilt)) @ turned)


def _nearest_rotation(affine: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rotation whose first two rows are nearest to the 2 x 3 map, up to scale."""
    left, _, right = np.linalg.svd(affine, full_matrices=False)
    rows = left @ right
    return np.vstack([rows, np.cross(rows[0], rows[1])])


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
    step = np.linalg.lstsq(system, rest, rcond=None)[0]
    return _small_rotation(step[1:4].astype(np.float64)) @ turned


def _small_rotation(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rodrigues' formula, the angle kept below half a radian so that no step overshoots."""
    angle = float(np.linalg.norm(vector))
    if angle < 1e-12:
        return np.eye(3)
    x, y, z = vector / angle
    angle = min(angle, 0.5)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross)


def _angles(turned: NDArray[np.float64]) -> Pose:
    """Undo `rotation`."""
    yaw = np.arcsin(np.clip(-turned[2, 0], -1.0, 1.0))
    pitch = np.arctan2(turned[2, 1], turned[2, 2])
    roll = np.arctan2(turned[1, 0], turned[0, 0])
    return Pose(*(float(angle) for angle in np.degrees([yaw, pitch, roll])))
