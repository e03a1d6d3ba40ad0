"""Closing in any state: threads end, the source is released, and unsaved work is asked about."""

import threading

import pytest
from PySide6.QtCore import Qt

from app.qt.workers.scoring import ScoringWorker
from app.session.takes import Plan
from tests.qt.driving import Pictures, answer_box


class Blocked(Pictures):
    """Delivers one picture and then blocks in "open", "read" or "close" until it is released."""

    name = "Blocked"

    def __init__(self, where, released):
        super().__init__()
        self._where, self._released, self.is_blocked = where, released, threading.Event()

    def _block(self, where):
        if where == self._where:
            self.is_blocked.set()
            self._released.wait(120)

    def open(self):
        self._block("open")
        return super().open()

    def read(self):
        if self.n_delivered:
            self._block("read")
        return super().read()

    def close(self):
        super().close()
        self._block("close")


@pytest.fixture
def released():
    """Return an event that releases blocking sources at the end of the test."""
    event = threading.Event()
    yield event
    event.set()


@pytest.mark.parametrize("where", ["open", "read", "close"])
def test_that_a_blocking_source_does_not_keep_the_window_open(launch, released, expect_log, where):
    expect_log("Blocked did not stop in .* abandoned")
    source = Blocked(where, released)
    driver = launch(make_demo=lambda: source)
    if where != "close":
        driver.until(source.is_blocked.is_set)
    else:
        driver.until(lambda: driver.window.live.preview.n_painted)
    assert driver.controller.stop()


def test_that_the_waits_for_two_blocking_sources_do_not_add_up(
    launch, released, expect_log, monkeypatch
):
    # Longer than usual, for a busy machine: one wait fits into the time, two do not.
    monkeypatch.setattr("app.qt.workers.capture.STOP_SECONDS", 6.0)
    monkeypatch.setattr("app.qt.workers.worker.STOP_MILLISECONDS", 11_500)
    expect_log("Blocked did not stop in .* abandoned")
    sources = [Blocked("read", released) for _ in range(2)]
    remaining = iter(sources)
    driver = launch(make_demo=lambda: next(remaining))
    driver.until(sources[0].is_blocked.is_set)
    driver.controller.source.open("demo")
    assert driver.controller.stop()


def test_that_closing_while_networks_are_prepared_releases_the_source_and_ends_all_threads(
    launch, monkeypatch, tmp_path
):
    monkeypatch.setenv("LMKL_PAD_CACHE", str(tmp_path))  # with nothing prepared
    report = ScoringWorker._report

    def hold(worker, *progress):
        """Report the first step of the preparation, and hold it until the window closes."""
        report(worker, *progress)
        worker._stop.wait(60)

    monkeypatch.setattr(ScoringWorker, "_report", hold)
    source = Pictures()
    driver = launch(make_demo=lambda: source)
    driver.until(lambda: "Preparing" in driver.window.status.text and source.is_open)
    assert not driver.is_prepared
    assert "itting" not in driver.pages.enrol.fit_bar.fit_button.text()
    assert not driver.window.status._cancel.isVisible()
    assert driver.close()
    assert not source.is_open
    assert driver.controller.stop()  # does nothing the second time


@pytest.mark.parametrize("during", ["a take", "a presentation"])
def test_that_closing_while_frames_are_collected_ends_all_threads(
    launch, exported, during, monkeypatch
):
    # Neither ends by itself before the window is closed.
    monkeypatch.setattr("app.session.guided_test.guided_test.FRAMES_WANTED", 10_000)
    monkeypatch.setattr("app.session.guided_test.guided_test.SECONDS_WANTED", 10_000)
    driver = launch(recent=(str(exported),), plan=Plan(frames=10_000)).until_modelled()
    if during == "a take":
        driver.click(driver.pages.enrol.record.button)
        driver.until(lambda: driver.session.enrolment.samples)
    else:
        driver.turn_to("Test")
        driver.click(driver.pages.test._present.present_button)
        driver.until(lambda: driver.session.guided_test.state.progress > 0)
    assert driver.controller.stop()


def test_that_closing_during_a_fit_ends_all_threads(launch, samples):
    driver = launch().until_prepared()
    driver.enrol(samples)
    began, may_continue = threading.Event(), threading.Event()

    def hold(working):
        """Hold the fitting thread at the beginning of the fit, which is short."""
        if "Fitting" in working.text:
            began.set()
            may_continue.wait(60)

    driver.controller.jobs.working.connect(hold, Qt.ConnectionType.DirectConnection)
    driver.click(driver.pages.enrol.fit_bar.fit_button)
    driver.until(began.is_set)
    threading.Timer(0.05, may_continue.set).start()  # while the window waits for its threads
    assert driver.controller.stop()
    assert driver.session.model is None


@pytest.fixture
def unsaved(launch, exported):
    """Return a window with a model that has another threshold than its file."""
    driver = launch(recent=(str(exported),)).until_modelled()
    driver.controller.change_settings(target_bpcer=0.2)
    driver.until(lambda: driver.session.has_unsaved_model)
    return driver


def test_that_closing_with_an_unsaved_model_asks_until_it_is_discarded(unsaved, file_dialogs):
    file_dialogs("")
    for answer in ("Cancel", "Export"):  # the file dialog is cancelled
        asked = answer_box(answer)
        assert not unsaved.close()
        assert asked
        assert unsaved.window.isVisible()
        assert unsaved.session.has_unsaved_model
    last = unsaved.session.scored
    unsaved.until(lambda: unsaved.session.scored is not last)  # scoring continues
    answer_box("Close without exporting")
    assert unsaved.close()
    assert not unsaved.window.isVisible()


@pytest.mark.fault(
    "Process and disk", "export into a missing folder, in the window", keeps="models"
)
def test_that_closing_with_an_export_waits_for_it_and_a_failed_one_keeps_the_window(
    unsaved, file_dialogs, tmp_path
):
    file_dialogs(tmp_path / "missing" / "face.safetensors")
    answer_box("Export")
    assert not unsaved.close()
    unsaved.until_notice("cannot be written")
    assert unsaved.session.has_unsaved_model
    file_dialogs(tmp_path / "face.safetensors")
    unsaved.press("Ctrl+E")
    unsaved.until_notice("Exported to face.safetensors")
    assert unsaved.window.isVisible()
    unsaved.controller.change_settings(target_bpcer=0.3)
    unsaved.until(lambda: unsaved.session.has_unsaved_model)
    path = file_dialogs(tmp_path / "other.safetensors")
    answer_box("Export")
    with unsaved.qtbot.waitSignal(unsaved.window.closed):
        assert not unsaved.close()
    assert path.is_file()
    assert unsaved.controller.settings.recent[0] == str(path)
