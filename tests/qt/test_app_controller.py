"""What is behind the window: settings, views, deletion."""

import stat
import threading

import pytest
from PySide6.QtCore import Qt

from app import settings as settings_file
from app import storage
from app.types import Verdict
from tests.qt.driving import Pictures


@pytest.mark.fault(
    "Process and disk", "settings that cannot be written, in the window", keeps="settings"
)
def test_that_changed_settings_are_told_used_and_kept_for_their_owner_if_possible(launch, qtbot):
    driver = launch(make_demo=Pictures)
    controller = driver.controller
    driver.until(lambda: controller.throughput().source_rate > 0)
    driver.until(lambda: "Pictures" in driver.window.status.text)  # before anything is judged
    with qtbot.assertNotEmitted(controller.settings_changed):
        controller.use_settings(controller.settings)
    config = storage.config_folder()
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text("in the way")  # a file where the folder should be
    controller.change_settings(show_regions=False)
    assert "cannot be" in driver.notices
    assert controller.settings.show_regions is False
    config.unlink()
    with qtbot.waitSignal(controller.settings_changed):
        controller.change_settings(theme="dark")
    kept = settings_file.load()[0]
    assert (kept.show_regions, kept.theme) == (False, "dark")
    assert stat.S_IMODE(storage.settings_file().stat().st_mode) == 0o600
    controller.change_settings(theme="light")


def test_that_the_window_and_all_choices_are_as_they_were_after_a_restart(launch, exported):
    driver = launch(recent=(str(exported),))
    driver.window.resize(1000, 690)  # the screen of these tests is no larger than 800 x 800
    driver.controller.change_settings(theme="dark", show_regions=False, target_bpcer=0.1)
    driver.until(lambda: driver.window.height() == 690)
    driver.window._splitter.setSizes([450, 540])
    sizes = driver.window._splitter.sizes()
    assert driver.close()
    kept, problems = settings_file.load()
    assert problems == ()
    assert (kept.theme, kept.show_regions, kept.target_bpcer) == ("dark", False, 0.1)
    again = launch(window=kept.window, splitter=kept.splitter, recent=kept.recent)
    assert (again.window.width(), again.window.height()) == (1000, 690)
    assert again.window._splitter.sizes() == sizes
    again.until_modelled()
    assert again.session.model.path == str(exported)


OTHER_VIEWS = """
name = "other"
[crops.face]
side = 1.0
size = 96
[[branches]]
network = "efficientnet-lite0"
crops = ["face"]
layers = ["block2"]
"""


@pytest.fixture
def other_views(tmp_path):
    """Return the path of a preset with other views."""
    path = tmp_path / "other.toml"
    path.write_text(OTHER_VIEWS)
    return str(path)


def test_that_other_views_forget_model_takes_and_the_fit_under_way_and_say_so(
    launch, exported, samples, other_views
):
    driver = launch(recent=(str(exported),)).until_modelled()
    driver.session.change_enrolment(lambda enrolment: setattr(enrolment, "samples", samples))
    let_go = threading.Event()
    driver.controller.jobs.working.connect(
        lambda _: let_go.wait(60), Qt.ConnectionType.DirectConnection
    )
    driver.press("Ctrl+F")
    assert driver.controller.model._n_fits
    driver.controller.change_settings(preset=other_views)
    try:
        driver.until_told("The views have changed: enrol again.")
    finally:
        let_go.set()
    driver.until(lambda: not driver.controller.model._n_fits)
    assert driver.session.model is None
    assert driver.session.enrolment.samples == ()
    driver.until_verdict(Verdict.NO_MODEL)


def test_that_views_that_cannot_be_prepared_are_told_and_others_can_be_chosen(launch):
    driver = launch(preset="no-such-preset")
    driver.until_told("no-such-preset")
    assert driver.session.scored is None
    driver.controller.change_settings(preset="tiny")
    driver.until(lambda: driver.is_prepared)
    driver.until_verdict(Verdict.NO_MODEL)
    assert "no-such-preset" not in driver.notices


@pytest.mark.fault("Privacy", "delete all my data in the window, with a model in memory")
def test_that_a_target_moves_the_threshold_and_deleting_everything_reaches_memory_and_disk(
    launch, exported
):
    driver = launch(recent=(str(exported),)).until_modelled()
    before = driver.session.model.threshold
    driver.controller.change_settings(target_bpcer=0.5)
    driver.until(lambda: driver.session.model.threshold > before)
    assert driver.session.model_summary.calibration.target_bpcer == pytest.approx(0.5)
    driver.controller.change_settings(target_bpcer=None)
    driver.until(lambda: driver.session.model.threshold == before)
    assert driver.session.model_summary.calibration.target_bpcer is None
    assert storage.settings_file().is_file()
    driver.controller.delete_everything()
    driver.until_told("Everything the program had stored is deleted.")
    assert driver.session.model is None
    assert driver.controller.settings.recent == ()
    assert not storage.settings_file().exists()
    assert driver.close()
    assert not storage.settings_file().exists()  # closing writes nothing behind one's back
    assert exported.is_file()  # what the person saved elsewhere is theirs
