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
def bar(qtbot):
    bar = SourceBar()
    qtbot.addWidget(bar)
    with qtbot.waitExposed(bar):
        bar.show()
    bar.show_source(DEMO)
    return bar


def pick(qtbot, box, text):
    """Choose an entry as the keyboard does: open the list, go there, press Return."""
    box.showPopup()
    view = box.view()
    view.setCurrentIndex(box.model().index(box.findText(text), 0))
    qtbot.keyClick(view, Qt.Key.Key_Return)


def test_that_cameras_come_first_and_the_open_source_is_chosen(bar):
    bar.show_cameras([WEBCAM, Choice("Other", "Other")])
    assert [bar._choice.itemText(i) for i in range(3)] == ["Webcam", "Other", "Demo (simulated)"]
    assert bar._choice.currentData() == "demo"
    assert bar.cameras == ("Webcam", "Other")


def test_that_a_camera_that_is_a_program_is_marked_and_asked_for_by_its_name(bar, qtbot):
    bar.show_cameras([Choice("OBS Virtual Camera", "OBS Virtual Camera (a program)")])
    with qtbot.waitSignal(bar.source_requested) as asked:
        pick(qtbot, bar._choice, "OBS Virtual Camera (a program)")
    assert asked.args == ["camera:OBS Virtual Camera"]
    assert bar.cameras == ("OBS Virtual Camera",)


def test_that_opening_the_list_asks_which_cameras_there_are(bar, qtbot):
    with qtbot.waitSignal(bar.cameras_requested):
        bar._choice.showPopup()
    bar._choice.hidePopup()


def test_that_a_source_that_is_not_in_the_list_is_added(bar):
    bar.show_source(SourceState("/takes/window.mp4", "window.mp4"))
    assert bar._choice.currentText() == "window.mp4"


def test_that_a_choice_that_came_to_nothing_is_taken_back(bar, qtbot):
    bar.show_cameras([WEBCAM])
    pick(qtbot, bar._choice, "Webcam")
    assert bar._choice.currentData() == "camera:Webcam"
    bar.show_source(DEMO)  # told again: the demo is still what is open
    assert bar._choice.currentData() == "demo"


def test_that_what_the_demo_presents_can_be_chosen_only_on_the_demo(bar, qtbot):
    assert bar._presents.isVisible()
    with qtbot.waitSignal(bar.presentation_requested) as asked:
        pick(qtbot, bar._presents, "A print")
    assert asked.args == ["print"]
    bar.show_source(CAMERA)
    assert not bar._presents.isVisible()


def test_that_the_demos_direction_is_shown_without_asking_for_it(bar, qtbot):
    directed = SourceState("demo", "Demo", True, DEMO.presentations, "print")
    with qtbot.assertNotEmitted(bar.presentation_requested):
        bar.show_source(directed)
    assert bar._presents.currentData() == "print"


@pytest.mark.parametrize(
    ("entry", "owner", "name", "answer", "expected"),
    [
        ("Open a video or picture…", QFileDialog, "getOpenFileName", ("/a.mp4", ""), "/a.mp4"),
        ("Open a folder of pictures…", QFileDialog, "getExistingDirectory", "/faces", "/faces"),
        ("Network camera…", QInputDialog, "getText", (" http://cam ", True), "http://cam"),
    ],
)
def test_that_what_was_asked_for_is_opened(
    bar, qtbot, monkeypatch, entry, owner, name, answer, expected
):
    monkeypatch.setattr(owner, name, lambda *_: answer)
    with qtbot.waitSignal(bar.source_requested) as asked:
        pick(qtbot, bar._choice, entry)
    assert asked.args == [expected]


def test_that_a_dialog_that_was_left_changes_nothing(bar, qtbot, monkeypatch):
    monkeypatch.setattr(QInputDialog, "getText", lambda *_: ("http://", False))
    with qtbot.assertNotEmitted(bar.source_requested):
        pick(qtbot, bar._choice, "Network camera…")
    assert bar._choice.currentData() == "demo"


# ------------------------------------------------------------- the status line


@pytest.fixture
def line(qtbot):
    line = StatusLine()
    qtbot.addWidget(line)
    with qtbot.waitExposed(line):
        line.show()
    return line


def test_that_figures_name_source_rates_latency_and_skipped_frames(line):
    line.show_throughput("Webcam", Throughput(30.2, 24.6, 0.0312, 7))
    for part in ("Webcam", "camera 30 /s", "judged 25 /s", "latency 31 ms", "skipped 7"):
        assert part in line.text


def test_that_before_anything_is_judged_no_rate_is_claimed(line):
    line.show_throughput("Webcam", Throughput(30.0))
    assert "judged" not in line.text
    assert "latency" not in line.text


def test_that_work_shows_what_and_how_far_and_goes_at_its_end(line):
    assert not line._bar.isVisible()
    line.show_working(Working("Preparing the networks", 3, 12))
    assert "Preparing the networks" in line.text
    assert (line._bar.isVisible(), line._bar.value(), line._bar.maximum()) == (True, 3, 12)
    line.show_working(Working())
    assert not line._bar.isVisible()
    assert not line._cancel.isVisible()


def test_that_work_of_unknown_length_runs_to_and_fro(line):
    line.show_working(Working("Fitting on 36 frames"))
    assert (line._bar.minimum(), line._bar.maximum()) == (0, 0)


def test_that_only_what_can_be_cancelled_offers_it(line, qtbot):
    line.show_working(Working("Exporting the model", can_cancel=False))
    assert not line._cancel.isVisible()
    line.show_working(Working("Fitting on 36 frames"))
    with qtbot.waitSignal(line.cancel_requested):
        qtbot.mouseClick(line._cancel, Qt.MouseButton.LeftButton)
