import itertools

import cv2
import numpy as np
import pytest

from app.capture.source import LARGEST_GAP, Cause, SourceInfo
from app.capture.watchdog import Limits, Watchdog
from tests.app.capture.material import noise, picture

RATE = 30.0
BLACK = np.zeros((120, 160, 3), np.uint8)


def faults(images, limits=None, rate=RATE):
    """Return what a watchdog says of each image, one after the other at the rate."""
    watchdog = Watchdog(0.0, limits)
    return [watchdog.feed(image, (n + 1) / rate) for n, image in enumerate(images)]


def seconds(n, rate=RATE):
    return range(int(n * rate))


def with_pixel(n):
    image = picture(0)
    image[57, 83, 1] = n % 2
    return image


def with_lamp(n):
    image = noise(n, 8, 2.0)
    image[:25, :25] = 180
    return image


def dim_face(n):
    shape = np.outer(np.hanning(120), np.hanning(160))[..., None] * 20
    return (noise(n, 4, 1.0) + shape).astype(np.uint8)


HARMLESS = {
    "moving": picture,
    "still, with a sensor's noise": lambda n: noise(n, spread=0.6),
    "still, with one noisy pixel": with_pixel,
    "each picture ten times": lambda n: picture(n // 10),
    "dark at the start": lambda n: BLACK if n < 20 else noise(n),
    "a dark room with a lamp": with_lamp,
    "a dim face": dim_face,
    "an even grey wall": lambda n: noise(n, 60, 1.0),
    "tiny pictures that change": lambda n: np.full((3, 5, 3), 100 + n % 2, np.uint8),
    "changing size": lambda n: np.full((100 + n % 2, 100, 3), 99, np.uint8),
}


def test_that_harmless_pictures_are_ok_from_the_first_frame():
    for name, image_at in HARMLESS.items():
        assert set(faults([image_at(n) for n in seconds(5)])) == {None}, name


@pytest.mark.parametrize(
    ("image", "cause"), [(BLACK, Cause.BLACK), (picture(0), Cause.FROZEN)], ids=str
)
def test_that_trouble_has_its_cause_and_ends_with_the_first_new_picture(image, cause):
    said = faults([*(image.copy() for _ in seconds(10)), picture(1)])
    assert said[-2:] == [cause, None]


RECORDING = Limits.of(SourceInfo("take", 160, 120, RATE, 100), is_live=False)
VIDEO = Limits.of(SourceInfo("camera", 160, 120, RATE, is_video=True), is_live=True)


@pytest.mark.parametrize(
    ("limits", "rate", "after"),
    [
        (None, RATE, 3),
        (VIDEO, RATE, 10),
        (RECORDING, RATE, None),
        (Limits(stalled_after=10), 1, 15),
    ],
    ids=["camera", "video stream", "recording", "one frame a second"],
)
def test_that_a_repeated_picture_is_frozen_after_a_while(limits, rate, after):
    said = faults([picture(0)] * len(seconds(60, rate)), limits, rate)
    if after is None:
        assert set(said) == {None}
    else:
        assert said.index(Cause.FROZEN) == pytest.approx(after * rate, abs=2)
        assert set(said) == {None, Cause.FROZEN}


SLIDES = Limits.of(SourceInfo("slides", 160, 120, 0.2), is_live=False)


@pytest.mark.parametrize(
    ("limits", "images", "quiet", "stalled"),
    [
        (None, [picture(0)], 1.9, 2.1),
        (None, [], 9.0, 11.0),
        (None, [BLACK], 1.9, 20.0),
        (SLIDES, [picture(0)], 20.0, 26.0),
        (RECORDING, [picture(0)], LARGEST_GAP + 1, LARGEST_GAP + 3),
    ],
    ids=["camera", "before its first frame", "black", "slow slides", "gap in a recording"],
)
def test_that_silence_is_told_in_time_and_over_with_the_next_frame(limits, images, quiet, stalled):
    watchdog = Watchdog(0.0, limits)
    for image in images:
        watchdog.feed(image, 0.0)
    assert watchdog.fault(quiet) is not Cause.STALLED
    assert watchdog.fault(stalled) is Cause.STALLED
    assert watchdog.feed(picture(1), stalled + 0.1) is None


def test_that_a_covered_lens_is_black_in_spite_of_its_noise():
    for level in (0, 8, 16):
        assert faults([noise(n, level, 2.0) for n in seconds(2)])[-1] is Cause.BLACK


def test_that_odd_pictures_are_judged_without_harm():
    for image in (
        np.zeros((1, 1, 3), np.uint8),
        np.zeros((3, 5, 3), np.uint8),
        np.zeros((0, 0, 3), np.uint8),
        np.zeros((480, 640), np.uint8),
        np.zeros((8, 8, 4), np.uint16),
    ):
        assert faults([image] * len(seconds(5)))[-1] in (Cause.BLACK, Cause.FROZEN)


SIDE = 16
JPEG = Limits.of(SourceInfo("camera", 160, 120, RATE, is_jpeg=True), is_live=True)


def scene(step):
    """Return a person-sized patch that moves before a textured wall, with a sensor's noise."""
    rng = np.random.default_rng(7)
    image = cv2.resize(rng.integers(40, 200, (15, 20, 3), np.uint8), (160, 120))
    image[20:90, 50 + step % 20 : 90 + step % 20] = cv2.resize(image[:20, :20], (40, 70))
    grain = np.random.default_rng(step).integers(-4, 5, image.shape)
    return np.clip(image + grain, 0, 255).astype(np.uint8)


def compressed(image):
    return cv2.imdecode(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 70])[1], 1)


def without_noise(images):
    """Hold still every square that hardly changes, as cameras do in poor light."""
    held = images[0]
    for image in images:
        change = np.abs(image.astype(int) - held).mean(axis=2)[:112]
        still = change.reshape(7, SIDE, 10, SIDE).mean(axis=(1, 3)) < 10
        mask = np.kron(still, np.ones((SIDE, SIDE), bool))
        mask = np.vstack([mask, mask[-8:]])
        held = np.where(mask[..., None], held, image)
        yield held


def n_judged(images, limits):
    watchdog, n = Watchdog(0.0, limits), 0
    for number, image in enumerate(images):
        watchdog.feed(image, number / RATE)
        n += watchdog.may_judge(number / RATE)
    return n, watchdog.fault(number / RATE)


def test_that_a_camera_that_filters_noise_is_not_taken_for_damaged():
    images = [compressed(image) for image in without_noise([scene(n) for n in seconds(4)])]
    n_rows = 120 // 8
    pairs = list(itertools.pairwise(images))
    assert sum(np.array_equal(a[-n_rows:], b[-n_rows:]) for a, b in pairs) > 50, "nothing repeats"
    n_new = 1 + sum(not np.array_equal(a, b) for a, b in pairs)
    assert n_new > 100
    assert n_judged(images, JPEG) == (n_new, None)


def test_that_a_caption_below_the_picture_is_not_taken_for_damage():
    images = []
    for n in seconds(4):
        image = scene(n)
        image[88:] = 30
        cv2.putText(image, "Entrance", (10, 110), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (255, 255, 255))
        images.append(compressed(image))
    n, cause = n_judged(images, JPEG)
    assert n >= len(images) - 3  # the first ones could be tears
    assert cause is None


@pytest.mark.fault("Camera", "half-decoded frames", keeps="models")
def test_that_a_tear_is_found_wherever_the_data_end(attempt):
    before, after = compressed(scene(0)), compressed(scene(1))
    n_wide = 160 // SIDE
    for n_blocks in range(2 * n_wide, 6 * n_wide):
        row, column = divmod(n_blocks, n_wide)
        torn = after.copy()
        torn[(row + 1) * SIDE :] = before[(row + 1) * SIDE :]
        torn[row * SIDE : (row + 1) * SIDE, column * SIDE :] = before[
            row * SIDE : (row + 1) * SIDE, column * SIDE :
        ]
        watchdog = Watchdog(0.0, JPEG)
        with attempt():
            assert watchdog.feed(before, 0.0) is None
            watchdog.feed(torn, 1 / RATE)
            assert not watchdog.may_judge(1 / RATE)


def test_that_pictures_of_a_recording_are_left_to_whoever_judges_them():
    limits = Limits.of(SourceInfo("folder", 160, 120, RATE), is_live=False)
    images = [scene(n) for n in seconds(3)]
    for image in images:
        image[80:] = 128
    assert n_judged(images, limits) == (len(images), None)
