"""The gallery of enrolled frames."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt

from app.qt.pages.enrol.gallery import Gallery
from app.qt.widgets.rows import KEY
from app.types import Sample

PICTURE = np.full((96, 96, 3), (200, 30, 60), np.uint8)
NUMBERS = st.lists(st.integers(0, 9), unique=True)


def samples(numbers, take="lamp", picture=PICTURE):
    return [Sample(number, take, {}, None, picture) for number in numbers]


@pytest.fixture
def gallery(shown):
    return shown(Gallery(), 420, 320)


def numbers_of(gallery):
    return [gallery.view.item(row).data(KEY)[0] for row in range(gallery.view.count())]


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(before=NUMBERS, after=NUMBERS)
def test_that_items_follow_any_change_of_the_samples(gallery, before, after):
    gallery.show_samples(samples(before))
    gallery.show_samples(samples(after))
    assert numbers_of(gallery) == after


def test_that_frames_are_named_for_screen_readers_also_after_their_take_is_renamed(gallery):
    for take in ("lamp", "window"):
        gallery.show_samples(samples([5], take))
        name = gallery.view.item(0).data(Qt.ItemDataRole.AccessibleTextRole)
        assert name == f"Frame 6, take “{take}”"


def test_that_the_focused_frame_is_visible_while_others_are_selected(gallery, qtbot):
    gallery.show_samples(samples([0, 1, 2]))
    gallery.view.setFocus()
    qtbot.waitUntil(gallery.view.hasFocus)
    gallery.view.setCurrentRow(0)
    before = gallery.view.grab().toImage()
    qtbot.keyClick(gallery.view, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    assert gallery.selected_numbers() == [0]
    area = gallery.view.visualItemRect(gallery.view.item(1))
    assert gallery.view.grab().toImage().copy(area) != before.copy(area)


def test_that_thumbnails_keep_their_colours_even_as_views_of_arrays_and_can_change(gallery):
    wide = np.zeros((96, 200, 3), np.uint8)
    wide[:, 50:146] = PICTURE
    for picture, colour in ((wide[:, 50:146], (200, 30, 60)), (np.zeros_like(PICTURE), (0, 0, 0))):
        gallery.show_samples(samples([0], picture=picture))
        image = gallery.view.item(0).icon().pixmap(96, 96).toImage()
        found = {image.pixelColor(x, y).getRgb()[:3] for x, y in ((0, 0), (95, 95), (0, 95))}
        assert found == {colour}


def test_that_the_delete_key_removes_selected_frames_unless_locked(gallery, qtbot):
    gallery.show_samples(samples([4, 5, 6, 7]))
    centre = gallery.view.visualItemRect(gallery.view.item(3)).center()
    qtbot.mouseClick(gallery.view.viewport(), Qt.MouseButton.LeftButton, pos=centre)
    assert gallery.remove_button.isEnabled()
    gallery.view.item(1).setSelected(True)
    gallery.show_samples(samples([4, 5, 6, 7, 8]))
    with qtbot.waitSignal(gallery.remove_requested) as asked:
        qtbot.keyClick(gallery.view, Qt.Key.Key_Delete)
    assert asked.args == [[5, 7]]
    gallery.set_locked(True)
    with qtbot.assertNotEmitted(gallery.remove_requested):
        qtbot.keyClick(gallery.view, Qt.Key.Key_Delete)


def test_that_frames_are_filtered_by_take_until_it_is_gone(gallery):
    window = samples(range(9), "window")
    gallery.show_samples([*window, *samples([9])])
    gallery.show_take("lamp")
    assert numbers_of(gallery) == [9]
    gallery.show_samples([*window, *samples([9, 10])])
    assert numbers_of(gallery) == [9, 10]
    gallery.show_samples(window)
    assert numbers_of(gallery) == list(range(9))


def test_that_the_view_follows_new_frames_only_from_its_end(gallery):
    bar = gallery.view.verticalScrollBar()
    gallery.show_samples(samples(range(100)))
    gallery.view.scrollToBottom()
    gallery.show_samples(samples(range(120)))
    assert bar.value() == bar.maximum() > 0
    gallery.view.scrollToTop()
    gallery.show_samples(samples(range(140)))
    assert bar.value() == 0
