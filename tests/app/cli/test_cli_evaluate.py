"""``lmkl-pad evaluate`` on real recordings in the plain layout, and what it refuses."""

import csv
import json
import shutil

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from app.cli.console import ExitCode, progress_lines
from app.cli.main import cli
from app.evaluation import extraction, runner
from app.evaluation.extraction import available_preset
from app.evaluation.options import Options
from app.evaluation.protocols.objects import ABNORMAL_CLASSES
from app.evaluation.protocols.registry import DATABASES
from lmkl_core.baselines import METHODS
from lmkl_core.features.engines.engine import EngineError
from lmkl_core.features.presets import load_preset

RUNNER = CliRunner(env={"COLUMNS": "110", "TERM": "dumb", "NO_COLOR": "1"})
LITTLE = ("--preset", "tiny", "--frames", "5", "--selection", "none", "--no-gate")


@pytest.fixture(scope="module")
def own(recorded, tmp_path_factory):
    """Return a folder of one's own recordings, two live ones and a print a person, and a cache."""
    folder = tmp_path_factory.mktemp("own")
    for person in ("P001", "P002"):
        for kind, count in (("bonafide", 2), ("attack-print", 1)):
            for video in sorted((recorded / person / kind).iterdir())[:count]:
                copy = folder / "recordings" / video.relative_to(recorded)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(video, copy)
    return folder


def evaluate(*arguments):
    return RUNNER.invoke(cli, ["evaluate", *map(str, arguments)])


def evaluate_own(own, output, *arguments):
    places = ("--root", own / "recordings", "--cache", own / "cache", "--output", output)
    return evaluate("plain", *places, *LITTLE, *arguments)


def test_that_own_recordings_give_a_table_on_the_screen_and_on_disk(own, tmp_path):
    run = evaluate_own(own, tmp_path / "out", "--methods", "md,localised-mkl")
    assert run.exit_code == ExitCode.OK, run.output
    for told in ("Own recordings", "MD", "Localised MKL", "APCER, worst", "BPCER", "AUC", "HTER"):
        assert told in run.stdout
    names = sorted(file.name for file in (tmp_path / "out").iterdir())
    assert names == ["plain.csv", "plain.html", "plain.json", "plain.tex"]
    document = json.loads((tmp_path / "out" / "plain.json").read_text(encoding="utf-8"))
    rows = {row["method"]: row["measured"] for row in document["rows"]}
    assert set(rows) == {"md", "localised-mkl"}
    for measured in rows.values():
        figures = measured["presentation_level"]["pooled"]["figures"]
        # Of each of two people one live take is learnt from, another and an attack are tested.
        assert (figures["BPCER"]["n"], figures["AUC"]["n_attacks"]) == (2, 2)
    with (tmp_path / "out" / "plain.csv").open(encoding="utf-8", newline="") as stream:
        assert {line["species"] for line in csv.DictReader(stream)} == {"", "print"}


def test_that_json_is_all_that_standard_output_holds(own, tmp_path):
    run = evaluate_own(own, tmp_path, "--methods", "md", "--json", "--scores")
    assert run.exit_code == ExitCode.OK, run.output
    document = json.loads(run.stdout)
    assert document == json.loads((tmp_path / "plain.json").read_text(encoding="utf-8"))
    (fold,) = document["rows"][0]["measured"]["folds"]
    assert len(fold["frames"]["score"]) == 5 * len(fold["presentations"]["score"]) == 20
    assert document["settings"]["preset"] == "tiny"


def test_that_nothing_measured_is_a_failure_with_the_table_written(own, tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "with_face_descriptors", lambda preset: preset)
    run = evaluate_own(own, tmp_path, "--methods", "lbp-nn")
    assert run.exit_code == ExitCode.FAILED
    assert "No method could be measured" in run.stderr
    assert (tmp_path / "plain.html").exists()


@pytest.mark.parametrize("part", ["app.evaluation.runner.run", "app.cli.evaluate.write_table"])
def test_that_ctrl_c_leaves_no_file_and_says_that_the_run_goes_on(own, tmp_path, monkeypatch, part):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(part, interrupt)
    run = evaluate_own(own, tmp_path / "out", "--methods", "md")
    assert run.exit_code == ExitCode.INTERRUPTED
    assert run.stderr.splitlines()[-1].startswith("Stopped. Finished parts are kept")
    assert list((tmp_path / "out").iterdir()) == []


def test_that_a_log_says_which_part_has_begun(own, tmp_path):
    arguments = ("--methods", "md", "--cache", tmp_path / "new")
    run = evaluate_own(own, tmp_path / "out", *arguments)
    assert run.exit_code == ExitCode.OK, run.output
    lines = [line for line in run.stderr.splitlines() if not line.startswith("preparing")]
    assert lines[:5] == [
        "Starting",
        "Looking for cached views: 6 to do",
        "Making views: 30 to do",
        "Fitting and scoring: 2 to do",
        "Making the table",
    ]
    assert evaluate_own(own, tmp_path / "out", *arguments, "--json").stderr.startswith("Wrote")


def test_that_a_log_is_told_every_minute_how_far_a_long_part_is():
    said, now = [], [0.0]
    lines = progress_lines(said.append, lambda: now[0])
    for done in range(0, 131):
        now[0] = float(done)
        lines(done, 130, "Making views")
    lines(0, 4, "Fitting and scoring")
    lines(1, 4, "Fitting and scoring: MD")
    assert said == [
        "Making views: 130 to do",
        "Making views (60 of 130)",
        "Making views (120 of 130)",
        "Fitting and scoring: 4 to do",
    ]


def test_that_missing_weights_are_told_with_both_ways_out(own, tmp_path):
    places = ("--root", own / "recordings", "--output", tmp_path)
    run = evaluate("plain", *places, "--preset", "tiny", "--preset", "paper-pad")
    assert run.exit_code == ExitCode.MISSING_WEIGHTS
    assert "`lmkl-pad weights fetch --preset paper-pad`" in run.stderr
    assert "`--preset texture`" in run.stderr
    # Before the run with the other preset.
    assert len(run.stderr.strip().splitlines()) == 1


@pytest.fixture
def msu(own, tmp_path):
    """Return MSU-MFSD with a subject each to learn from and to test, and without one attack."""
    root = tmp_path / "MSU-MFSD"
    for client, person in (("client001", "P001"), ("client002", "P002")):
        live, attack = (
            sorted((own / "recordings" / person / kind).iterdir())
            for kind in ("bonafide", "attack-print")
        )
        names = [f"real/real_{client}_{camera}" for camera in ("laptop_SD", "android_SD")]
        for name, video in zip(names, live, strict=True):
            copy(root, name, video)
        for instrument in ("printed_photo", "iphone_video", "ipad_video"):
            for camera in ("laptop_SD", "android_SD"):
                copy(root, f"attack/attack_{client}_{camera}_{instrument}", attack[0])
    (root / "train_sub_list.txt").write_text("01\n")
    (root / "test_sub_list.txt").write_text("02\nreadme\n")
    (root / "scene01/attack/attack_client002_laptop_SD_ipad_video_scene01.mov").unlink()
    return root


def copy(root, name, video):
    path = root / "scene01" / f"{name}_scene01{'.mov' if 'laptop' in name else '.mp4'}"
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(video, path)


def test_that_an_incomplete_database_is_measured_when_that_is_allowed(own, msu, tmp_path):
    places = ("--root", msu, "--cache", own / "cache", "--output", tmp_path / "out")
    arguments = ("msu-mfsd", *places, *LITTLE, "--methods", "md")
    run = evaluate(*arguments)
    assert run.exit_code == ExitCode.NO_DATABASE
    assert f"{msu / 'test_sub_list.txt'}, line 2" in run.stderr
    assert "--allow-missing" in run.stderr
    run = evaluate(*arguments, "--allow-missing")
    assert run.exit_code == ExitCode.OK, run.output
    assert "1 missing, 120 published" in " ".join(run.stdout.split())
    document = json.loads((tmp_path / "out" / "msu-mfsd.json").read_text(encoding="utf-8"))
    assert document["missing"] == [
        "scene01/attack/attack_client002_laptop_SD_ipad_video_scene01.mov"
    ]
    assert len(document["passed_over"]) == 1
    assert str(msu) not in json.dumps(document)
    told = {(each["split"], each["kind"]): each for each in document["recordings"]}
    assert told["test", "attack"] == {
        "fold": "", "split": "test", "kind": "attack", "found": 5, "missing": 1, "published": 120,
    }  # fmt: skip


def objects(root):
    """Write 1001 Abnormal Objects with a few small pictures of noise a class."""
    rng = np.random.default_rng(0)
    for name in ABNORMAL_CLASSES:
        for kind, count in (("normal", 12), ("abnormal", 2)):
            (root / kind / name).mkdir(parents=True)
            for number in range(count):
                picture = rng.integers(0, 255, (64, 64, 3), dtype=np.uint8)
                cv2.imwrite(str(root / kind / name / f"{number}.png"), picture)
    return root


def test_that_the_default_preset_stands_in_for_missing_networks(tmp_path, monkeypatch):
    monkeypatch.setattr(extraction, "DEFAULT_PRESET", "tiny")
    places = ("--root", objects(tmp_path / "objects"), "--output", tmp_path / "out")
    arguments = ("abnormal-objects", *places, "--cache", tmp_path / "cache")
    arguments += ("--methods", "md", "--selection", "none")
    run = evaluate(*arguments, "--paper-views")
    assert run.exit_code == ExitCode.MISSING_WEIGHTS
    run = evaluate(*arguments)
    assert run.exit_code == ExitCode.OK, run.output
    told = "`lmkl-pad weights fetch --preset paper-objects`"
    assert told in run.stderr
    document = json.loads((tmp_path / "out" / "abnormal-objects.json").read_text(encoding="utf-8"))
    assert any(told in notice for notice in document["notices"])
    assert document["settings"]["preset"] == "tiny-image"
    # Whole pictures: noise has no faces, and every picture has a score.
    (measured,) = [row["measured"] for row in document["rows"] if row["measured"]]
    level = measured["presentation_level"]
    assert level["pooled"]["figures"]["AUC"]["n_attacks"] == 12


def test_that_the_default_preset_stands_in_where_torch_is_missing(monkeypatch):
    monkeypatch.setattr("lmkl_core.features.extractor.has_torch", lambda: False)
    preset, told = available_preset(DATABASES["oulu-npu"], Options())
    assert preset == load_preset("texture")
    assert "torch" in told
    with pytest.raises(EngineError):
        available_preset(DATABASES["oulu-npu"], Options(paper_views=True))


def test_that_several_presets_and_seeds_are_compared_on_one_page(own, tmp_path):
    out = tmp_path / "out"
    run = evaluate_own(own, out, "--methods", "md,gmm", "--preset", "handmade", "--seed", 0,
                       "--seed", 1)  # fmt: skip
    assert run.exit_code == ExitCode.OK, run.output
    names = ["tiny-seed-0", "tiny-seed-1", "handmade-seed-0", "handmade-seed-1"]
    assert {path.name for path in out.iterdir() if path.is_dir()} == set(names)
    assert (out / "handmade-seed-1" / "plain.html").exists()
    document = json.loads((out / "comparison.json").read_text(encoding="utf-8"))
    assert document["reference"] == names[0]
    assert [each["name"] for each in document["runs"]] == names
    assert {line["method"] for line in document["lines"]} == {"md", "gmm"}
    for line in document["lines"]:
        assert (line["difference"] is None) == (line["run"] == names[0])
        if line["difference"]:
            assert line["difference"]["is_paired"]
        # The figures of a run are those of its own table.
        table = json.loads((out / line["run"] / "plain.json").read_text(encoding="utf-8"))
        (row,) = [row for row in table["rows"] if row["method"] == line["method"]]
        figures = row["measured"]["presentation_level"]["pooled"]["figures"]
        assert figures[line["figure"]]["value"] == line["value"]
    for name in names:
        assert name in run.stdout
        assert name in (out / "comparison.html").read_text(encoding="utf-8")
        assert name in (out / "comparison.tex").read_text(encoding="utf-8")


def test_that_several_databases_are_compared_without_pairs(own, msu, tmp_path):
    out = tmp_path / "out"
    places = ("--root", own / "recordings", "--root", msu, "--cache", own / "cache")
    run = evaluate("plain", "msu-mfsd", *places, "--output", out, *LITTLE, "--methods", "md",
                   "--allow-missing", "--json")  # fmt: skip
    assert run.exit_code == ExitCode.OK, run.output
    document = json.loads(run.stdout)
    assert [each["name"] for each in document["runs"]] == ["plain", "msu-mfsd"]
    found = [line["difference"] for line in document["lines"] if line["run"] == "msu-mfsd"]
    assert found
    assert not any(each["is_paired"] for each in found)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("replay-attack", "--root", "nowhere"), "nowhere"),
        (("oulu-npu",), "--root"),
        (("oulu-npu", "--protocol", "iv", "--root", "."), "OULU-NPU"),
    ],
)
def test_that_a_database_that_is_not_there_has_its_own_exit_code(
    arguments, told, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    run = evaluate(*arguments, "--output", "out")
    assert run.exit_code == ExitCode.NO_DATABASE
    assert told in run.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "Say which database to evaluate on: take one of replay-mobile"),
        (("nonesuch",), "There is no database 'nonesuch'"),
        (("oulu-npu", "--protocol", "V"), "no protocol 'V': choose from IV, I, II, III"),
        (("plain", "--protocol", "I"), "leave out --protocol"),
        (("plain", "--mode", "mine"), "no mode 'mine': choose from client-specific"),
        (("plain", "--methods", "md,magic"), "Unknown method 'magic'"),
        (("plain", "--jobs", "0"), "n_jobs=0"),
        (("plain", "nuaa", "--root", "x"), "2 times"),
        (("demo", "demo"), "named twice"),
    ],
)
def test_that_what_cannot_be_used_is_refused_before_any_work(arguments, told):
    run = evaluate(*arguments)
    assert run.exit_code == ExitCode.USAGE
    assert told in run.stderr
    assert run.stdout == ""


def test_that_an_output_that_is_a_file_is_refused_before_any_work(own, tmp_path):
    (tmp_path / "file").write_text("")
    run = evaluate_own(own, tmp_path / "file", "--methods", "md")
    assert run.exit_code == ExitCode.UNWRITABLE


def test_that_the_list_shows_every_database_protocol_and_method_to_people_and_machines():
    run = evaluate("--list")
    assert run.exit_code == ExitCode.OK
    for name in (*DATABASES, *METHODS, "client-specific", "grandtest", "IV, I, II, III"):
        assert name in run.stdout
    listed = json.loads(evaluate("--list", "--json").stdout)
    assert [each["name"] for each in listed["databases"]] == list(DATABASES)
    assert [each["name"] for each in listed["methods"]] == list(METHODS)
