"""The window as a whole: what is told, dropped, opened, refused, and what stays as it was."""

import numpy as np
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget

from app.models.files import save
from app.models.model import PadModel
from app.types import Verdict
from tests.app.capture.media import write_video
from tests.qt.driving import Pictures


class Shown(QObject):
    """Notes every window that shows itself."""

    def __init__(self):
        super().__init__()
        self.windows = []

    def eventFilter(self, seen, event):
        if event.type() == QEvent.Type.Show and isinstance(seen, QWidget) and seen.isWindow():
            self.windows.append(type(seen).__name__)
        return False


def test_that_without_a_camera_the_demo_starts_says_so_and_stays_when_a_file_is_missing(
    launch, monkeypatch, tmp_path
):
    monkeypatch.setattr("app.capture.webcam.list_cameras", list)
    driver = launch(source="auto")
    driver.until_told("No camera was found, so this is the built-in demo")
    preview = driver.window.live.preview
    driver.until(lambda: preview.n_painted)
    assert driver.controller.source.is_demo
    shown = Shown()
    QApplication.instance().installEventFilter(shown)
    for name in ("Model", "Why", "Test", "Enrol"):
        driver.turn_to(name)
        QApplication.processEvents()
    QApplication.instance().removeEventFilter(shown)
    assert shown.windows == []
    driver.window.open_path(str(tmp_path / "nothing.mp4"))
    driver.until_told("nothing.mp4")
    painted = preview.n_painted
    driver.until(lambda: preview.n_painted > painted)
    assert driver.window.live.source_bar._choice.currentData() == "demo"


def test_that_a_window_without_a_source_is_ready_for_the_demo_or_a_dropped_video(
    launch, genuine, tmp_path
):
    problem = "The setting p was reset to its default: it must be a number."
    driver = launch(source=str(tmp_path / "gone.mp4"), problems=(problem,))
    assert problem in driver.notices
    driver.until_told("gone.mp4")
    driver.press("Ctrl+D")
    driver.until(lambda: driver.controller.source.is_demo)
    driver.until_prepared()
    assert driver.drop(write_video(tmp_path / "person.avi", "MJPG", genuine * 5))
    driver.until(lambda: driver.controller.source.name == "person.avi")
    assert not driver.controller.source.is_demo
    driver.until(lambda: driver.session.scored and not driver.session.scored.frame.caption)
    driver.until_told("The recording has ended")


def test_that_a_model_dropped_at_the_start_is_opened_and_neither_damage_nor_attacks_change_it(
    launch, exported, tmp_path
):
    driver = launch()
    assert not driver.drop(exported, tmp_path)  # one at a time
    assert driver.drop(exported)
    driver.until_told("Opened person.safetensors.")
    assert driver.window.windowTitle().startswith("person.safetensors")
    driver.present("window 6")
    driver.until_verdict(Verdict.GENUINE)
    driver.turn_to("Test")  # it knows the demo, which was opened before the page was made
    assert driver.button("Run the whole demo test").isEnabled()

    before = driver.session.model
    damaged = tmp_path / "damaged.safetensors"
    damaged.write_bytes(exported.read_bytes()[:-100])
    driver.drop(damaged)
    driver.until_told("damaged.safetensors")
    assert driver.session.model is before
    assert driver.window.live.notices._banners[-1].notice.level == "error"

    driver.present("print")
    driver.until_verdict(Verdict.ATTACK)
    driver.banner.show_decision(
        type(driver.session.decision)(Verdict.UNFAMILIAR, differences=("it is darker",))
    )
    driver.click(driver.banner._add)
    driver.until_told("The demo presents an attack")
    assert not driver.session.enrolment.is_recording


def test_that_a_model_of_other_views_is_refused_with_the_difference_and_listed_until_it_is_gone(
    launch, model, tmp_path
):
    other = tmp_path / "other.safetensors"
    driver = launch().until_prepared()
    for preset, sentence in (
        ({"name": "texture"}, "it needs the views 'texture', but 'tiny' are in use"),
        ({"crops": []}, "the views 'tiny' have changed since it was made; enrol again"),
    ):
        features = {**model.features, "preset": {**model.features["preset"], **preset}}
        foreign = PadModel(model.estimator, features, model.conditions, model.takes)
        save(foreign.named(), other)
        driver.controller.change_settings(recent=(str(other),))
        driver.controller.model.open(str(other))
        driver.until_told(sentence)
        assert driver.session.model is None
        assert driver.controller.settings.recent == (str(other),)
    other.unlink()
    driver.controller.model.open(str(other))
    driver.until(lambda: driver.controller.settings.recent == ())


def test_that_unfamiliar_conditions_name_the_difference_and_a_quick_take_makes_them_familiar(
    launch, exported, genuine
):
    noise = np.random.default_rng(0)
    # A little darker, so that the score is below the threshold, in a room that is much darker.
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
