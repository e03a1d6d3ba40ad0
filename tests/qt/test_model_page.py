"""The page on the model, driven as a person would."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPushButton, QScrollArea

from app.models.summary import PersonSummary
from app.qt.pages.model.model_page import ModelPage
from app.qt.state import Working
from tests.qt.driving import wheel_over
from tests.qt.model_values import STATEMENT, VIEWS, model_summary, threshold_summary
from tests.qt.model_values import THRESHOLD as VALUE

WEIGHTS, THRESHOLD, CONVERGENCE, DETAILS = range(4)


@pytest.fixture
def page(qtbot, controller):
    page = ModelPage(controller)
    qtbot.addWidget(page)
    page.resize(460, 560)
    page.show()
    return page


def button(page, text):
    found = [each for each in page.findChildren(QPushButton) if each.text() == text]
    assert len(found) == 1
    return found[0]


def texts(widget):
    return [label.text() for label in widget.findChildren(QLabel) if label.text()]


def click(qtbot, widget):
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)


# ---------------------------------------------------------------- empty


def test_that_without_a_model_the_page_says_what_one_is_and_offers_two_ways(qtbot, page):
    assert page.empty.isVisible()
    assert not page.header.isVisible()
    assert "genuine frames only" in page.empty.lines.text()
    with qtbot.waitSignal(page.enrol_requested):
        click(qtbot, button(page, "Enrol a face"))
    with qtbot.waitSignal(page.open_requested):
        click(qtbot, button(page, "Open a model\N{HORIZONTAL ELLIPSIS}"))


def test_that_a_fit_is_offered_once_frames_suffice(qtbot, page):
    assert not button(page, "Fit a model").isVisible()
    page.set_can_fit(True)
    click(qtbot, button(page, "Fit a model"))
    page._controller.model.fit.assert_called_once()


def test_that_a_model_takes_the_place_of_the_empty_state_and_gives_it_back(page):
    page.show_model(model_summary())
    assert page.header.isVisible()
    assert not page.empty.isVisible()
    page.show_model(None)
    assert page.empty.isVisible()
    assert not page.header.isVisible()


# ---------------------------------------------------------------- header


@pytest.mark.parametrize(
    ("gap", "is_certified", "word", "shape"),
    [(3.1e-8, True, "is optimal", "genuine"), (2.3e-3, False, "not proven optimal", "warning")],
)
def test_that_the_certificate_has_its_word_its_shape_and_its_gap(
    page, gap, is_certified, word, shape
):
    page.show_model(model_summary(gap=gap, is_certified=is_certified))
    certificate = page.header.certificate
    assert word in certificate.text()
    assert f"{gap:.1e}".replace("e-0", "e-") in certificate.text()
    assert certificate.mark.name == shape


def test_that_the_threshold_is_told_in_plain_words_first(page):
    page.show_model(model_summary(threshold=threshold_summary(stress_bpcer=None)))
    assert page.header.threshold.text() == (
        "About 1 in 22 genuine frames may be refused "
        "(4.4 %; with about 72 independent frames, anything from 1.2 to 11.3 %)."
    )


def test_that_a_target_that_is_missed_is_told_with_the_way_out(page):
    missed = threshold_summary(promised=False, bpcer=0.1, target_bpcer=0.05, stress_bpcer=1.0)
    page.show_model(model_summary(threshold=missed))
    told = page.header.threshold.text()
    assert told.startswith("About 1 in 10 genuine frames may be refused (10.0 %;")
    assert "You asked for 5.0 %: record more takes." in told
    assert page.header.threshold.mark.name == "warning"
    assert told.endswith("In a light that was never enrolled about 100.0 % would be refused.")


def test_that_without_a_target_there_is_neither_promise_nor_warning(page):
    plain = threshold_summary(target_bpcer=None, promised=None, level=VALUE / 0.65)
    page.show_model(model_summary(threshold=plain))
    told = page.header.threshold
    assert told.text().startswith("The threshold is 65 % of the usual score of genuine frames.")
    assert "You asked" not in told.text()
    assert told.mark.name == "info"
    page.tabs.setCurrentIndex(THRESHOLD)
    assert page.threshold.target.text() == "Automatic"
    page.tabs.setCurrentIndex(DETAILS)
    assert "target BPCER\tautomatic" in page.details.table.to_text()


def test_that_the_exact_statement_on_the_threshold_is_behind_details(qtbot, page):
    page.show_model(model_summary())
    assert not page.header.details.isVisible()
    click(qtbot, page.header.more)
    assert page.header.details.isVisible()
    assert STATEMENT in page.header.details.text()
    assert STATEMENT in texts(page.threshold)


def test_that_the_wheel_over_the_tabs_turns_no_page(page):
    page.show_model(model_summary())
    assert not wheel_over(page.tabs)
    assert page.tabs.currentIndex() == 0


def test_that_notes_are_shown_as_cautions_and_go_with_the_model(page):
    page.show_model(model_summary(notes=("Record another take.", "The fit stopped.")))
    notes = [note.text() for note in page.header.notes]
    assert notes == ["Record another take.", "The fit stopped."]
    page.show_model(model_summary())
    assert page.header.notes == []


def test_that_simulated_frames_are_named(page):
    page.show_model(model_summary(is_simulated=True))
    assert "Simulated" in page.header.simulated.text()
    page.show_model(model_summary())
    assert page.header.simulated.text() == ""


def test_that_export_is_the_primary_action_until_there_is_a_file(qtbot, page):
    model = model_summary()
    page.show_model(model)
    assert page.header.file.whole == "Not exported yet"
    assert page.header.export.property("class") == "primary"
    with qtbot.waitSignal(page.export_requested):
        click(qtbot, page.header.export)
    page.show_model(replace(model, path="/home/anna/anna.lmkl"))
    assert page.header.file.whole == "anna.lmkl"
    assert page.header.file.toolTip() == "/home/anna/anna.lmkl"
    assert page.header.export.property("class") != "primary"


def test_that_fitting_again_can_be_asked_for_or_says_why_not(qtbot, page):
    page.show_model(model_summary())
    page.set_can_fit(True)
    click(qtbot, page.header.fit)
    page._controller.model.fit.assert_called_once()
    page.set_can_fit(False, "The takes of this model are not in memory.")
    assert not page.header.fit.isEnabled()
    assert page.header.fit.toolTip() == "The takes of this model are not in memory."


# ---------------------------------------------------------------- work


def test_that_work_shows_its_progress_and_can_be_cancelled(qtbot, page):
    page.show_model(model_summary())
    page.set_can_fit(True)
    page.show_working(Working("Fitting the model", 3, 12))
    assert page.working.isVisible()
    assert page.working.bar.value() / page.working.bar.maximum() == pytest.approx(0.25)
    assert not page.header.fit.isEnabled()
    click(qtbot, page.working.cancel)
    page._controller.cancel.assert_called_once()
    page.show_working(Working())
    assert not page.working.isVisible()
    assert page.header.fit.isEnabled()


def test_that_work_of_unknown_length_shows_a_busy_bar_that_stops_with_it(page):
    page.show_working(Working("Opening", can_cancel=False))
    assert page.working.bar.maximum() == 0
    assert not page.working.cancel.isVisible()
    page.show_working(Working())
    assert page.working.bar.maximum() > 0


# ---------------------------------------------------------------- tabs


def test_that_only_the_chosen_tab_is_shown(qtbot, page):
    page.show_model(model_summary())
    assert page.weights.isVisible()
    assert not page.convergence.isVisible()
    page.tabs.setFocus()
    for _ in range(CONVERGENCE):
        qtbot.keyClick(page.tabs, Qt.Key.Key_Right)
    assert page.convergence.isVisible()
    assert not page.weights.isVisible()


def test_that_every_cluster_has_a_tile_with_its_size_and_face(page):
    faces = (np.full((40, 30, 3), 90, np.uint8), np.zeros((30, 40, 3), np.uint8)[:, ::2], None)
    page.show_model(model_summary(typical_faces=faces))
    tiles = page.clusters.tiles
    assert [tile.accessibleName() for tile in tiles] == [
        "Cluster 1, 74 frames",
        "Cluster 2, 61 frames",
        "Cluster 3, 45 frames",
    ]
    assert [tile.has_face for tile in tiles] == [True, True, False]
    assert "not kept in model files" in page.clusters.remark.text()


def test_that_another_model_has_tiles_and_faces_of_its_own(page):
    page.show_model(model_summary())
    face = np.zeros((20, 20, 3), np.uint8)
    one = {"weights": ((0.5,) * len(VIEWS),), "cluster_sizes": (9,), "typical_faces": (face,)}
    page.show_model(model_summary(**one, n_samples=9))
    assert len(page.clusters.tiles) == 1
    assert page.clusters.remark.text() == ""


def test_that_another_target_is_told_once_the_person_has_settled(qtbot, page):
    page.show_model(model_summary())
    page.tabs.setCurrentIndex(THRESHOLD)
    target = page.threshold.target
    assert target.value() == 5.0
    told = []
    page.threshold.target_changed.connect(told.append)
    target.stepBy(1)
    target.stepBy(1)
    qtbot.waitUntil(lambda: bool(told))
    assert told == [pytest.approx(0.06)]


def test_that_a_target_is_told_even_when_the_tab_is_left_at_once(qtbot, page):
    page.show_model(model_summary())
    page.tabs.setCurrentIndex(THRESHOLD)
    page.threshold.target.stepBy(-1)
    page.tabs.setCurrentIndex(WEIGHTS)
    page._controller.set_target.assert_called_once_with(pytest.approx(0.045))


def test_that_the_automatic_threshold_comes_before_the_lowest_target(qtbot, page):
    page.show_model(model_summary())
    page.tabs.setCurrentIndex(THRESHOLD)
    target = page.threshold.target
    assert target.maximum() == 30.0
    target.setValue(target.minimum())
    assert target.text() == "Automatic"
    qtbot.waitUntil(lambda: page._controller.set_target.called)
    page._controller.set_target.assert_called_once_with(None)


@pytest.mark.parametrize(("share", "text"), [(0.2, "20.0 %"), (0.0001, "0.1 %"), (0.5, "30.0 %")])
def test_that_a_target_of_the_model_is_shown_and_not_told_back(page, share, text):
    page.show_model(model_summary(threshold=threshold_summary(target_bpcer=share)))
    page.tabs.setCurrentIndex(THRESHOLD)
    assert page.threshold.target.text() == text
    page.tabs.setCurrentIndex(DETAILS)
    page._controller.set_target.assert_not_called()


def test_that_the_stress_test_has_a_rate_with_n_and_interval(page):
    page.show_model(model_summary())
    (sentence,) = [text for text in texts(page.threshold) if "never enrolled" in text]
    assert "of 180 frames" in sentence
    assert "95 % interval 0.8 % to 90.6 %" in sentence


def test_that_a_single_light_says_that_other_light_is_not_known(page):
    page.show_model(model_summary(threshold=threshold_summary(stress_bpcer=None, stress=())))
    assert any("not known" in text for text in texts(page.threshold))


def test_that_details_hold_parameters_bounds_takes_digest_and_views(qtbot, page):
    page.show_model(model_summary(digest="ab12" * 16))
    page.tabs.setCurrentIndex(DETAILS)
    click(qtbot, page.details.copy)
    text = QGuiApplication.clipboard().text()
    assert "delta\t9 (0.05 n)" in text
    assert "at most 6.928 under this constraint" in text
    assert "window 1, window 2" in text
    assert "ab12" * 16 in text
    assert all(name in text for name in VIEWS)


def test_that_chosen_rows_are_copied_alone_and_whole(qtbot, page):
    page.show_model(model_summary(digest="ab12" * 16))
    page.tabs.setCurrentIndex(DETAILS)
    table = page.details.table
    lines = table.to_text().splitlines()
    row = lines.index("digest\t" + "ab12" * 16)
    table.setFocus()
    table.selectRow(row)
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == lines[row] + "\n"


def test_that_the_table_of_details_is_shown_whole(qtbot, page):
    page.show_model(model_summary(digest="ab12" * 16))
    page.tabs.setCurrentIndex(DETAILS)
    table = page.details.table
    qtbot.waitUntil(lambda: table.verticalHeader().length() <= table.viewport().height())


@pytest.mark.parametrize("tab", range(4))
def test_that_the_page_never_scrolls_sideways(qtbot, page, tab):
    page.show_model(model_summary(is_simulated=True, notes=("A long caution, " * 9,)))
    page.tabs.setCurrentIndex(tab)
    scroll = page.findChild(QScrollArea)
    qtbot.waitUntil(lambda: scroll.verticalScrollBar().maximum() > 0)
    assert scroll.horizontalScrollBar().maximum() == 0


def test_that_the_weights_are_whole_inside_the_page(qtbot, page):
    page.show_model(model_summary())
    (inner,) = page.weights.findChildren(QScrollArea)
    qtbot.waitUntil(lambda: inner.verticalScrollBar().maximum() == 0)
    assert inner.viewport().height() >= inner.widget().minimumHeight()


# ---------------------------------------------------------------- people

ANN = PersonSummary("Ann", 2, 70, 0.912, 0.0, (0.0, 0.123), 70, 28.0)
SOMEBODY = PersonSummary("", 1, 35, 0.5, 0.6, (0.3, 0.9), 35, 12.0)


def test_that_several_people_are_compared_under_the_threshold(page):
    page.tabs.setCurrentIndex(THRESHOLD)
    page.show_model(model_summary(people=(ANN, SOMEBODY)))
    people = page.threshold.people
    assert people.isVisible()
    assert texts(people)[4:] == [
        *("Ann", "2, 70", "0.912", "0.0 % of 70 (0.0 % to 12.3 %)"),
        *("no name", "1, 35", "0.500", "60.0 % of 35 (30.0 % to 90.0 %)"),
    ]
    page.show_model(model_summary(people=(ANN,)))
    assert not people.isVisible()


def test_that_the_name_of_a_person_is_no_markup(page):
    page.show_model(model_summary(people=(replace(ANN, name="<b>Ann</b>"), SOMEBODY)))
    label = next(each for each in page.findChildren(QLabel) if each.text() == "<b>Ann</b>")
    assert label.textFormat() == Qt.TextFormat.PlainText
