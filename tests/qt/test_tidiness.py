"""Each thing that a Qt test must not leave behind does fail it."""

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parents[2]

INI = """
[pytest]
qt_api = pyside6
qt_log_level_fail = WARNING
addopts = -p no:cacheprovider
"""

CONFTEST = """
import tests.qt.tidiness
from tests.qt.tidiness import expect_log, nothing_is_left

tests.qt.tidiness.PATIENCE = 0.2
kept = []
"""

UNTIDY = """
import logging, threading
import pytest
from PySide6.QtCore import QThread, QTimer, qWarning
from PySide6.QtWidgets import QWidget
from conftest import kept

def keep(thing):
    kept.append(thing)
    return thing

def test_qthread(qapp):
    keep(QThread()).start()

def test_python_thread(qapp):
    stop = keep(threading.Event())
    threading.Thread(target=stop.wait, daemon=True).start()

def test_timer_without_a_parent(qapp):
    keep(QTimer()).start(1000)

def test_timer_of_a_widget(qtbot):
    widget = keep(QWidget())
    QTimer(widget).start(1000)

def test_window(qapp):
    keep(QWidget())

def test_error(qapp):
    logging.getLogger("elsewhere").error("it broke")

def test_warning_of_ours(qapp):
    logging.getLogger("app.qt.controller").warning("it limps")

def test_missing_log(qapp, expect_log):
    expect_log("never said")

def test_qt_warning(qapp):
    qWarning("Qt is not amused")

def test_exception_in_a_slot(qtbot):
    def fail():
        raise RuntimeError("in a slot")
    QTimer.singleShot(0, fail)
    qtbot.wait(20)
"""

TIDY = """
import logging, threading
from PySide6.QtCore import QThread, QTimer
from PySide6.QtWidgets import QWidget

def test_all_put_away(qtbot, expect_log):
    expect_log("it limps")
    logging.getLogger("app.qt.controller").warning("it limps")
    logging.getLogger("elsewhere").warning("not ours")
    thread = QThread()
    thread.start()
    thread.quit()
    thread.wait()
    threading.Thread(target=int).start()
    widget = QWidget()
    qtbot.addWidget(widget)
    QTimer(widget).start(1000)
    widget.show()
"""


@pytest.fixture
def project(pytester, monkeypatch):
    """Return a project of its own that uses the fixtures of these tests."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    pytester.makeini(INI)
    pytester.makeconftest(CONFTEST)
    return pytester


# In a process of its own: what is left running there ends with it.
def test_that_whatever_is_left_or_logged_fails_the_test(project):
    project.makepyfile(UNTIDY)
    result = project.runpytest_subprocess("-q")
    text = result.stdout.str()
    for sentence in (
        "test_qthread leaves behind: QThread",
        "test_python_thread leaves behind: thread Thread-",
        "test_timer_without_a_parent leaves behind: QTimer",
        "test_timer_of_a_widget leaves behind: QTimer of",
        "test_window leaves behind: window QWidget",
        "test_error logs: ERROR elsewhere: it broke",
        "test_warning_of_ours logs: WARNING app.qt.controller: it limps",
        "test_missing_log does not log: never said",
        "Qt is not amused",
        "RuntimeError: in a slot",
    ):
        assert sentence in text
    # What is looked for at the end is an error beside the test, which by itself has passed.
    result.assert_outcomes(passed=8, errors=8, failed=2)


def test_that_a_tidy_test_passes(project):
    project.makepyfile(TIDY)
    project.runpytest_subprocess("-q").assert_outcomes(passed=1)
