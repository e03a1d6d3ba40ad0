"""Fixtures of the Qt tests: fresh folders, the demo, a model, the window."""

import threading
from functools import partialmethod
from unittest.mock import Mock

import pytest
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from app.demo.source import DemoSource
from app.models.files import save
from app.models.fitting import fitted
from app.qt.app import make_window
from app.qt.garbage import collect_on_this_thread
from app.qt.model_dialogs import ExportDialog
from app.qt.state import NetworksState, SourceState
from app.session.scoring import score_frame, thumbnail_of
from app.session.session import Session
from app.settings import Settings
from app.types import Sample
from app.vision.pipeline import make_pipeline
from lmkl_core.features.extractor import Extractor
from lmkl_core.features.presets import load_preset
from tests.qt.driving import N_RECORDED, PATIENCE, PLAN, Driver, activated, apply_theme
from tests.qt.tidiness import expect_log, nothing_is_left

__all__ = ["expect_log", "nothing_is_left"]


class PatientBot(QtBot):
    """Wait longer than the five seconds of pytest-qt, because the machine may be busy."""

    waitExposed = partialmethod(QtBot.waitExposed, timeout=PATIENCE)
    waitSignal = partialmethod(QtBot.waitSignal, timeout=PATIENCE)
    waitSignals = partialmethod(QtBot.waitSignals, timeout=PATIENCE)
    waitUntil = partialmethod(QtBot.waitUntil, timeout=PATIENCE)


@pytest.fixture(scope="session")
def qapp(qapp):
    """Set theme and style sheet, so that widgets look the same in any order of the tests."""
    collect_on_this_thread()
    apply_theme("light")
    return qapp


@pytest.fixture(autouse=True)
def light_theme():
    """Restore the light theme after a test; a whole window may follow the dark one of a system."""
    yield
    if QApplication.instance() is not None:
        apply_theme("light")


@pytest.fixture
def qtbot(qapp, request):
    return PatientBot(request)


@pytest.fixture(autouse=True)
def fresh_folders(monkeypatch, tmp_path_factory):
    """Give every test its own settings and data; the cache of the networks is shared."""
    folder = tmp_path_factory.mktemp("person")
    monkeypatch.setenv("LMKL_PAD_CONFIG", str(folder / "config"))
    monkeypatch.setenv("LMKL_PAD_DATA", str(folder / "data"))
    return folder


@pytest.fixture(autouse=True)
def patient_end(monkeypatch):
    """Give threads time to end on a busy machine."""
    monkeypatch.setattr("app.qt.workers.worker.STOP_MILLISECONDS", PATIENCE)


@pytest.fixture(scope="session")
def demo():
    """Return the demo with few pictures; all tests share its recordings."""
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
    """Return a function that shows a widget, resized if a size is given, and returns it."""

    def show(widget, *size):
        qtbot.addWidget(widget)
        if size:
            widget.resize(*size)
        with qtbot.waitExposed(widget):
            widget.show()
        qtbot.waitUntil(lambda: activated(widget))  # before shortcuts and the focus
        return widget

    return show


@pytest.fixture
def controller():
    """Return a stand-in for the controller of pages; its session is real and empty."""
    stand_in = Mock(settings=Settings(), session=Session(Settings()))
    stand_in.source.state, stand_in.networks.state = SourceState(), NetworksState()
    stand_in.source.capture.to_show.take.return_value = None
    return stand_in


@pytest.fixture(scope="session")
def seen(demo):
    """Return scored frames of the demo's first two takes and of the person later, by chapter."""
    found = {}
    pipeline = make_pipeline("tiny")
    # Not paced, so that its frames are the same on any machine.
    with DemoSource(paced=False, n_recorded=N_RECORDED) as unpaced:
        for key, n_frames, every in (
            ("window 1", PLAN.frames, 2),
            ("lamp 1", PLAN.frames, 2),
            ("window 6", N_RECORDED, 1),
        ):
            unpaced.present(key)
            pipeline.reset()
            frames = [unpaced.read() for _ in range(every * n_frames)]
            found[key] = [score_frame(pipeline, None, frame) for frame in frames[::every]]
            assert unpaced.chapter.key == key
    for thread in threading.enumerate():
        if thread.name == "demo recorder":
            thread.join()
    for chapter in unpaced.script.presentations:
        demo._reel.insert(chapter, unpaced._reel._pictures[chapter])
    return found


@pytest.fixture(scope="session")
def samples(seen):
    """Return two takes of the demo's person, in two lights."""
    enrolled = [(key.split()[0], s) for key in seen if key != "window 6" for s in seen[key]]
    return tuple(
        Sample(number, light, dict(s.views), s.result.condition, thumbnail_of(s.result), True)
        for number, (light, s) in enumerate(enrolled)
    )


@pytest.fixture(scope="session")
def model(samples):
    """Return a model fitted on the samples."""
    features = Extractor(load_preset("tiny")).fingerprint()
    return fitted(samples, Settings(preset="tiny"), features)


@pytest.fixture(scope="session")
def exported(model, tmp_path_factory):
    """Return the path of the exported model; tests must not change it."""
    path = tmp_path_factory.mktemp("models") / "person.safetensors"
    save(model, path)
    return path


@pytest.fixture
def genuine(seen):
    """Return pictures of the person, without the mark of simulated frames."""
    return [scored.frame.image for scored in seen["window 6"]]


@pytest.fixture
def file_dialogs(monkeypatch):
    """Return a function that lets every file dialog answer with this path.

    The dialog about a passphrase before an export is accepted.
    """

    def accept(dialog):
        dialog.accept_button.click()
        return dialog.result()

    def answer(path):
        monkeypatch.setattr(ExportDialog, "exec", accept)
        for dialog in ("getSaveFileName", "getOpenFileName"):
            monkeypatch.setattr(QFileDialog, dialog, lambda *_: (str(path), ""))
        return path

    return answer
