"""Settings and fixtures for all tests."""

import gc
import os
import signal

import pytest
from hypothesis import settings

import app  # noqa: F401  (sets limits of OpenCV, before a test imports that)

pytest_plugins = ["tests.fault_table"]

# Before anything imports Qt: tests run on machines without a screen.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# Before any test imports onnxruntime itself, which then reports to Microsoft. That our own code
# does not need this is tested in tests/faults/test_privacy_life.py.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

# Before any test imports scikit-learn: waiting threads that spin triple the time of its neighbour
# searches on a busy machine.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

# Started in the background of a shell, the tests and their child processes would ignore Ctrl-C,
# which some tests send.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No deadline, as single examples are slow on a busy machine; the same examples every time, so that
# failures are reproducible.
settings.register_profile("lmkl-pad", deadline=None, derandomize=True)
settings.load_profile("lmkl-pad")


def pytest_ignore_collect(collection_path, config):
    """With ``-m light``, skip modules without such tests: some import torch."""
    if config.option.markexpr != "light" or collection_path.suffix != ".py":
        return None
    return "pytest.mark.light" not in collection_path.read_text(encoding="utf-8") or None


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown():
    """Collect garbage if a window's event loop has to do it: between tests none runs."""
    if not gc.isenabled():
        from app.qt.garbage import collect

        collect()


@pytest.fixture(scope="session", autouse=True)
def own_folders(tmp_path_factory):
    """Keep the tests away from the user's cache, weights, settings and data."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("cache", "weights", "config", "data"):
            patch.setenv(f"LMKL_PAD_{name.upper()}", str(tmp_path_factory.mktemp(name)))
        yield


@pytest.fixture(scope="session")
def recordings(tmp_path_factory):
    """Return a folder with two genuine videos and one of an attack, laid out like a database."""
    from app.demo.script import Take
    from tools.recordings import write_recordings

    folder = tmp_path_factory.mktemp("recordings")
    takes = [Take("P001", condition=light, seed=1, n_frames=24) for light in ("office", "lamp")]
    write_recordings(folder, [*takes, Take("P001", "print", "office", 21, n_frames=24)])
    return folder
