"""``lmkl-pad doctor`` on this machine, and with injected problems."""

import json
from dataclasses import replace
from importlib import metadata

import pytest

from app.capture.source import Cause
from app.capture.webcam import Camera, Route
from app.cli import doctor as checks
from app.cli.console import ExitCode
from app.cli.doctor import State, folder, run_checks, versions
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
    """Return the first finding of a check; later checks do not run."""
    return next(finding for finding in run_checks("tiny") if finding.check == name)


def test_that_everything_is_checked_and_only_problems_have_advice():
    result = doctor("--json")
    document = json.loads(result.stdout)
    assert (result.exit_code, result.stderr, document["ok"]) == (ExitCode.OK, "", True)
    assert {finding["check"] for finding in document["checks"]} == CHECKS
    for finding in document["checks"]:
        assert finding["found"]
        assert bool(finding["advice"]) is (finding["state"] != "ok"), finding
    for name in ("numpy", "onnxruntime", "PySide6-Essentials", "lmkl-pad"):
        assert document["versions"][name] == metadata.version(name)


def test_that_a_line_is_printed_for_each_check():
    result = doctor()
    assert result.exit_code == ExitCode.OK, result.output
    for check in CHECKS:
        assert f"  {check}: " in result.stdout
    assert all(line.startswith(("ok ", "note ", " ")) for line in result.stdout.splitlines())


def test_that_missing_weights_are_not_ok_and_their_command_is_named():
    sentence = refused(run("doctor", "--preset", "paper-pad", "-q"), ExitCode.UNHEALTHY)
    assert "weights, engine;" in sentence
    assert "lmkl-pad weights fetch" in sentence


def test_that_damaged_weights_are_not_ok_even_if_the_preset_needs_others(tmp_path, monkeypatch):
    monkeypatch.setenv("LMKL_PAD_WEIGHTS", str(tmp_path))
    file = tmp_path / catalogue.entry_of("vgg16").file_name
    file.write_text("damaged")
    (finding,) = [each for each in run_checks("tiny") if each.found == f"vgg16: {file} is damaged"]
    assert finding.state is State.BAD
    assert "weights fetch vgg16" in finding.advice


def test_that_liveness_networks_are_optional(tmp_path, monkeypatch):
    finding = first("liveness")
    assert finding.state is State.NOTE
    assert "lmkl-pad weights fetch minifasnet-v2 minifasnet-v1se" in finding.advice
    made = {name: random_weights_finder(tmp_path)(name) for name in NAMES}
    entries = [replace(catalogue.entry_of(name), sha256=made[name].sha256) for name in NAMES]
    others = [entry for entry in catalogue.CATALOGUE if entry.name not in NAMES]
    monkeypatch.setattr(catalogue, "CATALOGUE", (*others, *entries))
    monkeypatch.setenv("LMKL_PAD_WEIGHTS", str(tmp_path))
    assert first("liveness").state is State.OK


def test_that_missing_and_outdated_packages_are_named(monkeypatch):
    def version(name):
        if name == "jinja2":
            raise metadata.PackageNotFoundError(name)
        return "1.0" if name == "torch" else installed(name)

    installed = metadata.version
    monkeypatch.setattr(checks.metadata, "version", version)
    packages = first("packages")
    assert packages.state is State.BAD
    assert packages.found == "missing: jinja2; wrong version: torch 1.0"
    assert packages.advice
    assert versions()["jinja2"] is None


def test_that_a_damaged_settings_file_is_a_note(tmp_path, monkeypatch):
    monkeypatch.setenv("LMKL_PAD_CONFIG", str(tmp_path))
    (tmp_path / "settings.json").write_text("{")
    finding = first("settings")
    assert finding.state is State.NOTE
    assert "is damaged" in finding.found
    assert str(tmp_path) in finding.advice


def test_that_an_unwritable_folder_is_not_ok_and_nothing_is_created(tmp_path, monkeypatch):
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
def test_that_a_nearly_full_disk_is_reported(free, state, tmp_path, monkeypatch):
    usage = type("Usage", (), {"free": free})
    monkeypatch.setattr(checks.shutil, "disk_usage", lambda _: usage)
    ((found, *texts),) = folder(tmp_path / "not" / "there", "VARIABLE")
    assert found is state
    assert ("VARIABLE" in texts[-1]) is (state is not State.OK)
    assert list(tmp_path.iterdir()) == []


def test_that_a_missing_screen_and_a_virtual_camera_are_notes(monkeypatch):
    monkeypatch.setattr("app.launch.why_no_screen", lambda: "There is no screen here.")
    camera = Camera("OBS Virtual Camera", (Route(0, 0),), is_virtual=True)
    monkeypatch.setattr("app.capture.webcam.list_cameras", lambda: [camera])
    for check, found in (("screen", "no screen here"), ("camera", "OBS Virtual Camera")):
        finding = first(check)
        assert finding.state is State.NOTE, check
        assert found in finding.found
        assert finding.advice, check


def test_that_a_camera_that_may_not_be_used_is_not_ok(monkeypatch):
    monkeypatch.setattr("app.capture.webcam.list_cameras", lambda: [Camera("HD", (Route(0, 0),))])
    for cause, state in ((Cause.PERMISSION, State.BAD), (Cause.BUSY, State.NOTE)):
        monkeypatch.setattr("app.capture.webcam.why_not_opened", lambda _, cause=cause: cause)
        assert first("camera").state is state, cause


def test_that_a_failing_check_is_a_finding_and_the_others_still_run(monkeypatch):
    def fail():
        raise OSError("libsomething.so is missing")

    monkeypatch.setattr("app.capture.webcam.list_cameras", fail)
    result = doctor("--json")
    assert result.exit_code == ExitCode.UNHEALTHY
    findings = {finding["check"]: finding for finding in json.loads(result.stdout)["checks"]}
    assert findings["camera"]["found"] == "libsomething.so is missing"
    assert findings["engine"]["state"] == "ok"
