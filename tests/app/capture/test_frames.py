"""Arrays that become pictures, and those refused with a reason."""

import itertools

import cv2
import numpy as np
import pytest

from app.capture.frames import as_rgb


def picture(shape, dtype=np.uint8):
    top = np.iinfo(dtype).max
    return np.random.default_rng(0).integers(0, top, size=shape, dtype=dtype, endpoint=True)


def test_that_an_rgb_frame_is_passed_on_without_a_copy():
    pixels = picture((100, 120, 3))
    image, reason = as_rgb(pixels)
    assert reason == ""
    assert np.shares_memory(image, pixels)


def test_that_pictures_of_other_kinds_become_rgb_of_eight_bits():
    grey, colour = picture((100, 120)), picture((100, 120, 4))
    deep = picture((100, 120, 3), np.uint16)
    for name, pixels, expected in (
        ("grey", grey, np.dstack([grey] * 3)),
        ("grey of one channel", grey[..., None], np.dstack([grey] * 3)),
        ("four channels", colour, colour[:, :, :3]),
        ("16 bits", deep.astype("<u2"), deep // 256),
        ("16 bits, big end first", deep.astype(">u2"), deep // 256),
    ):
        image, _ = as_rgb(pixels)
        assert image.dtype == np.uint8
        assert image.flags.c_contiguous
        np.testing.assert_array_equal(image, expected, err_msg=name)


def test_that_a_masked_array_is_read_as_a_plain_one():
    pixels = picture((100, 120))
    image, reason = as_rgb(np.ma.masked_greater(pixels, 100))
    assert reason == ""
    assert type(image) is np.ndarray
    np.testing.assert_array_equal(image[:, :, 0], pixels)


def test_that_anything_but_a_picture_is_refused_with_a_reason():
    for pixels, words in (
        (np.zeros((480, 640, 3), np.uint8), "black"),
        (np.random.default_rng(0).integers(0, 12, (480, 640, 3), dtype=np.uint8), "black"),
        (np.full((480, 640, 3), 130, np.uint8), "single colour"),
        (np.full((480, 640, 3), (0, 135, 0), np.uint8), "single colour"),
        (picture((1, 1, 3)), "1 x 1"),
        (picture((480, 20, 3)), "20 x 480"),
        (picture((100, 120, 2)), "shape"),
        (picture((100, 120, 5)), "shape"),
        (picture((4, 100, 120, 3)), "shape"),
        (np.empty((0, 0, 3), np.uint8), "0 x 0"),
        (np.zeros((100, 120, 3), np.float32), "float32"),
        (np.zeros((100, 120, 3), bool), "bool"),
        (np.zeros((100, 120, 3), np.uint32), "uint32"),
        (None, "NoneType"),
        ([[1, 2], [3, 4]], "list"),
        (np.broadcast_to(np.uint8(1), (9000, 9000, 3)), "smaller resolution"),
    ):
        image, reason = as_rgb(pixels)
        assert image is None
        assert words in reason


HALF = pytest.mark.fault("Camera", "half-decoded frames", keeps="models")


def half_decoded(fill):
    """Return a picture whose data ended in the middle of a row of blocks."""
    pixels = picture((120, 160, 3))
    pixels[64:72, 80:] = fill
    pixels[72:] = fill
    return pixels


@HALF
@pytest.mark.parametrize("fill", [(128, 128, 128), (130, 130, 130), (0, 135, 0), (0, 77, 0)])
def test_that_a_picture_without_its_lower_part_is_refused(fill):
    image, reason = as_rgb(half_decoded(fill))
    assert image is None
    assert "lower part" in reason


@HALF
@pytest.mark.parametrize("share", [0.3, 0.5, 0.7])
def test_that_half_a_jpeg_as_opencv_decodes_it_is_refused(share):
    data = cv2.imencode(".jpg", picture((240, 320, 3)))[1].tobytes()
    cut = data[: int(share * len(data))] + b"\xff\xd9"
    half = cv2.imdecode(np.frombuffer(cut, np.uint8), cv2.IMREAD_COLOR)
    assert half.shape == (240, 320, 3)
    assert as_rgb(half)[0] is None


def test_that_a_uniform_lower_part_of_another_colour_or_shape_is_not_damage():
    framed, noisy, sliver = half_decoded(128), half_decoded(128), picture((120, 160, 3))
    framed[:30] = 128
    noisy[-1, 5] = 129
    sliver[-10:] = 128
    fills = [(0, 0, 0), (255, 255, 255), (60, 60, 60), (90, 20, 20)]
    others = {str(fill): half_decoded(fill) for fill in fills}
    for name, pixels in {"border": framed, "wall": noisy, "sliver": sliver, **others}.items():
        assert as_rgb(pixels)[0] is not None, name


def test_that_grey_padding_below_a_picture_is_not_damage():
    for grey, rows in itertools.product((127, 128, 130), (72, 75, 96)):
        pixels = picture((120, 160, 3))
        pixels[rows:] = grey
        decoded = cv2.imdecode(cv2.imencode(".jpg", pixels)[1], cv2.IMREAD_COLOR)
        assert as_rgb(pixels)[0] is not None, (grey, rows)
        assert as_rgb(decoded)[0] is not None, (grey, rows)
