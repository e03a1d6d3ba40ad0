import itertools

import cv2
import numpy as np
import pytest

from app.capture.source import LARGEST_GAP, Cause, SourceInfo
from app.capture.watchdog import Limits, Watchdog
from tests.app.capture.media import noise, picture

RATE = 30.0
BLACK = np.zeros((120, 160, 3), np.uint8)


def faults(images, limits=None, rate=RATE):
    """Return what a watchdog says about each of these images, which arrive at the rate."""
    watchdog = Watchdog(0.0, limits)
    return [watchdog.feed(image, (n + 1) / rate) for n, image in enumerate(images)]


def seconds(n, rate=RATE):
    return range(int(n * rate))


def changed(image, where, value):
    image[where] = value
    return image


def dim_face(n):
    shape = np.outer(np.hanning(120), np.hanning(160))[..., None] * 20
    return (noise(n, 4, 1.0) + shape).astype(np.uint8)


HARMLESS = {
    "moving": picture,
    "still, with sensor noise": lambda n: noise(n, spread=0.6),
    "still, with one noisy pixel": lambda n: changed(picture(0), (57, 83, 1), n % 2),
    "each picture ten times": lambda n: picture(n // 10),
    "dark at the start": lambda n: BLACK if n < 20 else noise(n),
    "a dark room with a lamp": lambda n: changed(noise(n, 8, 2.0), np.s_[:25, :25], 180),
    "a dim face": dim_face,
    "an even grey wall": lambda n: noise(n, 60, 1.0),
    "tiny pictures that change": lambda n: np.full((3, 5, 3), 100 + n % 2, np.uint8),
    "changing size": lambda n: np.full((100 + n % 2, 100, 3), 99, np.uint8),
}


def test_that_harmless_pictures_are_never_reported():
    for name, image_at in HARMLESS.items():
        assert set(faults([image_at(n) for n in seconds(5)])) == {None}, name


@pytest.mark.parametrize(
    ("image", "cause"), [(BLACK, Cause.BLACK), (picture(0), Cause.FROZEN)], ids=str
)
def test_that_a_fault_ends_with_the_first_new_picture(image, cause):
    causes = faults([*(image.copy() for _ in seconds(10)), picture(1)])
    assert causes[-2:] == [cause, None]


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
    ids=["camera", "video stream", "recording", "one frame per second"],
)
def test_that_a_repeated_picture_is_frozen_after_a_while(limits, rate, after):
    causes = faults([picture(0)] * len(seconds(60, rate)), limits, rate)
    if after is None:
        assert set(causes) == {None}
    else:
        assert causes.index(Cause.FROZEN) == pytest.approx(after * rate, abs=2)
        assert set(causes) == {None, Cause.FROZEN}


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
def test_that_silence_is_reported_until_the_next_frame(limits, images, quiet, stalled):
    watchdog = Watchdog(0.0, limits)
    for image in images:
        watchdog.feed(image, 0.0)
    assert watchdog.fault(quiet) is not Cause.STALLED
    assert watchdog.fault(stalled) is Cause.STALLED
    assert watchdog.feed(picture(1), stalled + 0.1) is None


def test_that_a_covered_lens_is_black_despite_its_noise():
    for level in (0, 8, 16):
        assert faults([noise(n, level, 2.0) for n in seconds(2)])[-1] is Cause.BLACK


def test_that_images_of_any_shape_are_checked_without_an_error():
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
    """Return a patch that moves in front of a textured wall, with sensor noise."""
    rng = np.random.default_rng(7)
    image = cv2.resize(rng.integers(40, 200, (15, 20, 3), np.uint8), (160, 120))
    image[20:90, 50 + step % 20 : 90 + step % 20] = cv2.resize(image[:20, :20], (40, 70))
    grain = np.random.default_rng(step).integers(-4, 5, image.shape)
    return np.clip(image + grain, 0, 255).astype(np.uint8)


def compressed(image):
    return cv2.imdecode(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 70])[1], 1)


def without_noise(images):
    """Freeze every square that hardly changes, as cameras do in poor light."""
    held = images[0]
    for image in images:
        change = np.abs(image.astype(int) - held).mean(axis=2)[:112]
        still = change.reshape(7, SIDE, 10, SIDE).mean(axis=(1, 3)) < 10
        mask = np.kron(still, np.ones((SIDE, SIDE), bool))
        mask = np.vstack([mask, mask[-8:]])
        held = np.where(mask[..., None], held, image)
        yield held


def n_usable(images, limits):
    """Return how many images are usable, and the fault after the last."""
    watchdog, n = Watchdog(0.0, limits), 0
    for number, image in enumerate(images):
        watchdog.feed(image, number / RATE)
        n += watchdog.is_usable(number / RATE)
    return n, watchdog.fault(number / RATE)


def test_that_a_camera_that_filters_noise_does_not_count_as_damaged():
    images = [compressed(image) for image in without_noise([scene(n) for n in seconds(4)])]
    n_rows = 120 // 8
    pairs = list(itertools.pairwise(images))
    assert sum(np.array_equal(a[-n_rows:], b[-n_rows:]) for a, b in pairs) > 50, "nothing repeats"
    n_new = 1 + sum(not np.array_equal(a, b) for a, b in pairs)
    assert n_new > 100
    assert n_usable(images, JPEG) == (n_new, None)


CAPTION = np.full((32, 160, 3), 30, np.uint8)
cv2.putText(CAPTION, "Entrance", (10, 22), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (255, 255, 255))


@pytest.mark.parametrize(
    ("band", "limits", "n_missed"),
    [
        (CAPTION, JPEG, 3),  # the first ones could be torn
        (np.zeros_like(CAPTION), JPEG, 0),
        (scene(0)[88:], Limits(damaged_after=0.0), 0),
    ],
    ids=["caption", "black bar", "part that the codec repeats"],
)
def test_that_a_still_band_below_the_picture_is_not_damage(band, limits, n_missed):
    images = [np.vstack([scene(n)[:88], band]) for n in seconds(4)]
    n, cause = n_usable([compressed(i) if limits is JPEG else i for i in images], limits)
    assert n >= len(images) - n_missed
    assert cause is None


@pytest.mark.fault("Camera", "half-decoded frames", keeps="models")
def test_that_a_tear_is_found_wherever_the_data_end(attempt):
    before, after = compressed(scene(0)), compressed(scene(1))
    n_wide = 160 // SIDE
    for n_blocks in range(2 * n_wide, 6 * n_wide):
        row, column = divmod(n_blocks, n_wide)
        torn = after.copy()
        rows = slice(row * SIDE, (row + 1) * SIDE)
        torn[rows.stop :] = before[rows.stop :]
        torn[rows, column * SIDE :] = before[rows, column * SIDE :]
        watchdog = Watchdog(0.0, JPEG)
        with attempt():
            assert watchdog.feed(before, 0.0) is None
            watchdog.feed(torn, 1 / RATE)
            assert not watchdog.is_usable(1 / RATE)


def test_that_damage_in_a_recording_is_left_to_the_pipeline():
    images = [scene(n) for n in seconds(3)]
    for image in images:
        image[80:] = 128
    assert n_usable(images, RECORDING) == (len(images), None)
