"""The renderer draws takes, attacks and moiré, and no trivial number gives attacks away."""

from functools import lru_cache
from itertools import combinations

import cv2
import numpy as np
import pytest

from app.demo.renderer.arrays import generator
from app.demo.renderer.geometry import Motion
from app.demo.renderer.instruments import INSTRUMENTS
from app.demo.renderer.people import CANVAS, PEOPLE, load_person, portrait_path
from app.demo.renderer.scene import Grating, Harmonic
from app.demo.renderer.setting import setting
from app.demo.renderer.takes import frames
from app.demo.script import RATE, Take


@lru_cache(maxsize=64)
def images(take):
    return tuple(frame.image for frame in frames(take))


def genuine(condition="office", seed=0, n_frames=1):
    return attack(None, condition, seed, n_frames)


def attack(instrument, condition="office", seed=0, n_frames=1):
    return Take("P001", instrument, condition, seed, n_frames)


def test_that_a_take_gives_numbered_rgb_frames_of_one_size():
    take = genuine(n_frames=3)
    got = list(frames(take))
    assert [frame.number for frame in got] == [0, 1, 2]
    assert [frame.time for frame in got] == [0.0, 1 / RATE, 2 / RATE]
    assert {(frame.image.shape, frame.image.dtype.name) for frame in got} == {
        ((480, 640, 3), "uint8")
    }
    # Skin is more red than blue, so the channels are in order.
    middle = got[0].image[200:280, 280:360].reshape(-1, 3).mean(axis=0)
    assert middle[0] > middle[2]


@pytest.mark.parametrize("take", [genuine(n_frames=2), attack("replay")])
def test_that_equal_takes_give_equal_frames(take):
    again = [frame.image for frame in frames(take)]
    assert all(np.array_equal(a, b) for a, b in zip(images(take), again, strict=True))


def test_that_frames_depend_on_seed_and_time_but_not_on_the_length_of_the_take():
    first, second, third = images(genuine(n_frames=3))
    assert np.array_equal(second, images(genuine(n_frames=2))[1])
    assert np.abs(first.astype(int) - second).mean() > 0.3
    assert not np.array_equal(second, third)
    assert np.abs(first.astype(int) - images(genuine(seed=1))[0]).mean() > 5


def test_that_the_person_and_every_instrument_look_different():
    pictures = [images(attack(name))[0].astype(int) for name in (None, *INSTRUMENTS)]
    assert all(np.abs(a - b).mean() > 5 for a, b in combinations(pictures, 2))


def test_that_conditions_differ_in_direction_and_colour_of_light():
    def left_over_right(condition):
        picture = images(genuine(condition, seed=3))[0][120:330, 200:440]
        return picture[:, :120].mean() / picture[:, 120:].mean()

    def warmth(condition):
        red, _, blue = images(genuine(condition, seed=4))[0].reshape(-1, 3).mean(axis=0)
        return red / blue

    assert left_over_right("window") > 1.05 * left_over_right("lamp")
    assert warmth("lamp") > 1.15 * warmth("another day")


def test_that_there_are_ten_people_cut_out_of_their_background():
    assert len(PEOPLE) == 10
    assert all(portrait_path(name).is_file() for name in PEOPLE)
    person = load_person("P002")
    assert person.albedo.shape == (*CANVAS, 3)
    assert person.alpha.shape == CANVAS
    assert person.alpha[500:900, 600:800].min() > 0.99  # the face
    assert person.alpha[:100, :200].max() < 0.05  # beside the head
    assert 0.9 < person.mouth < 1.3


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
    # One person in one light, sharing takes with other tests: coarse but cheap.
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


def test_that_faces_are_large_enough_for_a_detector_and_stay_in_the_picture():
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


def places(per_pixel):
    """Return plate coordinates of a small camera's pixels, ``per_pixel`` units wide."""
    x = np.arange(64, dtype=np.float32)[None, :] * np.float32(per_pixel)
    y = np.arange(48, dtype=np.float32)[:, None] * np.float32(per_pixel)
    return np.broadcast_to(x, (48, 64)).copy(), np.broadcast_to(y, (48, 64)).copy()


def stripes(cycles):
    return Grating((Harmonic(cycles, 0.0, (1.0, 1.0, 1.0)),))


def test_that_structure_finer_than_the_lens_resolves_is_invisible():
    assert stripes(300.0).modulation(*places(0.01), blur=0.5) is None


def test_that_moire_is_coloured_because_photosites_are_apart():
    seen = stripes(107.0).modulation(*places(0.01), blur=0.15)
    assert np.abs(seen[..., 0] - seen[..., 2]).max() > 0.1 * np.abs(seen).max()


def test_that_moire_agrees_with_sampling_a_rendered_grating():
    """Independently: draw the stripes 32 times finer, blur, and average over photosites."""
    fine, blur, cycles = 32, 0.2, 1.2
    at = (np.arange(-8 * fine, 72 * fine) + 0.5) / fine - 0.5
    wave = np.cos(2 * np.pi * cycles * at)
    offsets = np.arange(-4 * fine, 4 * fine + 1) / fine
    lens = np.exp(-0.5 * (offsets / blur) ** 2)
    site = (np.abs(offsets) <= 0.25).astype(float)
    for kernel in (lens, site):
        wave = np.convolve(wave, kernel / kernel.sum(), mode="same")
    centres = np.arange(64) - 0.25  # red photosites lie a quarter of a pixel to the left
    expected = np.interp(centres, at, wave)
    seen = stripes(cycles).modulation(*places(1.0), blur=blur)
    assert np.abs(seen[5, 8:56, 0] - expected[8:56]).max() < 0.03 * np.abs(wave).max() + 0.01
