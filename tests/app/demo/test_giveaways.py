"""No trivial number tells attacks from genuine takes: what is left is what instruments do."""

import cv2
import numpy as np

from app.demo.renderer.arrays import generator
from app.demo.renderer.instruments import INSTRUMENTS
from app.demo.renderer.motion import Motion
from app.demo.renderer.setting import setting
from tests.app.demo.rendered import attack, genuine, images


def trivial_numbers(image):
    face = image[110:350, 220:420]
    grey = cv2.cvtColor(face, cv2.COLOR_RGB2GRAY)
    red, green, blue = face.reshape(-1, 3).mean(axis=0)
    return {
        "brightness of the frame": image.mean(),
        "brightness of the face": grey.mean(),
        "contrast": grey.std(),
        "darkest": np.percentile(grey, 2),
        "brightest": np.percentile(grey, 98),
        "sharpness": cv2.Laplacian(grey, cv2.CV_32F).var(),
        "red": red,
        "green": green,
        "blue": blue,
        "warmth": red / blue,
        "saturation": cv2.cvtColor(face, cv2.COLOR_RGB2HSV)[..., 1].mean(),
        "bytes of the frame": len(cv2.imencode(".jpg", image)[1]),
        "bytes of the face": len(cv2.imencode(".jpg", face)[1]),
    }


def area_under_curve(low, high):
    low, high = np.asarray(low)[:, None], np.asarray(high)
    return (low < high).mean() + 0.5 * (low == high).mean()


def test_that_no_trivial_number_separates_attacks_from_genuine_takes():
    # One person in one light, the takes of other tests among them: a coarse but cheap net.
    live = [genuine(seed=seed) for seed in range(9)]
    held = [attack(name) for name in INSTRUMENTS]
    held += [attack(name, seed=1) for name in ("print", "phone")]
    ours = [trivial_numbers(images(take)[-1]) for take in live]
    theirs = [trivial_numbers(images(take)[-1]) for take in held]
    areas = {
        name: area_under_curve([row[name] for row in ours], [row[name] for row in theirs])
        for name in ours[0]
    }
    assert all(0.05 < area < 0.95 for area in areas.values()), areas


def test_that_faces_are_wide_enough_for_a_detector_and_stay_in_the_picture():
    for seed in range(50):
        motion = Motion(generator("test", seed), 640, 480)
        for time in np.arange(0.0, 4.0, 0.5):
            pose = motion.pose(time)
            # A detector's box is about 2.2 eye distances wide and 3.1 high.
            assert 125 < 2.2 * pose.eyes < 270
            assert 1.1 * pose.eyes < pose.x < 640 - 1.1 * pose.eyes
            assert 1.2 * pose.eyes < pose.y < 480 - 1.9 * pose.eyes


def eye_distances(session, label="bonafide"):
    homes = [
        setting("P001", "office", (640, 480), seed, label, session=session).motion.home
        for seed in range(30)
    ]
    return np.log([home.eyes for home in homes])


def test_that_takes_of_one_session_share_a_seat_and_attacks_are_held_up_there():
    first, held, other = eye_distances(0), eye_distances(0, "attack-print"), eye_distances(1)
    assert 0.015 < first.std() < 0.05
    assert abs(first.mean() - held.mean()) < 0.03
    assert abs(first.mean() - other.mean()) > 0.03
