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
def preview(qtbot):
    preview = Preview()
    qtbot.addWidget(preview)
    preview.resize(640, 480)
    with qtbot.waitExposed(preview):
        preview.show()
    return preview


def pictured(preview):
    return preview.grab().toImage()


def colours_of(preview):
    image = pictured(preview)
    return {image.pixelColor(x, y).name() for x in range(0, 640, 4) for y in range(0, 480, 4)}


def test_that_the_first_frame_is_told_once_it_is_painted(preview, qtbot):
    with qtbot.waitSignal(preview.first_frame_shown):
        preview.show_frame(frame())
    with qtbot.assertNotEmitted(preview.first_frame_shown):
        preview.show_frame(frame(1))
        preview.repaint()


def test_that_painting_the_same_frame_again_counts_once(preview):
    preview.show_frame(frame())
    for _ in range(3):
        preview.repaint()
    assert preview.n_painted == 1


def test_that_the_picture_keeps_its_proportions(preview):
    preview.resize(640, 700)
    preview.show_frame(frame(colour=(255, 0, 0)))
    image = pictured(preview)
    stage = QColor(theme.colours().stage)
    assert image.pixelColor(320, 350) == QColor(255, 0, 0)
    assert image.pixelColor(320, 20) == image.pixelColor(320, 680) == stage


@pytest.mark.parametrize(
    "image",
    [
        np.zeros((480, 640), np.uint8),
        np.zeros((480, 640, 4), np.uint8),
        np.zeros((480, 1280, 3), np.uint8)[:, ::2],
    ],
    ids=["grey", "four channels", "not contiguous"],
)
def test_that_a_frame_that_cannot_be_drawn_leaves_the_last_one(preview, image):
    preview.show_frame(frame(colour=(0, 0, 255)))
    preview.show_frame(Frame(image, 1))
    assert pictured(preview).pixelColor(320, 240) == QColor(0, 0, 255)


def test_that_a_message_stands_in_the_place_of_a_missing_picture(preview):
    before = pictured(preview)
    preview.show_message("Opening the camera")
    assert pictured(preview) != before


def test_that_clearing_forgets_the_picture(preview):
    empty = pictured(preview)
    preview.show_frame(frame(colour=(255, 0, 0)))
    preview.clear()
    assert pictured(preview) == empty


def test_that_the_face_is_marked_and_the_mark_goes_when_it_is_old(preview):
    plain = frame()
    preview.show_frame(plain)
    bare = pictured(preview)
    preview.show_scored(scored(plain))
    assert pictured(preview) != bare
    preview.show_frame(frame(1, STALE_SECONDS + 0.1))
    assert pictured(preview) == bare


def test_that_the_mark_differs_in_colour_and_shape_between_verdicts(preview):
    plain = frame()
    preview.show_frame(plain)
    preview.show_scored(scored(plain))
    looks = []
    for verdict in (Verdict.GENUINE, Verdict.ATTACK, Verdict.UNFAMILIAR):
        preview.show_verdict(verdict)
        looks.append(pictured(preview))
    assert all(one != other for i, one in enumerate(looks) for other in looks[:i])


def test_that_regions_are_drawn_only_when_wanted(preview):
    plain = frame()
    corners = ((220.0, 140.0), (300.0, 140.0), (300.0, 220.0), (220.0, 220.0))
    preview.show_frame(plain)
    preview.show_scored(scored(plain, regions=(Region("eyes", corners),)))
    with_regions = pictured(preview)
    preview.set_show_regions(False)
    without = pictured(preview)
    assert with_regions != without
    preview.show_scored(scored(plain))
    assert pictured(preview) == without


def test_that_the_caption_is_written_over_the_picture(preview):
    preview.show_frame(frame())
    assert len(colours_of(preview)) == 1
    preview.show_frame(frame(1, caption="Simulated: a print of the person"))
    assert len(colours_of(preview)) > 1
