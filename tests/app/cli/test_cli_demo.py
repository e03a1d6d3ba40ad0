import json

import cv2
import numpy as np
import pytest

from app.cli import demo as command
from app.cli.console import ExitCode
from app.cli.demo import JSON_FILE, MODEL_FILE, REPORT_FILE, WINDOW_FILE
from app.demo import run as demo
from lmkl_core.features.presets import DEFAULT_PRESET, load_preset
from lmkl_core.model_file import load_with_manifest
from tests.app.cli.running import run

pytestmark = pytest.mark.light


@pytest.fixture
def demo_run(monkeypatch, demo_result):
    """Let the command reuse one result."""
    monkeypatch.setattr(demo, "run", lambda **_: demo_result)
    return demo_result


def test_that_without_a_command_the_window_opens_and_gives_the_exit_code(tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("app.launch.launch", lambda *values: opened.append(values) or 7)
    file = str(tmp_path / "face.safetensors")
    assert run().exit_code == 7
    run("--source", "demo", "--model", file)
    assert run("fly").exit_code == ExitCode.USAGE
    assert run("doctor", "--fly").exit_code == ExitCode.USAGE
    assert opened == [("", ""), ("demo", file)]


def test_that_a_narrow_terminal_shows_weights_gap_threshold_and_verdicts_uncut(demo_run):
    text = run("demo", env={"COLUMNS": "80"}).stdout
    groups = [item.name for item in demo_run.results]
    labels = ("cluster 3", "optimality gap", "Threshold", "95 %")
    for expected in (*load_preset(DEFAULT_PRESET).view_names, *groups, *labels):
        assert expected in text
    assert "\N{HORIZONTAL ELLIPSIS}" not in text
    (total,) = [line.split() for line in text.splitlines() if "all genuine" in line]
    tallies = [item.tally for item in demo_run.results if not item.is_attack]
    counts = [(tally.n, tally.n_accepted, tally.n_refused) for tally in tallies]
    assert total[2:5] == [str(sum(column)) for column in zip(*counts, strict=True)]


def test_that_standard_output_contains_only_json(demo_run, tmp_path):
    result = run("demo", "--json", "--no-picture", "--output", tmp_path)
    assert result.exit_code == ExitCode.OK
    assert json.loads(result.stdout) == command.as_document(demo_run)


def test_that_the_output_has_the_figures_and_a_model_with_the_same_scores(demo_run, tmp_path):
    folder = tmp_path / "new" / "folder"
    result = run("demo", "--no-picture", "--output", folder)
    assert result.exit_code == ExitCode.OK, result.output
    written = {path.name for path in folder.iterdir()}
    assert written >= {JSON_FILE, MODEL_FILE, REPORT_FILE}
    assert not [name for name in written if name.endswith((WINDOW_FILE, ".partial", ".tmp"))]
    document = json.loads((folder / JSON_FILE).read_text())
    assert document == command.as_document(demo_run)
    for group in document["results"]:
        members = [each for each in document["presentations"] if each["group"] == group["name"]]
        n_accepted = sum(each["verdict"] == "genuine" for each in members)
        assert (group["n"], group["n_accepted"]) == (len(members), n_accepted)
    loaded, manifest = load_with_manifest(folder / MODEL_FILE)
    rng = np.random.default_rng(0)
    views = {view.name: rng.standard_normal((3, view.columns)) for view in manifest.views}
    assert manifest.extra["features"] == demo_run.pad.features
    np.testing.assert_allclose(
        loaded.score_samples(views), demo_run.model.score_samples(views), rtol=1e-12
    )


@pytest.mark.usefixtures("demo_run")
def test_that_the_output_has_a_picture_of_the_real_window_with_this_model(tmp_path):
    result = run("demo", "--output", tmp_path)
    assert result.exit_code == ExitCode.OK, result.output
    assert WINDOW_FILE in result.stdout
    picture = cv2.imread(str(tmp_path / WINDOW_FILE))
    assert picture.shape == (800, 1280, 3)
    assert picture.std() > 20


@pytest.mark.usefixtures("demo_run")
def test_that_without_qt_only_the_picture_is_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "WINDOW_PICTURE_MODULE", "app.qt.there_is_no_such_module")
    (tmp_path / WINDOW_FILE).write_text("of an earlier run")
    result = run("demo", "--output", tmp_path)
    assert result.exit_code == ExitCode.OK
    (sentence,) = result.stderr.splitlines()
    assert WINDOW_FILE in sentence
    assert not (tmp_path / WINDOW_FILE).exists()
    assert WINDOW_FILE not in result.stdout
    assert (tmp_path / REPORT_FILE).exists()


def test_that_a_file_in_place_of_the_folder_is_refused_before_any_fit(tmp_path, monkeypatch):
    monkeypatch.setattr(demo, "run", lambda **_: pytest.fail("fitted"))
    occupied = tmp_path / "occupied"
    occupied.write_text("")
    result = run("demo", "--output", occupied)
    assert result.exit_code == ExitCode.UNWRITABLE
    assert str(occupied) in result.stderr


@pytest.mark.usefixtures("demo_run")
def test_that_an_uncertified_fit_has_its_own_exit_code(monkeypatch):
    monkeypatch.setattr("app.demo.run.CERTIFIED_GAP", -1.0)
    result = run("demo", "--json")
    assert result.exit_code == ExitCode.UNCERTIFIED
    assert "relative gap" in result.stderr
