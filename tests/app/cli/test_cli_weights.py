"""``lmkl-pad weights``, called in this process and as the installed command."""

import errno
import hashlib
import json
import os
import signal
import subprocess
import sys
from functools import partial

import pytest

from app.cli.console import ExitCode
from lmkl_core.features.weights import catalogue, download
from lmkl_core.features.weights.catalogue import PackageFile, Weights
from tests.app.cli.running import ROOT
from tests.app.cli.running import run as run_command
from tests.features.file_server import Answer, serving

CONTENT = bytes(range(256)) * 2000
HALF = len(CONTENT) // 2
DIGEST = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Return a folder for weights that is not there yet."""
    monkeypatch.setenv("LMKL_PAD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("LMKL_PAD_WEIGHTS", str(tmp_path / "weights"))
    return tmp_path / "weights"


@pytest.fixture
def server():
    with serving(CONTENT) as running:
        yield running


@pytest.fixture
def one_big_file(server, monkeypatch):
    """Let the catalogue hold a file of the server and one of a package that is not there."""
    big = Weights("big", "big.pth", DIGEST, "for tests", "MIT", len(CONTENT), url=server.url)
    packaged = Weights(
        "packaged", "p.pth", "00" * 32, "packaged", "MIT", package=PackageFile("no-such", "p.pth")
    )
    monkeypatch.setattr(catalogue, "CATALOGUE", (big, packaged))


run = partial(run_command, "weights")


def put(path, content=CONTENT):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def test_that_the_list_shows_every_entry_with_place_size_licence_and_checksum(folder):
    result = run("list")
    assert result.exit_code == ExitCode.OK
    for entry in catalogue.CATALOGUE:
        assert entry.name in result.stdout
    lite, resnet = (
        next(line for line in result.stdout.splitlines() if f" {name} " in line)
        for name in ("efficientnet-lite0", "resnet50")
    )
    for expected in ("package", "18.8 MB", "Apache-2.0", "right"):
        assert expected in lite
    for expected in ("missing", "102.5 MB", "BSD-3-Clause"):
        assert expected in resnet
    assert str(folder) in result.stdout
    assert not folder.exists()


def test_that_the_list_is_json_for_machines(folder):
    result = run("list", "--json")
    content = json.loads(result.stdout)
    assert content["folder"] == str(folder)
    by_name = {item["name"]: item for item in content["weights"]}
    assert list(by_name) == [entry.name for entry in catalogue.CATALOGUE]
    lite = by_name["efficientnet-lite0"]
    assert (lite["place"], lite["checksum"], lite["sha256"]) == (
        "package",
        "right",
        lite["expected_sha256"],
    )
    assert by_name["vgg16"]["place"] == "missing"
    assert by_name["vgg16"]["path"] is None


@pytest.mark.usefixtures("one_big_file")
def test_that_the_list_tells_a_damaged_file_and_a_broken_off_download(folder):
    put(folder / "big.pth.partial", CONTENT[:HALF])
    assert "missing, 256.0 kB fetched" in run("list").stdout
    put(folder / "big.pth", b"damaged")
    result = run("list")
    assert "WRONG" in result.stdout
    assert result.exit_code == ExitCode.OK


@pytest.mark.usefixtures("one_big_file")
def test_that_a_file_is_fetched_into_the_folder_named_and_json_is_all_that_is_printed(tmp_path):
    file = tmp_path / "mine" / "big.pth"
    assert str(file.parent) in run("fetch", "big", "--folder", file.parent).stdout
    assert file.read_bytes() == CONTENT
    result = run("fetch", "big", "--folder", file.parent, "--json")
    assert (result.exit_code, result.stderr) == (ExitCode.OK, "")
    fetched = {"name": "big", "path": str(file), "sha256": DIGEST}
    assert json.loads(result.stdout) == {"files": [fetched]}


@pytest.mark.usefixtures("one_big_file")
def test_that_one_failure_does_not_stop_the_others_and_gives_the_exit_code(folder):
    result = run("fetch", "packaged", "big", "--json")
    assert result.exit_code == ExitCode.MISSING_WEIGHTS
    packaged, big = json.loads(result.stdout)["files"]
    assert "no-such`" in packaged["error"]
    assert packaged["error"] in result.stderr
    assert big["sha256"] == DIGEST
    assert (folder / "big.pth").exists()


@pytest.mark.usefixtures("one_big_file")
def test_that_a_server_that_fails_or_lies_is_told_with_the_way_by_hand(folder, server):
    server.otherwise = Answer(status=404)
    result = run("fetch", "big")
    assert result.exit_code == ExitCode.MISSING_WEIGHTS
    for expected in ("404", DIGEST, str(folder), "weights import FILE"):
        assert expected in result.stderr
    server.otherwise = Answer(body=CONTENT[:-1] + b"!")
    result = run("fetch", "big")
    assert result.exit_code == ExitCode.BAD_WEIGHTS
    for expected in (DIGEST, str(folder), "weights import FILE"):
        assert expected in result.stderr


@pytest.mark.usefixtures("one_big_file")
def test_that_a_folder_that_cannot_be_written_has_its_own_exit_code(tmp_path):
    occupied = put(tmp_path / "occupied", b"")
    result = run("fetch", "big", "--folder", occupied / "weights")
    assert result.exit_code == ExitCode.UNWRITABLE
    assert str(occupied) in result.stderr


@pytest.mark.usefixtures("one_big_file")
def test_that_a_disk_that_fills_up_meanwhile_is_told_with_its_folder(folder, monkeypatch):
    def pour(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(download._Download, "_receive", pour)
    result = run("fetch", "big")
    assert result.exit_code == ExitCode.UNWRITABLE
    assert f"Cannot write {folder}: No space left on device." in result.stderr


def test_that_the_weights_of_a_preset_are_fetched_by_its_name():
    result = run("fetch", "--preset", "tiny", "--json")
    assert result.exit_code == ExitCode.OK
    (file,) = json.loads(result.stdout)["files"]
    assert file["name"] == "efficientnet-lite0"


@pytest.mark.parametrize(
    "arguments", [[], ["resnet5"], ["--preset", "textur"], ["--preset", "no/such.toml"]]
)
def test_that_asking_for_what_is_not_there_is_a_usage_error(arguments, folder):
    result = run("fetch", *arguments)
    assert result.exit_code == ExitCode.USAGE
    assert len(result.stderr.splitlines()) == 1
    assert not folder.exists()


@pytest.mark.usefixtures("one_big_file")
def test_that_a_file_brought_by_hand_is_taken_over(folder, tmp_path):
    result = run("import", put(tmp_path / "from a stick.bin"))
    assert result.exit_code == ExitCode.OK
    assert (folder / "big.pth").read_bytes() == CONTENT
    assert "big" in result.stdout


@pytest.mark.usefixtures("one_big_file")
def test_that_a_damaged_file_and_one_of_no_use_have_their_exit_codes(tmp_path):
    assert run("import", put(tmp_path / "big.pth", b"damaged")).exit_code == ExitCode.BAD_WEIGHTS
    result = run("import", put(tmp_path / "x.jpg", b"holiday"), put(tmp_path / "y"), "--json")
    assert result.exit_code == ExitCode.BAD_INPUT
    holiday, taken = json.loads(result.stdout)["files"]
    assert "not one of the known weights" in holiday["error"]
    assert taken["name"] == "big"


@pytest.mark.usefixtures("one_big_file")
def test_that_verifying_ends_well_when_what_is_there_is_whole(folder):
    put(folder / "big.pth")
    assert run("verify").exit_code == ExitCode.OK
    result = run("verify", "big", "--json")
    (item,) = json.loads(result.stdout)["weights"]
    assert (item["checksum"], item["sha256"]) == ("right", DIGEST)


@pytest.mark.usefixtures("one_big_file")
def test_that_verifying_names_a_damaged_file(folder):
    path = put(folder / "big.pth", b"damaged")
    result = run("verify")
    assert result.exit_code == ExitCode.BAD_WEIGHTS
    assert str(path) in result.stderr
    with_a_missing_one = run("verify", "big", "packaged")
    assert with_a_missing_one.exit_code == ExitCode.BAD_WEIGHTS
    assert f"Not as they should be: {path};" in with_a_missing_one.stderr


@pytest.mark.usefixtures("one_big_file")
def test_that_verifying_what_is_missing_has_its_own_exit_code():
    assert run("verify", "big").exit_code == ExitCode.MISSING_WEIGHTS
    assert run("verify", "bgi").exit_code == ExitCode.USAGE
    assert run("verify").exit_code == ExitCode.OK


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to one process")
@pytest.mark.usefixtures("one_big_file")
def test_that_ctrl_c_keeps_what_arrived_and_the_same_command_goes_on(folder, server):
    script = (
        "from app.__main__ import main\n"
        "from lmkl_core.features.weights import catalogue\n"
        f"catalogue.CATALOGUE = (catalogue.Weights('big', 'big.pth', {DIGEST!r}, '', 'MIT', "
        f"url={server.url!r}),)\n"
        "main()"
    )
    command = [sys.executable, "-c", script, "weights", "fetch", "big"]
    server.plan.append(Answer(send=HALF, stall=True))
    with subprocess.Popen(
        command, cwd=ROOT, env=os.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as first:
        assert server.sent.wait(60)
        partial = folder / "big.pth.partial"
        while not partial.exists() or partial.stat().st_size < HALF:
            with pytest.raises(subprocess.TimeoutExpired):  # it is still at work
                first.wait(0.01)
        first.send_signal(signal.SIGINT)
        _, stderr = first.communicate(timeout=60)
    assert first.returncode == ExitCode.INTERRUPTED
    assert "Stopped. 256.0 kB of big.pth are kept" in stderr
    assert partial.read_bytes() == CONTENT[:HALF]
    second = run("fetch", "big")
    assert second.exit_code == ExitCode.OK, second.output
    assert server.ranges_asked == [None, f"bytes={HALF}-"]
    assert (folder / "big.pth").read_bytes() == CONTENT
