"""Recordings of a generated person, and a model enrolled from them by the command itself."""

import pytest

from app.demo.script import Take
from tests.app.cli.running import run
from tools.recordings import write_recordings

N_FRAMES = 24
GENUINE = tuple(
    Take("P001", condition=light, seed=1, n_frames=N_FRAMES) for light in ("office", "lamp")
)
ATTACK = Take("P001", "print", "office", 21, N_FRAMES)


@pytest.fixture(scope="session")
def recordings(tmp_path_factory):
    """Return a folder with two genuine videos and one of an attack, as databases have them."""
    folder = tmp_path_factory.mktemp("recordings")
    write_recordings(folder, (*GENUINE, ATTACK))
    return folder


@pytest.fixture(scope="session")
def genuine(recordings):
    """Return the genuine videos."""
    return sorted((recordings / "P001" / "bonafide").glob("*.avi"))


@pytest.fixture(scope="session")
def attack(recordings):
    """Return the video of the attack."""
    return next((recordings / "P001" / "attack-print").glob("*.avi"))


@pytest.fixture(scope="session")
def model_file(genuine, tmp_path_factory):
    """Return a model of the smallest preset, fitted on the genuine videos."""
    path = tmp_path_factory.mktemp("model") / "face.safetensors"
    result = run("enrol", *genuine, "--every", 0.06, "--preset", "tiny", "-o", path, "-q")
    assert (result.exit_code, result.output) == (0, "")
    return path
