"""Settings that every test shares."""

import os
import signal

import pytest
from hypothesis import settings

import app  # noqa: F401  (sets limits of OpenCV, before a test imports that)

pytest_plugins = ["tests.fault_table"]

# Before anything imports Qt: tests run on machines without a screen.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# Before any test imports onnxruntime itself, which then reports to Microsoft. That our own code
# does without this is for tests/faults/test_privacy_life.py to see.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

# A shell that starts the tests in the background lets them, and every process they start, ignore
# Ctrl-C; some tests send it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A shared machine makes single examples slow now and then, which says nothing
# about the code; the same examples every time keep a failure reproducible.
settings.register_profile("lmkl-pad", deadline=None, derandomize=True)
settings.load_profile("lmkl-pad")


def pytest_ignore_collect(collection_path, config):
    """With ``-m light``, leave modules without such tests alone: some import torch."""
    if config.option.markexpr != "light" or collection_path.suffix != ".py":
        return None
    return "pytest.mark.light" not in collection_path.read_text(encoding="utf-8") or None


@pytest.fixture(scope="session", autouse=True)
def own_folders(tmp_path_factory):
    """Keep every test away from the person's own cache, weights, settings and data."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LMKL_PAD_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("LMKL_PAD_WEIGHTS", str(tmp_path_factory.mktemp("weights")))
        patch.setenv("LMKL_PAD_CONFIG", str(tmp_path_factory.mktemp("config")))
        patch.setenv("LMKL_PAD_DATA", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture(scope="session")
def recordings(tmp_path_factory):
    """Return a folder with two genuine videos and one of an attack, as databases have them."""
    from app.demo.script import Take
    from tools.recordings import write_recordings

    folder = tmp_path_factory.mktemp("recordings")
    takes = [Take("P001", condition=light, seed=1, n_frames=24) for light in ("office", "lamp")]
    write_recordings(folder, [*takes, Take("P001", "print", "office", 21, n_frames=24)])
    return folder
