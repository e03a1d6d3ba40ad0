import cv2
import numpy as np
import pytest

from app.capture import folder as folder_module
from app.capture.folder import ImageFolder, read_image
from app.capture.source import Cause, SourceError
from app.names import natural_order
from tests.app.capture.media import bar_width, encoded, picture, png_that_claims


@pytest.fixture
def folder(tmp_path):
    """Return a folder with images whose bar grows with the number in their name."""
    for number in (10, 2, 1, 33):
        (tmp_path / f"img{number}.png").write_bytes(encoded(picture(number % 20), ".png"))
    return tmp_path


def error_of_opening(path):
    with pytest.raises(SourceError) as caught:
        ImageFolder(path).open()
    return caught.value


def test_that_only_readable_images_are_delivered_in_natural_order(folder):
    (folder / "img3.png").write_bytes(b"no image")
    (folder / "img4.png").write_bytes(b"")
    (folder / "img5.png").write_bytes(encoded(picture(5), ".png")[:40])
    (folder / "img6.png").write_bytes(png_that_claims(100_000, 100_000))
    (folder / "notes.txt").write_text("notes")
    (folder / ".img0.png").write_bytes(encoded(picture(0), ".png"))
    (folder / "more.png").mkdir()
    with ImageFolder(folder) as source:
        info = source.open()
        frames = list(source)
    assert (info.width, info.height, info.rate, info.n_frames) == (160, 120, 10, 8)
    assert [frame.number for frame in frames] == [0, 1, 2, 3]
    widths = [bar_width(frame.image) for frame in frames]
    assert widths == [4 * (number % 20) + 4 for number in (1, 2, 10, 33)]


def test_that_natural_order_sorts_numbers_by_value_and_ignores_case():
    names = ["b1", "A10", "a9", "a9b", "10", "9", "a", ""]
    assert sorted(names, key=natural_order) == ["", "9", "10", "a", "a9", "a9b", "A10", "b1"]
    assert natural_order("B") < natural_order("b")  # the same order on every file system


def test_that_time_stamps_continue_when_it_is_opened_again(folder):
    source = ImageFolder(folder)
    with source:
        frames = list(source)
    with source:
        frames += [source.read() for _ in range(3)]
    assert [frame.number for frame in frames] == list(range(7))
    assert [frame.time for frame in frames] == pytest.approx([n / 10 for n in range(7)])


def test_that_closing_ends_reading(folder):
    source = ImageFolder(folder)
    source.open()
    source.read()
    source.close()
    source.close()
    assert source.read() is None


def test_that_one_image_of_any_format_is_a_source_in_colour(tmp_path):
    for suffix in (".png", ".jpg", ".bmp", ".webp", ".tiff"):
        path = tmp_path / f"one{suffix}"
        path.write_bytes(encoded(picture(3), suffix))
        with ImageFolder(path) as source:
            frames = list(source)
        (image,) = (frame.image for frame in frames)
        assert (image.shape, image.dtype) == ((120, 160, 3), np.uint8), suffix
        assert image[60, 150] == pytest.approx([200, 0, 0], abs=12), suffix


def test_that_grey_transparent_and_deep_images_become_eight_bit_colour(tmp_path):
    for raw in (
        np.full((40, 50), 9, np.uint8),
        np.full((40, 50, 4), 9, np.uint8),
        np.full((40, 50, 3), 9 * 257, np.uint16),
    ):
        path = tmp_path / "odd.png"
        path.write_bytes(cv2.imencode(".png", raw)[1].tobytes())
        image = read_image(path)
        assert (image.shape, image.dtype) == ((40, 50, 3), np.uint8)
        assert np.all(image == 9)


def test_that_a_folder_without_usable_images_is_refused_with_the_reason(tmp_path):
    assert error_of_opening(tmp_path / "takes").cause is Cause.NOT_FOUND
    assert error_of_opening(tmp_path).cause is Cause.EMPTY
    for number in range(3):
        (tmp_path / f"{number}.png").write_bytes(png_that_claims(30_000, 30_000))
    giants = error_of_opening(tmp_path)
    assert giants.cause is Cause.TOO_LARGE
    assert "3 images" in str(giants)


def test_that_a_giant_file_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "sparse.png"
    with path.open("wb") as file:
        file.truncate(folder_module.MAX_BYTES + 1)
    assert error_of_opening(path).cause is Cause.TOO_LARGE
