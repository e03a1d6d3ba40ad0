"""Signs and sizes of the angles of the head."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from app.types import Pose
from app.vision.faces.pose import HEAD, head_pose
from tests.app.vision.faces.portraits import PEOPLE, mirrored_landmarks, still


def projected(pose, size=70.0, middle=(320.0, 240.0)):
    """Return the head's landmarks in the image, ``size`` pixels to the eye distance."""
    angles = [pose.pitch, pose.yaw, pose.roll]  # pitch first, then yaw, then roll
    return Rotation.from_euler("xyz", angles, degrees=True).apply(HEAD)[:, :2] * size + middle


def values(pose):
    return np.array([pose.yaw, pose.pitch, pose.roll])


ANGLES = st.builds(Pose, st.floats(-55, 55), st.floats(-35, 35), st.floats(-80, 80))


@given(pose=ANGLES, size=st.floats(15, 800))
def test_that_the_pose_of_the_projected_head_is_recovered(pose, size):
    assert np.allclose(values(head_pose(projected(pose, size))), values(pose), atol=0.01)


@given(pose=ANGLES)
def test_that_the_mirror_image_flips_yaw_and_roll(pose):
    there = values(head_pose(projected(pose)))
    back = values(head_pose(mirrored_landmarks(projected(pose))))
    assert np.allclose(back, there * [-1, 1, -1], atol=1e-6)


@pytest.mark.parametrize(
    ("pose", "landmark", "direction"),
    [
        (Pose(20, 0, 0), 2, (1, 0)),
        (Pose(0, 20, 0), 2, (0, -1)),
        (Pose(0, 0, 20), 1, (0, 1)),
    ],
    ids=["yaw: nose to the right", "pitch: nose up", "roll: right eye down"],
)
def test_that_signs_are_as_documented(pose, landmark, direction):
    moved = projected(pose)[landmark] - projected(Pose(0, 0, 0))[landmark]
    assert moved @ direction > 3
    assert np.allclose(values(head_pose(projected(pose))), values(pose), atol=0.01)


def test_that_a_pixel_of_noise_changes_the_pose_by_few_degrees():
    rng = np.random.default_rng(0)
    errors = []
    for _ in range(300):
        pose = Pose(*rng.uniform([-40, -25, -40], [40, 25, 40]))
        errors.append(values(head_pose(projected(pose) + rng.normal(0, 1, (5, 2)))) - values(pose))
    yaw, pitch, roll = np.sqrt(np.mean(np.square(errors), axis=0))
    assert roll < 1.5
    assert yaw < 3
    assert pitch < 4


def test_that_a_smile_is_not_taken_for_a_nod():
    smiling = HEAD.copy()
    smiling[3:, 0] *= 1.2
    smiling[3:, 1] -= 0.12
    pose = head_pose(smiling[:, :2] * 70 + 200)
    assert np.abs(values(pose)).max() < 6


def test_that_the_poses_of_frontal_and_tilted_portraits_are_measured(mtcnn):
    straight = np.array([values(head_pose(mtcnn.detect(still(p))[0].landmarks)) for p in PEOPLE])
    assert np.abs(straight[:, 0]).max() < 6
    assert np.abs(straight[:, 1]).max() < 20
    assert abs(straight[:, 1].mean()) < 5
    assert np.abs(straight[:, 2]).max() < 4
    for person, before in zip(PEOPLE, straight, strict=True):
        tilted = mtcnn.detect(still(person, degrees=12.0))[0]
        assert head_pose(tilted.landmarks).roll - before[2] == pytest.approx(12.0, abs=1.5)
