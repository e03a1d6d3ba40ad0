"""``lmkl-pad score`` on real recordings."""

import csv
import io
import json
import re
import shutil
import signal
import sys

import numpy as np
import pytest

from app.capture.opencv import cv2
from app.capture.video import VideoFile
from app.cli.console import ExitCode
from app.cli.contact_sheet import TILE
from app.cli.score import COLUMNS, InputResult
from app.models.files import load
from app.types import Familiarity, ScoredFrame, Verdict
from app.vision.pipeline import make_pipeline
from lmkl_core.features.liveness import LIVENESS, LivenessMeter
from lmkl_core.model_file import load_with_manifest, save_model
from tests.app.cli.running import interrupted, refused, run

pytestmark = pytest.mark.light

EVERY = ("--every", 4)
N_SCORED = 6  # every fourth frame of a recording


@pytest.fixture(scope="module")
def expected(model_file, genuine, attack):
    """Return time and score of every fourth frame, computed with the library alone."""
    model, _ = load_with_manifest(model_file)
    pipeline = make_pipeline("tiny")
    rows = {}
    for path in (*genuine, attack):
        pipeline.reset()
        with VideoFile(path, paced=False) as video:
            for frame in video:
                if frame.number % 4 == 0:
                    views = pipeline.process(frame).views
                    score = float(model.score_samples(views)[0])
                    rows[str(path), frame.number] = frame.time, score
    return rows


def check_rows(rows, expected, threshold):
    assert {(row["source"], int(row["frame"])) for row in rows} == set(expected)
    for row in rows:
        time, score = expected[row["source"], int(row["frame"])]
        assert float(row["time"]) == pytest.approx(time, abs=1e-6)
        assert float(row["score"]) == pytest.approx(score, rel=1e-6)
        assert float(row["threshold"]) == threshold
        assert row["status"] == "scored"
        assert (row["verdict"] == "genuine") is (float(row["score"]) >= threshold)


def test_that_the_csv_rows_of_a_folder_are_the_librarys_scores(
    model_file, recordings, expected, tmp_path
):
    file = tmp_path / "new" / "rows.csv"
    result = run("score", model_file, recordings, *EVERY, "-o", file)
    assert result.exit_code == ExitCode.OK, result.output
    with file.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert tuple(rows[0]) == COLUMNS
    check_rows(rows, expected, load(model_file).threshold)
    assert "Threshold" in result.stdout


def test_that_json_lines_have_the_frames_and_then_the_input(model_file, genuine, attack, expected):
    result = run("score", model_file, *genuine, attack, *EVERY, "--format", "jsonl", "-q")
    assert result.exit_code == ExitCode.OK
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["kind"] for line in lines] == (["frame"] * N_SCORED + ["input"]) * 3
    rows = [line for line in lines if line["kind"] == "frame"]
    check_rows(rows, expected, load(model_file).threshold)
    inputs = [line for line in lines if line["kind"] == "input"]
    for line in inputs:
        scores = [score for (path, _), (_, score) in expected.items() if path == line["source"]]
        assert line["mean_score"] == pytest.approx(np.mean(scores), rel=1e-6)
        assert (line["n_frames"], line["n_scored"]) == (N_SCORED, N_SCORED)
    assert [line["verdict"] for line in inputs] == ["genuine", "genuine", "attack"]


def test_that_rows_on_standard_output_are_not_mixed_with_the_table(model_file, attack):
    result = run("score", model_file, attack, *EVERY, "--format", "csv")
    assert len(list(csv.DictReader(io.StringIO(result.stdout)))) == N_SCORED
    assert "attack" in result.stderr


def test_that_json_is_one_document_of_inputs(model_file, genuine, tmp_path):
    rows = tmp_path / "rows.jsonl"
    few = ("--every", 2, "--frames", 5)
    result = run("score", model_file, genuine[0], *few, "--json", "-o", rows)
    document = json.loads(result.stdout)
    assert document["model"]["digest"] == load(model_file).digest
    (summary,) = document["inputs"]
    assert (summary["verdict"], summary["n_frames"], summary["error"]) == ("genuine", 5, None)
    numbers = [json.loads(line)["frame"] for line in rows.read_text().splitlines()[:-1]]
    assert numbers == [2, 6, 12, 16, 20]  # evenly spread over 0, 2, ... 22


def test_that_the_demo_is_reported_as_simulated(model_file, attack):
    result = run("score", model_file, "demo", attack, "--frames", 1, "--json")
    assert [item["is_simulated"] for item in json.loads(result.stdout)["inputs"]] == [True, False]


def test_that_frames_without_a_face_have_a_status_and_a_reason_but_no_score(model_file, tmp_path):
    wall = np.random.default_rng(0).integers(90, 160, (240, 320, 3), np.uint8)
    cv2.imwrite(str(tmp_path / "wall.png"), wall)
    result = run("score", model_file, tmp_path / "wall.png", "--format", "csv", "-q")
    (row,) = csv.DictReader(io.StringIO(result.stdout))
    assert (row["status"], row["verdict"], row["score"]) == ("no face", "no face", "")
    assert row["reason"]
    assert result.exit_code == ExitCode.NO_FRAMES


def test_that_the_pictures_of_a_folder_are_one_input_or_separate_ones(
    model_file, genuine, tmp_path
):
    with VideoFile(genuine[0], paced=False) as video:
        for frame in video:
            if frame.number in (2, 10, 20):
                image = cv2.cvtColor(frame.image, cv2.COLOR_RGB2BGR)
                cv2.imwrite(str(tmp_path / f"{frame.number}.png"), image)
    together = json.loads(run("score", model_file, tmp_path, "--json").stdout)["inputs"]
    assert [(item["source"], item["n_scored"]) for item in together] == [(str(tmp_path), 3)]
    apart = json.loads(run("score", model_file, tmp_path, "--apart", "--json").stdout)["inputs"]
    names = [str(tmp_path / f"{number}.png") for number in (2, 10, 20)]
    assert [item["source"] for item in apart] == names
    mean = np.mean([item["mean_score"] for item in apart])
    assert mean == pytest.approx(together[0]["mean_score"])
    assert {item["verdict"] for item in apart} <= {"genuine", "attack", "unfamiliar conditions"}


@pytest.mark.parametrize(
    ("scores", "score", "verdict"),
    [
        ([0.5], 0.5, Verdict.GENUINE),
        ([0.4, 0.5, 0.4], pytest.approx(1.3 / 3), Verdict.ATTACK),
        ([0.9, 0.9, None], None, Verdict.NO_FACE),
        ([0.9, 0.9, 0.9, 0.9, 0.9, None, None], 0.9, Verdict.GENUINE),
        ([None, None], None, Verdict.NO_FACE),
        ([], None, None),
    ],
)
def test_that_few_scored_frames_are_a_response_only_if_all_were_scored(scores, score, verdict):
    result = InputResult("input", 0.5)
    for value in scores:
        accepted = Verdict.GENUINE if value and value >= 0.5 else Verdict.ATTACK
        frame_verdict = Verdict.NO_FACE if value is None else accepted
        result.frames.append(ScoredFrame(frame_verdict, score=value))
    facts = result.facts()
    assert (facts["mean_score"], facts["verdict"]) == (score, verdict and verdict.value)


def test_that_names_are_not_taken_for_markup(model_file, genuine, tmp_path):
    odd = shutil.copy(genuine[0], tmp_path / "[b]日[.avi")
    result = run("score", model_file, odd, "--frames", 5)
    assert result.exit_code == ExitCode.OK, result.output
    assert "[b]日[.avi" in "".join(result.stdout.split())


def test_that_a_narrow_terminal_folds_names_but_not_results(model_file, genuine):
    result = run("score", model_file, genuine[0], "--frames", 5, env={"COLUMNS": "44"})
    for expected in ("genuine", "5 of 5", f"{load(model_file).threshold:.4f}"):
        assert expected in result.stdout
    assert "…" not in result.stdout.partition("──")[2]  # below the headings


class FixedMeter:
    crops = LIVENESS.crops

    def __call__(self, crops):
        return 0.25


def test_that_liveness_and_reasons_are_reported_for_frames_and_inputs(
    model_file, genuine, attack, tmp_path, monkeypatch
):
    monkeypatch.setattr(LivenessMeter, "find", lambda *_, **__: FixedMeter())
    file = tmp_path / "rows.csv"
    result = run("score", model_file, genuine[0], attack, "--frames", 5, "-o", file)
    assert "25 %" in result.stdout
    with file.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert all(row["liveness"] == "0.25" and row["reason"] for row in rows)
    result = run("score", model_file, genuine[0], attack, "--frames", 5, "--json")
    inputs = json.loads(result.stdout)["inputs"]
    assert [item["mean_liveness"] for item in inputs] == [0.25, 0.25]
    assert inputs[0]["reason"]
    assert inputs[0]["reason"] in run("score", model_file, genuine[0], "--frames", 5).stdout


def test_that_an_input_in_unfamiliar_light_is_judged_by_its_mean_liveness():
    strange = Familiarity(2.0, "window", ("the room is darker",), 2.0, 0.0)
    for liveness, verdict in ((0.9, Verdict.UNFAMILIAR), (0.1, Verdict.ATTACK)):
        frames = [ScoredFrame(Verdict.ATTACK, "", 0.4, liveness=liveness, familiarity=strange)] * 2
        result = InputResult("input", 0.5, frames)
        assert result.facts()["verdict"] == verdict.value
        assert "the room is darker" in result.facts()["reason"]
        assert result.facts()["mean_liveness"] == pytest.approx(liveness)


def test_that_the_strip_shows_the_highest_and_lowest_scores_once(
    model_file, genuine, attack, tmp_path
):
    file = tmp_path / "strip.jpg"
    options = (*EVERY, "--strip", file, "--tiles", 3, "-q")
    result = run("score", model_file, genuine[0], attack, *options)
    assert (result.exit_code, result.output) == (ExitCode.OK, "")
    green, red = tiles_in(file)
    assert (green, red) == ([3, 0], [0, 3])
    file = tmp_path / "strip.png"
    run("score", model_file, genuine[0], "--frames", 5, "--strip", file, "-q")
    assert np.add(*tiles_in(file)).tolist() == [3, 2]


def tiles_in(file):
    """Count green and red tiles in the upper and lower half: lines of colour as wide as a tile."""
    red, green, blue = np.moveaxis(cv2.imread(str(file), cv2.IMREAD_COLOR_RGB), 2, 0)
    masks = ((green > 100) & (red < 60), (red > 160) & (green < 80) & (blue < 80))
    line = re.compile(rb"\x01{%d,}" % TILE)
    return [
        [max(len(line.findall(row.tobytes())) for row in half) for half in np.array_split(mask, 2)]
        for mask in masks
    ]


def test_that_other_inputs_are_scored_beside_an_unreadable_one(model_file, attack, tmp_path):
    text = tmp_path / "text.avi"
    text.write_text("not a video")
    rows = tmp_path / "rows.csv"
    result = run("score", model_file, text, attack, *EVERY, "-o", rows, "--json")
    assert result.exit_code == ExitCode.BAD_INPUT
    broken, whole = json.loads(result.stdout)["inputs"]
    assert (broken["verdict"], broken["n_frames"]) == (None, 0)
    assert broken["error"] == result.stderr.strip()
    assert "text.avi cannot be read" in broken["error"]
    assert whole["verdict"] == "attack"
    assert len(rows.read_text().splitlines()) == 1 + N_SCORED


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["gone.avi"], ExitCode.BAD_INPUT, "does not exist"),
        (["empty"], ExitCode.BAD_INPUT, "neither pictures nor videos"),
        (["camera"], ExitCode.USAGE, "--frames"),
        (["demo", "-o", "rows.txt"], ExitCode.USAGE, "--format"),
        (["demo", "-o", "rows.csv", "--format", "table"], ExitCode.USAGE, "--format"),
        (["demo", "--format", "csv", "--json"], ExitCode.USAGE, "--output"),
        (["demo", "--strip", "strip.gif"], ExitCode.USAGE, ".png"),
        (["demo", "--preset", "texture"], ExitCode.BAD_MODEL, "'tiny', not 'texture'"),
        (["demo", "-o", "occupied/rows.csv"], ExitCode.UNWRITABLE, "occupied"),
    ],
)
def test_that_unusable_arguments_are_refused_in_one_sentence(
    arguments, code, words, model_file, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "occupied").write_text("")
    assert words in refused(run("score", model_file, *arguments, "-q"), code)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--format", "csv", "-o", "clip.png"],
        ["--strip", "clip.png"],
        ["--format", "jsonl", "-o", "model.safetensors"],
        ["--format", "csv", "-o", "new.png", "--strip", "./new.png"],
        [".", "--strip", "strip.png"],
    ],
)
def test_that_neither_inputs_nor_other_outputs_are_overwritten(
    arguments, model_file, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    shutil.copy(model_file, "model.safetensors")
    cv2.imwrite("clip.png", np.zeros((48, 64, 3), np.uint8))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    refused(run("score", "model.safetensors", "clip.png", *arguments, "-q"), ExitCode.USAGE)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_that_a_model_with_a_custom_preset_brings_its_views(model_file, attack, tmp_path):
    model, manifest = load_with_manifest(model_file)
    extra = json.loads(json.dumps(manifest.extra))
    extra["features"]["preset"]["name"] = "my own"
    file = tmp_path / "own.safetensors"
    save_model(model, file, extra=extra)
    own, built_in = (
        json.loads(run("score", path, attack, "--frames", 5, "--json").stdout)["inputs"]
        for path in (file, model_file)
    )
    assert own == built_in
    extra["features"]["preset"]["branches"] = [{"network": "no such"}]
    save_model(model, file, extra=extra)
    assert "cannot be computed here" in refused(
        run("score", file, attack, "-q"), ExitCode.BAD_MODEL
    )


not_on_windows = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows sends no SIGINT to one process"
)


@not_on_windows
def test_that_ctrl_c_ends_standard_output_with_a_whole_line(model_file):
    lines = []

    def when(process):
        lines.append(process.stdout.readline())

    arguments = ["score", model_file, "demo", "--format", "jsonl"]
    code, stdout, stderr = interrupted(arguments, when)
    assert (code, stderr) == (ExitCode.INTERRUPTED, "Stopped.\n")
    assert stdout == "" or stdout.endswith("\n")
    for line in (*lines, *stdout.splitlines()):
        assert json.loads(line)["kind"] == "frame"


@not_on_windows
@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, ExitCode.INTERRUPTED), (signal.SIGTERM, ExitCode.TERMINATED)],
)
def test_that_a_signal_leaves_the_old_file_and_no_part_of_a_new_one(
    number, code, model_file, tmp_path
):
    file, broken = tmp_path / "rows.csv", tmp_path / "broken.mp4"
    file.write_text("older rows\n")
    broken.write_bytes(b"not a video")

    def when(process):
        # After this message only the demo is left, which has no end.
        while "broken" not in process.stderr.readline():
            assert process.poll() is None

    arguments = ["score", model_file, broken, "demo", "-o", file, "--strip", tmp_path / "strip.png"]
    assert interrupted(arguments, when, number) == (code, "", "Stopped.\n")
    assert {path.name for path in tmp_path.iterdir()} == {file.name, broken.name}
    assert file.read_text() == "older rows\n"
