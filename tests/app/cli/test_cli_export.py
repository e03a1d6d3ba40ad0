"""``lmkl-pad export``: the exported scorer, and refusals that leave older files alone."""

import json
import re
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest

from app.cli.console import ExitCode
from app.models import onnx_export
from app.models.files import load, save
from lmkl_core.features.scorer_onnx import ParityError
from tests.app.cli.running import ROOT, run
from tests.app.models.small_models import FEATURES, window_model

pytestmark = pytest.mark.light


@pytest.fixture
def model(tmp_path):
    return save(window_model(), tmp_path / "face.safetensors").model


def export(model, to, *options):
    return run("export", model.path, "--to", to, *options)


def test_that_the_onnx_scorer_decides_as_the_model_and_names_it(model, tmp_path):
    file = tmp_path / "face.onnx"
    result = export(model, file)
    assert result.exit_code == ExitCode.OK, result.output
    assert re.search(r"\d+ scores.* differ by at most", result.stdout)
    session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
    views = model.estimator.support_views()
    score, accepted = session.run(["score", "accepted"], views)
    np.testing.assert_allclose(score, model.estimator.score_samples(views), atol=1e-5)
    np.testing.assert_array_equal(accepted, score >= model.threshold)
    facts = {item.key: item.value for item in onnx.load(file).metadata_props}
    assert facts["model_digest"] == load(model.path).digest
    assert float(facts["threshold"]) == model.threshold
    assert facts["threshold_origin"] == model.estimator.calibration_.origin
    assert json.loads(facts["features"]) == FEATURES
    assert [view["name"] for view in json.loads(facts["views"])] == list(model.view_names)
    assert (facts["format"], facts["format_version"]) == ("lmkl-pad scorer", "1")


def test_that_standard_output_contains_only_json(model, tmp_path):
    result = export(model, tmp_path / "face.onnx", "--json")
    document = json.loads(result.stdout)
    assert document["format"] == "onnx"
    assert document["bytes"] == (tmp_path / "face.onnx").stat().st_size
    assert 0 <= document["parity"]["largest_difference"] <= document["parity"]["limit"]
    assert document["parity"]["n_compared"] > 100


def test_that_another_suffix_needs_a_format(model, tmp_path):
    assert export(model, tmp_path / "face.bin").exit_code == ExitCode.USAGE
    assert not (tmp_path / "face.bin").exists()
    assert export(model, tmp_path / "face.bin", "--format", "onnx").exit_code == ExitCode.OK
    onnx.load(tmp_path / "face.bin")


def test_that_a_model_is_never_overwritten_by_its_scorer(model):
    before = Path(model.path).read_bytes()
    assert export(model, model.path, "--format", "onnx").exit_code == ExitCode.USAGE
    assert Path(model.path).read_bytes() == before


def test_that_a_failed_comparison_leaves_the_older_file(model, tmp_path, monkeypatch):
    older = tmp_path / "face.onnx"
    older.write_text("older")

    def differ(*_):
        raise ParityError("The exported graph differs from the model by 1.0e+00, more than 1e-04")

    monkeypatch.setattr(onnx_export, "compare", differ)
    result = export(model, older)
    assert result.exit_code == ExitCode.BAD_MODEL
    assert "differs" in result.stderr
    assert older.read_text() == "older"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["face.onnx", "face.safetensors"]


def test_that_a_full_disk_has_its_own_exit_code(model, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(onnx_export, "write_atomically", full)
    result = export(model, tmp_path / "face.onnx")
    assert result.exit_code == ExitCode.UNWRITABLE
    assert "No space left" in result.stderr


def test_that_the_example_in_the_documentation_runs(model, tmp_path, monkeypatch, capsys):
    text = (ROOT / "docs" / "files.md").read_text(encoding="utf-8")
    section = text.partition("## The scorer without this library")[2]
    code = re.search(r"```python\n(.*?)```", section, re.DOTALL)[1]
    export(model, tmp_path / "model.onnx")
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "docs/files.md", "exec"), {})
    scores, threshold = capsys.readouterr().out.splitlines()
    assert scores.endswith("[False False]")
    assert float(threshold) == model.threshold
