"""Crops show what is in the image: no moiré, no step between shrinking and enlarging."""

import cv2
import numpy as np
import pytest

from app.vision.faces.alignment import (
    apply,
    invert,
    reduce_to,
    resample,
    scale_of,
    square_to_image,
)


def similarity(scale, degrees=0.0, shift=(0.0, 0.0)):
    turn = np.radians(degrees)
    cos, sin = scale * np.cos(turn), scale * np.sin(turn)
    return np.array([[cos, -sin, shift[0]], [sin, cos, shift[1]]])


def stripes(size, period):
    wave = 127.5 + 127.0 * np.sin(2 * np.pi * np.arange(size) / period)
    return np.repeat(np.tile(wave.astype(np.uint8), (size, 1))[:, :, None], 3, axis=2)


def grain(size, seed=0):
    return np.random.default_rng(seed).integers(0, 256, (size, size, 3), dtype=np.uint8)


def crop_map(scale, size, image_size, degrees=0.0):
    """Return the map of a crop about the image's middle, ``scale`` image pixels to each of its."""
    matrix = similarity(scale, degrees)
    middle = np.full(2, (image_size - 1) / 2)
    matrix[:, 2] = middle - apply(matrix, np.full((1, 2), (size - 1) / 2))[0]
    return matrix


@pytest.mark.parametrize("period", [2.1, 2.5, 3.3])
@pytest.mark.parametrize("degrees", [0.0, 17.0])
def test_that_fine_stripes_shrink_to_grey_and_not_to_moire(period, degrees):
    image, matrix = stripes(700, period), crop_map(600 / 128, 128, 700, degrees)
    ours = resample(image, matrix, 128)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    naive = cv2.warpAffine(image, matrix, (128, 128), flags=flags)
    assert naive.std() > 25
    assert ours.std() < 0.22 * naive.std()
    assert abs(float(ours.mean()) - float(image.mean())) < 3


def test_that_texture_changes_smoothly_as_a_face_comes_closer():
    image = grain(500)
    scales = np.exp(np.linspace(np.log(0.5), np.log(3.0), 60))
    contrast = [resample(image, crop_map(s, 96, 500, 3.0), 96)[8:-8, 8:-8].std() for s in scales]
    steps = np.diff(np.log(contrast))
    assert steps.max() < 0.02
    assert np.abs(steps).max() < 0.08


def test_that_an_image_taken_as_it_is_keeps_its_place():
    ramp = np.repeat(np.arange(0, 200, 2, dtype=np.uint8)[None, :], 100, axis=0)
    image = np.dstack([ramp, ramp.T, ramp])
    copy = resample(image, similarity(1.0), 100)
    assert np.abs(copy[2:-2, 2:-2].astype(int) - image[2:-2, 2:-2]).max() <= 1


def test_that_very_large_faces_are_shrunk_without_losing_pixels():
    # Only every 25th column is bright: a filter that skips pixels misses or overstates them.
    image = np.zeros((2600, 2600, 3), np.uint8)
    image[:, ::25] = 250
    small = resample(image, crop_map(2500 / 50, 50, 2600), 50)
    assert abs(float(small.mean()) - 10.0) < 1.0
    assert small.std() < 2.0


@pytest.mark.parametrize("shape", [(1, 1), (1, 50), (40, 3), (480, 640)])
@pytest.mark.parametrize("scale", [0.1, 1.0, 40.0])
def test_that_a_grey_image_gives_a_grey_crop_wherever_it_is_cut(shape, scale):
    image = np.full((*shape, 3), 77, np.uint8)
    matrix = similarity(scale, 30.0, (-300.0, 1000.0))
    assert np.unique(resample(image, matrix, 32)).tolist() == [77]


def test_that_a_square_lands_on_its_pixels():
    to_face = similarity(0.01, -20.0, (0.3, -0.2))
    to_image = square_to_image(to_face, (0.5, 0.4), 0.8, 64)
    middle_of_crop = np.array([[31.5, 31.5]])
    assert np.allclose(apply(to_face, apply(to_image, middle_of_crop)), [[0.5, 0.4]])
    corner_of_crop = np.array([[-0.5, -0.5]])
    assert np.allclose(apply(to_face, apply(to_image, corner_of_crop)), [[0.1, 0.0]])
    assert scale_of(to_image) == pytest.approx(0.8 / 64 / 0.01)
    assert np.allclose(apply(invert(to_face), apply(to_face, middle_of_crop)), middle_of_crop)


def test_that_the_whole_image_shrinks_by_area_and_grows():
    image = stripes(400, 2.1)
    assert reduce_to(image, 90, 70).std() < 20 < image.std()
    assert reduce_to(image[:5, :5], 20, 10).shape == (10, 20, 3)
