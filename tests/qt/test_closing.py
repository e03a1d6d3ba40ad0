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


# ------------------------------------------------------------- in any state


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


def test_that_leaving_one_blocked_source_for_another_does_not_add_up(launch, blocked, expect_log):
    expect_log("Blocked did not stop in .* left behind")
    sources = iter([blocked("read"), blocked("read")])
    driver = launch(make_demo=lambda: next(sources))
    first = driver.controller
    driver.until(lambda: first.source.capture.capture is not None)
    driver.until(first.source.capture.capture.source.is_blocked.is_set)
    first.source.open("demo")
    assert first.stop()


def test_that_closing_while_networks_are_prepared_ends_all_threads(launch, monkeypatch, tmp_path):
    monkeypatch.setenv("LMKL_PAD_CACHE", str(tmp_path))  # nothing is prepared there yet
    driver = launch()
    driver.until(lambda: "Preparing" in driver.window.status.text)
    assert not driver.is_prepared
    assert driver.controller.stop()


def test_that_closing_during_a_take_ends_all_threads(launch):
    driver = launch().until_prepared()
    driver.click(driver.pages.enrol.record.button)
    driver.until(lambda: driver.session.enrolment.samples)
    assert driver.controller.stop()


def test_that_closing_during_a_presentation_ends_all_threads(launch, exported):
    driver = launch(recent=(str(exported),)).until_modelled()
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


def test_that_closing_right_after_launch_ends_all_threads_and_a_second_stop_does_nothing(launch):
    controller = launch().controller
    assert controller.stop()
    assert controller.stop()


def test_that_the_source_is_let_go(launch):
    source = Pictures()
    driver = launch(make_demo=lambda: source)
    driver.until(lambda: driver.window.live.preview.n_painted)
    assert source.is_open
    assert driver.close()
    assert not source.is_open


# ------------------------------------------------------------- a model that no file holds


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
    answer_box("Close without it")
    assert unsaved.close()
    assert not unsaved.window.isVisible()


def test_that_export_writes_the_file_and_then_closes(unsaved, file_dialogs, tmp_path):
    path = file_dialogs(tmp_path / "face.safetensors")
    answer_box("Export")
    with unsaved.qtbot.waitSignal(unsaved.window.closed, timeout=60_000):  # asks no more
        assert not unsaved.close()
    assert path.is_file()
    assert unsaved.controller.settings.recent[0] == str(path)


@pytest.mark.fault(
    "Process and disk", "export into a folder that is not there, in the window", keeps="models"
)
def test_that_an_export_that_fails_keeps_the_window_and_a_later_one_does_not_close_it(
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
