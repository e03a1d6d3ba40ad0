"""Edges and corners, as measures of image quality count them."""

import numpy as np
import pytest
from scipy import ndimage

from lmkl_core.features.descriptors.iqm import corners, edges
from lmkl_core.features.descriptors.iqm_pair import Pair
from tests.features.descriptor_pictures import textured
from tests.features.test_descriptors_iqm import grey, value, window


def step(size=16):
    """Return a picture that is dark on the left and bright on the right."""
    picture = np.zeros((size, size))
    picture[:, size // 2 :] = 100.0
    return picture


def test_that_an_edge_is_one_pixel_wide_and_lies_at_the_step():
    found = edges(step())
    assert found.shape == (12, 12)
    assert found.sum(axis=1).tolist() == [1] * 12
    assert np.flatnonzero(found[0]).tolist() == [8 - 2]
    assert np.array_equal(edges(step().T), found.T)


def test_that_an_edge_that_has_gone_counts_with_its_pixels():
    assert value("TED", Pair(grey(step()), grey(step()))) == 0
    assert value("TED", Pair(grey(step()), grey(step() * 0))) == pytest.approx(1 / 12)
    moved = np.roll(step(), 1, axis=1)
    moved[:, 0] = 0
    assert value("TED", Pair(grey(step()), grey(moved))) == pytest.approx(2 / 12)


def squares(places, size=48):
    picture = np.zeros((size, size))
    for row, column in places:
        picture[row : row + 8, column : column + 8] = 100.0
    return picture


def test_that_corners_are_compared_by_their_number():
    one, two = grey(squares([(10, 10)])), grey(squares([(6, 6), (28, 24)]))
    assert value("TCD", Pair(one, two)) == value("TCD", Pair(two, one)) == pytest.approx(0.5)
    assert value("TCD", Pair(one, one)) == 0


def test_that_corners_are_harriss():
    pair = Pair.of(textured())
    down, across = np.gradient(pair.image)
    a, b, c = (
        ndimage.correlate(product, window(2, 1.5))[2:-2, 2:-2]
        for product in (across * across, down * down, across * down)
    )
    response = a * b - c * c - 0.04 * (a + b) ** 2
    # Rounding differs between both routes, so a neighbour counts as reached a little below.
    is_peak = response >= ndimage.maximum_filter(response, 3) * (1 - 1e-9)
    expected = (is_peak & (response > 0.01 * response.max()))[1:-1, 1:-1]
    assert expected.sum() > 5
    np.testing.assert_array_equal(corners(pair.gradients[0]), expected)
