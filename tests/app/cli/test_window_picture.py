"""The process that draws the window leaves nothing behind when it is stopped."""

import os
import signal
import tempfile
import threading
import time
from pathlib import Path

import pytest

from app.cli import demo

WAITING = """
import os, sys, tempfile, time
folder = tempfile.mkdtemp()
with open(os.path.join(folder, "settings.json"), "w") as stream:
    stream.write("{}")
with open(sys.argv[1] + ".new", "w") as stream:
    stream.write(f"{os.getpid()} {folder}")
os.replace(sys.argv[1] + ".new", sys.argv[1])
time.sleep(600)
"""
"""Replaces the window: writes a temporary file and its place into the first argument, and waits."""


@pytest.fixture
def scratch(tmp_path, monkeypatch):
    """Return the folder of temporary files, with a module that never ends as the window."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    (tmp_path / "waiting_window.py").write_text(WAITING, encoding="utf-8")
    monkeypatch.setattr(demo, "WINDOW_PICTURE_MODULE", "waiting_window")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def interrupt_when_there(marker: Path) -> None:
    while not marker.exists():
        time.sleep(0.02)
    os.kill(os.getpid(), signal.SIGINT)


def check_process_ended(marker: Path) -> None:
    number, folder = marker.read_text(encoding="utf-8").split(" ", 1)
    with pytest.raises(ProcessLookupError):
        os.kill(int(number), 0)
    assert not Path(folder).exists()


def test_that_an_interrupt_leaves_neither_a_process_nor_a_file(scratch, tmp_path):
    marker, picture = tmp_path / "marker", tmp_path / "window.png"
    threading.Thread(target=interrupt_when_there, args=(marker,), daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        demo.take_window_picture(marker, picture)
    check_process_ended(marker)
    assert list(scratch.iterdir()) == []
    assert not picture.exists()


def test_that_a_timeout_leaves_neither_a_process_nor_a_file(scratch, tmp_path, monkeypatch):
    marker = tmp_path / "marker"
    monkeypatch.setattr(demo, "PICTURE_TIMEOUT", 0.5)
    assert "not ready" in demo.take_window_picture(marker, tmp_path / "window.png")
    if marker.exists():  # not necessarily on a busy machine
        check_process_ended(marker)
    assert list(scratch.iterdir()) == []
