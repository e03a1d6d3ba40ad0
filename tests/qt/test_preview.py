"""The live picture: frames as they come, and what was found in them drawn over the newest."""

import numpy as np
import pytest
from PySide6.QtGui import QColor

from app.qt import theme
from app.qt.pages.live.preview import STALE_SECONDS, Preview
from app.types import Frame, Region, Verdict
from tests.scored_frames import scored_frame

GREY = (90, 90, 90)


def frame(number=0, time=0.0, colour=GREY, caption=""):
    return Frame(np.full((480, 640, 3), colour, np.uint8), number, time, caption)


def scored(at, **more):
    return scored_frame(at, Verdict.GENUINE, box=(200.0, 120.0, 200.0, 240.0), **more)


@pytest.fixture
def preview(shown):
    return shown(Preview(), 640, 480)


def pictured(preview):
    return preview.grab().toImage()


def test_that_the_first_painted_frame_is_signalled_and_each_counts_once(preview, qtbot):
    with qtbot.waitSignal(preview.first_frame_shown):
        preview.show_frame(frame())
    with qtbot.assertNotEmitted(preview.first_frame_shown):
        preview.show_frame(frame(1))
        for _ in range(3):
            preview.repaint()
    assert preview.n_painted == 2


def test_that_the_picture_keeps_its_proportions(preview):
    preview.resize(640, 700)
    preview.show_frame(frame(colour=(255, 0, 0)))
    image = pictured(preview)
    stage = QColor(theme.colours().stage)
    assert image.pixelColor(320, 350) == QColor(255, 0, 0)
    assert image.pixelColor(320, 20) == image.pixelColor(320, 680) == stage


def test_that_a_frame_that_cannot_be_drawn_leaves_the_last_one(preview):
    for image in (
        np.zeros((480, 640), np.uint8),
        np.zeros((480, 640, 4), np.uint8),
        np.zeros((480, 1280, 3), np.uint8)[:, ::2],  # not contiguous
    ):
        preview.show_frame(frame(colour=(0, 0, 255)))
        preview.show_frame(Frame(image, 1))
        assert pictured(preview).pixelColor(320, 240) == QColor(0, 0, 255), image.shape


def test_that_clearing_forgets_the_picture_and_a_message_takes_its_place(preview):
    empty = pictured(preview)
    preview.show_frame(frame(colour=(255, 0, 0)))
    preview.clear()
    assert pictured(preview) == empty
    preview.show_message("Opening the camera")
    assert pictured(preview) != empty


def test_that_the_face_is_marked_by_its_verdict_until_that_is_old_and_the_caption_is_shown(preview):
    plain = frame()
    preview.show_frame(plain)
    looks = [pictured(preview)]
    preview.show_scored(scored(plain))
    for verdict in (Verdict.GENUINE, Verdict.ATTACK, Verdict.UNFAMILIAR):
        preview.show_verdict(verdict)
        looks.append(pictured(preview))
    preview.show_frame(frame(1, STALE_SECONDS + 0.1))
    assert pictured(preview) == looks[0]
    preview.show_frame(frame(2, STALE_SECONDS + 0.2, caption="Simulated: a print of the person"))
    looks.append(pictured(preview))
    assert all(one != other for i, one in enumerate(looks) for other in looks[:i])


def test_that_regions_are_drawn_only_when_wanted(preview):
    plain = frame()
    before = plain.image.copy()
    corners = ((220.0, 140.0), (300.0, 140.0), (300.0, 220.0), (220.0, 220.0))
    preview.show_frame(plain)
    preview.show_scored(scored(plain, regions=(Region("eyes", corners),)))
    with_regions = pictured(preview)
    preview.set_show_regions(False)
    without = pictured(preview)
    assert with_regions != without
    preview.show_scored(scored(plain))
    assert pictured(preview) == without
    np.testing.assert_array_equal(plain.image, before)  # which is scored
