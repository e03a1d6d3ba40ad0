"""Start and end of the window."""

import os
import signal
import subprocess
import sys

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from app import settings as settings_file
from app.qt import app as qt_app
from app.qt.main_window import MainWindow
from app.settings import Settings

pytestmark = pytest.mark.light


@pytest.fixture
def restored():
    """Put back what a whole run changes, and delete its window, which lives as long as it."""
    hook = sys.excepthook
    handlers = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    yield
    sys.excepthook = hook
    for number, handler in handlers.items():
        signal.signal(number, handler)
    for widget in QApplication.topLevelWidgets():
        if isinstance(widget, MainWindow):
            widget.deleteLater()


def run_until_shown(act, source="", **options):
    """Run the program, call a function with its window once that is shown, and return the code."""

    def look():
        for one in QApplication.topLevelWidgets():
            if isinstance(one, MainWindow) and one.isVisible():
                act(one)
                return
        QTimer.singleShot(20, look)

    QTimer.singleShot(0, look)
    return qt_app.run(source, **options)


def test_that_a_model_named_at_the_start_is_opened_and_the_settings_stay(
    qapp, restored, exported, monkeypatch
):
    settings_file.save(Settings(preset="tiny", source="demo", reopen_last=False))
    monkeypatch.chdir(exported.parent)
    opened = []

    def look(window):
        model = window.controller.session.model
        if model is None:
            QTimer.singleShot(20, lambda: look(window))
            return
        opened.append(model.path)
        window.close()

    assert run_until_shown(look, model=exported.name) == 0
    assert opened == [str(exported)]
    assert settings_file.load()[0].reopen_last is False


SIGNALS = pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)], ids=["SIGINT", "SIGTERM"]
)


@SIGNALS
def test_that_a_signal_ends_the_program_without_questions(number, code, qapp, restored):
    assert run_until_shown(lambda _: os.kill(os.getpid(), number), "demo") == code


@SIGNALS
def test_that_a_signal_ends_the_program_while_it_loads(number, code):
    script = f"""
import os
from app.launch import launch
launch("demo", on_shown=lambda: os.kill(os.getpid(), {int(number)}))
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert run.returncode == code, run.stderr


def test_that_a_mistake_of_ours_becomes_a_sentence(launch, restored, expect_log):
    expect_log("Unexpected error")
    driver = launch()
    qt_app._show_unexpected_errors(driver.window)
    sys.excepthook(RuntimeError, RuntimeError("a slip"), None)
    assert "Something went wrong (RuntimeError: a slip)" in driver.notices
