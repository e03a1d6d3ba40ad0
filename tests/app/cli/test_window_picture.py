"""The picture of the window: what its process leaves behind when it is stopped."""

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
"""Stands in for the window: puts something aside, tells of it in its first argument, and waits."""


@pytest.fixture
def scratch(tmp_path, monkeypatch):
    """Make temporary files go to a folder of the test's own, with a module that never ends."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    (tmp_path / "waiting_window.py").write_text(WAITING, encoding="utf-8")
    monkeypatch.setattr(demo, "WINDOW_PICTURE_MODULE", "waiting_window")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def interrupt_once_there(marker: Path) -> None:
    while not marker.exists():
        time.sleep(0.02)
    os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture
def heard_interrupts():
    """Make Ctrl-C heard: whatever a shell starts in the background ignores it."""
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, usual)


@pytest.mark.usefixtures("heard_interrupts")
def test_that_an_interrupt_leaves_neither_a_process_nor_a_file(scratch, tmp_path):
    marker, picture = tmp_path / "marker", tmp_path / "window.png"
    threading.Thread(target=interrupt_once_there, args=(marker,), daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        demo.take_window_picture(marker, picture)
    number, own = marker.read_text(encoding="utf-8").split(" ", 1)
    with pytest.raises(ProcessLookupError):
        os.kill(int(number), 0)
    assert not Path(own).exists()
    assert list(scratch.iterdir()) == []
    assert not picture.exists()


def test_that_one_that_takes_too_long_leaves_nothing_either(scratch, tmp_path, monkeypatch):
    marker = tmp_path / "marker"
    monkeypatch.setattr(demo, "PATIENCE", 0.5)
    told = demo.take_window_picture(marker, tmp_path / "window.png")
    assert "not ready after" in told
    if marker.exists():  # a busy machine may not get as far
        with pytest.raises(ProcessLookupError):
            os.kill(int(marker.read_text(encoding="utf-8").split(" ", 1)[0]), 0)
    assert list(scratch.iterdir()) == []
