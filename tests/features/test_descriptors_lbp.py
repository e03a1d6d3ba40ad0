"""Colour spaces and local binary patterns, compared with slow and independent code."""

import colorsys
import math

import numpy as np
import pytest

from lmkl_core.features.descriptors.colour import CHANNELS, hsv, levels, luma, ycbcr
from lmkl_core.features.descriptors.lbp import BINS, COLUMNS, UNIFORM, lbp, patterns
from tests.features.descriptor_pictures import flat, noise, textured

CORNERS = [[a, b, c] for a in (0, 1, 128, 254, 255) for b in (0, 127, 255) for c in (0, 3, 255)]


def colours():
    """Return a row of colours: corners and greys, where formulas change, and random ones."""
    greys = np.repeat(np.arange(0, 256, 5)[:, None], 3, axis=1)
    return np.concatenate([CORNERS, greys, noise(16).reshape(-1, 3)])[None].astype(np.uint8)


def test_that_hue_saturation_and_value_agree_with_the_standard_library():
    row = colours()
    expected = [colorsys.rgb_to_hsv(*(pixel / 255)) for pixel in row[0]]
    np.testing.assert_allclose(hsv(row)[:, 0].T, expected, rtol=0, atol=1e-12)


def test_that_luma_and_chroma_have_the_values_computed_by_hand():
    for colour, expected in {
        (0, 0, 0): (0, 128, 128),
        (255, 255, 255): (255, 128, 128),
        (255, 0, 0): (76.245, 128 - 76.245 / 1.772, 255.5),
        (0, 0, 255): (29.07, 255.5, 128 - 29.07 / 1.402),
        (0, 255, 0): (149.685, 128 - 149.685 / 1.772, 128 - 149.685 / 1.402),
    }.items():
        crop = flat(colour, 2)
        np.testing.assert_allclose(ycbcr(crop)[:, 0, 0], expected, atol=1e-9, err_msg=str(colour))
        assert luma(crop)[1, 1] == pytest.approx(expected[0], abs=1e-12)


def test_that_levels_are_the_rounded_channels_and_stay_below_256():
    crop = np.concatenate([noise(32), np.broadcast_to([255, 0, 0], (1, 32, 3))]).astype(np.uint8)
    found = levels(crop)
    assert found.dtype == np.uint8
    assert found.shape == (len(CHANNELS), 33, 32)
    exact = np.concatenate([ycbcr(crop), 255 * hsv(crop)])
    assert np.abs(found - exact).max() <= 0.5 + 1e-9
    assert found[CHANNELS.index("Cr"), -1, 0] == 255


def slow_pattern(channel, row, column):
    """Return a pixel's pattern by its definition: sample the circle, compare, add powers of two."""
    code = 0
    for point in range(8):
        y = row - math.sin(2 * math.pi * point / 8)
        x = column + math.cos(2 * math.pi * point / 8)
        if point % 2 == 0:  # a pixel, up to rounding
            value = channel[round(y), round(x)]
        else:
            top, left = math.floor(y), math.floor(x)
            v, u = y - top, x - left
            value = (
                (1 - v) * (1 - u) * channel[top, left]
                + (1 - v) * u * channel[top, left + 1]
                + v * (1 - u) * channel[top + 1, left]
                + v * u * channel[top + 1, left + 1]
            )
        # Samples are irrational multiples of levels, so values this close are equal.
        if value - channel[row, column] >= -1e-9:
            code += 2**point
    return code


def slow_patterns(channel):
    channel = channel.astype(float)
    rows, columns = channel.shape
    return np.array(
        [[slow_pattern(channel, r, c) for c in range(1, columns - 1)] for r in range(1, rows - 1)]
    )


def test_that_patterns_agree_with_their_definition():
    for n_levels in (2, 4, 256):  # few levels have many ties, which test >= and rounding
        channel = np.random.default_rng(0).integers(0, n_levels, (28, 17)).astype(np.uint8)
        assert np.array_equal(patterns(channel), slow_patterns(channel)), n_levels


def test_that_histograms_count_the_patterns_of_every_channel():
    for crop in (textured(33), flat((3, 200, 77), 33), flat(0, 33)):
        row = lbp(crop)
        assert (row.dtype, row.shape) == (np.float32, (COLUMNS,))
        for channel, shares in zip(levels(crop), row.reshape(6, BINS), strict=True):
            codes = slow_patterns(channel).ravel().tolist()
            expected = [codes.count(pattern) for pattern in UNIFORM]
            expected.append(len(codes) - sum(expected))
            np.testing.assert_allclose(shares, np.array(expected) / 31**2, rtol=1e-6)
