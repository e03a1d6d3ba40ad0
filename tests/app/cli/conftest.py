"""Recordings of a generated person, and a model enrolled from them by the command itself."""

import pytest

from tests.app.cli.running import run


@pytest.fixture(scope="session")
def genuine(recordings):
    return sorted((recordings / "P001" / "bonafide").glob("*.avi"))


@pytest.fixture(scope="session")
def attack(recordings):
    return next((recordings / "P001" / "attack-print").glob("*.avi"))


@pytest.fixture(scope="session")
def model_file(genuine, tmp_path_factory):
    """Return a model of the smallest preset, fitted on the genuine videos."""
    path = tmp_path_factory.mktemp("model") / "face.safetensors"
    result = run("enrol", *genuine, "--every", 0.06, "--preset", "tiny", "-o", path, "-q")
    assert (result.exit_code, result.output) == (0, "")
    return path
