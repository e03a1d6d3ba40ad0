"""Commands refuse models whose views this version no longer has, before networks are prepared."""

import pytest

from app.cli.console import ExitCode
from lmkl_core.features.extractor import preset_fingerprint
from lmkl_core.features.presets import load_preset
from tests.app.cli.running import refused, run
from tests.app.models.small_models import FEATURES, file_with

OLD_TEXTURE = FEATURES | {"preset": FEATURES["preset"] | {"name": "texture"}}
OWN_PRESET = FEATURES | {"preset": preset_fingerprint(load_preset("tiny")) | {"name": "mine"}}


@pytest.fixture(autouse=True)
def in_own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("app.cli.models.make_pipeline", None)


@pytest.mark.parametrize(
    "command",
    ["score old.safetensors demo", "enrol demo --add-to old.safetensors -o new.safetensors"],
)
def test_that_a_model_of_a_preset_that_has_changed_is_refused(command, tmp_path):
    file_with(tmp_path / "old.safetensors", features=OLD_TEXTURE)
    message = refused(run(*command.split(), "-q"), ExitCode.BAD_MODEL)
    assert "'texture' have changed" in message


@pytest.mark.parametrize("network", ["efficientnet-lite0", "removed-network"])
def test_that_a_model_of_an_own_preset_with_other_weights_is_refused(network, tmp_path):
    features = OWN_PRESET | {"weights": {network: "ab" * 32}}
    file_with(tmp_path / "old.safetensors", features=features)
    message = refused(run("score", "old.safetensors", "demo", "-q"), ExitCode.BAD_MODEL)
    assert f"weights of {network} have changed" in message
