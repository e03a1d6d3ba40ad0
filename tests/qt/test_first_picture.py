"""What is on the screen before anything slow is loaded."""

import subprocess
import sys

import pytest
from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QColor, QImage

from app.qt.views.live.preview import Preview
from app.sources.demo import DemoSource
from app.sources.poster import CAPTION, poster_of
from app.types import Frame


def jpeg(colour: str = "#2060a0") -> bytes:
    picture = QImage(64, 48, QImage.Format.Format_RGB888)
    picture.fill(QColor(colour))
    packed = QByteArray()
    buffer = QBuffer(packed)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    picture.save(buffer, "JPG")
    return packed.data()


@pytest.fixture
def preview(qtbot):
    widget = Preview()
    qtbot.addWidget(widget)
    widget.resize(400, 300)
    return widget


def test_that_the_poster_is_the_demos_first_frame_with_its_caption():
    import cv2
    import numpy as np

    with DemoSource(paced=False) as demo:
        frame = demo.read()
    poster = cv2.imdecode(np.frombuffer(poster_of("demo"), np.uint8), cv2.IMREAD_COLOR_RGB)
    assert np.array_equal(poster, frame.image)
    assert frame.caption == CAPTION


@pytest.mark.parametrize("source", ["camera", "camera:demo", "demo.mp4", "http://demo"])
def test_that_no_other_source_begins_with_the_poster(source):
    assert poster_of(source) == b""


def test_that_a_missing_or_short_file_gives_no_poster(tmp_path):
    assert poster_of("demo", tmp_path / "none.bin") == b""
    (tmp_path / "short.bin").write_bytes(b"\x00\x00")
    assert poster_of("demo", tmp_path / "short.bin") == b""


def test_that_a_poster_is_painted_and_told_but_is_no_frame(qtbot, preview):
    assert preview.show_poster(jpeg(), "Simulated")
    with qtbot.waitSignal(preview.first_frame_shown):
        preview.show()
    assert preview.n_painted == 0
    shown = preview.grab().toImage().pixelColor(200, 200)
    assert abs(shown.blue() - 0xA0) < 12


def test_that_playing_begins_with_the_first_frame_after_the_poster(qtbot, preview):
    import numpy as np

    preview.show_poster(jpeg(), "Simulated")
    with qtbot.waitSignal(preview.first_frame_shown):
        preview.show()
    with qtbot.assertNotEmitted(preview.first_frame_shown), qtbot.waitSignal(preview.playing):
        preview.show_frame(Frame(np.zeros((48, 64, 3), np.uint8)))
    assert preview.n_painted == 1


def test_that_a_picture_qt_cannot_read_leaves_the_message(preview):
    assert not preview.show_poster(b"no picture", "Simulated")


def test_that_the_first_picture_needs_no_numerics_and_no_charts_and_turns_the_collector_on():
    script = """
import gc, os, sys
from app.launch import launch
def shown():
    slow = {"numpy", "cv2", "scipy", "sklearn", "pyqtgraph", "onnxruntime", "typer", "rich"}
    print(*sorted(slow & set(sys.modules)), gc.isenabled(), flush=True)
    os._exit(0)
launch("demo", on_shown=shown)
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert run.stdout == "True\n", run.stdout + run.stderr
