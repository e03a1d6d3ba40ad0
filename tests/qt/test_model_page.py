"""The Model page."""

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
from tests.qt.charts.chart_values import VIEWS
from tests.qt.driving import click, named, texts_of, wheel_over
from tests.qt.model_values import STATEMENT, calibration, model_summary
from tests.qt.model_values import THRESHOLD as VALUE

WEIGHTS, THRESHOLD, CONVERGENCE, DETAILS = range(4)
ANN = PersonSummary("<b>Ann</b>", 2, 70, 0.912, 0.0, (0.0, 0.123), 70, 28.0)
UNNAMED = PersonSummary("", 1, 35, 0.5, 0.6, (0.3, 0.9), 35, 12.0)


@pytest.fixture
def page(shown, controller):
    return shown(ModelPage(controller), 460, 560)


def test_that_without_a_model_the_page_offers_to_enrol_open_or_fit_one(qtbot, page):
    page.show_model(model_summary())
    assert not page.empty.isVisible()
    page.show_model(None)
    assert page.empty.isVisible()
    assert not page.header.isVisible()
    with qtbot.waitSignal(page.enrol_requested):
        click(qtbot, named(page, "Enrol a face"))
    with qtbot.waitSignal(page.open_requested):
        click(qtbot, named(page, "Open a model…"))
    assert not named(page, "Fit a model").isVisible()
    page.set_can_fit(True)
    click(qtbot, named(page, "Fit a model"))
    page._controller.model.fit.assert_called_once()


def test_that_the_certificate_is_shown_with_icon_and_gap(page):
    for gap, is_certified, text, shape in (
        (3.1e-8, True, "3.1e-8", "genuine"),
        (2.3e-3, False, "2.3e-3", "warning"),
    ):
        page.show_model(model_summary(gap=gap, is_certified=is_certified))
        assert text in page.header.certificate.text()
        assert page.header.certificate.mark.name == shape


def test_that_the_threshold_is_described_and_a_missed_target_marked(page):
    header = page.header.threshold
    page.show_model(model_summary())
    assert STATEMENT in texts_of(page.threshold)
    (sentence,) = [text for text in texts_of(page.threshold) if "never enrolled" in text]
    for part in ("of 180 frames", "95 % interval 0.8 % to 90.6 %"):
        assert part in sentence
    page.show_model(model_summary(calibration=calibration(stress_bpcer=math.nan)))
    assert header.text() == (
        "The threshold is 89 % of the usual score of genuine frames. "
        "About 1 in 22 genuine frames would be refused (4.4 %; with about 72 independent frames, "
        "anything from 1.2 to 11.3 %)."
    )
    assert any("unknown" in text for text in texts_of(page.threshold))  # in other light
    missed = calibration(promised=False, bpcer=0.1, target_bpcer=0.05, stress_bpcer=1.0)
    page.show_model(model_summary(calibration=missed))
    for part in ("About 1 in 10", "asked for 5.0 %", "never enrolled, about 100.0 %"):
        assert part in header.text()
    assert header.mark.name == "warning"
    automatic = calibration(target_bpcer=None, promised=None, scores=np.array([VALUE / 0.65]))
    page.show_model(model_summary(calibration=automatic))
    assert header.text().startswith("The threshold is 65 % of the usual score of genuine frames.")
    assert "asked for" not in header.text()
    assert header.mark.name == "info"
    assert page.threshold.target.text() == "Automatic"
    assert "target BPCER\tautomatic" in page.details.as_text()


def test_that_notes_and_the_mark_of_simulated_frames_belong_to_the_model(page):
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


def test_that_a_fit_is_requested_or_the_button_says_why_it_is_not_possible(qtbot, page):
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


def test_that_only_the_selected_tab_is_shown_and_the_wheel_selects_none(page):
    page.show_model(model_summary())
    assert not wheel_over(page.tabs)
    assert page.weights.isVisible()
    assert not page.convergence.isVisible()
    page.tabs.setCurrentIndex(CONVERGENCE)
    assert page.convergence.isVisible()
    assert not page.weights.isVisible()


def test_that_every_cluster_has_a_tile_with_its_size(page):
    faces = (np.full((96, 96, 3), 90, np.uint8), np.zeros((96, 192, 3), np.uint8)[:, ::2], None)
    page.show_model(model_summary(typical_faces=faces))
    names = [tile.accessibleName() for tile in page.clusters.tiles]
    assert names == ["Cluster 1, 74 frames", "Cluster 2, 61 frames", "Cluster 3, 45 frames"]
    assert "missing" in page.clusters.remark.text()


def test_that_a_target_is_used_once_the_field_has_settled_or_the_tab_is_left(qtbot, page):
    page.tabs.setCurrentIndex(THRESHOLD)
    target, set_target = page.threshold.target, page._controller.set_target
    for share, shown in ((0.0001, 0.1), (0.5, 30.0), (0.05, 5.0)):  # in per cent
        page.show_model(model_summary(calibration=calibration(target_bpcer=share)))
        assert target.value() == shown
    set_target.assert_not_called()
    target.stepBy(1)
    target.stepBy(1)
    qtbot.waitUntil(lambda: set_target.called)
    set_target.assert_called_once_with(pytest.approx(0.06))
    target.setValue(target.minimum())
    assert target.text() == "Automatic"
    qtbot.waitUntil(lambda: set_target.call_count == 2)
    set_target.assert_called_with(None)
    target.setValue(4.5)
    page.tabs.setCurrentIndex(WEIGHTS)
    set_target.assert_called_with(pytest.approx(0.045))


def test_that_details_are_shown_in_full_and_copied_with_tabs(qtbot, page):
    page.show_model(model_summary(digest="ab12" * 16, takes=("<b>", "window 2")))
    page.tabs.setCurrentIndex(DETAILS)
    browser = page.details.text
    qtbot.waitUntil(lambda: browser.verticalScrollBar().maximum() == 0)
    assert browser.horizontalScrollBar().maximum() == 0
    assert "<b>, window 2" in browser.toPlainText()
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
        assert scroll.widget().minimumSizeHint().width() <= scroll.viewport().width(), tab


def test_that_several_people_are_compared_by_plain_names(page):
    page.tabs.setCurrentIndex(THRESHOLD)
    page.show_model(model_summary(people=(ANN, UNNAMED)))
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
