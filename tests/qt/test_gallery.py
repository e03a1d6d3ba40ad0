"""The gallery: light with many pictures, and frames can be struck."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QSignalSpy

from app.qt.pages.enrol.gallery import Gallery
from app.qt.widgets.rows import KEY
from app.types import Sample

PICTURE = np.full((96, 96, 3), (200, 30, 60), np.uint8)
PERMUTED = st.lists(st.integers(0, 9), unique=True)


def samples(numbers, take="lamp"):
    return [Sample(number, take, {}, None, PICTURE) for number in numbers]


@pytest.fixture
def gallery(qtbot):
    widget = Gallery()
    qtbot.addWidget(widget)
    widget.resize(420, 320)
    with qtbot.waitExposed(widget):
        widget.show()
    return widget


def numbers_of(gallery):
    return [gallery.view.item(row).data(KEY)[0] for row in range(gallery.view.count())]


def spied(gallery):
    model = gallery.view.model()
    signals = (model.rowsInserted, model.rowsRemoved, model.modelReset, model.dataChanged)
    return [QSignalSpy(signal) for signal in signals]


def counts(spies):
    return [spy.count() for spy in spies]


# ------------------------------------------------------------- which frames


def test_that_one_more_sample_is_one_inserted_row(gallery):
    gallery.show_samples(samples(range(200)))
    inserted, removed, reset, _ = spied(gallery)
    gallery.show_samples(samples(range(201)))
    assert [inserted.at(i)[1:] for i in range(inserted.count())] == [[200, 200]]
    assert counts([removed, reset]) == [0, 0]


def test_that_the_same_samples_again_change_nothing(gallery):
    gallery.show_samples(samples(range(5)))
    spies = spied(gallery)
    gallery.show_samples(samples(range(5)))
    assert counts(spies) == [0, 0, 0, 0]


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(before=PERMUTED, after=PERMUTED)
def test_that_any_change_leads_to_the_wanted_rows(gallery, before, after):
    gallery.show_samples(samples(before))
    gallery.show_samples(samples(after))
    assert numbers_of(gallery) == after


def test_that_a_renamed_take_is_told_without_moving_rows(gallery):
    gallery.show_samples(samples(range(3)))
    inserted, removed, reset, changed = spied(gallery)
    gallery.show_samples(samples(range(3), "window"))
    assert counts([inserted, removed, reset]) == [0, 0, 0]
    assert changed.count() >= 3
    assert gallery.view.item(1).toolTip() == "Frame 2 of the take “window”"


def test_that_pictures_keep_their_colours_also_of_parts_of_arrays(gallery):
    wide = np.zeros((96, 200, 3), np.uint8)
    wide[:, 50:146] = PICTURE
    gallery.show_samples([Sample(0, "lamp", {}, None, wide[:, 50:146])])
    image = gallery.view.item(0).data(Qt.ItemDataRole.DecorationRole).toImage()
    assert {image.pixelColor(x, y).getRgb()[:3] for x, y in ((0, 0), (95, 95), (0, 95))} == {
        (200, 30, 60)
    }


def test_that_another_picture_under_the_same_number_is_shown(gallery):
    gallery.show_samples(samples([0]))
    gallery.show_samples([Sample(0, "lamp", {}, None, np.zeros_like(PICTURE))])
    image = gallery.view.item(0).data(Qt.ItemDataRole.DecorationRole).toImage()
    assert image.pixelColor(5, 5) == QColor(0, 0, 0)


# ------------------------------------------------------------- the widget


def test_that_delete_strikes_the_selected_frames(gallery, qtbot):
    gallery.show_samples(samples([4, 5, 6, 7]))
    for row in (3, 1):
        gallery.view.item(row).setSelected(True)
    with qtbot.waitSignal(gallery.remove_requested) as asked:
        qtbot.keyClick(gallery.view, Qt.Key.Key_Delete)
    assert asked.args == [[5, 7]]


def test_that_a_click_selects_the_frame_under_it(gallery, qtbot):
    gallery.show_samples(samples([4, 5, 6, 7]))
    place = gallery.view.visualItemRect(gallery.view.item(2)).center()
    qtbot.mouseClick(gallery.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert gallery.selected_numbers() == [6]
    assert gallery.remove_button.isEnabled()


def test_that_locked_frames_are_not_struck(gallery, qtbot):
    gallery.show_samples(samples([4, 5]))
    gallery.view.selectAll()
    gallery.set_locked(True)
    with qtbot.assertNotEmitted(gallery.remove_requested):
        qtbot.keyClick(gallery.view, Qt.Key.Key_Delete)


def test_that_the_selection_survives_new_frames(gallery):
    gallery.show_samples(samples([4, 5]))
    gallery.view.selectAll()
    gallery.show_samples(samples([4, 5, 6]))
    assert gallery.selected_numbers() == [4, 5]


def test_that_frames_are_filtered_by_take(gallery):
    gallery.show_samples([*samples([0, 1], "window"), *samples([2], "lamp")])
    gallery.show_take("lamp")
    assert numbers_of(gallery) == [2]
    gallery.show_samples([*samples([0, 1], "window"), *samples([2, 3], "lamp")])
    assert numbers_of(gallery) == [2, 3]


def test_that_all_frames_are_shown_when_the_filtered_take_is_gone(gallery):
    gallery.show_samples([*samples([0, 1], "window"), *samples([2], "lamp")])
    gallery.show_take("lamp")
    gallery.show_samples(samples([0, 1], "window"))
    assert gallery.filter.currentText() == "All takes"
    assert numbers_of(gallery) == [0, 1]


def test_that_who_looks_at_the_newest_goes_on_seeing_the_newest(gallery):
    gallery.show_samples(samples(range(100)))
    gallery.view.scrollToBottom()
    gallery.show_samples(samples(range(120)))
    bar = gallery.view.verticalScrollBar()
    assert bar.value() == bar.maximum() > 0


def test_that_who_looks_at_older_frames_is_not_disturbed(gallery):
    gallery.show_samples(samples(range(100)))
    gallery.view.scrollToBottom()
    gallery.view.scrollToTop()
    gallery.show_samples(samples(range(120)))
    assert gallery.view.verticalScrollBar().value() == 0


def test_that_thumbnails_are_painted_and_the_selected_one_differs(gallery):
    gallery.show_samples(samples([0, 1]))
    first, second = (gallery.view.visualItemRect(gallery.view.item(row)) for row in (0, 1))
    before = gallery.view.viewport().grab(first).toImage()
    middle = before.pixelColor(before.rect().center())
    assert middle == QColor(200, 30, 60)
    gallery.view.item(0).setSelected(True)
    assert gallery.view.viewport().grab(first).toImage() != before
    assert gallery.view.viewport().grab(second).toImage().pixelColor(
        before.rect().center()
    ) == QColor(200, 30, 60)


def test_that_a_frame_without_a_picture_is_drawn_as_a_person(gallery):
    gallery.show_samples([Sample(0, "lamp", {}, None, None)])
    place = gallery.view.visualItemRect(gallery.view.item(0))
    image = gallery.view.viewport().grab(place).toImage()
    shades = {image.pixel(x, y) for x in range(0, place.width(), 2) for y in range(0, 88, 2)}
    assert len(shades) > 3
