"""The page on the model, driven as a person would."""

import math
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QScrollArea

from app.models.summary import PersonSummary
from app.qt.pages.model.model_page import ModelPage
from app.qt.state import Working
from tests.qt.driving import click, named, texts_of, wheel_over
from tests.qt.model_values import STATEMENT, VIEWS, calibration, model_summary
from tests.qt.model_values import THRESHOLD as VALUE

WEIGHTS, THRESHOLD, CONVERGENCE, DETAILS = range(4)


@pytest.fixture
def page(shown, controller):
    return shown(ModelPage(controller), 460, 560)


def test_that_without_a_model_the_page_offers_the_ways_to_one(qtbot, page):
    page.show_model(model_summary())
    assert not page.empty.isVisible()
    page.show_model(None)
    assert page.empty.isVisible()
    assert not page.header.isVisible()
    with qtbot.waitSignal(page.enrol_requested):
        click(qtbot, named(page, "Enrol a face"))
    with qtbot.waitSignal(page.open_requested):
        click(qtbot, named(page, "Open a model\N{HORIZONTAL ELLIPSIS}"))
    assert not named(page, "Fit a model").isVisible()
    page.set_can_fit(True)  # frames suffice
    click(qtbot, named(page, "Fit a model"))
    page._controller.model.fit.assert_called_once()


def test_that_the_certificate_has_its_word_its_shape_and_its_gap(page):
    for gap, is_certified, word, shape in (
        (3.1e-8, True, "is optimal", "genuine"),
        (2.3e-3, False, "not proven optimal", "warning"),
    ):
        page.show_model(model_summary(gap=gap, is_certified=is_certified))
        certificate = page.header.certificate
        assert word in certificate.text()
        assert f"{gap:.1e}".replace("e-0", "e-") in certificate.text()
        assert certificate.mark.name == shape


def test_that_the_threshold_is_told_in_plain_words_and_a_missed_target_with_the_way_out(page):
    page.show_model(model_summary(calibration=calibration(stress_bpcer=math.nan)))
    assert page.header.threshold.text() == (
        "The threshold is 89 % of the usual score of genuine frames. "
        "About 1 in 22 genuine frames may be refused (4.4 %; with about 72 independent frames, "
        "anything from 1.2 to 11.3 %)."
    )
    assert any("not known" in text for text in texts_of(page.threshold))  # of other light
    missed = calibration(promised=False, bpcer=0.1, target_bpcer=0.05, stress_bpcer=1.0)
    page.show_model(model_summary(calibration=missed))
    told = page.header.threshold.text()
    assert "About 1 in 10 genuine frames may be refused (10.0 %;" in told
    assert "You asked for 5.0 %: record more takes." in told
    assert page.header.threshold.mark.name == "warning"
    assert told.endswith("In a light that was never enrolled about 100.0 % would be refused.")


def test_that_without_a_target_there_is_neither_promise_nor_warning(page):
    usual = np.array([VALUE / 0.65])
    plain = calibration(target_bpcer=None, promised=None, scores=usual)
    page.show_model(model_summary(calibration=plain))
    told = page.header.threshold
    assert told.text().startswith("The threshold is 65 % of the usual score of genuine frames.")
    assert "You asked" not in told.text()
    assert told.mark.name == "info"
    assert page.threshold.target.text() == "Automatic"
    assert "target BPCER\tautomatic" in page.details.as_text()


def test_that_notes_and_simulated_frames_are_told_and_go_with_the_model(page):
    notes = ("Record another take.", "The fit stopped.")
    page.show_model(model_summary(notes=notes, is_simulated=True))
    assert tuple(note.text() for note in page.header.notes) == notes
    assert "Simulated" in page.header.simulated.text()
    page.show_model(model_summary())
    assert page.header.notes == []
    assert page.header.simulated.text() == ""


def test_that_export_is_the_primary_action_until_there_is_a_file(qtbot, page):
    model = model_summary()
    page.show_model(model)
    assert page.header.file.whole == "Not exported yet"
    assert page.header.export.property("class") == "primary"
    with qtbot.waitSignal(page.export_requested):
        click(qtbot, page.header.export)
    page.show_model(replace(model, path="/home/anna/anna.lmkl"))
    assert page.header.file.whole.startswith("anna.lmkl")
    assert page.header.file.toolTip() == "/home/anna/anna.lmkl"
    assert page.header.export.property("class") != "primary"


def test_that_a_fit_is_asked_for_or_says_why_not(qtbot, page):
    page.show_model(model_summary())
    page.set_can_fit(True)
    click(qtbot, page.header.fit)
    page._controller.model.fit.assert_called_once()
    page.show_working(Working("Fitting the model", 3, 12))
    assert not page.header.fit.isEnabled()
    page.show_working(Working())
    assert page.header.fit.isEnabled()
    page.set_can_fit(False, "The takes of this model are not in memory.")
    assert not page.header.fit.isEnabled()
    assert page.header.fit.toolTip() == "The takes of this model are not in memory."


def test_that_only_the_chosen_tab_is_shown_and_the_wheel_turns_none(page):
    page.show_model(model_summary())
    assert page.weights.isVisible()
    assert not page.convergence.isVisible()
    assert not wheel_over(page.tabs)
    assert page.tabs.currentIndex() == 0
    page.tabs.setCurrentIndex(CONVERGENCE)
    assert page.convergence.isVisible()
    assert not page.weights.isVisible()


def test_that_every_cluster_has_a_tile_with_its_size(page):
    faces = (np.full((96, 96, 3), 90, np.uint8), np.zeros((96, 192, 3), np.uint8)[:, ::2], None)
    page.show_model(model_summary(typical_faces=faces))
    assert [tile.accessibleName() for tile in page.clusters.tiles] == [
        *("Cluster 1, 74 frames", "Cluster 2, 61 frames", "Cluster 3, 45 frames")
    ]
    assert "not kept in model files" in page.clusters.remark.text()


def test_that_another_target_is_used_once_the_field_has_settled_or_the_tab_is_left(qtbot, page):
    page.tabs.setCurrentIndex(THRESHOLD)
    target, used = page.threshold.target, page._controller.set_target
    for share, text in ((0.0001, "0.1 %"), (0.5, "30.0 %"), (0.05, "5.0 %")):
        page.show_model(model_summary(calibration=calibration(target_bpcer=share)))
        assert target.text() == text
    used.assert_not_called()
    target.stepBy(1)
    target.stepBy(1)
    qtbot.waitUntil(lambda: used.called)
    used.assert_called_once_with(pytest.approx(0.06))
    target.setValue(target.minimum())  # below the lowest target
    assert target.text() == "Automatic"
    qtbot.waitUntil(lambda: used.call_count == 2)
    used.assert_called_with(None)
    target.setValue(4.5)
    page.tabs.setCurrentIndex(WEIGHTS)
    used.assert_called_with(pytest.approx(0.045))


def test_that_the_exact_statement_and_the_stress_test_are_told_of_the_threshold(page):
    page.show_model(model_summary())
    assert STATEMENT in texts_of(page.threshold)
    (sentence,) = [text for text in texts_of(page.threshold) if "never enrolled" in text]
    assert "of 180 frames" in sentence
    assert "95 % interval 0.8 % to 90.6 %" in sentence


def test_that_details_are_shown_whole_and_copied_with_tabs(qtbot, page):
    page.show_model(model_summary(digest="ab12" * 16, takes=("<b>", "window 2")))
    page.tabs.setCurrentIndex(DETAILS)
    shown = page.details.text
    qtbot.waitUntil(lambda: shown.verticalScrollBar().maximum() == 0)
    assert shown.horizontalScrollBar().maximum() == 0
    assert "<b>, window 2" in shown.toPlainText()
    click(qtbot, page.details.copy)
    text = QGuiApplication.clipboard().text()
    digest = f"digest\t{'ab12' * 16}"
    for part in ("delta\t9 (0.05 n)", "at most 6.928 under this constraint", digest, *VIEWS):
        assert part in text


def test_that_the_page_never_scrolls_sideways(page):
    page.show_model(model_summary(is_simulated=True, notes=("A long caution, " * 9,)))
    scroll = page.findChild(QScrollArea)
    for tab in range(4):
        page.tabs.setCurrentIndex(tab)
        assert scroll.widget().minimumSizeHint().width() <= scroll.viewport().width()


ANN = PersonSummary("<b>Ann</b>", 2, 70, 0.912, 0.0, (0.0, 0.123), 70, 28.0)
SOMEBODY = PersonSummary("", 1, 35, 0.5, 0.6, (0.3, 0.9), 35, 12.0)


def test_that_several_people_are_compared_under_the_threshold_by_names_that_are_no_markup(page):
    page.tabs.setCurrentIndex(THRESHOLD)
    page.show_model(model_summary(people=(ANN, SOMEBODY)))
    people = page.threshold.people
    assert people.isVisible()
    assert texts_of(people)[4:] == [
        *("<b>Ann</b>", "2, 70", "0.912", "0.0 % of 70 (0.0 % to 12.3 %)"),
        *("no name", "1, 35", "0.500", "60.0 % of 35 (30.0 % to 90.0 %)"),
    ]
    label = next(each for each in page.findChildren(QLabel) if each.text() == "<b>Ann</b>")
    assert label.textFormat() == Qt.TextFormat.PlainText
    page.show_model(model_summary(people=(ANN,)))
    assert not people.isVisible()
