"""The window as a whole: sources and models opened, dropped and refused."""

import numpy as np
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget

from app.models.files import save
from app.models.model import PadModel
from app.types import Verdict
from tests.app.capture.media import write_video
from tests.qt.driving import Pictures


class WindowWatch(QObject):
    """Records every window that appears."""

    def __init__(self):
        super().__init__()
        self.windows = []

    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.windows.append(type(watched).__name__)
        return False


def test_that_the_demo_replaces_a_missing_camera_and_stays_when_a_file_is_missing(
    launch, monkeypatch, tmp_path
):
    monkeypatch.setattr("app.capture.webcam.list_cameras", list)
    driver = launch(source="auto")
    driver.until_notice("No camera was found")
    preview = driver.window.live.preview
    driver.until(lambda: preview.n_painted)
    assert driver.controller.source.is_demo
    watch = WindowWatch()
    QApplication.instance().installEventFilter(watch)
    for name in ("Model", "Why", "Test", "Enrol"):
        driver.turn_to(name)
        QApplication.processEvents()
    QApplication.instance().removeEventFilter(watch)
    assert watch.windows == []  # no part of a page appears as a window
    driver.window.open_path(str(tmp_path / "nothing.mp4"))
    driver.until_notice("nothing.mp4")
    painted = preview.n_painted
    driver.until(lambda: preview.n_painted > painted)
    assert driver.window.live.source_bar._choice.currentData() == "demo"


def test_that_a_window_without_a_source_plays_the_demo_or_a_dropped_video(
    launch, genuine, tmp_path
):
    driver = launch(source=str(tmp_path / "gone.mp4"), problems=("The setting p is wrong.",))
    assert "The setting p is wrong." in driver.notices
    driver.until_notice("gone.mp4")
    driver.press("Ctrl+D")
    driver.until(lambda: driver.controller.source.is_demo)
    driver.until_prepared()
    assert driver.drop(write_video(tmp_path / "person.avi", "MJPG", genuine * 5))
    driver.until(lambda: driver.controller.source.name == "person.avi")
    assert not driver.controller.source.is_demo
    driver.until(lambda: driver.session.scored and not driver.session.scored.frame.caption)
    driver.until_notice("The recording has ended")


def test_that_a_dropped_model_is_opened_and_neither_damaged_files_nor_attacks_change_it(
    launch, exported, tmp_path
):
    driver = launch()
    assert not driver.drop(exported, tmp_path)  # one at a time
    assert driver.drop(exported)
    driver.until_notice("Opened person.safetensors.")
    assert driver.window.windowTitle().startswith("person.safetensors")
    driver.present("window 6")
    driver.until_verdict(Verdict.GENUINE)
    driver.turn_to("Test")  # the demo was opened before the page was made
    assert driver.button("Run the whole demo test").isEnabled()

    before = driver.session.model
    damaged = tmp_path / "damaged.safetensors"
    damaged.write_bytes(exported.read_bytes()[:-100])
    driver.drop(damaged)
    driver.until_notice("damaged.safetensors")
    assert driver.session.model is before
    assert driver.window.live.notices._banners[-1].notice.level == "error"

    driver.present("print")
    driver.until_verdict(Verdict.ATTACK)
    driver.banner.show_decision(
        type(driver.session.decision)(Verdict.UNFAMILIAR, differences=("it is darker",))
    )
    driver.click(driver.banner._add)
    driver.until_notice("The demo presents an attack")
    assert not driver.session.enrolment.is_recording


def test_that_a_model_of_other_views_is_refused_but_listed_until_its_file_is_gone(
    launch, model, tmp_path
):
    other = tmp_path / "other.safetensors"
    driver = launch().until_prepared()
    features = {**model.features, "preset": {**model.features["preset"], "name": "texture"}}
    foreign = PadModel(model.estimator, features, model.conditions, model.takes)
    save(foreign.named(), other)
    driver.controller.change_settings(recent=(str(other),))
    driver.controller.model.open(str(other))
    driver.until_notice("'texture'")
    assert driver.session.model is None
    assert driver.controller.settings.recent == (str(other),)
    other.unlink()
    driver.controller.model.open(str(other))
    driver.until(lambda: driver.controller.settings.recent == ())


def test_that_unfamiliar_conditions_name_the_difference_and_a_quick_take_adds_them(
    launch, exported, genuine
):
    noise = np.random.default_rng(0)
    # The face is a little darker, which puts the score below the threshold, the room much darker.
    room = np.ones((1, genuine[0].shape[1], 1))
    room[:, :130] = room[:, -130:] = 0.3
    darker = [
        np.clip(0.94 * image * room + noise.normal(0, 2, image.shape), 0, 255).astype(np.uint8)
        for image in genuine * 4
    ]
    camera = Pictures(darker)
    driver = launch(make_demo=lambda: camera, recent=(str(exported),)).until_modelled()
    driver.until_verdict(Verdict.UNFAMILIAR)
    assert "darker" in driver.banner.text
    n_before = driver.session.model_summary.n_samples
    driver.click(driver.banner._add)
    assert driver.session.enrolment.is_recording
    driver.until(lambda: driver.session.model_summary.n_samples > n_before)
    assert any("darker" in take for take in driver.session.model.takes)
    assert not driver.session.enrolment.unmodelled
    driver.until_verdict(Verdict.GENUINE)
