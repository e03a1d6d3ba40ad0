"""``lmkl-pad enrol`` on real recordings."""

import json
import math
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
from app.models import fitting
from app.models.files import load
from app.session.takes import Plan
from tests.app.capture.mjpeg_server import MjpegServer
from tests.app.cli.running import interrupted, refused, run

pytestmark = pytest.mark.light

TINY = ("--preset", "tiny", "--every", 0.06)


def test_that_a_model_is_saved_with_every_recording_as_one_take(genuine, tmp_path, monkeypatch):
    monkeypatch.setattr(fitting, "LOW_LEVEL", math.inf)
    file = tmp_path / "new" / "face.safetensors"
    result = run("enrol", genuine[0], "--take", f"desk [/lamp]={genuine[1]}", "-o", file, *TINY)
    assert result.exit_code == ExitCode.OK, result.output
    model = load(file)
    assert model.takes == (genuine[0].stem, "desk [/lamp]")
    lines = ("certified", "Threshold", "left-out", "agree to the last", "To improve")
    for expected in (*model.takes, *lines, "the threshold is low"):
        assert expected in result.stdout
    row = next(line for line in result.stdout.splitlines() if "desk [/lamp]" in line)
    assert row.split()[-3:] == ["12", "0", "12"]  # kept, refused, examined
    assert "People" not in result.stdout
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_that_json_contains_takes_gap_threshold_and_parity(genuine, tmp_path):
    file = tmp_path / "face.safetensors"
    result = run("enrol", *genuine, "-o", file, *TINY, "--frames", 10, "--json")
    document, model = json.loads(result.stdout), load(file)
    facts = document["model"]
    assert result.stderr == ""
    assert [take["n_kept"] for take in document["takes"]] == [10, 10]
    assert (facts["n_samples"], facts["digest"], facts["notes"]) == (20, model.digest, [])
    assert facts["relative_gap"] <= 1e-6
    assert facts["threshold"]["value"] == model.threshold
    assert facts["threshold"]["target_bpcer"] is None
    parity = {"engine": "lmkl-pad", "n_compared": 20, "largest_difference": 0.0}
    assert document["parity"] == parity


def pictures(path, every=1):
    with VideoFile(path, paced=False) as video:
        return [frame.image for frame in video if frame.number % every == 0]


def test_that_refused_frames_are_counted_by_reason(genuine, tmp_path):
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
    assert repeated == recorder.DUPLICATE
    assert "black" in empty
    assert set(take["refused"].values()) == {1}


def test_that_a_take_is_added_to_a_model_and_the_old_file_stays(model_file, attack, tmp_path):
    before = model_file.read_bytes()
    file = tmp_path / "grown.safetensors"
    arguments = ("enrol", "--take", f"evening={attack}", "--add-to", model_file, "-o", file)
    result = run(*arguments, "--every", 0.06, "--target-bpcer", 0.2, "--json")
    assert result.exit_code == ExitCode.OK, result.output
    facts = json.loads(result.stdout)["model"]
    assert facts["takes"] == [*load(model_file).takes, "evening"]
    assert facts["n_samples"] > len(load(model_file).estimator.labels_)
    assert facts["threshold"]["target_bpcer"] == 0.2
    assert model_file.read_bytes() == before


def test_that_several_people_share_a_model_and_are_reported_separately(genuine, attack, tmp_path):
    file, grown = tmp_path / "all.safetensors", tmp_path / "grown.safetensors"
    takes = [f"{who}:desk={path}" for who, path in zip(("Ann", "Ben"), genuine, strict=True)]
    arguments = ("--take", takes[0], "--take", takes[1], "--target-bpcer", 0.1, "-o", file)
    result = run("enrol", *arguments, *TINY)
    assert result.exit_code == ExitCode.OK, result.output
    assert "People, left-out frames" in result.stdout
    model = load(file)
    assert (model.takes, model.persons) == (("desk", "desk (2)"), ("Ann", "Ben"))
    assert model.estimator.calibration_.target_bpcer == 0.1
    more = ("--take", f"Ann:door={attack}", "--take", f"late={genuine[0]}")
    result = run("enrol", *more, "--add-to", file, "-o", grown, "--every", 0.07, "--json")
    assert result.exit_code == ExitCode.OK, result.output
    document = json.loads(result.stdout)
    assert [take["person"] for take in document["takes"]] == ["Ann", None]
    people = {person["name"]: person for person in document["model"]["people"]}
    n_takes = {name: person["n_takes"] for name, person in people.items()}
    assert n_takes == {"Ann": 2, "Ben": 1, None: 1}
    low, high = people["Ann"]["bpcer_interval"]
    assert low <= people["Ann"]["bpcer"] <= high
    assert load(grown).persons == ("Ann", "Ben", "Ann", "")


def test_that_the_demo_is_recorded_and_the_same_take_may_be_added_again(tmp_path):
    file, grown = tmp_path / "face.safetensors", tmp_path / "grown.safetensors"
    result = run("enrol", "demo", "-o", file, *TINY, "--frames", 12, "--json")
    assert result.exit_code == ExitCode.OK, result.output
    document = json.loads(result.stdout)
    assert document["model"]["is_simulated"] is True
    (take,) = document["takes"]
    assert (take["name"], take["n_kept"]) == ("window light", 12)
    result = run("enrol", "demo", "--add-to", file, "-o", grown, "--frames", 12, "-q")
    assert result.exit_code == ExitCode.OK, result.output


@pytest.fixture
def camera():
    """Return a function that serves pictures again and again, and returns the address."""
    server = MjpegServer()

    def serve(images):
        return server.serve(
            lambda visit: (visit.head(), visit.pictures(lambda step: images[step % len(images)])),
            login="someone:secret@",
        )

    yield serve
    server.close()


def test_that_a_live_camera_is_recorded_as_in_the_window(camera, genuine, tmp_path, monkeypatch):
    monkeypatch.setattr(recorder, "Plan", partial(Plan, at_least_every=0.05))
    file, take = tmp_path / "face.safetensors", f"desk={camera(pictures(genuine[0]))}"
    arguments = ("enrol", "--take", take, "-o", file, "--preset", "tiny")
    result = run(*arguments, "--frames", 15, "--every", 0.02)
    assert result.exit_code == ExitCode.OK, result.output
    model = load(file)
    assert model.takes == ("desk",)
    assert len(model.estimator.labels_) == 15
    assert "secret" not in result.output


def test_that_a_frozen_camera_ends_the_take_with_a_note(camera, genuine, tmp_path, monkeypatch):
    monkeypatch.setattr(recorder, "LONGEST_TAKE", 1.0)
    file, take = tmp_path / "face.safetensors", f"desk={camera(pictures(genuine[0])[:1])}"
    result = run("enrol", "--take", take, "-o", file, "--preset", "tiny", "-q")
    assert result.exit_code == ExitCode.NO_FRAMES
    assert re.search(r"ended after 1 seconds with \d+ of 35 frames", result.stderr)
    assert not file.exists()


def test_that_a_copy_of_a_recording_is_not_learnt_from(genuine, tmp_path):
    """One copy would be left out while the other is learnt from: a threshold that is too high."""
    again = shutil.copy(genuine[0], tmp_path / "copy.avi")
    file = tmp_path / "face.safetensors"
    result = run("enrol", genuine[0], again, "-o", file, *TINY, "--json")
    first, second = json.loads(result.stdout)["takes"]
    assert (first["n_kept"], second["n_kept"]) == (12, 0)
    assert second["note"] == result.stderr.strip()
    assert second["refused"] == {recorder.DUPLICATE: 12}


def test_that_frames_a_model_has_learnt_from_are_not_added_again(model_file, genuine, tmp_path):
    file = tmp_path / "face.safetensors"
    result = run("enrol", genuine[0], "--add-to", model_file, "-o", file, "--every", 0.06, "-q")
    assert result.exit_code == ExitCode.NO_FRAMES
    _, sentence = result.stderr.splitlines()
    assert "12 were refused, 12 of them" in sentence
    assert recorder.DUPLICATE.rstrip(".") in sentence
    assert not file.exists()


def test_that_too_few_frames_are_refused_with_the_way_out(genuine, tmp_path):
    file = tmp_path / "face.safetensors"
    result = run("enrol", genuine[0], "-o", file, *TINY, "--frames", 5, "-q")
    sentence = refused(result, ExitCode.NO_FRAMES)
    assert "Only 5 of 8 frames" in sentence
    assert "name more sources" in sentence
    assert not file.exists()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["no-such.mp4"], ExitCode.BAD_INPUT, "does not exist"),
        (["text.mp4"], ExitCode.BAD_INPUT, "cannot be read"),
        (["empty"], ExitCode.BAD_INPUT, "empty"),
        (["."], ExitCode.BAD_INPUT, "one by one, such as text.mp4"),
        (["--take", "text.mp4"], ExitCode.USAGE, "NAME=SOURCE"),
        (["--take", "Ann:=text.mp4"], ExitCode.USAGE, "PERSON:NAME=SOURCE"),
        (["--take", "desk 10:30=text.mp4"], ExitCode.USAGE, "PERSON:NAME=SOURCE"),
        (["--take", "http://host/x?y=text.mp4"], ExitCode.USAGE, "PERSON:NAME=SOURCE"),
        (["--take", "Ann:Ben:desk=text.mp4"], ExitCode.USAGE, "PERSON:NAME=SOURCE"),
        ([], ExitCode.USAGE, "at least one source"),
        (["demo", "--target-bpcer", "2"], ExitCode.USAGE, "--target-bpcer"),
        (["demo", "--target-bpcer", "nan"], ExitCode.USAGE, "above 0 and below 1"),
        (["demo", "--every", "inf"], ExitCode.USAGE, "--every"),
        (["demo", "-o", "text.mp4"], ExitCode.USAGE, ".safetensors"),
        (["demo", "--preset", "tinny"], ExitCode.USAGE, "did you mean 'tiny'"),
        (["demo", "--add-to", "gone.safetensors"], ExitCode.BAD_MODEL, "gone.safetensors"),
    ],
)
def test_that_unusable_arguments_are_refused_in_one_sentence(
    arguments, code, words, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.mp4").write_text("not a video")
    (tmp_path / "empty").mkdir()
    preset = [] if "--preset" in arguments or "--add-to" in arguments else ["--preset", "tiny"]
    output = [] if "-o" in arguments else ["-o", "m.safetensors"]
    assert words in refused(run("enrol", *arguments, *preset, *output, "-q"), code)
    assert not (tmp_path / "m.safetensors").exists()
    assert (tmp_path / "text.mp4").read_text() == "not a video"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such files")
def test_that_a_device_is_not_replaced(tmp_path):
    place = tmp_path / "m.safetensors"
    os.mkfifo(place)
    refused(run("enrol", "demo", "-o", place, "-q"), ExitCode.UNWRITABLE)
    assert place.is_fifo()


@pytest.mark.parametrize(
    ("output", "culprit"), [("file/m.safetensors", "file"), ("m.safetensors", "m.safetensors")]
)
def test_that_an_unwritable_output_is_refused_before_any_work(output, culprit, tmp_path, genuine):
    (tmp_path / "file").write_text("")
    (tmp_path / "m.safetensors").mkdir()
    result = run("enrol", genuine[0], "-o", tmp_path / output, "-q")
    assert str(tmp_path / culprit) in refused(result, ExitCode.UNWRITABLE)


def test_that_an_uncertified_fit_is_saved_and_has_its_own_exit_code(genuine, tmp_path, monkeypatch):
    monkeypatch.setattr(enrol, "CERTIFIED_GAP", -1.0)
    file = tmp_path / "face.safetensors"
    result = run("enrol", *genuine, "-o", file, *TINY, "-q")
    assert "relative gap" in refused(result, ExitCode.UNCERTIFIED)
    assert file.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to one process")
def test_that_ctrl_c_leaves_no_model_and_no_part_of_one(tmp_path):
    def when(process):
        assert process.stderr.readline() == "Enrolling demo\n"

    file = tmp_path / "face.safetensors"
    ended = interrupted(["enrol", "demo", "-o", file, "--preset", "tiny"], when)
    assert ended == (ExitCode.INTERRUPTED, "", "Stopped.\n")
    assert list(tmp_path.iterdir()) == []
