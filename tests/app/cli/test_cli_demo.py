import json

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from app.cli import demo as command
from app.cli.console import ExitCode
from app.cli.demo import JSON_FILE, MODEL_FILE, REPORT_FILE, WINDOW_FILE
from app.cli.main import cli
from app.demo import run as demo
from lmkl_core.features.presets import DEFAULT_PRESET, load_preset
from lmkl_core.model_file import load_with_manifest
from tests.app.cli.running import run as run_command

pytestmark = pytest.mark.light


@pytest.fixture
def result(monkeypatch, demo_result):
    """Return one fit that commands which only print or write reuse."""
    monkeypatch.setattr(demo, "run", lambda **_: demo_result)
    return demo_result


@pytest.fixture
def asked(monkeypatch):
    """Return what the window would have been opened with."""
    calls = []
    monkeypatch.setattr("app.launch.launch", lambda *values: calls.append(values) or 7)
    return calls


def test_that_without_a_command_the_window_opens_and_gives_the_exit_code(asked, tmp_path):
    file = str(tmp_path / "face.safetensors")
    assert run_command().exit_code == 7
    run_command("--source", "demo", "--model", file)
    assert run_command("fly").exit_code == ExitCode.USAGE
    assert run_command("doctor", "--fly").exit_code == ExitCode.USAGE
    assert asked == [("", ""), ("demo", file)]


def test_that_the_demo_prints_weights_gap_threshold_and_verdicts(result):
    text = run_command("demo").stdout
    views = load_preset(DEFAULT_PRESET).view_names
    for expected in (
        *views,
        "cluster 3",
        *(item.name for item in result.results),
        "optimality gap",
        "Threshold",
        "95 %",
    ):
        assert expected in text


@pytest.mark.usefixtures("result")
def test_that_no_cell_of_the_demos_tables_is_cut_in_a_narrow_terminal():
    narrow = CliRunner(env={"COLUMNS": "80", "TERM": "dumb", "NO_COLOR": "1"})
    assert "\N{HORIZONTAL ELLIPSIS}" not in narrow.invoke(cli, ["demo"]).stdout


def test_that_json_is_all_that_standard_output_holds(result, tmp_path):
    run = run_command("demo", "--json", "--no-picture", "--output", str(tmp_path))
    assert run.exit_code == ExitCode.OK
    assert json.loads(run.stdout) == command.as_document(result)


def test_that_output_holds_the_figures_and_a_model_that_scores_the_same(result, tmp_path):
    folder = tmp_path / "new" / "folder"
    run = run_command("demo", "--no-picture", "--output", str(folder))
    assert run.exit_code == ExitCode.OK, run.output
    written = {path.name for path in folder.iterdir()}
    assert written >= {JSON_FILE, MODEL_FILE, REPORT_FILE}
    assert WINDOW_FILE not in written
    assert not [name for name in written if name.endswith((".partial", ".tmp"))]
    assert json.loads((folder / JSON_FILE).read_text()) == command.as_document(result)
    loaded, manifest = load_with_manifest(folder / MODEL_FILE)
    rng = np.random.default_rng(0)
    views = {view.name: rng.standard_normal((3, view.columns)) for view in manifest.views}
    assert manifest.extra["features"] == result.pad.features
    np.testing.assert_allclose(
        loaded.score_samples(views), result.model.score_samples(views), rtol=1e-12
    )


@pytest.mark.usefixtures("result")
def test_that_output_holds_a_picture_of_the_real_window_with_this_model(tmp_path):
    run = run_command("demo", "--output", str(tmp_path))
    assert run.exit_code == ExitCode.OK, run.output
    assert WINDOW_FILE in run.stdout
    picture = cv2.imread(str(tmp_path / WINDOW_FILE))
    assert picture.shape == (800, 1280, 3)
    assert picture.std() > 20


@pytest.mark.usefixtures("result")
def test_that_without_qt_the_rest_is_there_and_one_sentence_says_why(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "WINDOW_PICTURE_MODULE", "app.qt.there_is_no_such_module")
    (tmp_path / WINDOW_FILE).write_text("of an earlier run")
    run = run_command("demo", "--output", str(tmp_path))
    assert run.exit_code == ExitCode.OK
    assert run.stderr.startswith("There is no picture of the window, because Qt could not")
    assert run.stderr.count("\n") == 1
    assert not (tmp_path / WINDOW_FILE).exists()
    assert WINDOW_FILE not in run.stdout
    assert (tmp_path / REPORT_FILE).exists()


def test_that_a_file_in_the_place_of_the_folder_is_refused_before_any_fit(tmp_path, monkeypatch):
    monkeypatch.setattr(demo, "run", lambda **_: pytest.fail("fitted"))
    occupied = tmp_path / "occupied"
    occupied.write_text("")
    run = run_command("demo", "--output", str(occupied))
    assert run.exit_code == ExitCode.UNWRITABLE
    assert str(occupied) in run.stderr


def test_that_a_fit_that_fails_gives_its_reason_in_one_line(monkeypatch):
    def fail(**_):
        raise ValueError("delta must be positive")

    monkeypatch.setattr(demo, "run", fail)
    run = run_command("demo")
    assert run.exit_code == ExitCode.FAILED
    assert run.stderr == "The demo could not be run: delta must be positive\n"


@pytest.mark.usefixtures("result")
def test_that_an_uncertified_fit_has_its_own_exit_code(monkeypatch):
    monkeypatch.setattr("app.demo.run.CERTIFIED_GAP", -1.0)
    run = run_command("demo", "--json")
    assert run.exit_code == ExitCode.UNCERTIFIED
    assert "relative gap" in run.stderr
