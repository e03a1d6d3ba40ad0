"""Start and end of the program."""

import os
import signal
import sys

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from app import settings as settings_file
from app.qt import app as qt_app
from app.qt.main_window import MainWindow
from app.settings import Settings
from tests.qt.driving import run_script

pytestmark = pytest.mark.light


@pytest.fixture
def restored():
    """Restore what a whole run changes, and delete its window."""
    hook = sys.excepthook
    handlers = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    yield
    sys.excepthook = hook
    for number, handler in handlers.items():
        signal.signal(number, handler)
    for widget in QApplication.topLevelWidgets():
        if isinstance(widget, MainWindow):
            widget.deleteLater()


def run_with(act, source="", **options):
    """Run the program and call `act` with its window until that returns True; return the code."""

    def look():
        windows = [w for w in QApplication.topLevelWidgets() if isinstance(w, MainWindow)]
        if not any(window.isVisible() and act(window) for window in windows):
            QTimer.singleShot(20, look)

    QTimer.singleShot(0, look)
    return qt_app.run(source, **options)


def test_that_a_model_named_at_the_start_is_opened_and_the_settings_stay(
    qapp, restored, exported, monkeypatch
):
    settings_file.save(Settings(preset="tiny", source="demo", reopen_last=False))
    monkeypatch.chdir(exported.parent)
    opened = []

    def close_with_model(window):
        if (model := window.controller.session.model) is None:
            return False
        opened.append(model.path)
        return window.close()

    assert run_with(close_with_model, model=exported.name) == 0
    assert opened == [str(exported)]
    assert settings_file.load()[0].reopen_last is False


SIGNALS = pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)], ids=["SIGINT", "SIGTERM"]
)


@SIGNALS
def test_that_a_signal_ends_the_program_without_questions(number, code, qapp, restored):
    assert run_with(lambda _: os.kill(os.getpid(), number) is None, "demo") == code


@SIGNALS
def test_that_a_signal_ends_the_program_while_it_loads(number, code):
    run = run_script(f"""
import os
from app.launch import launch
launch("demo", on_shown=lambda: os.kill(os.getpid(), {int(number)}))
""")
    assert run.returncode == code, run.stderr


def test_that_an_unexpected_error_becomes_a_notice(launch, restored, expect_log):
    expect_log("Unexpected error")
    driver = launch()
    qt_app._show_unexpected_errors(driver.window)
    sys.excepthook(RuntimeError, RuntimeError("a slip"), None)
    assert "RuntimeError: a slip" in driver.notices
