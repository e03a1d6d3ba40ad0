"""The window as a whole: what is told, dropped, opened, refused, and what stays as it was."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget

from app.capture.source import Cause, SourceError
from app.models.files import save
from app.models.model import PadModel
from app.types import Verdict
from tests.app.capture.material import write_video
from tests.qt.driving import Pictures


@pytest.fixture
def modelled(launch, exported):
    """Return a window with a model from a file."""
    return launch(recent=(str(exported),)).until_modelled()


# ------------------------------------------------------------- launch


def test_that_without_a_camera_the_demo_starts_and_says_so(launch, monkeypatch):
    monkeypatch.setattr("app.capture.webcam.list_cameras", list)
    driver = launch(source="auto")
    driver.until_told("No camera was found, so this is the built-in demo")
    driver.until(lambda: driver.window.live.preview.n_painted)
    assert driver.controller.source.is_demo


def test_that_the_window_is_ready_without_a_source_that_works(launch, tmp_path):
    problem = "The setting p is back at its default: it must be a number."
    driver = launch(source=str(tmp_path / "gone.mp4"), problems=(problem,))
    assert problem in driver.notices
    driver.until_told("gone.mp4")
    driver.press("Ctrl+D")
    driver.until(lambda: driver.controller.source.is_demo)


class Shown(QObject):
    """Notes every window that shows itself."""

    def __init__(self):
        super().__init__()
        self.windows = []

    def eventFilter(self, seen, event):
        if event.type() == QEvent.Type.Show and isinstance(seen, QWidget) and seen.isWindow():
            self.windows.append(type(seen).__name__)
        return False


def test_that_turning_to_pages_shows_no_other_window(launch):
    driver = launch()
    shown = Shown()
    QApplication.instance().installEventFilter(shown)
    for name in ("Model", "Why", "Test", "Enrol"):
        driver.turn_to(name)
        QApplication.processEvents()
    QApplication.instance().removeEventFilter(shown)
    assert shown.windows == []


def test_that_nothing_is_called_fitted_while_networks_are_prepared(launch, monkeypatch, tmp_path):
    monkeypatch.setenv("LMKL_PAD_CACHE", str(tmp_path))
    driver = launch()
    driver.until(lambda: "Preparing" in driver.window.status.text)
    assert "itting" not in driver.pages.enrol.fit_bar.fit_button.text()
    assert not driver.window.status._cancel.isVisible()


# ------------------------------------------------------------- mistakes go on


def test_that_a_frame_that_cannot_be_scored_is_told_once_and_the_next_ones_are(launch, expect_log):
    from app.session.scoring import score_frame

    expect_log("A frame could not be scored")
    told = []

    def sometimes(pipeline, model, frame):
        if frame.number % 3 == 0:
            raise RuntimeError("a bad frame")
        return score_frame(pipeline, model, frame)

    driver = launch(observe=sometimes)
    driver.controller.notice.connect(lambda notice: told.append(notice.text))
    driver.until_prepared()
    driver.until_told("A frame could not be scored (RuntimeError: a bad frame)")
    driver.until_verdict(Verdict.NO_MODEL)
    last = driver.session.scored.frame.number
    driver.until(lambda: driver.session.scored.frame.number > last + 10)
    assert len([text for text in told if "a bad frame" in text]) == 1
    assert driver.close()  # here, for pytest keeps what is logged later, and its frames with it


def test_that_a_camera_that_fails_is_told_and_taken_up_again_when_it_is_back(launch, genuine):
    camera = Pictures(genuine, is_live=True)
    driver = launch(make_demo=lambda: camera).until_prepared()
    driver.until_verdict(Verdict.NO_MODEL)
    camera.error = SourceError(Cause.BUSY, camera.subject)
    driver.until_told("Pictures")
    driver.until(lambda: driver.banner.verdict is not Verdict.NO_MODEL)  # it was on what is gone
    assert not driver.banner.verdict.decides
    camera.error = None
    driver.until(lambda: camera.opened > 1 and "Pictures" not in driver.notices)
    driver.until_verdict(Verdict.NO_MODEL)


def test_that_a_source_that_cannot_be_opened_leaves_the_present_one(launch, tmp_path):
    driver = launch()
    driver.until(lambda: driver.window.live.preview.n_painted)
    driver.window.open_path(str(tmp_path / "nothing.mp4"))
    driver.until_told("nothing.mp4")
    painted = driver.window.live.preview.n_painted
    driver.until(lambda: driver.window.live.preview.n_painted > painted)
    assert driver.window.live.source_bar._choice.currentData() == "demo"


# ------------------------------------------------------------- models in and out


def test_that_a_model_dropped_before_anything_is_ready_is_opened_later(launch, exported, tmp_path):
    driver = launch()
    assert not driver.drop(exported, tmp_path)  # one at a time
    assert driver.drop(exported)
    driver.until_told("Opened person.safetensors.")
    assert driver.window.windowTitle().startswith("person.safetensors")
    driver.present("window 6")
    driver.until_verdict(Verdict.GENUINE)
    driver.turn_to("Test")  # it knows the demo, which was opened before the page was made
    assert driver.button("Run the whole demo test").isEnabled()


def test_that_a_dropped_video_is_played_and_its_end_is_told(launch, genuine, tmp_path):
    video = write_video(tmp_path / "person.avi", "MJPG", genuine * 5)
    driver = launch().until_prepared()
    assert driver.drop(video)
    driver.until(lambda: driver.controller.source.name == "person.avi")
    assert not driver.controller.source.is_demo
    driver.until(lambda: driver.session.scored and not driver.session.scored.frame.caption)
    driver.until_told("The recording has ended")


def test_that_a_damaged_file_is_told_and_the_model_in_use_stays(modelled, exported, tmp_path):
    before = modelled.session.model
    damaged = tmp_path / "damaged.safetensors"
    damaged.write_bytes(exported.read_bytes()[:-100])
    modelled.drop(damaged)
    modelled.until_told("damaged.safetensors")
    assert modelled.session.model is before
    assert modelled.window.live.notices._lines[-1].notice.level == "error"


@pytest.mark.parametrize(
    ("preset", "sentence"),
    [
        ({"name": "texture"}, "it was made with the views 'texture', and 'tiny' are in use"),
        ({"crops": []}, "the views 'tiny' have changed since it was made; enrol again"),
    ],
    ids=["other", "changed"],
)
def test_that_a_model_of_other_views_is_refused_with_the_difference_and_stays_listed(
    launch, model, tmp_path, preset, sentence
):
    features = {**model.features, "preset": {**model.features["preset"], **preset}}
    other = tmp_path / "other.safetensors"
    foreign = PadModel(model.estimator, features, model.conditions, model.takes)
    save(foreign.named(), other)
    driver = launch(recent=(str(other),)).until_prepared()
    driver.until_told(sentence)
    assert driver.session.model is None
    assert driver.controller.settings.recent == (str(other),)


def test_that_a_model_that_is_gone_is_no_longer_listed(launch, tmp_path):
    gone = str(tmp_path / "gone.safetensors")
    driver = launch(recent=(gone,)).until_prepared()
    driver.until_told("gone.safetensors")
    driver.until(lambda: driver.controller.settings.recent == ())


def test_that_an_export_that_fails_tells_and_keeps_the_model(modelled, file_dialogs, tmp_path):
    before = modelled.session.model
    (tmp_path / "folder.safetensors").mkdir()
    file_dialogs(tmp_path / "folder.safetensors")
    modelled.press("Ctrl+E")
    modelled.until_told("cannot be written")
    assert modelled.session.model is before


# ------------------------------------------------------------- unfamiliar conditions


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


def test_that_the_demo_takes_no_attack_into_the_model(modelled):
    modelled.present("print")
    modelled.until_verdict(Verdict.ATTACK)
    modelled.banner.show_decision(
        type(modelled.session.decision)(Verdict.UNFAMILIAR, differences=("it is darker",))
    )
    modelled.click(modelled.banner._add)
    modelled.until_told("The demo presents an attack")
    assert not modelled.session.enrolment.is_recording
