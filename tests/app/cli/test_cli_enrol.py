"""``lmkl-pad enrol`` on real recordings."""

import json
import os
import re
import shutil
import sys
from functools import partial

import numpy as np
import pytest

from app.capture.opencv import cv2
from app.capture.video import VideoFile
from app.cli import enrol, recorder
from app.cli.console import ExitCode
from app.models.files import load
from app.session.takes import Plan
from tests.app.capture.mjpeg_server import MjpegServer
from tests.app.cli.running import interrupted, refused, run

pytestmark = pytest.mark.light

TINY = ("--preset", "tiny", "--every", 0.06)


def test_that_a_model_is_saved_with_every_recording_as_one_take(genuine, tmp_path):
    file = tmp_path / "new" / "face.safetensors"
    result = run("enrol", genuine[0], "--take", f"desk [/lamp]={genuine[1]}", "-o", file, *TINY)
    assert result.exit_code == ExitCode.OK, result.output
    model = load(file)
    first = genuine[0].stem
    assert model.takes == (first, "desk [/lamp]")
    for expected in (
        first,
        "desk [/lamp]",
        "certified",
        "Threshold",
        "left-out",
        "agree to the last",
    ):
        assert expected in result.stdout
    assert "People" not in result.stdout  # there is but one
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_that_json_tells_takes_gap_threshold_and_parity(genuine, tmp_path):
    file = tmp_path / "face.safetensors"
    result = run("enrol", *genuine, "-o", file, *TINY, "--frames", 10, "--json")
    told = json.loads(result.stdout)
    model = load(file)
    assert result.stderr == ""
    assert [take["n_kept"] for take in told["takes"]] == [10, 10]
    assert told["model"]["n_samples"] == 20
    assert told["model"]["digest"] == model.digest
    assert told["model"]["threshold"]["value"] == model.threshold
    assert told["model"]["relative_gap"] <= 1e-6
    parity = {"engine": "lmkl-pad", "n_compared": 20, "largest_difference": 0.0}
    assert told["parity"] == parity
    assert told["model"]["threshold"]["target_bpcer"] is None
    assert told["model"]["notes"] == []


def pictures(path, every=1):
    """Return a recording's frames: rendering new ones would take longer than the test."""
    with VideoFile(path, paced=False) as video:
        return [frame.image for frame in video if frame.number % every == 0]


def test_that_refused_frames_are_counted_by_their_reason(genuine, tmp_path):
    folder = tmp_path / "stills"
    folder.mkdir()
    images = pictures(genuine[0], every=2)
    for number, image in enumerate([*images, images[0], np.zeros_like(images[0])]):
        cv2.imwrite(str(folder / f"{number}.png"), cv2.cvtColor(image, cv2.COLOR_RGB2BGR))
    file = tmp_path / "face.safetensors"
    result = run("enrol", folder, "-o", file, "--preset", "tiny", "--json")
    assert result.exit_code == ExitCode.OK, result.output
    (take,) = json.loads(result.stdout)["takes"]
    assert (take["n_seen"], take["n_kept"]) == (len(images) + 2, len(images))
    repeated, empty = take["refused"]
    assert "same picture" in repeated
    assert "black" in empty
    assert set(take["refused"].values()) == {1}


def test_that_a_take_is_folded_into_a_model_and_the_old_one_stays(model_file, attack, tmp_path):
    before = model_file.read_bytes()
    file = tmp_path / "grown.safetensors"
    arguments = ("enrol", "--take", f"evening={attack}", "--add-to", model_file, "-o", file)
    result = run(*arguments, "--every", 0.06, "--target-bpcer", 0.2, "--json")
    assert result.exit_code == ExitCode.OK, result.output
    told = json.loads(result.stdout)["model"]
    assert told["takes"] == [*load(model_file).takes, "evening"]
    assert told["n_samples"] > len(load(model_file).estimator.labels_)
    assert told["threshold"]["target_bpcer"] == 0.2
    assert model_file.read_bytes() == before


def test_that_several_people_share_a_model_and_are_told_apart(genuine, attack, tmp_path):
    file, grown = tmp_path / "all.safetensors", tmp_path / "grown.safetensors"
    takes = [f"{who}:desk={path}" for who, path in zip(("Ann", "Ben"), genuine, strict=True)]
    arguments = ("--take", takes[0], "--take", takes[1], "--target-bpcer", 0.1)
    result = run("enrol", *arguments, "-o", file, *TINY)
    assert result.exit_code == ExitCode.OK, result.output
    assert "People, left-out frames" in result.stdout
    model = load(file)
    assert (model.takes, model.persons) == (("desk", "desk (2)"), ("Ann", "Ben"))
    assert model.estimator.calibration_.target_bpcer == 0.1
    more = ("--take", f"Ann:door={attack}", "--take", f"late={genuine[0]}")
    result = run("enrol", *more, "--add-to", file, "-o", grown, "--every", 0.07, "--json")
    assert result.exit_code == ExitCode.OK, result.output
    told = json.loads(result.stdout)
    assert [take["person"] for take in told["takes"]] == ["Ann", None]
    people = {person["name"]: person for person in told["model"]["people"]}
    assert {name: person["n_takes"] for name, person in people.items()} == {
        "Ann": 2,
        "Ben": 1,
        None: 1,
    }
    low, high = people["Ann"]["bpcer_interval"]
    assert low <= people["Ann"]["bpcer"] <= high
    assert load(grown).persons == ("Ann", "Ben", "Ann", "")


def test_that_the_demo_is_recorded_as_the_window_does(tmp_path):
    file = tmp_path / "face.safetensors"
    result = run("enrol", "demo", "-o", file, "--preset", "tiny", "--frames", 15, "--json")
    assert result.exit_code == ExitCode.OK, result.output
    told = json.loads(result.stdout)
    assert told["model"]["is_simulated"] is True
    (take,) = told["takes"]
    assert (take["name"], take["n_kept"]) == ("window light", 15)


def test_that_a_live_camera_is_recorded_as_the_window_does(genuine, tmp_path, monkeypatch):
    hurried = partial(Plan, at_least_every=0.05)
    monkeypatch.setattr(recorder, "Plan", hurried)
    images = pictures(genuine[0])
    server = MjpegServer()
    address = server.serve(
        lambda visit: (visit.head(), visit.pictures(lambda step: images[step % len(images)])),
        login="someone:secret@",
    )
    file = tmp_path / "face.safetensors"
    try:
        arguments = ("enrol", "--take", f"desk={address}", "-o", file, "--preset", "tiny")
        result = run(*arguments, "--frames", 15, "--every", 0.02)
    finally:
        server.close()
    assert result.exit_code == ExitCode.OK, result.output
    model = load(file)
    assert model.takes == ("desk",)
    assert len(model.estimator.labels_) == 15
    assert "secret" not in result.output


def test_that_a_live_take_of_a_picture_that_never_changes_ends_and_says_so(
    genuine, tmp_path, monkeypatch
):
    monkeypatch.setattr(recorder, "LONGEST_TAKE", 1.0)
    image = pictures(genuine[0])[0]
    server = MjpegServer()
    address = server.serve(lambda visit: (visit.head(), visit.pictures(lambda _: image)))
    file = tmp_path / "face.safetensors"
    try:
        result = run("enrol", "--take", f"desk={address}", "-o", file, "--preset", "tiny", "-q")
    finally:
        server.close()
    assert result.exit_code == ExitCode.NO_FRAMES
    assert re.search(r"ended after 1 seconds with \d+ of 35 frames", result.stderr)
    assert not file.exists()


def test_that_a_copy_of_a_recording_is_not_learnt_from(genuine, tmp_path):
    """Left out while its double is learnt from, it would raise the threshold above all others."""
    again = shutil.copy(genuine[0], tmp_path / "copy.avi")
    file = tmp_path / "face.safetensors"
    result = run("enrol", genuine[0], again, "-o", file, *TINY, "--json")
    first, second = json.loads(result.stdout)["takes"]
    assert (first["n_kept"], second["n_kept"]) == (12, 0)
    assert second["note"] == result.stderr.strip()
    assert "is left out: none of its 12 frames is usable (“It is the same pict" in second["note"]


def test_that_frames_a_model_has_learnt_from_are_not_folded_into_it(model_file, genuine, tmp_path):
    file = tmp_path / "face.safetensors"
    result = run("enrol", genuine[0], "--add-to", model_file, "-o", file, "--every", 0.06, "-q")
    assert result.exit_code == ExitCode.NO_FRAMES
    note, sentence = result.stderr.splitlines()
    assert "is left out" in note
    assert "12 were refused, 12 of them with: “It is the same picture" in sentence
    assert not file.exists()


def test_that_a_take_of_the_demo_may_be_added_again(tmp_path):
    first, grown = tmp_path / "first.safetensors", tmp_path / "grown.safetensors"
    few = ("--frames", 12, "-q")
    assert run("enrol", "demo", "-o", first, *TINY, *few).exit_code == ExitCode.OK
    result = run("enrol", "demo", "--add-to", first, "-o", grown, *few)
    assert result.exit_code == ExitCode.OK, result.output


def test_that_too_few_frames_are_refused_with_the_way_out(genuine, tmp_path):
    file = tmp_path / "face.safetensors"
    result = run("enrol", genuine[0], "-o", file, *TINY, "--frames", 5, "-q")
    sentence = refused(result, ExitCode.NO_FRAMES)
    assert "Only 5 frames could be kept of the 8" in sentence
    assert "name more sources" in sentence
    assert not file.exists()


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["no-such.mp4"], ExitCode.BAD_INPUT, "does not exist"),
        (["text.mp4"], ExitCode.BAD_INPUT, "cannot be read"),
        (["empty"], ExitCode.BAD_INPUT, "contains no image"),
        (["--take", "text.mp4"], ExitCode.USAGE, "NAME=SOURCE"),
        (["--take", "Ann:=text.mp4"], ExitCode.USAGE, "PERSON:NAME=SOURCE"),
        (["--take", "desk 10:30=text.mp4"], ExitCode.USAGE, "PERSON:NAME=SOURCE"),
        (["--take", "http://host/x?y=text.mp4"], ExitCode.USAGE, "PERSON:NAME=SOURCE"),
        (["--take", "Ann:Ben:desk=text.mp4"], ExitCode.USAGE, "PERSON:NAME=SOURCE"),
        ([], ExitCode.USAGE, "at least one source"),
        (["demo", "--target-bpcer", "2"], ExitCode.USAGE, "--target-bpcer cannot be used: it must"),
        (["demo", "--target-bpcer", "nan"], ExitCode.USAGE, "above 0 and below 1"),
        (["demo", "--every", "inf"], ExitCode.USAGE, "--every"),
        (["demo", "-o", "text.mp4"], ExitCode.USAGE, "text.mp4 end in .safetensors"),
        (["demo", "--preset", "tinny"], ExitCode.USAGE, "did you mean 'tiny'"),
        (["demo", "--add-to", "gone.safetensors"], ExitCode.BAD_MODEL, "gone.safetensors"),
    ],
)
def test_that_what_cannot_be_used_is_told_in_one_sentence(
    arguments, code, said, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.mp4").write_text("This is no video.")
    (tmp_path / "empty").mkdir()
    preset = [] if "--preset" in arguments or "--add-to" in arguments else ["--preset", "tiny"]
    output = [] if "-o" in arguments else ["-o", "m.safetensors"]
    assert said in refused(run("enrol", *arguments, *preset, *output, "-q"), code)
    assert not (tmp_path / "m.safetensors").exists()
    assert (tmp_path / "text.mp4").read_text() == "This is no video."


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such files")
def test_that_no_file_takes_the_place_of_a_device(tmp_path):
    place = tmp_path / "m.safetensors"
    os.mkfifo(place)
    sentence = refused(run("enrol", "demo", "-o", place, "-q"), ExitCode.UNWRITABLE)
    assert "not a regular file" in sentence
    assert place.is_fifo()


def test_that_a_place_that_cannot_be_written_is_refused_before_any_work(tmp_path, genuine):
    occupied = tmp_path / "file"
    occupied.write_text("")
    assert str(occupied) in refused(
        run("enrol", genuine[0], "-o", occupied / "m.safetensors", "-q"), ExitCode.UNWRITABLE
    )
    folder = tmp_path / "m.safetensors"
    folder.mkdir()
    assert "is a folder" in refused(
        run("enrol", genuine[0], "-o", folder, "-q"), ExitCode.UNWRITABLE
    )


def test_that_an_uncertified_fit_is_saved_and_has_its_own_exit_code(genuine, tmp_path, monkeypatch):
    monkeypatch.setattr(enrol, "CERTIFIED_GAP", -1.0)
    file = tmp_path / "face.safetensors"
    result = run("enrol", *genuine, "-o", file, *TINY, "-q")
    assert "relative gap" in refused(result, ExitCode.UNCERTIFIED)
    assert file.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to one process")
def test_that_ctrl_c_leaves_neither_a_model_nor_half_of_one(tmp_path):
    def when(process):
        assert process.stderr.readline() == "Enrolling demo\n"

    file = tmp_path / "face.safetensors"
    ended = interrupted(["enrol", "demo", "-o", file, "--preset", "tiny"], when)
    assert ended == (ExitCode.INTERRUPTED, "", "Stopped.\n")
    assert list(tmp_path.iterdir()) == []
