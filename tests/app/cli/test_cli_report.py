"""``lmkl-pad report``: of saved sessions, and of a test on recordings."""

import json
import sys

import pytest

from app.cli.console import ExitCode
from app.models.files import load, save
from app.session.guided_test.guided_test import GuidedTest
from app.types import BONA_FIDE
from tests.app.cli.running import interrupted, refused, run
from tests.app.models.small_models import window_model

SOON = ("--every", 0.05)


@pytest.fixture(scope="module")
def tested(model_file, recordings, attack, tmp_path_factory):
    """Return the folder of a report on the recordings, and what the command printed."""
    folder = tmp_path_factory.mktemp("report")
    result = run(
        *("report", "--model", model_file, "--bona-fide", recordings / "P001" / "bonafide"),
        *("--attack", f"print={attack}", "-o", folder / "test.html", *SOON),
        *("--session", folder / "session.json", "--json"),
    )
    assert result.exit_code == ExitCode.OK, result.output
    return folder, json.loads(result.stdout)


def figures(document, name):
    level = document["presentation_level"]["figures"]
    return [(one["species"], one["n_errors"], one["n"]) for one in level if one["figure"] == name]


def test_that_every_recording_is_a_presentation_of_the_report(tested, model_file):
    folder, told = tested
    assert {path.name for path in folder.iterdir()} == {
        *("test.html", "test.json", "test.csv", "session.json"),
        *("test-presentations.csv", "test-details.csv"),
    }
    document = json.loads((folder / "test.json").read_text())
    assert figures(document, "BPCER") == [("", 0, 2)]
    assert figures(document, "APCER") == [("print", 0, 1)]
    assert document["model_digests"] == [load(model_file).digest]
    assert told["report"]["presentation_level"] == document["presentation_level"]
    assert str(folder / "test.html") in told["files"]


def test_that_the_presentations_scores_are_those_of_score(tested, model_file, attack):
    folder, _ = tested
    session = GuidedTest.from_dict(json.loads((folder / "session.json").read_text()))
    assert [one.species for one in session.presentations] == [BONA_FIDE, BONA_FIDE, "print"]
    # Frames that are at least 0.05 seconds apart: every second one of a video with 30 a second.
    rows = run("score", model_file, attack, "--every", 2, "--format", "jsonl", "-q").stdout
    scores = [json.loads(line)["score"] for line in rows.splitlines()[:-1]]
    assert session.presentations[-1].scores == pytest.approx(scores, rel=1e-12)


@pytest.mark.parametrize("name", ["test.json", "session.json"])
def test_that_a_saved_session_gives_the_same_figures_again(name, tested, model_file, tmp_path):
    folder, _ = tested
    page = tmp_path / "again.html"
    assert run("report", folder / name, "-o", page, "--model", model_file, "-q").exit_code == 0
    before = json.loads((folder / "test.json").read_text())
    after = json.loads(page.with_suffix(".json").read_text())
    for part in ("session", "presentation_level", "frame_level", "model", "warnings"):
        assert after[part] == before[part]


def test_that_a_reports_json_describes_its_model_without_the_models_file(tested, tmp_path):
    folder, _ = tested
    page = tmp_path / "again.html"
    assert run("report", folder / "test.json", "-o", page, "-q").exit_code == 0
    before = json.loads((folder / "test.json").read_text())
    after = json.loads(page.with_suffix(".json").read_text())
    assert (after["model"], after["warnings"]) == (before["model"], before["warnings"])
    assert after["source"] == before["source"]


def test_that_a_session_with_another_model_is_told(tested, tmp_path):
    folder, _ = tested
    other, page = tmp_path / "other.safetensors", tmp_path / "page.html"
    save(window_model(), other)
    result = run("report", folder / "session.json", "--model", other, "-o", page)
    (warning, *_) = json.loads(page.with_suffix(".json").read_text())["warnings"]
    for told in (warning, " ".join(result.stdout.split())):
        assert "not the one that was tested" in told


def test_that_short_and_unreadable_recordings_are_told_and_left_out(
    model_file, genuine, attack, tmp_path
):
    text = tmp_path / "text.avi"
    text.write_text("This is no video.")
    page = tmp_path / "page.html"
    # At 0.3 seconds a frame these recordings have three.
    result = run(
        *("report", "--model", model_file, "--bona-fide", genuine[0], "--attack", f"print={text}"),
        *("-o", page, "--every", 0.3, "-q"),
    )
    assert result.exit_code == ExitCode.BAD_INPUT
    short, unreadable, nothing = result.stderr.splitlines()
    assert "text.avi cannot be read" in unreadable
    assert short.startswith(f"{genuine[0]} is left out of the report")
    assert "--every" in short
    assert "no presentation" in nothing
    assert not page.exists()


def test_that_commands_say_the_same_of_a_model_by_the_same_names(tested, model_file, attack):
    _, report = tested
    copy = model_file.with_name("copy.safetensors")
    score = json.loads(run("score", model_file, attack, "--frames", 5, "--json").stdout)
    export = json.loads(run("export", model_file, "--to", copy, "--json").stdout)
    assert score["model"] == export["model"]
    assert score["model"]["threshold"] == report["report"]["model"]["threshold"]
    assert score["model"]["digest"] == report["report"]["model"]["digest"]
    assert score["model"]["preset"] == report["report"]["model"]["preset"]


def test_that_a_species_is_printed_and_written_as_text(model_file, attack, tmp_path):
    page, species = tmp_path / "page.html", "[/b]<script>alert(1)</script>"
    arguments = ("--model", model_file, "--attack", f"{species}={attack}", "-o", page, *SOON)
    result = run("report", *arguments)
    assert result.exit_code == ExitCode.OK, result.output
    assert f"APCER, {species}" in result.stdout
    assert "<script>alert" not in page.read_text()


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], ExitCode.USAGE, "either a SESSION"),
        (["session.json", "--bona-fide", "demo"], ExitCode.USAGE, "not both"),
        (["--bona-fide", "demo"], ExitCode.USAGE, "--model"),
        (["--model", "m", "--attack", "clip.avi"], ExitCode.USAGE, "SPECIES=PATH"),
        (["--model", "m", "--attack", "bona fide=demo"], ExitCode.USAGE, "--bona-fide"),
        (["--model", "m", "--attack", "print=gone.avi"], ExitCode.BAD_INPUT, "does not exist"),
        (["--model", "gone", "--attack", "print=demo"], ExitCode.BAD_MODEL, "gone"),
        (
            ["--model", "m", "--attack", "print=text.json", "--attack", "x=./text.json"],
            ExitCode.USAGE,
            "is named twice",
        ),
        (
            ["--model", "m", "--bona-fide", "text.json", "--attack", "print=text.json"],
            ExitCode.USAGE,
            "is named twice",
        ),
        (
            ["--model", "m", "--bona-fide", "demo", "--session", "page.json"],
            ExitCode.USAGE,
            "the same file",
        ),
        (
            ["--model", "text.json", "--bona-fide", "demo", "--session", "text.json"],
            ExitCode.USAGE,
            "would be overwritten",
        ),
        (["--model", "m", "--bona-fide", "demo", "--every", "inf"], ExitCode.USAGE, "--every"),
        (["gone.json"], ExitCode.BAD_INPUT, "gone.json cannot be read"),
        (["text.json"], ExitCode.BAD_INPUT, "is not JSON"),
        (["list.json"], ExitCode.BAD_INPUT, "not a test session"),
        (["deep.json"], ExitCode.BAD_INPUT, "is not JSON"),
        (["empty.json"], ExitCode.NO_FRAMES, "no presentation"),
    ],
)
def test_that_what_cannot_be_used_is_told_in_one_sentence(
    arguments, code, said, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.json").write_text("This is no session.")
    (tmp_path / "list.json").write_text("[1, 2]")
    (tmp_path / "deep.json").write_text("[" * 100_000)
    (tmp_path / "empty.json").write_text(json.dumps(GuidedTest().as_dict()))
    assert said in refused(run("report", *arguments, "-o", "page.html", "-q"), code)
    assert not (tmp_path / "page.html").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to one process")
def test_that_ctrl_c_leaves_no_report(model_file, tmp_path):
    def when(process):
        assert process.stderr.readline() == "Presenting 1 recording\n"

    arguments = ["report", "--model", model_file, "--bona-fide", "demo", "-o", tmp_path / "r.html"]
    code, stdout, stderr = interrupted(arguments, when)
    assert (code, stdout, stderr) == (ExitCode.INTERRUPTED, "", "Stopped.\n")
    assert list(tmp_path.iterdir()) == []


def test_that_details_and_plan_of_files_stand_in_the_report(tested, tmp_path):
    folder, _ = tested
    details, plan = tmp_path / "details.toml", tmp_path / "plan.toml"
    details.write_text('tester = "Ann"\nn_subjects = 2\n[species.print]\nmade = "laser"\n')
    plan.write_text('name = "Mine"\nbona_fide = 4\n[species]\nprint = 2\n')
    result = run(
        *("report", folder / "test.json", "-o", tmp_path / "r.html"),
        *("--details", details, "--plan", plan, "--json"),
    )
    assert result.exit_code == ExitCode.OK, result.output
    document = json.loads((tmp_path / "r.json").read_text())
    facts = {(one["key"], one["species"]): one["value"] for one in document["facts"]}
    assert facts["tester", ""] == "Ann"
    assert facts["made", "print"] == "laser"
    assert facts["plan", ""] == "Mine: 3 of 6 presentations made"
    assert facts["rate", ""].endswith("frames a second")
    # And they stay with the session.
    again = run("report", tmp_path / "r.json", "-o", tmp_path / "again.html", "--json")
    assert json.loads(again.stdout)["report"]["facts"] == document["facts"]


@pytest.mark.parametrize("option", ["--details", "--plan"])
def test_that_a_file_that_is_no_plan_or_details_is_told(option, tested, tmp_path):
    folder, _ = tested
    (tmp_path / "bad.toml").write_text("colour = 3\n")
    result = run(
        "report", folder / "test.json", "-o", tmp_path / "r.html", option, tmp_path / "bad.toml"
    )
    assert result.exit_code == ExitCode.BAD_INPUT
    told = " ".join(result.output.split())
    assert "bad.toml cannot be used (" in told
    assert "colour" in told
    assert not (tmp_path / "r.html").exists()
