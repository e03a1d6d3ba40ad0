"""``lmkl-pad report`` of saved sessions and of a test on recordings."""

import json
import sys

import pytest

from app.cli.console import ExitCode
from app.models.files import load, save
from app.session.guided_test.guided_test import GuidedTest
from app.types import BONA_FIDE
from tests.app.cli.running import interrupted, refused, run
from tests.app.models.small_models import window_model

DENSE = ("--every", 0.05)


@pytest.fixture(scope="module")
def tested(model_file, recordings, attack, tmp_path_factory):
    """Return the folder of a report on the recordings, and what the command printed."""
    folder = tmp_path_factory.mktemp("report")
    result = run(
        *("report", "--model", model_file, "--bona-fide", recordings / "P001" / "bonafide"),
        *("--attack", f"print={attack}", "-o", folder / "test.html", *DENSE),
        *("--session", folder / "session.json", "--json"),
    )
    assert result.exit_code == ExitCode.OK, result.output
    return folder, json.loads(result.stdout)


def figures(document, name):
    level = document["presentation_level"]["figures"]
    return [(row["species"], row["n_errors"], row["n"]) for row in level if row["figure"] == name]


def test_that_every_recording_is_a_presentation_of_the_report(tested, model_file):
    folder, printed = tested
    assert {path.name for path in folder.iterdir()} == {
        *("test.html", "test.json", "test.csv", "session.json"),
        *("test-presentations.csv", "test-details.csv"),
    }
    document = json.loads((folder / "test.json").read_text())
    assert figures(document, "BPCER") == [("", 0, 2)]
    assert figures(document, "APCER") == [("print", 0, 1)]
    assert document["model_digests"] == [load(model_file).digest]
    assert printed["report"]["presentation_level"] == document["presentation_level"]
    assert str(folder / "test.html") in printed["files"]


def test_that_scores_are_those_of_the_command_score(tested, model_file, attack):
    folder, _ = tested
    session = GuidedTest.from_dict(json.loads((folder / "session.json").read_text()))
    assert [item.species for item in session.presentations] == [BONA_FIDE, BONA_FIDE, "print"]
    # At least 0.05 seconds apart: every second frame of a video with 30 frames per second.
    rows = run("score", model_file, attack, "--every", 2, "--format", "jsonl", "-q").stdout
    scores = [json.loads(line)["score"] for line in rows.splitlines()[:-1]]
    assert session.presentations[-1].scores == pytest.approx(scores, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "has_model"), [("test.json", True), ("session.json", True), ("test.json", False)]
)
def test_that_a_saved_session_gives_the_same_report(name, has_model, tested, model_file, tmp_path):
    folder, _ = tested
    page, model = tmp_path / "again.html", ("--model", model_file) if has_model else ()
    assert run("report", folder / name, "-o", page, *model, "-q").exit_code == ExitCode.OK
    before = json.loads((folder / "test.json").read_text())
    after = json.loads(page.with_suffix(".json").read_text())
    for part in ("session", "presentation_level", "frame_level", "model", "warnings"):
        assert after[part] == before[part]
    if name == "test.json":
        assert after["source"] == before["source"]


def test_that_a_session_of_another_model_is_reported_with_a_warning(tested, tmp_path):
    folder, _ = tested
    other, page = tmp_path / "other.safetensors", tmp_path / "page.html"
    save(window_model(), other)
    result = run("report", folder / "session.json", "--model", other, "-o", page, "--quiet")
    (warning, *_) = json.loads(page.with_suffix(".json").read_text())["warnings"]
    assert "not the one that was tested" in warning
    assert warning in result.stderr


def test_that_short_and_unreadable_recordings_are_named_and_left_out(model_file, genuine, tmp_path):
    text = tmp_path / "text.avi"
    text.write_text("not a video")
    page = tmp_path / "page.html"
    # With 0.3 seconds between frames, these recordings have three.
    result = run(
        *("report", "--model", model_file, "--bona-fide", genuine[0], "--attack", f"print={text}"),
        *("-o", page, "--every", 0.3, "-q"),
    )
    assert result.exit_code == ExitCode.BAD_INPUT
    short, unreadable, nothing = result.stderr.splitlines()
    assert "text.avi cannot be read" in unreadable
    assert short.startswith(f"{genuine[0]} is left out")
    assert "--every" in short
    assert "no presentation" in nothing
    assert not page.exists()


def test_that_commands_describe_a_model_with_the_same_names(tested, model_file, attack):
    _, report = tested
    copy = model_file.with_name("copy.safetensors")
    score = json.loads(run("score", model_file, attack, "--frames", 5, "--json").stdout)
    export = json.loads(run("export", model_file, "--to", copy, "--json").stdout)
    assert score["model"] == export["model"]
    for name in ("threshold", "digest", "preset"):
        assert score["model"][name] == report["report"]["model"][name], name


def test_that_a_species_is_printed_and_written_as_text(model_file, attack, tmp_path):
    page, species = tmp_path / "page.html", "[/b]<script>alert(1)</script>"
    arguments = ("--model", model_file, "--attack", f"{species}={attack}", "-o", page, *DENSE)
    result = run("report", *arguments)
    assert result.exit_code == ExitCode.OK, result.output
    assert f"APCER, {species}" in result.stdout
    assert "<script>alert" not in page.read_text()


LIVE = ("--bona-fide", "demo")
TWICE = ("--attack", "print=text.json")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ([], ExitCode.USAGE, "SESSION"),
        (["session.json", "--bona-fide", "demo"], ExitCode.USAGE, "SESSION"),
        (["--bona-fide", "demo"], ExitCode.USAGE, "--model"),
        (["--model", "m", "--attack", "clip.avi"], ExitCode.USAGE, "SPECIES=PATH"),
        (["--model", "m", "--attack", "bona fide=demo"], ExitCode.USAGE, "--bona-fide"),
        (["--model", "m", "--attack", "print=gone.avi"], ExitCode.BAD_INPUT, "does not exist"),
        (["--model", "gone", "--attack", "print=demo"], ExitCode.BAD_MODEL, "gone"),
        (["--model", "m", *TWICE, "--attack", "x=./text.json"], ExitCode.USAGE, "twice"),
        (["--model", "m", *TWICE, "--bona-fide", "text.json"], ExitCode.USAGE, "twice"),
        (["--model", "m", *LIVE, "--session", "page.json"], ExitCode.USAGE, "same file"),
        (["--model", "text.json", *LIVE, "--session", "text.json"], ExitCode.USAGE, "overwritten"),
        (["--model", "m", *LIVE, "--every", "inf"], ExitCode.USAGE, "--every"),
        (["gone.json"], ExitCode.BAD_INPUT, "gone.json cannot be read"),
        (["text.json"], ExitCode.BAD_INPUT, "is not JSON"),
        (["list.json"], ExitCode.BAD_INPUT, "not a test session"),
        (["deep.json"], ExitCode.BAD_INPUT, "is not JSON"),
        (["empty.json"], ExitCode.NO_FRAMES, "no presentation"),
    ],
)
def test_that_unusable_arguments_are_refused_in_one_sentence(
    arguments, code, words, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.json").write_text("not a session")
    (tmp_path / "list.json").write_text("[1, 2]")
    (tmp_path / "deep.json").write_text("[" * 100_000)
    (tmp_path / "empty.json").write_text(json.dumps(GuidedTest().as_dict()))
    assert words in refused(run("report", *arguments, "-o", "page.html", "-q"), code)
    assert not (tmp_path / "page.html").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to one process")
def test_that_ctrl_c_leaves_no_report(model_file, tmp_path):
    def when(process):
        assert process.stderr.readline() == "Presenting 1 recording\n"

    arguments = ["report", "--model", model_file, "--bona-fide", "demo", "-o", tmp_path / "r.html"]
    assert interrupted(arguments, when) == (ExitCode.INTERRUPTED, "", "Stopped.\n")
    assert list(tmp_path.iterdir()) == []


def test_that_details_and_plan_are_reported_and_kept_with_the_session(tested, tmp_path):
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
    facts = {(fact["key"], fact["species"]): fact["value"] for fact in document["facts"]}
    assert facts["tester", ""] == "Ann"
    assert facts["made", "print"] == "laser"
    assert facts["plan", ""] == "Mine: 3 of 6 presentations made"
    assert facts["rate", ""].endswith("frames a second")
    again = run("report", tmp_path / "r.json", "-o", tmp_path / "again.html", "--json")
    assert json.loads(again.stdout)["report"]["facts"] == document["facts"]


@pytest.mark.parametrize("option", ["--details", "--plan"])
def test_that_an_unusable_plan_or_details_file_is_refused(option, tested, tmp_path):
    folder, _ = tested
    file = tmp_path / "bad.toml"
    file.write_text("colour = 3\n")
    result = run("report", folder / "test.json", "-o", tmp_path / "r.html", option, file)
    sentence = refused(result, ExitCode.BAD_INPUT)
    assert "bad.toml" in sentence
    assert "colour" in sentence
    assert not (tmp_path / "r.html").exists()
