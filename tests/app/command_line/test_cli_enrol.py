"""``lmkl-pad enrol`` on real recordings."""

import json
import re
import sys
from functools import partial

import numpy as np
import pytest

from app.cli.exit_codes import ExitCode
from app.demo_video.takes import Take, frames
from app.enrolment import Plan, Sample
from app.headless import enrolling
from app.headless.enrolling import FEWEST_IN_PART, cut, take_names
from app.models import summary
from app.models.files import load
from app.sources.opencv import cv2
from tests.app.command_line.running import interrupted, refused, run
from tests.app.sources.mjpeg_server import MjpegServer

TINY = ("--preset", "tiny", "--every", 0.06)


def test_that_a_model_is_saved_with_every_take_cut_into_parts(genuine, tmp_path):
    file = tmp_path / "new" / "face.safetensors"
    result = run("enrol", genuine[0], "--take", f"desk lamp={genuine[1]}", "-o", file, *TINY)
    assert result.exit_code == ExitCode.OK, result.output
    model = load(file)
    first = genuine[0].stem
    assert model.takes == tuple(
        f"{take} #{part}" for take in (first, "desk lamp") for part in (1, 2, 3, 4)
    )
    for expected in (first, "desk lamp", "certified", "Threshold", "left-out", "agree to the last"):
        assert expected in result.stdout
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_that_json_tells_takes_gap_threshold_and_parity(genuine, tmp_path):
    file = tmp_path / "face.safetensors"
    result = run("enrol", *genuine, "-o", file, *TINY, "--frames", 10, "--json")
    told = json.loads(result.stdout)
    model = load(file)
    assert result.stderr == ""
    assert [take["n_kept"] for take in told["takes"]] == [10, 10]
    assert [take["n_parts"] for take in told["takes"]] == [3, 3]
    assert told["model"]["n_samples"] == 20
    assert told["model"]["digest"] == model.digest
    assert told["model"]["threshold"]["value"] == model.threshold
    assert told["model"]["relative_gap"] <= 1e-6
    assert told["parity"] == {"n_compared": 20, "largest_difference": 0.0}


def test_that_refused_frames_are_counted_by_their_reason(tmp_path):
    folder = tmp_path / "stills"
    folder.mkdir()
    images = [frame.image for frame in frames(Take("P001", n_frames=120), every=9)]
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
    assert told["takes"] == [*take_names(load(model_file)), "evening"]
    assert told["n_samples"] > len(load(model_file).estimator.labels_)
    assert told["threshold"]["target_bpcer"] == 0.2
    assert model_file.read_bytes() == before


def test_that_the_demo_is_recorded_in_parts_as_the_window_does(tmp_path):
    file = tmp_path / "face.safetensors"
    result = run("enrol", "demo", "-o", file, "--preset", "tiny", "--frames", 15, "--json")
    assert result.exit_code == ExitCode.OK, result.output
    told = json.loads(result.stdout)
    assert told["model"]["is_simulated"] is True
    (take,) = told["takes"]
    assert (take["name"], take["n_parts"], take["n_kept"]) == ("window light", 5, 15)


def test_that_a_live_camera_is_recorded_in_parts_with_pauses(tmp_path, monkeypatch):
    hurried = partial(Plan, pause=0.2, at_least_every=0.05)
    monkeypatch.setattr(enrolling, "Plan", hurried)
    images = [frame.image for frame in frames(Take("P001", n_frames=72), every=3)]
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
    assert model.takes == tuple(f"desk #{part}" for part in range(1, 6))
    assert len(model.estimator.labels_) == 15
    assert "secret" not in result.output


def test_that_a_live_take_of_a_picture_that_never_changes_ends_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(enrolling, "LONGEST_TAKE", 1.0)
    (image,) = [frame.image for frame in frames(Take("P001", n_frames=1))]
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


def test_that_parts_follow_one_another_and_none_is_tiny():
    samples = [Sample(number, "take", 0, {}, None, None) for number in range(11)]
    parts = cut(samples, 5)
    assert [sample.number for sample in parts] == list(range(11))
    sizes = np.bincount([sample.part for sample in parts])
    assert len(sizes) == 3
    assert min(sizes) >= FEWEST_IN_PART
    assert {sample.part for sample in cut(samples[:2], 5)} == {0}


# ------------------------------------------------- refusals


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
        (["empty"], ExitCode.BAD_INPUT, "holds no image"),
        (["--take", "text.mp4"], ExitCode.USAGE, "NAME=SOURCE"),
        ([], ExitCode.USAGE, "at least one source"),
        (["demo", "--target-bpcer", "2"], ExitCode.USAGE, "--target-bpcer"),
        (["demo", "--preset", "tinny"], ExitCode.FAILED, "did you mean 'tiny'"),
        (["demo", "--add-to", "text.mp4"], ExitCode.BAD_MODEL, "text.mp4"),
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
    assert said in refused(run("enrol", *arguments, *preset, "-o", "m", "-q"), code)
    assert not (tmp_path / "m").exists()


def test_that_a_place_that_cannot_be_written_is_refused_before_any_work(tmp_path, genuine):
    occupied = tmp_path / "file"
    occupied.write_text("")
    assert str(occupied) in refused(
        run("enrol", genuine[0], "-o", occupied / "m", "-q"), ExitCode.UNWRITABLE
    )
    assert "is a folder" in refused(
        run("enrol", genuine[0], "-o", tmp_path, "-q"), ExitCode.UNWRITABLE
    )


def test_that_an_uncertified_fit_is_saved_and_has_its_own_exit_code(genuine, tmp_path, monkeypatch):
    monkeypatch.setattr(summary, "CERTIFIED_GAP", -1.0)
    file = tmp_path / "face.safetensors"
    result = run("enrol", *genuine, "-o", file, *TINY, "-q")
    assert "relative gap" in refused(result, ExitCode.UNCERTIFIED)
    assert file.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to one process")
def test_that_ctrl_c_leaves_neither_a_model_nor_half_of_one(tmp_path):
    def when(process):
        assert process.stderr.readline() == "Enrolling demo\n"

    file = tmp_path / "face.safetensors"
    code, stdout, stderr = interrupted(["enrol", "demo", "-o", file, "--preset", "tiny"], when)
    assert (code, stdout, stderr) == (ExitCode.INTERRUPTED, "", "Stopped.\n")
    assert list(tmp_path.iterdir()) == []
