"""The source bar above the picture, and the status line of the window."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QInputDialog

from app.qt.pages.live.bars import SourceBar, StatusLine
from app.qt.state import Choice, SourceState, Working
from app.types import Throughput
from tests.qt.driving import click

PRESENTATIONS = Choice("window 6", "The person"), Choice("print", "A print")
DEMO = SourceState("demo", "Demo", True, PRESENTATIONS)
CAMERAS = [Choice("Webcam", "Webcam"), Choice("OBS", "OBS (virtual camera)")]


@pytest.fixture
def bar(shown):
    bar = shown(SourceBar())
    bar.show_source(DEMO)
    return bar


def pick(qtbot, box, text):
    """Choose an entry by keyboard."""
    box.showPopup()
    view = box.view()
    view.setCurrentIndex(box.model().index(box.findText(text), 0))
    qtbot.keyClick(view, Qt.Key.Key_Return)


def test_that_cameras_come_first_and_the_open_source_is_selected(bar, qtbot):
    bar.show_cameras(CAMERAS)
    titles = [bar._choice.itemText(index) for index in range(3)]
    assert titles == ["Webcam", "OBS (virtual camera)", "Demo (simulated)"]
    assert bar.cameras == ("Webcam", "OBS")
    with qtbot.waitSignal(bar.cameras_requested), qtbot.waitSignal(bar.source_requested) as asked:
        pick(qtbot, bar._choice, "OBS (virtual camera)")
    assert asked.args == ["camera:OBS"]
    assert bar._choice.currentData() == "camera:OBS"
    bar.show_source(DEMO)  # is still open, because the camera failed
    assert bar._choice.currentData() == "demo"
    bar.show_source(SourceState("/takes/window.mp4", "window.mp4"))
    assert bar._choice.currentText() == "window.mp4"


def test_that_the_presentation_can_be_chosen_only_on_the_demo(bar, qtbot):
    assert bar._presents.isVisible()
    with qtbot.assertNotEmitted(bar.presentation_requested):
        bar.show_source(SourceState("demo", "Demo", True, PRESENTATIONS, "window 6"))
    assert bar._presents.currentData() == "window 6"
    with qtbot.waitSignal(bar.presentation_requested) as asked:
        pick(qtbot, bar._presents, "A print")
    assert asked.args == ["print"]
    bar.show_source(SourceState("camera:Webcam", "Webcam"))
    assert not bar._presents.isVisible()


def test_that_a_file_folder_or_address_is_opened_unless_the_dialog_is_cancelled(
    bar, qtbot, monkeypatch
):
    monkeypatch.setattr(QInputDialog, "getText", lambda *_: ("http://", False))
    with qtbot.assertNotEmitted(bar.source_requested):
        pick(qtbot, bar._choice, "Network camera…")
    assert bar._choice.currentData() == "demo"
    for entry, owner, name, answer, expected in (
        ("Open a video or picture…", QFileDialog, "getOpenFileName", ("/a.mp4", ""), "/a.mp4"),
        ("Open a folder of pictures…", QFileDialog, "getExistingDirectory", "/faces", "/faces"),
        ("Network camera…", QInputDialog, "getText", (" http://cam ", True), "http://cam"),
    ):
        monkeypatch.setattr(owner, name, lambda *_, answer=answer: answer)
        with qtbot.waitSignal(bar.source_requested) as asked:
            pick(qtbot, bar._choice, entry)
        assert asked.args == [expected]


def test_that_the_status_line_shows_rates_and_tasks_that_can_be_cancelled(shown, qtbot):
    line = shown(StatusLine())
    line.show_throughput("Webcam", Throughput(30.0))
    assert "judged" not in line.text
    assert "latency" not in line.text
    line.show_throughput("Webcam", Throughput(30.2, 24.6, 0.0312, 7))
    for part in ("Webcam", "camera 30 /s", "judged 25 /s", "latency 31 ms", "skipped 7"):
        assert part in line.text
    for working, maximum, can_cancel in (
        (Working("Preparing the networks", 3, 12), 12, True),
        (Working("Exporting the model", can_cancel=False), 0, False),
        (Working("Fitting on 36 frames"), 0, True),
    ):
        line.show_working(working)
        assert working.text in line.text
        assert line._bar.isVisible()
        assert (line._bar.maximum(), line._cancel.isVisible()) == (maximum, can_cancel)
    with qtbot.waitSignal(line.cancel_requested):
        click(qtbot, line._cancel)
    line.show_working(Working())
    assert not line._bar.isVisible()
    assert not line._cancel.isVisible()
