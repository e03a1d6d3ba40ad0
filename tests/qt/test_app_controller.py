"""Settings, views and deletion through the controller of the window."""

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
def test_that_changed_settings_are_used_and_saved_or_the_failure_is_shown(launch, qtbot):
    driver = launch(make_demo=Pictures)
    controller = driver.controller
    driver.until(lambda: controller.throughput().source_rate > 0)
    driver.until(lambda: "Pictures" in driver.window.status.text)  # before anything is scored
    with qtbot.assertNotEmitted(controller.settings_changed):
        controller.use_settings(controller.settings)
    config = storage.config_folder()
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text("a file where the folder should be")
    controller.change_settings(show_regions=False)
    assert "cannot be" in driver.notices
    assert controller.settings.show_regions is False
    config.unlink()
    with qtbot.waitSignal(controller.settings_changed):
        controller.change_settings(theme="dark")
    saved = settings_file.load()[0]
    assert (saved.show_regions, saved.theme) == (False, "dark")
    assert stat.S_IMODE(storage.settings_file().stat().st_mode) == 0o600


def test_that_window_layout_settings_and_model_survive_a_restart(launch, exported):
    driver = launch(recent=(str(exported),))
    driver.window.resize(1000, 690)  # the offscreen screen has 800 x 800 pixels
    driver.controller.change_settings(theme="dark", show_regions=False, target_bpcer=0.1)
    driver.until(lambda: driver.window.height() == 690)
    driver.window._splitter.setSizes([450, 540])
    sizes = driver.window._splitter.sizes()
    assert driver.close()
    saved, problems = settings_file.load()
    assert problems == ()
    assert (saved.theme, saved.show_regions, saved.target_bpcer) == ("dark", False, 0.1)
    again = launch(window=saved.window, splitter=saved.splitter, recent=saved.recent)
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


def test_that_other_views_drop_model_takes_and_running_fit_with_a_notice(
    launch, exported, samples, tmp_path
):
    preset = tmp_path / "other.toml"
    preset.write_text(OTHER_VIEWS)
    driver = launch(recent=(str(exported),)).until_modelled()
    driver.enrol(samples)
    may_continue = threading.Event()
    driver.controller.jobs.working.connect(
        lambda _: may_continue.wait(60), Qt.ConnectionType.DirectConnection
    )
    driver.press("Ctrl+F")
    assert driver.controller.model._n_fits
    driver.controller.change_settings(preset=str(preset))
    try:
        driver.until_notice("The views have changed")
    finally:
        may_continue.set()
    driver.until(lambda: not driver.controller.model._n_fits)
    assert driver.session.model is None
    assert driver.session.enrolment.samples == ()
    driver.until_verdict(Verdict.NO_MODEL)


def test_that_an_unknown_preset_is_reported_and_another_can_be_chosen(launch):
    driver = launch(preset="no-such-preset")
    driver.until_notice("no-such-preset")
    assert driver.session.scored is None
    driver.controller.change_settings(preset="tiny")
    driver.until_prepared()
    driver.until_verdict(Verdict.NO_MODEL)
    assert "no-such-preset" not in driver.notices


@pytest.mark.fault("Privacy", "delete all my data in the window, with a model in memory")
def test_that_a_target_moves_the_threshold_and_deletion_clears_memory_and_disk(launch, exported):
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
    driver.until_notice("is deleted")
    assert driver.session.model is None
    assert driver.controller.settings.recent == ()
    assert not storage.settings_file().exists()
    assert driver.close()
    assert not storage.settings_file().exists()  # closing writes nothing
    assert exported.is_file()  # the user's own file stays
