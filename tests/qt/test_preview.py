"""The live picture and what is drawn over it."""

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage

from app.qt import theme
from app.qt.pages.live.preview import STALE_SECONDS, Preview
from app.types import Frame, Region, Verdict
from tests.scored_frames import scored_frame

RED, BLUE = (255, 0, 0), (0, 0, 255)


def frame(number=0, time=0.0, colour=(90, 90, 90), caption=""):
    return Frame(np.full((480, 640, 3), colour, np.uint8), number, time, caption)


def scored(frame, **more):
    return scored_frame(frame, Verdict.GENUINE, box=(200.0, 120.0, 200.0, 240.0), **more)


@pytest.fixture
def preview(shown):
    return shown(Preview(), 640, 480)


def image_of(preview):
    return preview.grab().toImage()


def test_that_the_first_painted_frame_is_signalled_and_each_is_counted_once(preview, qtbot):
    with qtbot.waitSignal(preview.first_frame_shown):
        preview.show_frame(frame())
    with qtbot.assertNotEmitted(preview.first_frame_shown):
        preview.show_frame(frame(1))
        for _ in range(3):
            preview.repaint()
    assert preview.n_painted == 2


def test_that_the_picture_keeps_its_aspect_ratio(preview):
    preview.resize(640, 700)
    preview.show_frame(frame(colour=RED))
    image = image_of(preview)
    stage = QColor(theme.colours().stage)
    assert image.pixelColor(320, 350) == QColor(*RED)
    assert image.pixelColor(320, 20) == image.pixelColor(320, 680) == stage


def test_that_a_frame_that_cannot_be_drawn_leaves_the_last_one(preview):
    for image in (
        np.zeros((480, 640), np.uint8),
        np.zeros((480, 640, 4), np.uint8),
        np.zeros((480, 1280, 3), np.uint8)[:, ::2],  # not contiguous
    ):
        preview.show_frame(frame(colour=BLUE))
        preview.show_frame(Frame(image, 1))
        assert image_of(preview).pixelColor(320, 240) == QColor(*BLUE), image.shape


def test_that_a_message_replaces_a_cleared_picture(preview):
    empty = image_of(preview)
    preview.show_frame(frame(colour=RED))
    preview.clear()
    assert image_of(preview) == empty
    preview.show_message("Opening the camera")
    assert image_of(preview) != empty


def test_that_the_face_is_marked_by_its_verdict_until_it_is_stale_and_captions_are_shown(preview):
    preview.show_frame(frame())
    images = [image_of(preview)]
    preview.show_scored(scored(frame()))
    for verdict in (Verdict.GENUINE, Verdict.ATTACK, Verdict.UNFAMILIAR):
        preview.show_verdict(verdict)
        images.append(image_of(preview))
    preview.show_frame(frame(1, STALE_SECONDS + 0.1))
    assert image_of(preview) == images[0]
    preview.show_frame(frame(2, STALE_SECONDS + 0.2, caption="Simulated: a print of the person"))
    images.append(image_of(preview))
    assert all(image not in images[:i] for i, image in enumerate(images))


def test_that_regions_are_drawn_if_enabled_and_never_into_the_frame_to_score(preview):
    plain = frame()
    before = plain.image.copy()
    corners = ((220.0, 140.0), (300.0, 140.0), (300.0, 220.0), (220.0, 220.0))
    preview.show_frame(plain)
    preview.show_scored(scored(plain, regions=(Region("eyes", corners),)))
    with_regions = image_of(preview)
    preview.set_show_regions(False)
    without_regions = image_of(preview)
    assert with_regions != without_regions
    preview.show_scored(scored(plain))
    assert image_of(preview) == without_regions
    np.testing.assert_array_equal(plain.image, before)


def n_shaded(preview):
    """Count the pixels of the grey frame that one label has darkened, and no other."""
    image = image_of(preview).convertToFormat(QImage.Format.Format_RGB888)
    return int((np.frombuffer(image.constBits(), np.uint8) == 30).sum())


def test_that_the_names_of_regions_do_not_overlap(preview):
    corners = ((450.0, 300.0), (550.0, 300.0), (550.0, 400.0), (450.0, 400.0))
    plain, counts = frame(), []
    preview.show_frame(plain)
    for names in (("cheek",), ("face",), ("nose",), ("cheek", "face", "nose")):
        regions = tuple(Region(name, corners) for name in names)
        preview.show_scored(scored(plain, regions=regions))
        counts.append(n_shaded(preview))
    *alone, together = counts
    assert together > 0.9 * sum(alone) > 0
