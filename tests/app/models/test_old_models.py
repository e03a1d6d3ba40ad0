"""Models whose views this version no longer has: refused where views are used, but readable."""

import numpy as np
import pytest

from app.cli.console import ExitCode
from app.models.files import load
from lmkl_core import LocalisedMKL
from lmkl_core.errors import ModelFileError
from lmkl_core.features.extractor import preset_fingerprint
from lmkl_core.features.presets import load_preset
from lmkl_core.features.weights import entry_of
from lmkl_core.model_file import save_model
from tests.app.cli.running import refused, run

LITE0 = entry_of("efficientnet-lite0").sha256
PACKAGED_MOBILENET = "2f518e773d4402dde55f981ae3078a72ba95c3adccae1d55051a4be844d50197"


def crop(name, size, centre, side):
    return {"name": name, "size": size, "centre": centre, "side": side, "of": "face"}


def branch(network, crops, layers):
    options = {"pooling": "std", "photometry": "none", "normalisation": "l2"}
    return {"network": network, "crops": crops, "layers": layers, **options}


OLD_TEXTURE = {
    "format": 1,
    "preset": {
        "name": "texture",
        "crops": [
            crop("face", 224, [0.5, 0.5], 1.0),
            crop("wide", 224, [0.5, 0.5], 1.6),
            crop("mouth", 128, [0.5, 0.82], 0.5),
            crop("eyes", 128, [0.5, 0.46], 0.6),
        ],
        "branches": [
            branch("efficientnet-lite0", ["face", "wide"], ["block4", "block7"]),
            branch("mobilenet-v2", ["face", "wide", "mouth", "eyes"], ["layer13", "layer17"]),
        ],
    },
    "weights": {"efficientnet-lite0": LITE0, "mobilenet-v2": PACKAGED_MOBILENET},
}
NEW_TEXTURE = {
    "format": 1,
    "preset": preset_fingerprint(load_preset("texture")),
    "weights": {"efficientnet-lite0": LITE0},
}


def model_of(features, path):
    """Save a model as an earlier version did."""
    names = [
        f"{name}/{branch['network']}.{layer}"
        for branch in features["preset"]["branches"]
        for name in branch["crops"]
        for layer in branch["layers"]
    ]
    random = np.random.default_rng(0)
    views = {name: 1 + 0.1 * random.normal(size=(12, 5)) for name in names}
    estimator = LocalisedMKL(n_clusters=2, delta=0.1, random_state=0).fit(views)
    save_model(estimator, path, extra={"features": features})
    return path


@pytest.fixture
def old(tmp_path):
    return model_of(OLD_TEXTURE, tmp_path / "old.safetensors")


def test_that_an_old_model_is_refused_only_where_views_are_in_use(old):
    model = load(old)
    assert (len(model.view_names), model.features) == (12, OLD_TEXTURE)
    with pytest.raises(ModelFileError, match="'texture' have changed"):
        load(old, NEW_TEXTURE)


@pytest.mark.parametrize(
    "arguments",
    ["score {old} demo -q", "enrol demo --add-to {old} -o x.safetensors -q"],
    ids=["score", "enrol"],
)
def test_that_commands_refuse_an_old_model_before_networks_are_prepared(
    old, arguments, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("app.cli.models.make_pipeline", None)
    result = run(*(argument.format(old=old) for argument in arguments.split()))
    assert "'texture' have changed" in refused(result, ExitCode.BAD_MODEL)


def test_that_the_scorer_of_an_old_model_can_be_exported(old, tmp_path):
    result = run("export", old, "--to", tmp_path / "old.onnx", "-q")
    assert (result.exit_code, result.output) == (0, "")


def test_that_a_model_of_an_own_preset_with_other_weights_is_refused_before_they_are_sought(
    tmp_path,
):
    own = {**OLD_TEXTURE, "preset": {**OLD_TEXTURE["preset"], "name": "mine"}}
    path = model_of(own, tmp_path / "old.safetensors")
    message = refused(run("score", path, "demo", "-q"), ExitCode.BAD_MODEL)
    assert "weights of mobilenet-v2 have changed" in message
