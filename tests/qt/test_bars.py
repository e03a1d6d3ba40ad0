"""The source above the picture, and the figures at the foot of the window."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QInputDialog

from app.qt.pages.live.bars import SourceBar, StatusLine
from app.qt.state import Choice, SourceState, Working
from app.types import Throughput

DEMO = SourceState(
    "demo", "Demo", True, (Choice("window 6", "The person"), Choice("print", "A print"))
)
CAMERA = SourceState("camera:Webcam", "Webcam")
WEBCAM = Choice("Webcam", "Webcam")


@pytest.fixture
def bar(shown):
    bar = shown(SourceBar())
    bar.show_source(DEMO)
    return bar


def pick(qtbot, box, text):
    """Choose an entry as the keyboard does: open the list, go there, press Return."""
    box.showPopup()
    view = box.view()
    view.setCurrentIndex(box.model().index(box.findText(text), 0))
    qtbot.keyClick(view, Qt.Key.Key_Return)


def test_that_cameras_come_first_and_the_open_source_is_chosen_and_added(bar):
    bar.show_cameras([WEBCAM, Choice("Other", "Other")])
    assert [bar._choice.itemText(i) for i in range(3)] == ["Webcam", "Other", "Demo (simulated)"]
    assert bar._choice.currentData() == "demo"
    assert bar.cameras == ("Webcam", "Other")
    bar.show_source(SourceState("/takes/window.mp4", "window.mp4"))
    assert bar._choice.currentText() == "window.mp4"


def test_that_a_camera_is_asked_for_by_its_name_and_taken_back_if_it_came_to_nothing(bar, qtbot):
    bar.show_cameras([WEBCAM, Choice("OBS", "OBS (virtual camera)")])
    assert bar.cameras == ("Webcam", "OBS")
    with qtbot.waitSignal(bar.cameras_requested), qtbot.waitSignal(bar.source_requested) as asked:
        pick(qtbot, bar._choice, "OBS (virtual camera)")
    assert asked.args == ["camera:OBS"]
    assert bar._choice.currentData() == "camera:OBS"
    bar.show_source(DEMO)  # told again: the demo is still what is open
    assert bar._choice.currentData() == "demo"


def test_that_what_the_demo_presents_is_shown_and_chosen_only_on_the_demo(bar, qtbot):
    assert bar._presents.isVisible()
    directed = SourceState("demo", "Demo", True, DEMO.presentations, "window 6")
    with qtbot.assertNotEmitted(bar.presentation_requested):
        bar.show_source(directed)
    assert bar._presents.currentData() == "window 6"
    with qtbot.waitSignal(bar.presentation_requested) as asked:
        pick(qtbot, bar._presents, "A print")
    assert asked.args == ["print"]
    bar.show_source(CAMERA)
    assert not bar._presents.isVisible()


def test_that_what_was_asked_for_is_opened_unless_the_dialog_was_left(bar, qtbot, monkeypatch):
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


def test_that_the_status_line_tells_rates_and_work_that_can_be_cancelled_if_possible(shown, qtbot):
    line = shown(StatusLine())
    line.show_throughput("Webcam", Throughput(30.0))  # nothing is judged yet
    assert "judged" not in line.text
    assert "latency" not in line.text
    line.show_throughput("Webcam", Throughput(30.2, 24.6, 0.0312, 7))
    for part in ("Webcam", "camera 30 /s", "judged 25 /s", "latency 31 ms", "skipped 7"):
        assert part in line.text
    assert not line._bar.isVisible()
    line.show_working(Working("Preparing the networks", 3, 12))
    assert "Preparing the networks" in line.text
    assert (line._bar.isVisible(), line._bar.value(), line._bar.maximum()) == (True, 3, 12)
    line.show_working(Working("Exporting the model", can_cancel=False))
    assert not line._cancel.isVisible()
    line.show_working(Working("Fitting on 36 frames"))  # of unknown length
    assert (line._bar.minimum(), line._bar.maximum()) == (0, 0)
    with qtbot.waitSignal(line.cancel_requested):
        qtbot.mouseClick(line._cancel, Qt.MouseButton.LeftButton)
    line.show_working(Working())
    assert not line._bar.isVisible()
    assert not line._cancel.isVisible()
