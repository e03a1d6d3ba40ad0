"""Every crop shows the same part of the face, whatever its position, size and tilt."""

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.vision.faces.alignment import (
    apply,
    cut,
    face_side,
    face_transform,
    resample,
    square_corners,
    visible_share,
)
from lmkl_core.features.presets.preset import TEMPLATE, Crop
from tests.app.vision.faces.portraits import blank, noisy, still

POINTS = np.array(TEMPLATE)


def similarity(scale, degrees=0.0, shift=(0.0, 0.0)):
    cos, sin = scale * np.cos(np.radians(degrees)), scale * np.sin(np.radians(degrees))
    return np.array([[cos, -sin, shift[0]], [sin, cos, shift[1]]])


def placed(side=200.0, degrees=0.0, middle=(320.0, 240.0)):
    """Return the template's landmarks as a face of this side in an image."""
    return apply(similarity(side, degrees, middle), POINTS - 0.5)


def dot(point, radius):
    """Return a black image with a soft white dot."""
    y, x = np.mgrid[0:480, 0:640]
    values = np.exp(-((x - point[0]) ** 2 + (y - point[1]) ** 2) / (2 * radius**2))
    return np.repeat((255 * values).astype(np.uint8)[:, :, None], 3, axis=2)


@given(
    side=st.floats(5, 5000),
    degrees=st.floats(-180, 180),
    x=st.floats(-1000, 5000),
    y=st.floats(-1000, 5000),
)
def test_that_a_moved_turned_and_scaled_template_is_recovered(side, degrees, x, y):
    landmarks = placed(side, degrees, (x, y))
    transform = face_transform(landmarks)
    assert np.allclose(apply(transform, landmarks), POINTS, atol=1e-7)
    assert face_side(transform) == pytest.approx(side, rel=1e-6)


def test_that_the_closed_form_is_the_least_squares_solution():
    landmarks = placed(150, 25) + np.random.default_rng(0).normal(0, 8, (5, 2))
    # Independent route: the four unknowns of a similarity transform as a linear system.
    x, y = landmarks.T
    zero, one = np.zeros(5), np.ones(5)
    system = np.vstack([np.c_[x, -y, one, zero], np.c_[y, x, zero, one]])
    a, b, tx, ty = np.linalg.lstsq(system, POINTS.T.ravel(), rcond=None)[0]
    assert np.allclose(face_transform(landmarks), [[a, -b, tx], [b, a, ty]])


def test_that_mirrored_landmarks_never_give_a_mirrored_face():
    swapped = placed()[[1, 0, 2, 4, 3]]
    transform = face_transform(swapped)
    assert transform is None or np.linalg.det(transform[:, :2]) > 0


def test_that_landmarks_unlike_a_face_are_refused():
    for landmarks in (
        np.full((5, 2), np.nan),
        np.where(np.arange(10).reshape(5, 2) == 3, np.inf, placed()),
        np.full((5, 2), 100.0),
        placed(side=0.5),
        placed() * 1e200,
        placed()[:4],
        placed() * [-1, 1] @ np.diag([1, 0.6]) + 700,
    ):
        assert face_transform(landmarks) is None


def test_that_landmarks_land_on_the_template_in_a_crop():
    for side, degrees in ((260, 0), (260, 30), (120, -75)):
        for size, crop_side in ((128, 1.0), (224, 1.6), (56, 1.2)):
            landmarks = placed(side, degrees, (330.0, 250.0))
            crop = Crop("face", size, side=crop_side)
            for index in range(5):
                image = dot(landmarks[index], radius=side / 50)
                result = cut(image, face_transform(landmarks), crop)[:, :, 0].astype(float)
                y, x = np.mgrid[0:size, 0:size]
                found = np.array([(x * result).sum(), (y * result).sum()]) / result.sum()
                expected = ((POINTS[index] - 0.5) / crop_side + 0.5) * size - 0.5
                assert np.abs(found - expected).max() < 0.15


def test_that_a_native_crop_has_unchanged_pixels():
    image = noisy(blank(128), seed=1, sigma=40)
    landmarks = placed(200, 20)
    crop = Crop("nose", 64, centre=TEMPLATE[2], side=None)
    result = cut(image, face_transform(landmarks), crop)
    match = cv2.matchTemplate(image, result, cv2.TM_SQDIFF)
    x, y = np.unravel_index(np.argmin(match), match.shape)[::-1]
    assert np.array_equal(image[y : y + 64, x : x + 64], result)
    assert np.abs(np.array([x, y]) + 31.5 - landmarks[2]).max() <= 0.5


@pytest.mark.parametrize(
    ("middle", "corner"),
    [((-200, 100), (0, None)), ((900, 100), (640 - 96, None)), ((300, 2000), (None, 480 - 96))],
)
def test_that_a_native_crop_is_moved_inside_the_frame(middle, corner):
    y, x = np.mgrid[0:480, 0:640]
    image = np.dstack([x % 256, y % 256, x // 256 + 4 * (y // 256)]).astype(np.uint8)
    transform = face_transform(placed(200, 0, middle))
    result = cut(image, transform, Crop("patch", 96, side=None)).astype(int)
    first_x = result[0, 0, 0] + 256 * (result[0, 0, 2] % 4)
    first_y = result[0, 0, 1] + 256 * (result[0, 0, 2] // 4)
    assert np.array_equal(result, image[first_y : first_y + 96, first_x : first_x + 96])
    assert all(want in (None, got) for want, got in zip(corner, (first_x, first_y), strict=True))


@pytest.mark.parametrize(("height", "width"), [(1, 1), (2, 7), (50, 40), (1, 300)])
def test_that_a_native_crop_of_a_small_frame_is_continued_by_reflection(height, width):
    image = noisy(blank(128, height, width), seed=2, sigma=50)
    result = cut(image, face_transform(placed()), Crop("patch", 64, side=None))
    assert result.shape == (64, 64, 3)
    if width < 64 and height < 64:
        # All of the frame is there, in the middle.
        y, x = (64 - height) // 2, (64 - width) // 2
        assert np.array_equal(result[y : y + height, x : x + width], image)
    if 1 < width < 64:
        x = (64 - width) // 2
        assert np.array_equal(result[:, x - 1], result[:, x + 1])


def original_box(image, box, scale, size):
    """Cut a scaled box as the liveness networks' authors do, statement by statement."""
    height, width = image.shape[:2]
    x, y, box_width, box_height = box
    scale = min((height - 1) / box_height, min((width - 1) / box_width, scale))
    new_width, new_height = box_width * scale, box_height * scale
    centre_x, centre_y = box_width / 2 + x, box_height / 2 + y
    left, right = centre_x - new_width / 2, centre_x + new_width / 2
    top, bottom = centre_y - new_height / 2, centre_y + new_height / 2
    if left < 0:
        left, right = 0, right - left
    if top < 0:
        top, bottom = 0, bottom - top
    if right > width - 1:
        left, right = left - (right - width + 1), width - 1
    if bottom > height - 1:
        top, bottom = top - (bottom - height + 1), height - 1
    part = image[int(top) : int(bottom) + 1, int(left) : int(right) + 1]
    return cv2.resize(part, (size, size))


def test_that_a_box_is_cut_as_in_the_training_of_the_liveness_networks():
    for box in (
        (250.3, 170.6, 100.2, 130.7),
        (10.5, 20.25, 90.75, 120.5),
        (560.1, 380.4, 75.3, 95.9),
        (-30.5, 200.0, 80.25, 100.0),
        (-900.0, 2000.0, 60.0, 70.0),
        (100.7, 30.2, 400.3, 430.1),
        (-50.0, -60.0, 900.4, 1200.8),
        (300.0, 5.0, 3.5, 470.0),
    ):
        image = noisy(blank(128), seed=3, sigma=60)
        for scale in (1.0, 2.7, 4.0):
            result = cut(image, None, Crop("head", 80, of="box", scale=scale), box)
            assert np.array_equal(result, original_box(image, box, scale, 80))


def test_that_an_invalid_box_gives_a_crop_and_no_error():
    for box in ((0, 0, 0, 0), (5, 5, -3, -3), (np.nan, np.inf, np.nan, 1e300)):
        for shape in [(1, 1), (1, 300), (480, 640)]:
            crop = cut(blank(128, *shape), None, Crop("head", 80, of="box", scale=2.7), box)
            assert crop.shape == (80, 80, 3)


def test_that_a_tilted_and_enlarged_portrait_gives_the_same_crop(mtcnn):
    crop = Crop("face", 96)
    straight, tilted = still(2), still(2, zoom=0.7, degrees=15.0, shift=(40.0, -20.0))
    first, second = (
        cut(image, face_transform(mtcnn.detect(image)[0].landmarks), crop).astype(float)
        for image in (straight, tilted)
    )
    assert np.corrcoef(first.ravel(), second.ravel())[0, 1] > 0.97


def test_that_the_visible_share_counts_the_points_of_the_face_inside():
    for middle, inside, where in (
        ((320, 240), 9, "whole"),
        ((49.6, 240), 9, "left cheek on the border"),
        ((49.4, 240), 8, "left cheek outside"),
        ((589.4, 240), 9, "right cheek on the border"),
        ((589.6, 240), 8, "right cheek outside"),
        ((320, 28.6), 9, "brow on the border"),
        ((320, 28.4), 8, "brow outside"),
        ((320, 378.4), 9, "chin on the border"),
        ((320, 378.6), 8, "chin outside"),
        ((30, 240), 7, "an eye outside"),
        ((-500, 0), 0, "elsewhere"),
    ):
        landmarks = placed(middle=middle)
        share = visible_share(landmarks, face_transform(landmarks), (480, 640, 3))
        assert share == inside / 9, where


def stripes(size, period):
    wave = 127.5 + 127.0 * np.sin(2 * np.pi * np.arange(size) / period)
    return np.repeat(np.tile(wave.astype(np.uint8), (size, 1))[:, :, None], 3, axis=2)


def crop_map(scale, size, image_size, degrees=0.0):
    """Return the map of a crop about the image's middle, ``scale`` image pixels per crop pixel."""
    matrix = similarity(scale, degrees)
    middle = np.full(2, (image_size - 1) / 2)
    matrix[:, 2] = middle - apply(matrix, np.full((1, 2), (size - 1) / 2))[0]
    return matrix


def test_that_fine_stripes_shrink_to_grey_and_not_to_moire():
    for period in (2.1, 2.5, 3.3):
        for degrees in (0.0, 17.0):
            image, matrix = stripes(700, period), crop_map(600 / 128, 128, 700, degrees)
            ours = resample(image, matrix, 128)
            flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
            naive = cv2.warpAffine(image, matrix, (128, 128), flags=flags)
            assert naive.std() > 25
            assert ours.std() < 0.22 * naive.std()
            assert abs(float(ours.mean()) - float(image.mean())) < 3


def test_that_texture_changes_smoothly_as_a_face_comes_closer():
    image = np.random.default_rng(0).integers(0, 256, (500, 500, 3), dtype=np.uint8)
    scales = np.exp(np.linspace(np.log(0.5), np.log(3.0), 60))
    contrast = [resample(image, crop_map(s, 96, 500, 3.0), 96)[8:-8, 8:-8].std() for s in scales]
    steps = np.diff(np.log(contrast))
    assert steps.max() < 0.02
    assert np.abs(steps).max() < 0.08


def test_that_very_large_faces_are_shrunk_without_skipping_pixels():
    # Only every 25th column is bright: a filter that skips pixels misses or overstates them.
    image = np.zeros((2600, 2600, 3), np.uint8)
    image[:, ::25] = 250
    small = resample(image, crop_map(2500 / 50, 50, 2600), 50)
    assert abs(float(small.mean()) - 10.0) < 1.0
    assert small.std() < 2.0


def test_that_a_grey_image_gives_a_grey_crop_wherever_it_is_cut():
    for shape in ((1, 1), (1, 50), (40, 3), (480, 640)):
        image = np.full((*shape, 3), 77, np.uint8)
        for scale in (0.1, 1.0, 40.0):
            matrix = similarity(scale, 30.0, (-300.0, 1000.0))
            assert np.unique(resample(image, matrix, 32)).tolist() == [77]


def test_that_corners_of_the_face_square_are_clockwise():
    corners = square_corners(face_transform(placed(200, 0)))
    assert np.allclose(corners, [(220, 140), (420, 140), (420, 340), (220, 340)], atol=1e-6)
