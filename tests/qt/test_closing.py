"""Closing in any state: threads end within two seconds, the source is let go, nothing is lost."""

import threading

import pytest
from PySide6.QtCore import Qt

from tests.qt.driving import Blocked, Pictures, answer_box


@pytest.fixture
def blocked():
    """Return a function that makes a source which blocks somewhere; it is let go at the end."""
    made = []

    def make(where):
        made.append(Blocked(where))
        return made[-1]

    yield make
    for source in made:
        source.let_go.set()


@pytest.mark.parametrize("where", ["open", "read", "close"])
def test_that_a_source_that_blocks_does_not_keep_the_window_open(
    launch, blocked, expect_log, where
):
    expect_log("Blocked did not stop in .* left behind")
    source = blocked(where)
    driver = launch(make_demo=lambda: source)
    if where != "close":
        driver.until(source.is_blocked.is_set)
    else:
        driver.until(lambda: driver.window.live.preview.n_painted)
    assert driver.controller.stop()


def test_that_leaving_one_blocked_source_for_another_does_not_add_up(
    launch, blocked, expect_log, monkeypatch
):
    # Longer than usual, for a busy machine: once fits into the time, twice does not.
    monkeypatch.setattr("app.qt.workers.capture.STOP_SECONDS", 3.0)
    monkeypatch.setattr("app.qt.workers.worker.STOP_MILLISECONDS", 5500)
    expect_log("Blocked did not stop in .* left behind")
    sources = iter([blocked("read"), blocked("read")])
    driver = launch(make_demo=lambda: next(sources))
    first = driver.controller
    driver.until(lambda: first.source.capture.capture is not None)
    driver.until(first.source.capture.capture.source.is_blocked.is_set)
    first.source.open("demo")
    assert first.stop()


def test_that_closing_while_networks_are_prepared_lets_the_source_go_and_ends_all_threads(
    launch, monkeypatch, tmp_path
):
    monkeypatch.setenv("LMKL_PAD_CACHE", str(tmp_path))  # nothing is prepared there yet
    source = Pictures()
    driver = launch(make_demo=lambda: source)
    driver.until(lambda: "Preparing" in driver.window.status.text and source.is_open)
    assert not driver.is_prepared
    assert "itting" not in driver.pages.enrol.fit_bar.fit_button.text()
    assert not driver.window.status._cancel.isVisible()
    assert driver.close()
    assert not source.is_open
    assert driver.controller.stop()  # a second time does nothing


@pytest.mark.parametrize("during", ["a take", "a presentation"])
def test_that_closing_while_frames_are_collected_ends_all_threads(launch, exported, during):
    driver = launch(recent=(str(exported),)).until_modelled()
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
    driver.session.change_enrolment(lambda enrolment: setattr(enrolment, "samples", samples))
    began, may_go_on = threading.Event(), threading.Event()

    def hold(working):
        """Hold the fit's own thread at its beginning: it is over faster than one can look."""
        if "Fitting" in working.text:
            began.set()
            may_go_on.wait()

    driver.controller.jobs.working.connect(hold, Qt.ConnectionType.DirectConnection)
    driver.click(driver.pages.enrol.fit_bar.fit_button)
    driver.until(began.is_set)
    threading.Timer(0.05, may_go_on.set).start()  # while the window waits for its threads
    assert driver.controller.stop()
    assert may_go_on.is_set()
    assert driver.session.model is None


@pytest.fixture
def unsaved(launch, exported):
    """Return a window whose model differs from its file: its threshold was moved."""
    driver = launch(recent=(str(exported),)).until_modelled()
    driver.controller.change_settings(target_bpcer=0.2)
    driver.until(lambda: driver.session.has_unsaved_model)
    return driver


def test_that_an_unsaved_model_asks_until_closing_without_it_is_chosen(unsaved, file_dialogs):
    file_dialogs("")
    for answer in ("Cancel", "Export"):  # and the file dialog is left
        asked = answer_box(answer)
        assert not unsaved.close()
        assert asked
        assert unsaved.window.isVisible()
        assert unsaved.session.has_unsaved_model
    last = unsaved.session.scored
    unsaved.until(lambda: unsaved.session.scored is not last)  # everything goes on
    answer_box("Close without exporting")
    assert unsaved.close()
    assert not unsaved.window.isVisible()


@pytest.mark.fault(
    "Process and disk", "export into a missing folder, in the window", keeps="models"
)
def test_that_closing_with_an_export_waits_for_it_and_one_that_fails_keeps_the_window(
    unsaved, file_dialogs, tmp_path
):
    file_dialogs(tmp_path / "missing" / "face.safetensors")
    answer_box("Export")
    assert not unsaved.close()
    unsaved.until_told("cannot be written")
    assert unsaved.session.has_unsaved_model
    file_dialogs(tmp_path / "face.safetensors")
    unsaved.press("Ctrl+E")
    unsaved.until_told("Exported to face.safetensors")
    assert unsaved.window.isVisible()
    unsaved.controller.change_settings(target_bpcer=0.3)
    unsaved.until(lambda: unsaved.session.has_unsaved_model)
    path = file_dialogs(tmp_path / "other.safetensors")
    answer_box("Export")
    with unsaved.qtbot.waitSignal(unsaved.window.closed, timeout=60_000):  # asks no more
        assert not unsaved.close()
    assert path.is_file()
    assert unsaved.controller.settings.recent[0] == str(path)
