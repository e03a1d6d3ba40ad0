"""``lmkl-pad evaluate`` on real recordings in the plain layout, and its refusals."""

import csv
import json
import shutil

import cv2
import numpy as np
import pytest

from app.cli.console import ExitCode, progress_lines
from app.evaluation import extraction, runner
from app.evaluation.extraction import available_preset
from app.evaluation.options import Options
from app.evaluation.protocols.objects import ABNORMAL_CLASSES
from app.evaluation.protocols.registry import DATABASES
from lmkl_core.baselines import METHODS
from lmkl_core.features.engines.engine import EngineError
from lmkl_core.features.presets import load_preset
from tests.app.cli.running import refused, run

SMALL = ("--preset", "tiny", "--frames", "5", "--selection", "none", "--no-gate")


@pytest.fixture(scope="module")
def own(recorded, tmp_path_factory):
    """Return a folder with two live recordings and a print of each person, and a cache."""
    folder = tmp_path_factory.mktemp("own")
    for person in ("P001", "P002"):
        for kind, count in (("bonafide", 2), ("attack-print", 1)):
            for video in sorted((recorded / person / kind).iterdir())[:count]:
                copy = folder / "recordings" / video.relative_to(recorded)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(video, copy)
    return folder


def evaluate(*arguments):
    return run("evaluate", *arguments)


def evaluate_own(own, output, *arguments):
    places = ("--root", own / "recordings", "--cache", own / "cache", "--output", output)
    return evaluate("plain", *places, *SMALL, *arguments)


def document_of(file):
    return json.loads(file.read_text(encoding="utf-8"))


def test_that_own_recordings_give_a_table_on_the_screen_and_on_disk(own, tmp_path):
    result = evaluate_own(own, tmp_path / "out", "--methods", "md,localised-mkl")
    assert result.exit_code == ExitCode.OK, result.output
    for word in ("Own recordings", "MD", "Localised MKL", "APCER, worst", "BPCER", "AUC", "HTER"):
        assert word in result.stdout
    names = sorted(file.name for file in (tmp_path / "out").iterdir())
    assert names == ["plain.csv", "plain.html", "plain.json", "plain.tex"]
    document = document_of(tmp_path / "out" / "plain.json")
    rows = {row["method"]: row["measured"] for row in document["rows"]}
    assert set(rows) == {"md", "localised-mkl"}
    for measured in rows.values():
        figures = measured["presentation_level"]["pooled"]["figures"]
        # Each of two people has one live take to learn from, and another and an attack to test.
        assert (figures["BPCER"]["n"], figures["AUC"]["n_attacks"]) == (2, 2)
    with (tmp_path / "out" / "plain.csv").open(encoding="utf-8", newline="") as stream:
        assert {line["species"] for line in csv.DictReader(stream)} == {"", "print"}


def test_that_standard_output_contains_only_json(own, tmp_path):
    result = evaluate_own(own, tmp_path, "--methods", "md", "--no-gate", "--json", "--scores")
    assert result.exit_code == ExitCode.OK, result.output
    document = json.loads(result.stdout)
    assert document == document_of(tmp_path / "plain.json")
    (fold,) = document["rows"][0]["measured"]["folds"]
    assert len(fold["frames"]["score"]) == 5 * len(fold["presentations"]["score"]) == 20
    assert document["settings"]["preset"] == "tiny"
    assert document["settings"]["quality gate"].startswith("none")


def test_that_the_table_is_written_even_if_no_method_could_run(own, tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "with_face_descriptors", lambda preset: preset)
    result = evaluate_own(own, tmp_path, "--methods", "lbp-nn")
    assert result.exit_code == ExitCode.FAILED
    assert "No method" in result.stderr
    assert (tmp_path / "plain.html").exists()


@pytest.mark.parametrize("part", ["app.evaluation.runner.run", "app.cli.evaluate.write_table"])
def test_that_ctrl_c_leaves_no_file_and_names_the_way_to_resume(own, tmp_path, monkeypatch, part):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(part, interrupt)
    result = evaluate_own(own, tmp_path / "out", "--methods", "md")
    assert result.exit_code == ExitCode.INTERRUPTED
    assert "resumes" in result.stderr.splitlines()[-1]
    assert list((tmp_path / "out").iterdir()) == []


def test_that_a_log_gets_a_line_for_each_part(own, tmp_path):
    arguments = ("--methods", "md", "--cache", tmp_path / "new")
    result = evaluate_own(own, tmp_path / "out", *arguments)
    assert result.exit_code == ExitCode.OK, result.output
    lines = [line for line in result.stderr.splitlines() if not line.startswith("preparing")]
    assert lines[:5] == [
        "Starting",
        "Looking for cached views: 6 to do",
        "Making views: 30 to do",
        "Fitting and scoring: 2 to do",
        "Making the table",
    ]
    assert evaluate_own(own, tmp_path / "out", *arguments, "--json").stderr.startswith("Wrote")


def test_that_a_log_gets_a_line_of_progress_every_minute():
    lines, now = [], [0.0]
    progress = progress_lines(lines.append, lambda: now[0])
    for done in range(0, 131):
        now[0] = float(done)
        progress(done, 130, "Making views")
    progress(0, 4, "Fitting and scoring")
    progress(1, 4, "Fitting and scoring: MD")
    assert lines == [
        "Making views: 130 to do",
        "Making views (60 of 130)",
        "Making views (120 of 130)",
        "Fitting and scoring: 4 to do",
    ]


def test_that_missing_weights_are_reported_with_both_ways_out_before_any_run(own, tmp_path):
    places = ("--root", own / "recordings", "--output", tmp_path)
    result = evaluate("plain", *places, "--preset", "tiny", "--preset", "paper-pad")
    sentence = refused(result, ExitCode.MISSING_WEIGHTS)
    assert "`lmkl-pad weights fetch --preset paper-pad`" in sentence
    assert "`--preset texture`" in sentence


@pytest.fixture
def msu(own, tmp_path):
    """Return MSU-MFSD with one subject to learn from, one to test, and one attack missing."""
    root = tmp_path / "MSU-MFSD"
    for client, person in (("client001", "P001"), ("client002", "P002")):
        live, attack = (
            sorted((own / "recordings" / person / kind).iterdir())
            for kind in ("bonafide", "attack-print")
        )
        names = [f"real/real_{client}_{camera}" for camera in ("laptop_SD", "android_SD")]
        videos = dict(zip(names, live, strict=True))
        for instrument in ("printed_photo", "iphone_video", "ipad_video"):
            for camera in ("laptop_SD", "android_SD"):
                videos[f"attack/attack_{client}_{camera}_{instrument}"] = attack[0]
        for name, video in videos.items():
            path = root / "scene01" / f"{name}_scene01{'.mov' if 'laptop' in name else '.mp4'}"
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(video, path)
    (root / "train_sub_list.txt").write_text("01\n")
    (root / "test_sub_list.txt").write_text("02\nreadme\n")
    (root / "scene01/attack/attack_client002_laptop_SD_ipad_video_scene01.mov").unlink()
    return root


def test_that_an_incomplete_database_is_measured_when_that_is_allowed(own, msu, tmp_path):
    places = ("--root", msu, "--cache", own / "cache", "--output", tmp_path / "out")
    arguments = ("msu-mfsd", *places, *SMALL, "--methods", "md")
    result = evaluate(*arguments)
    assert result.exit_code == ExitCode.NO_DATABASE
    assert f"{msu / 'test_sub_list.txt'}, line 2" in result.stderr
    assert "--allow-missing" in result.stderr
    result = evaluate(*arguments, "--allow-missing")
    assert result.exit_code == ExitCode.OK, result.output
    assert "1 missing, 120 published" in " ".join(result.stdout.split())
    document = document_of(tmp_path / "out" / "msu-mfsd.json")
    assert document["missing"] == [
        "scene01/attack/attack_client002_laptop_SD_ipad_video_scene01.mov"
    ]
    assert len(document["passed_over"]) == 1
    assert str(msu) not in json.dumps(document)
    counts = {(each["split"], each["kind"]): each for each in document["recordings"]}
    assert counts["test", "attack"] == {
        "fold": "", "split": "test", "kind": "attack", "found": 5, "missing": 1, "published": 120,
    }  # fmt: skip


def objects(root):
    """Write 1001 Abnormal Objects with a few small pictures of noise per class."""
    rng = np.random.default_rng(0)
    for name in ABNORMAL_CLASSES:
        for kind, count in (("normal", 12), ("abnormal", 2)):
            (root / kind / name).mkdir(parents=True)
            for number in range(count):
                picture = rng.integers(0, 255, (64, 64, 3), dtype=np.uint8)
                cv2.imwrite(str(root / kind / name / f"{number}.png"), picture)
    return root


def test_that_the_default_preset_replaces_missing_networks(tmp_path, monkeypatch):
    monkeypatch.setattr(extraction, "DEFAULT_PRESET", "tiny")
    places = ("--root", objects(tmp_path / "objects"), "--output", tmp_path / "out")
    arguments = ("abnormal-objects", *places, "--cache", tmp_path / "cache")
    arguments += ("--methods", "md", "--selection", "none")
    assert evaluate(*arguments, "--paper-views").exit_code == ExitCode.MISSING_WEIGHTS
    result = evaluate(*arguments)
    assert result.exit_code == ExitCode.OK, result.output
    advice = "`lmkl-pad weights fetch --preset paper-objects`"
    assert advice in result.stderr
    document = document_of(tmp_path / "out" / "abnormal-objects.json")
    assert any(advice in notice for notice in document["notices"])
    assert document["settings"]["preset"] == "tiny-image"
    # Whole pictures: noise has no faces, but every picture has a score.
    (measured,) = [row["measured"] for row in document["rows"] if row["measured"]]
    level = measured["presentation_level"]
    assert level["pooled"]["figures"]["AUC"]["n_attacks"] == 12


def test_that_the_default_preset_is_used_without_torch(monkeypatch):
    monkeypatch.setattr("lmkl_core.features.extractor.has_torch", lambda: False)
    preset, notice = available_preset(DATABASES["oulu-npu"], Options())
    assert preset == load_preset("texture")
    assert "torch" in notice
    with pytest.raises(EngineError):
        available_preset(DATABASES["oulu-npu"], Options(paper_views=True))


def test_that_several_presets_and_seeds_are_compared_on_one_page(own, tmp_path):
    out = tmp_path / "out"
    choices = ("--preset", "handmade", "--seed", 0, "--seed", 1)
    result = evaluate_own(own, out, "--methods", "md,gmm", *choices)
    assert result.exit_code == ExitCode.OK, result.output
    names = ["tiny-seed-0", "tiny-seed-1", "handmade-seed-0", "handmade-seed-1"]
    assert {path.name for path in out.iterdir() if path.is_dir()} == set(names)
    assert (out / "handmade-seed-1" / "plain.html").exists()
    document = document_of(out / "comparison.json")
    assert document["reference"] == names[0]
    assert [each["name"] for each in document["runs"]] == names
    assert {line["method"] for line in document["lines"]} == {"md", "gmm"}
    for line in document["lines"]:
        assert (line["difference"] is None) == (line["run"] == names[0])
        if line["difference"]:
            assert line["difference"]["is_paired"]
        # The figures of a run are those of its own table.
        table = document_of(out / line["run"] / "plain.json")
        (row,) = [row for row in table["rows"] if row["method"] == line["method"]]
        figures = row["measured"]["presentation_level"]["pooled"]["figures"]
        assert figures[line["figure"]]["value"] == line["value"]
    pages = [(out / f"comparison.{kind}").read_text(encoding="utf-8") for kind in ("html", "tex")]
    for name in names:
        assert all(name in text for text in (result.stdout, *pages)), name


def test_that_several_databases_are_compared_without_pairs(own, msu, tmp_path):
    out = tmp_path / "out"
    places = ("--root", own / "recordings", "--root", msu, "--cache", own / "cache")
    options = (*SMALL, "--methods", "md", "--allow-missing", "--json")
    result = evaluate("plain", "msu-mfsd", *places, "--output", out, *options)
    assert result.exit_code == ExitCode.OK, result.output
    document = json.loads(result.stdout)
    assert [each["name"] for each in document["runs"]] == ["plain", "msu-mfsd"]
    found = [line["difference"] for line in document["lines"] if line["run"] == "msu-mfsd"]
    assert found
    assert not any(each["is_paired"] for each in found)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("replay-attack", "--root", "nowhere"), "nowhere"),
        (("oulu-npu",), "--root"),
        (("oulu-npu", "--protocol", "iv", "--root", "."), "OULU-NPU"),
    ],
)
def test_that_a_missing_database_has_its_own_exit_code(arguments, word, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = evaluate(*arguments, "--output", "out")
    assert result.exit_code == ExitCode.NO_DATABASE
    assert word in result.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "replay-mobile"),
        (("nonesuch",), "'nonesuch'"),
        (("oulu-npu", "--protocol", "V"), "IV, I, II, III"),
        (("plain", "--protocol", "I"), "--protocol"),
        (("plain", "--mode", "mine"), "client-specific"),
        (("plain", "--methods", "md,magic"), "'magic'"),
        (("plain", "--jobs", "0"), "n_jobs=0"),
        (("plain", "nuaa", "--root", "x"), "2 times"),
        (("demo", "demo"), "named twice"),
    ],
)
def test_that_unusable_arguments_are_refused_before_any_work(arguments, words):
    assert words in refused(evaluate(*arguments), ExitCode.USAGE)


def test_that_a_file_as_output_folder_is_refused_before_any_work(own, tmp_path):
    (tmp_path / "file").write_text("")
    refused(evaluate_own(own, tmp_path / "file", "--methods", "md"), ExitCode.UNWRITABLE)


def test_that_the_list_shows_every_database_protocol_and_method():
    result = evaluate("--list")
    assert result.exit_code == ExitCode.OK
    for name in (*DATABASES, *METHODS, "client-specific", "grandtest", "IV, I, II, III"):
        assert name in result.stdout
    listed = json.loads(evaluate("--list", "--json").stdout)
    assert [each["name"] for each in listed["databases"]] == list(DATABASES)
    assert [each["name"] for each in listed["methods"]] == list(METHODS)
