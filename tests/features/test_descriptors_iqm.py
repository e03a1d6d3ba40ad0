"""Image quality measures, each compared with SciPy, a plain loop or a value computed by hand."""

import cmath
import math

import numpy as np
import pytest
from scipy import ndimage, signal

from lmkl_core.features.descriptors.iqm import (
    COLUMNS,
    MEASURES,
    SMALLEST_FEATURE,
    corners,
    edges,
    iqm,
)
from lmkl_core.features.descriptors.iqm_pair import Pair
from tests.features.descriptor_pictures import HARD, flat, noise, textured


def grey(values):
    """Return a colour picture with this luma."""
    return np.repeat(np.asarray(values, float)[..., None], 3, axis=-1)


def value(name, pair):
    return MEASURES[name].of(pair)


def window(radius, sigma):
    """Return a two-dimensional Gaussian window, unlike the product's separable ones."""
    down, across = np.mgrid[-radius : radius + 1, -radius : radius + 1]
    weights = np.exp(-(down**2 + across**2) / (2 * sigma**2))
    return weights / weights.sum()


@pytest.fixture(scope="module")
def pair():
    return Pair.of(textured())


@pytest.fixture(scope="module")
def luma(pair):
    """Return image and degraded image, computed independently of the product."""
    crop = textured() @ np.array([0.299, 0.587, 0.114])
    return crop, signal.convolve2d(crop, window(1, 0.5), mode="same", boundary="symm")


def test_that_a_pair_is_a_picture_and_its_convolution_with_a_small_gaussian(pair, luma):
    np.testing.assert_allclose(pair.image, luma[0], atol=1e-10)
    np.testing.assert_allclose(pair.degraded, luma[1], atol=1e-10)


# ------------------------------------------------- pixel by pixel


def test_that_errors_have_the_values_computed_by_hand():
    pair = Pair(grey([[10.0, 20], [30, 40]]), grey([[11.0, 18], [30, 44]]))
    # differences -1, 2, 0, -4; sum of I^2 is 3000, of J^2 3281
    assert value("MSE", pair) == pytest.approx(21 / 4)
    assert value("PSNR", pair) == pytest.approx(10 * math.log10(1600 / 5.25))
    assert value("SNR", pair) == pytest.approx(10 * math.log10(3000 / 21))
    assert value("SC", pair) == pytest.approx(3000 / 3281)
    assert value("MD", pair) == pytest.approx(4)
    assert value("NAE", pair) == pytest.approx(7 / 100)
    assert value("NXC", pair) == pytest.approx((110 + 360 + 900 + 1760) / 3000)


def test_that_the_ten_largest_differences_are_averaged():
    differences = np.arange(24.0).reshape(4, 6) * np.array([1, -1] * 3)
    pair = Pair(grey(np.full((4, 6), 100.0)), grey(100 - differences))
    assert value("RAMD", pair) == pytest.approx(np.mean(range(14, 24)))


def test_that_the_laplacian_error_is_relative_to_the_images_detail(luma):
    pair = Pair(grey(luma[0]), grey(luma[0] * 0.75))
    assert value("LMSE", pair) == pytest.approx(0.25**2)
    first, second = (ndimage.laplace(picture)[1:-1, 1:-1] for picture in luma)
    expected = np.sum((first - second) ** 2) / np.sum(first**2)
    assert value("LMSE", Pair.of(textured())) == pytest.approx(expected)


def test_that_angles_between_colours_do_not_depend_on_brightness():
    longer = Pair(flat((10, 20, 30), 4), flat((20, 40, 60), 4))
    assert value("MAS", longer) == pytest.approx(1, abs=1e-12)
    assert value("MAMS", longer) == pytest.approx(math.sqrt(1400) / (255 * math.sqrt(3)))
    opposite = Pair(flat((200, 0, 0), 4), flat((0, 100, 0), 4))
    assert value("MAS", opposite) == pytest.approx(0)
    assert value("MAMS", opposite) == pytest.approx(1)
    quarter = Pair(flat((200, 0, 0), 4), flat((80, 80, 0), 4))
    assert value("MAS", quarter) == pytest.approx(0.5)


# ------------------------------------------------- edges, corners and gradients


def step(size=16):
    """Return a picture that is dark on the left and bright on the right."""
    picture = np.zeros((size, size))
    picture[:, size // 2 :] = 100.0
    return picture


def test_that_an_edge_is_one_pixel_wide_and_lies_at_the_step():
    assert np.flatnonzero(edges(step())[0]).tolist() == [8 - 2]
    bright, dark = grey(step()), grey(step() * 0)
    for picture in (bright, bright.transpose(1, 0, 2)):
        # Of the 12 x 12 inner pixels, one per row is an edge that is lost.
        assert value("TED", Pair(picture, picture)) == 0
        assert value("TED", Pair(picture, dark)) == pytest.approx(1 / 12)
    moved = np.roll(step(), 1, axis=1)
    moved[:, 0] = 0
    assert value("TED", Pair(bright, grey(moved))) == pytest.approx(2 / 12)


def squares(places, size=48):
    picture = np.zeros((size, size))
    for row, column in places:
        picture[row : row + 8, column : column + 8] = 100.0
    return grey(picture)


def test_that_corners_are_compared_by_their_number():
    one, two = squares([(10, 10)]), squares([(6, 6), (28, 24)])
    assert value("TCD", Pair(one, two)) == value("TCD", Pair(two, one)) == pytest.approx(0.5)
    assert value("TCD", Pair(one, one)) == 0


def test_that_corners_follow_harris(pair):
    down, across = np.gradient(pair.image)
    a, b, c = (
        ndimage.correlate(product, window(2, 1.5))[2:-2, 2:-2]
        for product in (across * across, down * down, across * down)
    )
    response = a * b - c * c - 0.04 * (a + b) ** 2
    # The two computations round differently, so a neighbour may exceed a peak slightly.
    is_peak = response >= ndimage.maximum_filter(response, 3) * (1 - 1e-9)
    expected = (is_peak & (response > 0.01 * response.max()))[1:-1, 1:-1]
    assert expected.sum() > 5
    np.testing.assert_array_equal(corners(pair.gradients[0]), expected)


def test_that_directions_on_either_side_of_the_half_turn_are_close():
    down, across = np.mgrid[:9, :9].astype(float)
    first, second = grey(200 - 5 * across + 0.1 * down), grey(200 - 5 * across - 0.1 * down)
    assert value("GPE", Pair(first, second)) == pytest.approx((2 * math.atan(0.1 / 5)) ** 2)


def test_that_gradients_agree_with_numpy(pair, luma):
    first, second = (across + 1j * down for down, across in map(np.gradient, luma))
    expected = np.mean((abs(first) - abs(second)) ** 2)
    assert value("GME", pair) == pytest.approx(expected)
    angles = [
        cmath.phase(b / a) if abs(a) > 1e-9 and abs(b) > 1e-9 else 0.0
        for a, b in zip(first.ravel(), second.ravel(), strict=True)
    ]
    assert value("GPE", pair) == pytest.approx(np.mean(np.square(angles)), rel=1e-6)


# ------------------------------------------------- spectra


def test_that_spectra_agree_with_their_definition():
    first, second = noise(12)[..., 0].astype(float), noise(12, seed=1)[..., 0].astype(float)
    base = np.exp(-2j * np.pi * np.outer(np.arange(12), np.arange(12)) / 12)
    f, e = base @ first @ base, base @ second @ base
    pair = Pair(grey(first), grey(second))
    assert value("SME", pair) == pytest.approx(np.mean((abs(f) - abs(e)) ** 2))
    turns = [cmath.phase(b / a) for a, b in zip(f.ravel(), e.ravel(), strict=True)]
    assert value("SPE", pair) == pytest.approx(np.mean(np.square(turns)))


def test_that_the_frequency_index_agrees_with_its_definition(pair, luma):
    magnitude, is_low = abs(np.fft.fft2(luma[0])), abs(np.fft.fftfreq(64)) < 0.15
    low = magnitude[is_low][:, is_low].sum()
    high = magnitude[~is_low][:, ~is_low].sum()
    assert value("HLFI", pair) == pytest.approx((low - high) / magnitude.sum())


# ------------------------------------------------- structure and information


def moments(first, second, weights):
    def mean(picture):
        return signal.convolve2d(picture, weights, mode="valid")

    m, n = mean(first), mean(second)
    return m, n, mean(first**2) - m**2, mean(second**2) - n**2, mean(first * second) - m * n


def test_that_structural_similarity_agrees_with_its_definition(pair, luma):
    m, n, v, w, s = moments(*luma, window(5, 1.5))
    c1, c2 = 6.5025, 58.5225
    expected = np.mean((2 * m * n + c1) * (2 * s + c2) / ((m**2 + n**2 + c1) * (v + w + c2)))
    assert value("SSIM", pair) == pytest.approx(expected)


def test_that_information_fidelity_agrees_with_its_definition(pair, luma):
    first, second = luma
    left = there = 0.0
    for radius in (8, 4, 2, 1):
        weights = window(radius, (2 * radius + 1) / 5)
        if radius < 8:
            first, second = (
                signal.convolve2d(picture, weights, mode="valid")[::2, ::2]
                for picture in (first, second)
            )
        _, _, v, w, s = moments(first, second, weights)
        assert (s > 0).all()  # no special cases of the definition here
        noise_variance = w - s**2 / v
        left += np.sum(np.log2(1 + s**2 / v / (noise_variance + 2)))
        there += np.sum(np.log2(1 + v / 2))
    assert value("VIF", pair) == pytest.approx(left / there, rel=1e-6)


def test_that_information_fidelity_rises_with_contrast_and_falls_to_zero():
    picture = grey(textured()[..., 0] * 0.5)
    assert value("VIF", Pair(picture, picture)) == pytest.approx(1)
    assert value("VIF", Pair(picture, picture * 1.5)) > 1
    assert value("VIF", Pair(picture, picture * 0)) == 0
    assert value("VIF", Pair(picture, 255 - picture)) == pytest.approx(0, abs=1e-9)


# ------------------------------------------------- traces of JPEG


def slow_jqi(picture):
    """Return the index by loops, in the notation of its authors."""
    found = []
    for x in (picture, picture.T):
        rows, columns = x.shape
        d = [[x[i, j + 1] - x[i, j] for j in range(columns - 1)] for i in range(rows)]
        borders = [abs(d[i][8 * j - 1]) for i in range(rows) for j in range(1, columns // 8)]
        b = sum(borders) / len(borders)
        steps = [abs(item) for row in d for item in row]
        a = (8 * sum(steps) / len(steps) - b) / 7
        z = sum(row[j] * row[j + 1] < 0 for row in d for j in range(columns - 2))
        found.append((b, a, z / (rows * (columns - 2))))
    b, a, z = (max(sum(pair) / 2, SMALLEST_FEATURE) for pair in zip(*found, strict=True))
    return -245.8909 + 261.9373 * b ** (-239.8886 / 1e4) * a ** (160.1664 / 1e4) * z ** (
        64.2859 / 1e4
    )


def test_that_the_jpeg_index_agrees_with_its_definition():
    for size in (32, 45, 64):
        pair = Pair(textured(size), textured(size))
        assert value("JQI", pair) == pytest.approx(slow_jqi(pair.image)), size


# ------------------------------------------------- the view


def test_that_every_measure_of_any_picture_is_finite():
    for name, picture in HARD.items():
        row = iqm(picture)
        assert (row.dtype, row.shape) == (np.float32, (COLUMNS,))
        assert np.isfinite(row).all(), (name, dict(zip(MEASURES, row, strict=True)))


UNCHANGED = {"PSNR": 100, "SNR": 100, "SC": 1, "NXC": 1, "MAS": 1, "SSIM": 1, "VIF": 1}


def test_that_no_measure_changes_for_an_unchanged_picture():
    for picture in ("black", "white", "grey", "one colour", "noise", "textured"):
        pair = Pair(HARD[picture], HARD[picture])
        for name in set(MEASURES) - {"JQI", "HLFI"}:
            assert value(name, pair) == pytest.approx(UNCHANGED.get(name, 0), abs=1e-9), name


def test_that_the_view_holds_the_papers_measures_in_order_and_in_units(pair):
    order = (
        "MSE PSNR SNR SC MD NAE RAMD LMSE NXC MAS MAMS TED TCD SME SPE GME GPE SSIM VIF JQI HLFI"
    )
    measures = [MEASURES[name] for name in order.split()]
    expected = [(item.of(pair) - item.origin) / item.unit for item in measures]
    np.testing.assert_allclose(iqm(textured()), expected, rtol=1e-6)
    assert all(item.unit > 0 for item in measures)
