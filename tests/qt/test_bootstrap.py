"""Start and end of the window."""

import os
import signal
import sys

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from app.qt import bootstrap
from app.qt.main_window import MainWindow

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


def the_window():
    return next(one for one in QApplication.topLevelWidgets() if isinstance(one, MainWindow))


def test_that_the_program_runs_until_its_window_is_closed(qapp, restored):
    def close():
        the_window().close()

    code = bootstrap.run("demo", on_shown=lambda: QTimer.singleShot(0, close))
    assert code == 0


def test_that_a_model_named_at_the_start_is_opened_and_the_settings_stay(
    qapp, restored, exported, monkeypatch
):
    from app import settings as settings_file
    from app.settings import Settings

    settings_file.save(Settings(preset="tiny", source="demo", reopen_last=False))
    monkeypatch.chdir(exported.parent)
    opened = []

    def look():
        window = the_window()
        session = window.desk.session
        if session is None or session.model is None:
            QTimer.singleShot(20, look)
            return
        opened.append(session.model.path)
        window.close()

    assert bootstrap.run(model=exported.name, on_shown=lambda: QTimer.singleShot(0, look)) == 0
    assert opened == [str(exported)]
    assert settings_file.load()[0].reopen_last is False


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_that_a_signal_ends_the_program_without_questions(number, code, qapp, restored):
    def interrupt():
        os.kill(os.getpid(), number)

    assert bootstrap.run("demo", on_shown=lambda: QTimer.singleShot(0, interrupt)) == code


def test_that_a_mistake_of_ours_becomes_a_sentence(launch, restored, expect_log):
    expect_log("Unexpected error")
    driver = launch()
    bootstrap._tell_of_errors(driver.window)
    sys.excepthook(RuntimeError, RuntimeError("a slip"), None)
    assert "Something went wrong (RuntimeError: a slip)" in driver.notices


def test_that_the_application_has_a_name_and_an_icon(qapp):
    app = bootstrap.make_application()
    assert app is qapp
    assert app.applicationName() == "lmkl-pad"
    assert not app.windowIcon().isNull()
