"""Every Qt test: fresh folders, and nothing left behind."""

import threading
from unittest.mock import Mock

import pytest
from PySide6.QtWidgets import QFileDialog

from app.demo.source import DemoSource
from app.models.files import save
from app.models.fitting import fitted
from app.qt.app import make_window
from app.qt.model_dialogs import ExportDialog
from app.qt.state import NetworksState, SourceState
from app.session.scoring import score_frame, thumbnail_of
from app.session.session import Session
from app.settings import Settings
from app.types import Sample
from app.vision.pipeline import make_pipeline
from lmkl_core.features.extractor import Extractor
from lmkl_core.features.presets import load_preset
from tests.qt.driving import N_RECORDED, PLAN, Driver
from tests.qt.tidiness import expect_log, nothing_is_left

__all__ = ["expect_log", "nothing_is_left"]


@pytest.fixture(autouse=True)
def fresh_folders(monkeypatch, tmp_path_factory):
    """Give every test settings and data of its own; what networks need is shared."""
    folder = tmp_path_factory.mktemp("person")
    monkeypatch.setenv("LMKL_PAD_CONFIG", str(folder / "config"))
    monkeypatch.setenv("LMKL_PAD_DATA", str(folder / "data"))
    return folder


@pytest.fixture(scope="session")
def demo():
    """Return the demo with few pictures; what one test has recorded the next one finds there."""
    return DemoSource(n_recorded=N_RECORDED)


@pytest.fixture
def launch(qtbot, demo):
    """Return a function that starts the program on the demo and shows its window."""

    def start(make_demo=None, observe=None, plan=PLAN, problems=(), **settings):
        demo.present(None)
        chosen = {"preset": "tiny", "source": "demo"} | settings
        window = make_window(
            Settings(**chosen),
            problems=problems,
            make_demo=make_demo or (lambda: demo),
            plan=plan,
            observe=observe,
        )
        driver = Driver(qtbot, window)
        qtbot.addWidget(window, before_close_func=lambda _: driver.put_away())
        with qtbot.waitExposed(window):
            window.show()
        return driver

    return start


@pytest.fixture
def shown(qtbot):
    """Return a function that shows a widget, in this size if one is given, and returns it."""

    def show(widget, *size):
        qtbot.addWidget(widget)
        if size:
            widget.resize(*size)
        with qtbot.waitExposed(widget):
            widget.show()
        return widget

    return show


@pytest.fixture
def controller():
    """Return a stand-in for the controller that pages are given; its session is real and empty."""
    stand_in = Mock(settings=Settings(), session=Session(Settings()))
    stand_in.source.state, stand_in.networks.state = SourceState(), NetworksState()
    stand_in.source.capture.to_show.take.return_value = None
    return stand_in


@pytest.fixture(scope="session")
def seen(demo):
    """Return observations of the demo's takes to enrol and of the person again, by chapter."""
    found = {}
    pipeline = make_pipeline("tiny")
    # Without a pace, so that its frames are the same on any machine.
    with DemoSource(paced=False, n_recorded=N_RECORDED) as patient:
        for key, n_frames, every in (
            ("window 1", PLAN.frames, 2),
            ("lamp 1", PLAN.frames, 2),
            ("window 6", N_RECORDED, 1),
        ):
            patient.present(key)
            pipeline.reset()
            shown = [patient.read() for _ in range(every * n_frames)]
            found[key] = [score_frame(pipeline, None, frame) for frame in shown[::every]]
            assert patient.chapter.key == key
    for thread in threading.enumerate():
        if thread.name == "demo recorder":
            thread.join()
    for chapter in patient.script.presentations:
        demo._reel.insert(chapter, patient._reel._pictures[chapter])  # recorded once for all
    return found


@pytest.fixture(scope="session")
def samples(seen):
    """Return the demo's person in two lights, as enrolled."""
    enrolled = [(key.split()[0], one) for key in seen if key != "window 6" for one in seen[key]]
    return tuple(
        Sample(number, light, dict(one.views), one.result.condition, thumbnail_of(one.result), True)
        for number, (light, one) in enumerate(enrolled)
    )


@pytest.fixture(scope="session")
def model(samples):
    """Return a model that was fitted on them."""
    features = Extractor(load_preset("tiny")).fingerprint()
    return fitted(samples, Settings(preset="tiny"), features)


@pytest.fixture(scope="session")
def exported(model, tmp_path_factory):
    """Return the path of that model's file; tests leave it as it is."""
    path = tmp_path_factory.mktemp("models") / "person.safetensors"
    save(model, path)
    return path


@pytest.fixture
def genuine(seen):
    """Return pictures of the person, without anything that says they are simulated."""
    return [one.frame.image for one in seen["window 6"]]


@pytest.fixture
def file_dialogs(monkeypatch):
    """Return a function that lets every file dialog answer with this path.

    The dialog before an export, which asks about a passphrase, is left with the Enter key.
    """

    def go_on(dialog):
        dialog.accept_button.click()
        return dialog.result()

    def answer(path):
        monkeypatch.setattr(ExportDialog, "exec", go_on)
        for dialog in ("getSaveFileName", "getOpenFileName"):
            monkeypatch.setattr(QFileDialog, dialog, lambda *_: (str(path), ""))
        return path

    return answer
