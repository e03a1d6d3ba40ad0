"""``lmkl-pad score`` on real recordings."""

import csv
import io
import json
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
from tests.app.cli.conftest import N_FRAMES
from tests.app.cli.running import interrupted, refused, run

pytestmark = pytest.mark.light

EVERY = ("--every", 4)
N_SCORED = N_FRAMES // 4


@pytest.fixture(scope="module")
def expected(model_file, genuine, attack):
    """Return every fourth frame's number, time and score by way of the library alone."""
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


def test_that_a_folders_rows_as_csv_are_the_librarys_scores(
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


def test_that_json_lines_hold_the_frames_and_then_the_input(model_file, genuine, attack, expected):
    result = run("score", model_file, *genuine, attack, *EVERY, "--format", "jsonl", "-q")
    assert result.exit_code == ExitCode.OK
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    check_rows(
        [line for line in lines if line["kind"] == "frame"], expected, load(model_file).threshold
    )
    kinds = [line["kind"] for line in lines]
    assert kinds == (["frame"] * N_SCORED + ["input"]) * 3
    for line in lines:
        if line["kind"] == "input":
            scores = [one[1] for key, one in expected.items() if key[0] == line["source"]]
            assert line["mean_score"] == pytest.approx(np.mean(scores), rel=1e-6)
            assert (line["n_frames"], line["n_scored"]) == (N_SCORED, N_SCORED)
    assert [line["verdict"] for line in lines if line["kind"] == "input"] == [
        "genuine",
        "genuine",
        "attack",
    ]


def test_that_rows_on_standard_output_are_not_mixed_with_the_table(model_file, attack):
    result = run("score", model_file, attack, *EVERY, "--format", "csv")
    assert len(list(csv.DictReader(io.StringIO(result.stdout)))) == N_SCORED
    assert "attack" in result.stderr


def test_that_json_is_one_document_of_inputs(model_file, genuine, tmp_path):
    rows = tmp_path / "rows.jsonl"
    result = run("score", model_file, genuine[0], "--frames", 5, "--json", "-o", rows)
    told = json.loads(result.stdout)
    assert told["model"]["digest"] == load(model_file).digest
    (summary,) = told["inputs"]
    assert (summary["verdict"], summary["n_frames"], summary["error"]) == ("genuine", 5, None)
    numbers = [json.loads(line)["frame"] for line in rows.read_text().splitlines()[:-1]]
    assert numbers == [2, 7, 12, 16, 21]  # evenly over all 24


def test_that_frames_without_a_face_have_a_status_and_a_reason_but_no_score(model_file, tmp_path):
    wall = np.random.default_rng(0).integers(90, 160, (240, 320, 3), np.uint8)
    cv2.imwrite(str(tmp_path / "wall.png"), wall)
    result = run("score", model_file, tmp_path / "wall.png", "--format", "csv", "-q")
    (row,) = csv.DictReader(io.StringIO(result.stdout))
    assert (row["status"], row["verdict"], row["score"]) == ("no face", "no face", "")
    assert "No face found" in row["reason"]
    assert result.exit_code == ExitCode.NO_FRAMES
    assert "No frame of 1 could be scored" in result.stderr


def test_that_pictures_of_a_folder_are_one_input_or_with_apart_each_one(
    model_file, genuine, tmp_path
):
    with VideoFile(genuine[0], paced=False) as video:
        for frame in video:
            if frame.number in (2, 10, 20):
                image = cv2.cvtColor(frame.image, cv2.COLOR_RGB2BGR)
                cv2.imwrite(str(tmp_path / f"{frame.number}.png"), image)
    together = json.loads(run("score", model_file, tmp_path, "--json").stdout)["inputs"]
    assert [(one["source"], one["n_scored"]) for one in together] == [(str(tmp_path), 3)]
    apart = json.loads(run("score", model_file, tmp_path, "--apart", "--json").stdout)["inputs"]
    assert [one["source"] for one in apart] == [
        str(tmp_path / f"{number}.png") for number in (2, 10, 20)
    ]
    assert np.mean([one["mean_score"] for one in apart]) == pytest.approx(together[0]["mean_score"])
    assert {one["verdict"] for one in apart} <= {"genuine", "attack", "unfamiliar conditions"}


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
        if value is None:
            result.frames.append(ScoredFrame(Verdict.NO_FACE))
        else:
            called = Verdict.GENUINE if value >= 0.5 else Verdict.ATTACK
            result.frames.append(ScoredFrame(called, score=value))
    facts = result.facts()
    assert (facts["mean_score"], facts["verdict"]) == (score, verdict and verdict.value)


def test_that_a_name_is_printed_as_it_is_and_not_taken_for_markup(model_file, genuine, tmp_path):
    odd = shutil.copy(genuine[0], tmp_path / "[b]日[.avi")
    result = run("score", model_file, odd, "--frames", 5)
    assert result.exit_code == ExitCode.OK, result.output
    assert "[b]日[.avi" in "".join(result.stdout.split())


def test_that_little_room_folds_names_and_not_what_was_found(model_file, genuine):
    result = run("score", model_file, genuine[0], "--frames", 5, env={"COLUMNS": "44"})
    for told in ("genuine", "5 of 5", load(model_file).threshold):
        assert (told if isinstance(told, str) else f"{told:.4f}") in result.stdout
    assert "…" not in result.stdout.partition("──")[2]  # below the headings


class Meter:
    """Says of every face how live it looks."""

    crops = LIVENESS.crops

    def __call__(self, crops):
        return 0.25


def test_that_liveness_and_reasons_are_told_of_frames_and_inputs(
    model_file, genuine, attack, tmp_path, monkeypatch
):
    monkeypatch.setattr(LivenessMeter, "find", lambda *_, **__: Meter())
    file = tmp_path / "rows.csv"
    result = run("score", model_file, genuine[0], attack, "--frames", 5, "-o", file)
    assert "25 %" in result.stdout
    with file.open(newline="", encoding="utf-8") as stream:
        assert {(row["liveness"], bool(row["reason"])) for row in csv.DictReader(stream)} == {
            ("0.25", True)
        }
    result = run("score", model_file, genuine[0], attack, "--frames", 5, "--json")
    inputs = json.loads(result.stdout)["inputs"]
    assert [one["mean_liveness"] for one in inputs] == [0.25, 0.25]
    assert inputs[0]["reason"] == "The score reaches the threshold."
    assert inputs[0]["reason"] in run("score", model_file, genuine[0], "--frames", 5).stdout


def test_that_an_input_in_unknown_light_is_judged_by_its_mean_liveness():
    strange = Familiarity(2.0, "window", ("the room is darker",), 2.0, 0.0)
    for liveness, verdict in ((0.9, Verdict.UNFAMILIAR), (0.1, Verdict.ATTACK)):
        frames = [ScoredFrame(Verdict.ATTACK, "", 0.4, liveness=liveness, familiarity=strange)] * 2
        result = InputResult("input", 0.5, frames)
        assert result.facts()["verdict"] == verdict.value
        assert "the room is darker" in result.facts()["reason"]
        assert result.facts()["mean_liveness"] == pytest.approx(liveness)


def test_that_the_strip_has_a_tile_for_every_frame_at_both_ends(
    model_file, genuine, attack, tmp_path
):
    file = tmp_path / "strip.jpg"
    result = run(
        "score", model_file, genuine[0], attack, *EVERY, "--strip", file, "--tiles", 3, "-q"
    )
    assert (result.exit_code, result.output) == (ExitCode.OK, "")
    image = cv2.imread(str(file), cv2.IMREAD_COLOR_RGB)
    assert tiles_in(image, green) == [3, 0]
    assert tiles_in(image, red) == [0, 3]


def test_that_few_frames_are_shown_once(model_file, genuine, tmp_path):
    file = tmp_path / "strip.png"
    run("score", model_file, genuine[0], "--frames", 5, "--strip", file, "-q")
    image = cv2.imread(str(file), cv2.IMREAD_COLOR_RGB)
    assert np.add(tiles_in(image, green), tiles_in(image, red)).tolist() == [3, 2]


def green(pixels):
    return (pixels[..., 1] > 100) & (pixels[..., 0] < 60)


def red(pixels):
    return (pixels[..., 0] > 160) & (pixels[..., 1] < 80) & (pixels[..., 2] < 80)


def tiles_in(image, is_coloured):
    """Count in each of two rows the stretches of a frame's colour that are as wide as a tile."""
    counts = []
    half = image.shape[0] // 2
    for part in (image[:half], image[half:]):
        mask = is_coloured(part.astype(int))
        best = 0
        for line in mask:
            edges = np.flatnonzero(np.diff(np.concatenate([[0], line.astype(int), [0]])))
            lengths = edges[1::2] - edges[::2]
            best = max(best, int(np.sum(lengths >= TILE)))
        counts.append(best)
    return counts


def test_that_an_unreadable_input_does_not_keep_the_others_from_being_scored(
    model_file, attack, tmp_path
):
    text = tmp_path / "text.avi"
    text.write_text("This is no video.")
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
    ("arguments", "code", "said"),
    [
        (["gone.avi"], ExitCode.BAD_INPUT, "does not exist"),
        (["empty"], ExitCode.BAD_INPUT, "neither pictures nor videos"),
        (["camera"], ExitCode.USAGE, "--frames"),
        (["demo", "-o", "rows.txt"], ExitCode.USAGE, "--format"),
        (["demo", "-o", "rows.csv", "--format", "table"], ExitCode.USAGE, "for the screen"),
        (["demo", "--format", "csv", "--json"], ExitCode.USAGE, "--output"),
        (["demo", "--strip", "strip.gif"], ExitCode.USAGE, ".png"),
        (["demo", "--preset", "texture"], ExitCode.BAD_MODEL, "'tiny', not 'texture': leave out"),
        (["demo", "-o", "occupied/rows.csv"], ExitCode.UNWRITABLE, "occupied"),
    ],
)
def test_that_what_cannot_be_used_is_told_in_one_sentence(
    arguments, code, said, model_file, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "occupied").write_text("")
    assert said in refused(run("score", model_file, *arguments, "-q"), code)


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
def test_that_nothing_that_is_read_and_no_other_output_is_overwritten(
    arguments, model_file, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    shutil.copy(model_file, "model.safetensors")
    cv2.imwrite("clip.png", np.zeros((48, 64, 3), np.uint8))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    refused(run("score", "model.safetensors", "clip.png", *arguments, "-q"), ExitCode.USAGE)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("damage", ["missing", "flipped"])
def test_that_a_damaged_model_is_refused_in_one_sentence(damage, model_file, attack, tmp_path):
    file = tmp_path / "model.safetensors"
    if damage == "flipped":
        content = bytearray(model_file.read_bytes())
        content[len(content) // 2] ^= 255
        file.write_bytes(content)
    sentence = refused(run("score", file, attack, "-q"), ExitCode.BAD_MODEL)
    assert "model.safetensors" in sentence


def test_that_a_model_of_a_preset_of_ones_own_brings_its_views_along(model_file, attack, tmp_path):
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
def test_that_ctrl_c_ends_rows_on_standard_output_after_a_whole_line(model_file):
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
def test_that_a_signal_leaves_the_old_file_and_no_half_of_a_new_one(
    number, code, model_file, tmp_path
):
    file, broken = tmp_path / "rows.csv", tmp_path / "broken.mp4"
    file.write_text("older rows\n")
    broken.write_bytes(b"not a video")
    said = []

    def when(process):
        while "broken" not in "".join(said):  # the first input is through, the demo has no end
            assert process.poll() is None
            said.append(process.stderr.readline())

    arguments = ["score", model_file, broken, "demo", "-o", file, "--strip", tmp_path / "strip.png"]
    assert interrupted(arguments, when, number) == (code, "", "Stopped.\n")
    assert {path.name for path in tmp_path.iterdir()} == {file.name, broken.name}
    assert file.read_text() == "older rows\n"
