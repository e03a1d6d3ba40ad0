"""``lmkl-pad doctor``: this very machine, and one with something amiss."""

import json
from dataclasses import replace
from importlib import metadata

import pytest

from app.capture.webcam import Camera, Route
from app.cli import doctor as checks
from app.cli.console import ExitCode
from app.cli.doctor import State, check_up, folder, versions
from lmkl_core.features.weights import catalogue
from tests.app.cli.running import refused, run
from tests.features.minifasnet_weights import NAMES, random_weights_finder

pytestmark = pytest.mark.light

CHECKS = {
    *("python", "packages", "settings", "screen", "camera"),
    *("weights", "liveness", "detector", "engine"),
    *("settings folder", "data folder", "weights folder", "cache folder"),
}


def doctor(*arguments):
    return run("doctor", "--preset", "tiny", *arguments)


def first(name):
    """Return the first finding of a name; what comes after it is not looked at."""
    return next(finding for finding in check_up("tiny") if finding.check == name)


def test_that_everything_is_looked_at_and_what_is_not_ok_says_what_to_do():
    result = doctor("--json")
    told = json.loads(result.stdout)
    assert (result.exit_code, result.stderr, told["ok"]) == (ExitCode.OK, "", True)
    assert {one["check"] for one in told["checks"]} == CHECKS
    for one in told["checks"]:
        assert one["found"]
        assert bool(one["advice"]) is (one["state"] != "ok"), one
    for name in ("numpy", "onnxruntime", "PySide6-Essentials", "lmkl-pad"):
        assert told["versions"][name] == metadata.version(name)


def test_that_people_read_a_line_a_check():
    result = doctor()
    assert result.exit_code == ExitCode.OK, result.output
    for check in CHECKS:
        assert f"  {check}: " in result.stdout
    assert all(line.startswith(("ok ", "note ", " ")) for line in result.stdout.splitlines())


def test_that_missing_weights_are_not_ok_and_say_how_to_get_them():
    sentence = refused(run("doctor", "--preset", "paper-pad", "-q"), ExitCode.UNHEALTHY)
    assert sentence.startswith("Not in order: weights, engine;")
    assert "lmkl-pad weights fetch" in sentence


def test_that_missing_networks_of_liveness_are_a_note_with_the_way_to_them():
    finding = first("liveness")
    assert finding.state is State.NOTE
    assert "lmkl-pad weights fetch minifasnet-v2 minifasnet-v1se" in finding.advice


def test_that_networks_of_liveness_that_are_here_are_ok(tmp_path, monkeypatch):
    made = {name: random_weights_finder(tmp_path)(name) for name in NAMES}
    entries = [replace(catalogue.entry_of(name), sha256=made[name].sha256) for name in NAMES]
    others = [entry for entry in catalogue.CATALOGUE if entry.name not in NAMES]
    monkeypatch.setattr(catalogue, "CATALOGUE", (*others, *entries))
    monkeypatch.setenv("LMKL_PAD_WEIGHTS", str(tmp_path))
    assert first("liveness").state is State.OK


def test_that_a_missing_package_is_named(monkeypatch):
    def version(name):
        if name == "jinja2":
            raise metadata.PackageNotFoundError(name)
        return "1.0" if name == "torch" else found(name)

    found = metadata.version
    monkeypatch.setattr(checks.metadata, "version", version)
    packages = first("packages")
    assert packages.state is State.BAD
    assert packages.found.startswith("missing: jinja2; of another version")
    assert "torch 1.0" in packages.found
    assert packages.advice
    assert versions()["jinja2"] is None


def test_that_a_damaged_settings_file_is_a_note(tmp_path, monkeypatch):
    monkeypatch.setenv("LMKL_PAD_CONFIG", str(tmp_path))
    (tmp_path / "settings.json").write_text("{")
    finding = first("settings")
    assert finding.state is State.NOTE
    assert "is damaged" in finding.found
    assert str(tmp_path) in finding.advice


def test_that_a_folder_that_cannot_be_written_is_not_ok_and_nothing_is_made(tmp_path, monkeypatch):
    occupied = tmp_path / "file"
    occupied.write_text("")
    monkeypatch.setenv("LMKL_PAD_CACHE", str(occupied / "cache"))
    result = doctor()
    assert result.exit_code == ExitCode.UNHEALTHY
    assert "cache folder" in result.stderr
    assert "LMKL_PAD_CACHE" in result.stdout
    assert list(tmp_path.iterdir()) == [occupied]


@pytest.mark.parametrize(
    ("free", "state"), [(10**6, State.BAD), (5 * 10**8, State.NOTE), (10**11, State.OK)]
)
def test_that_little_room_is_told(free, state, tmp_path, monkeypatch):
    usage = type("Usage", (), {"free": free})
    monkeypatch.setattr(checks.shutil, "disk_usage", lambda _: usage)
    ((found, *told),) = folder(tmp_path / "not" / "there", "VARIABLE")
    assert found is state
    assert ("VARIABLE" in told[-1]) is (state is not State.OK)
    assert list(tmp_path.iterdir()) == []


def test_that_no_screen_is_a_note_because_commands_do_without(monkeypatch):
    monkeypatch.setattr("app.launch.why_no_screen", lambda: "There is no screen here.")
    finding = first("screen")
    assert (finding.state, finding.found) == (State.NOTE, "There is no screen here.")


def test_that_a_camera_that_is_a_program_is_a_note(monkeypatch):
    camera = Camera("OBS Virtual Camera", (Route(0, 0),), is_virtual=True)
    monkeypatch.setattr("app.capture.webcam.list_cameras", lambda: [camera])
    finding = first("camera")
    assert (finding.state, finding.found) == (State.NOTE, "OBS Virtual Camera (virtual camera)")
    assert "choose a real camera" in finding.advice


def test_that_a_check_that_breaks_is_a_finding_and_stops_no_other(monkeypatch):
    def fail():
        raise OSError("libsomething.so is missing")

    monkeypatch.setattr("app.capture.webcam.list_cameras", fail)
    result = doctor("--json")
    assert result.exit_code == ExitCode.UNHEALTHY
    told = {one["check"]: one for one in json.loads(result.stdout)["checks"]}
    assert told["camera"]["found"] == "libsomething.so is missing"
    assert told["engine"]["state"] == "ok"
