"""``lmkl-pad weights``, in this process and as a separate one."""

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
from lmkl_core.features.weights.store import checksums_path
from tests.app.cli.running import ROOT, refused
from tests.app.cli.running import run as run_command
from tests.features.file_server import Answer, serving

CONTENT = bytes(range(256)) * 2000
HALF = len(CONTENT) // 2
DIGEST = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Return a folder for weights that does not exist yet."""
    monkeypatch.setenv("LMKL_PAD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("LMKL_PAD_WEIGHTS", str(tmp_path / "weights"))
    return tmp_path / "weights"


@pytest.fixture
def server():
    with serving(CONTENT) as running:
        yield running


@pytest.fixture
def one_big_file(server, monkeypatch):
    """Let the catalogue have a file on the server and one of a package that is not installed."""
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


def test_that_the_list_is_available_as_json(folder):
    result = run("list", "--json")
    content = json.loads(result.stdout)
    assert content["folder"] == str(folder)
    by_name = {item["name"]: item for item in content["weights"]}
    assert list(by_name) == [entry.name for entry in catalogue.CATALOGUE]
    lite = by_name["efficientnet-lite0"]
    assert (lite["place"], lite["checksum"]) == ("package", "right")
    assert lite["sha256"] == lite["expected_sha256"]
    assert (by_name["vgg16"]["place"], by_name["vgg16"]["path"]) == ("missing", None)


@pytest.mark.usefixtures("one_big_file")
def test_that_the_list_marks_damaged_files_and_partial_downloads(folder):
    put(folder / "big.pth.partial", CONTENT[:HALF])
    assert "missing, 256.0 kB fetched" in run("list").stdout
    put(folder / "big.pth", b"damaged")
    result = run("list")
    assert "WRONG" in result.stdout
    assert result.exit_code == ExitCode.OK


@pytest.mark.usefixtures("one_big_file")
def test_that_a_file_is_fetched_into_the_given_folder_and_reported_as_json(tmp_path):
    file = tmp_path / "mine" / "big.pth"
    assert str(file.parent) in run("fetch", "big", "--folder", file.parent).stdout
    assert file.read_bytes() == CONTENT
    result = run("fetch", "big", "--folder", file.parent, "--json")
    assert (result.exit_code, result.stderr) == (ExitCode.OK, "")
    fetched = {"name": "big", "path": str(file), "sha256": DIGEST}
    assert json.loads(result.stdout) == {"files": [fetched]}


@pytest.mark.usefixtures("one_big_file")
def test_that_a_failure_gives_the_exit_code_and_does_not_stop_the_others(folder):
    result = run("fetch", "packaged", "big", "--json")
    assert result.exit_code == ExitCode.MISSING_WEIGHTS
    packaged, big = json.loads(result.stdout)["files"]
    assert "no-such`" in packaged["error"]
    assert packaged["error"] in result.stderr
    assert big["sha256"] == DIGEST
    assert (folder / "big.pth").exists()


@pytest.mark.usefixtures("one_big_file")
def test_that_a_failed_download_says_how_to_get_the_file_by_hand(folder, server):
    for answer, code in (
        (Answer(status=404), ExitCode.MISSING_WEIGHTS),
        (Answer(body=CONTENT[:-1] + b"!"), ExitCode.BAD_WEIGHTS),
    ):
        server.otherwise = answer
        result = run("fetch", "big")
        assert result.exit_code == code
        for expected in (DIGEST, str(folder), "weights import FILE"):
            assert expected in result.stderr


@pytest.mark.usefixtures("one_big_file")
def test_that_an_unwritable_folder_has_its_own_exit_code(tmp_path):
    occupied = put(tmp_path / "occupied", b"")
    result = run("fetch", "big", "--folder", occupied / "weights")
    assert result.exit_code == ExitCode.UNWRITABLE
    assert str(occupied) in result.stderr


@pytest.mark.usefixtures("one_big_file")
def test_that_the_folder_of_a_full_disk_is_named(folder, monkeypatch):
    def pour(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(download._Download, "_receive", pour)
    result = run("fetch", "big")
    assert result.exit_code == ExitCode.UNWRITABLE
    assert f"{folder}: No space left on device" in result.stderr


def test_that_weights_that_need_torch_are_not_fetched_without_it(folder, monkeypatch):
    monkeypatch.setattr(download, "has_torch", lambda: False)
    result = run("fetch", "vgg16")
    assert result.exit_code == ExitCode.MISSING_WEIGHTS
    assert "pip install" in result.stderr
    assert not folder.exists()


def test_that_the_weights_of_a_preset_are_fetched_by_its_name():
    result = run("fetch", "--preset", "tiny", "--json")
    assert result.exit_code == ExitCode.OK
    (file,) = json.loads(result.stdout)["files"]
    assert file["name"] == "efficientnet-lite0"


@pytest.mark.parametrize(
    "arguments", [[], ["resnet5"], ["--preset", "textur"], ["--preset", "no/such.toml"]]
)
def test_that_unknown_weights_are_a_usage_error(arguments, folder):
    refused(run("fetch", *arguments), ExitCode.USAGE)
    assert not folder.exists()


@pytest.mark.usefixtures("one_big_file")
def test_that_a_downloaded_file_is_imported(folder, tmp_path):
    result = run("import", put(tmp_path / "from a stick.bin"))
    assert result.exit_code == ExitCode.OK
    assert (folder / "big.pth").read_bytes() == CONTENT
    assert "big" in result.stdout


@pytest.mark.usefixtures("one_big_file")
def test_that_damaged_and_unknown_files_have_their_own_exit_codes(tmp_path):
    assert run("import", put(tmp_path / "big.pth", b"damaged")).exit_code == ExitCode.BAD_WEIGHTS
    unknown = put(tmp_path / "x.jpg", b"holiday")
    result = run("import", unknown, tmp_path / "big.pth", put(tmp_path / "y"), "--json")
    assert result.exit_code == ExitCode.BAD_INPUT  # of the first failure
    unknown, _, imported = json.loads(result.stdout)["files"]
    assert "x.jpg" in unknown["error"]
    assert imported["name"] == "big"


@pytest.mark.usefixtures("one_big_file")
def test_that_verifying_finds_missing_damaged_and_intact_files(folder):
    assert run("verify").exit_code == ExitCode.OK
    assert run("verify", "bgi").exit_code == ExitCode.USAGE
    assert run("verify", "big").exit_code == ExitCode.MISSING_WEIGHTS
    path = put(folder / "big.pth", b"damaged")
    for names in ((), ("big", "packaged")):
        result = run("verify", *names)
        assert result.exit_code == ExitCode.BAD_WEIGHTS
        assert str(path) in result.stderr
    put(path)
    assert run("verify").exit_code == ExitCode.OK
    remembered = checksums_path().read_text()
    checksums_path().write_text(remembered.replace(DIGEST, "00" * 32))
    assert run("verify").exit_code == ExitCode.OK  # reads the file again
    (item,) = json.loads(run("verify", "big", "--json").stdout)["weights"]
    assert (item["checksum"], item["sha256"]) == ("right", DIGEST)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to one process")
@pytest.mark.usefixtures("one_big_file")
def test_that_ctrl_c_keeps_the_partial_download_and_the_same_command_resumes(folder, server):
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
            with pytest.raises(subprocess.TimeoutExpired):  # still running
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
