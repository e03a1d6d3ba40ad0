"""``lmkl-pad export``: files that were compared, sentences where there are none."""

import json
import re
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from typer.testing import CliRunner

from app.cli.console import ExitCode
from app.cli.main import cli
from app.models import onnx_export
from app.models.files import load, save
from lmkl_core.features.scorer_onnx import ParityError
from tests.app.models.small_models import FEATURES, window_model

pytestmark = pytest.mark.light

RUNNER = CliRunner(env={"COLUMNS": "160", "TERM": "dumb", "NO_COLOR": "1"})
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def model(tmp_path):
    return save(window_model(), tmp_path / "face.safetensors").model


def export(model, to, *options):
    return RUNNER.invoke(cli, ["export", model.path, "--to", str(to), *options])


def test_that_the_scorer_in_onnx_decides_as_the_model(model, tmp_path):
    run = export(model, tmp_path / "face.onnx")
    assert run.exit_code == ExitCode.OK, run.output
    assert re.search(r"Compared in onnxruntime: \d+ scores.* differ by at most", run.stdout)
    session = onnxruntime.InferenceSession(
        tmp_path / "face.onnx", providers=["CPUExecutionProvider"]
    )
    views = model.estimator.support_views()
    score, accepted = session.run(["score", "accepted"], views)
    np.testing.assert_allclose(score, model.estimator.score_samples(views), atol=1e-5)
    np.testing.assert_array_equal(accepted, score >= model.threshold)


def test_that_the_file_says_what_it_was_made_from(model, tmp_path):
    export(model, tmp_path / "face.onnx")
    proto = onnx.load(tmp_path / "face.onnx")
    told = {item.key: item.value for item in proto.metadata_props}
    assert told["model_digest"] == load(model.path).digest
    assert float(told["threshold"]) == model.threshold
    assert told["threshold_origin"] == model.estimator.calibration_.origin
    assert json.loads(told["features"]) == FEATURES
    assert [view["name"] for view in json.loads(told["views"])] == list(model.view_names)
    assert (told["format"], told["format_version"]) == ("lmkl-pad scorer", "1")


def test_that_json_is_all_that_standard_output_holds(model, tmp_path):
    run = export(model, tmp_path / "face.onnx", "--json")
    told = json.loads(run.stdout)
    assert told["format"] == "onnx"
    assert told["bytes"] == (tmp_path / "face.onnx").stat().st_size
    assert 0 <= told["parity"]["largest_difference"] <= told["parity"]["limit"]
    assert told["parity"]["n_compared"] > 100


def test_that_the_format_can_be_given_where_the_name_does_not_tell(model, tmp_path):
    assert export(model, tmp_path / "face.bin").exit_code == ExitCode.USAGE
    assert not (tmp_path / "face.bin").exists()
    assert export(model, tmp_path / "face.bin", "--format", "onnx").exit_code == ExitCode.OK
    onnx.load(tmp_path / "face.bin")


def test_that_a_model_is_never_overwritten_by_its_scorer(model):
    before = Path(model.path).read_bytes()
    run = export(model, model.path, "--format", "onnx")
    assert run.exit_code == ExitCode.USAGE
    assert Path(model.path).read_bytes() == before


def test_that_a_failed_comparison_leaves_the_older_file(model, tmp_path, monkeypatch):
    older = tmp_path / "face.onnx"
    older.write_text("older")

    def differ(*_):
        raise ParityError("The exported graph differs from the model by 1.0e+00, more than 1e-04")

    monkeypatch.setattr(onnx_export, "compare", differ)
    run = export(model, older)
    assert run.exit_code == ExitCode.BAD_MODEL
    assert "differs" in run.stderr
    assert "nothing was written" in run.stderr
    assert older.read_text() == "older"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["face.onnx", "face.safetensors"]


def test_that_a_disk_that_refuses_has_its_own_exit_code(model, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(onnx_export, "write_atomically", full)
    run = export(model, tmp_path / "face.onnx")
    assert run.exit_code == ExitCode.UNWRITABLE
    assert "No space left" in run.stderr


def test_that_the_lines_in_the_documentation_run(model, tmp_path, monkeypatch, capsys):
    text = (ROOT / "docs" / "files.md").read_text(encoding="utf-8")
    section = text.partition("## The scorer without this library")[2]
    code = re.search(r"```python\n(.*?)```", section, re.DOTALL)[1]
    assert len(code.splitlines()) <= 12
    export(model, tmp_path / "model.onnx")
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "docs/files.md", "exec"), {})
    scores, threshold = capsys.readouterr().out.splitlines()
    assert scores.endswith("[False False]")
    assert float(threshold) == model.threshold
