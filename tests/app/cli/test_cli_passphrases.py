"""Passphrases from a file, the environment or the terminal, which are never shown."""

import json
import os
import stat
import subprocess
import sys
import time

import pytest

from app.cli.console import ExitCode
from app.models.files import load, save
from lmkl_core.errors import PassphraseNeeded
from tests.app.cli.running import ROOT, refused, run
from tests.app.models.small_models import window_model
from tests.core.protected_model import PASSPHRASE, WRONG, cheap_passphrases

__all__ = ["cheap_passphrases"]

pytestmark = pytest.mark.usefixtures("cheap_passphrases")

OTHER = "quite another passphrase"


@pytest.fixture
def secret(tmp_path):
    """Return a function that writes a passphrase into a private file."""

    def write(text=PASSPHRASE, name="secret", mode=0o600):
        path = tmp_path / name
        path.write_text(f"{text}\nsecond line\n", encoding="utf-8")
        path.chmod(mode)
        return path

    return write


@pytest.fixture
def plain(tmp_path):
    return save(window_model(), tmp_path / "me.safetensors").model


@pytest.fixture
def protected(tmp_path):
    save(window_model(), tmp_path / "me.lmkl", passphrase=PASSPHRASE)
    return tmp_path / "me.lmkl"


def test_that_export_adds_and_removes_the_protection(plain, secret, tmp_path):
    sealed, again = tmp_path / "sealed.lmkl", tmp_path / "again.safetensors"
    result = run("export", plain.path, "--to", sealed, "--passphrase-file", secret(), "--json")
    assert (result.exit_code, result.stderr) == (ExitCode.OK, "")
    document = json.loads(result.stdout)
    assert document["is_protected"]
    assert document["parity"]["largest_difference"] == 0
    assert stat.S_IMODE(sealed.stat().st_mode) == 0o600
    with pytest.raises(PassphraseNeeded):
        load(sealed)
    result = run("export", sealed, "--to", again, "--passphrase-file", secret())
    assert result.exit_code == ExitCode.OK, result.output
    assert "again.safetensors is not protected" in result.stderr
    assert again.read_bytes() == (tmp_path / "me.safetensors").read_bytes()


def test_that_the_scorer_of_a_protected_model_is_reported_as_unprotected(protected, tmp_path):
    env = {"LMKL_PAD_PASSPHRASE": PASSPHRASE}
    result = run("export", protected, "--to", tmp_path / "me.onnx", env=env)
    assert result.exit_code == ExitCode.OK, result.output
    assert "me.onnx is not protected" in result.stderr
    result = run("export", protected, "--to", tmp_path / "x.lmkl", "--format", "onnx")
    assert "cannot be protected" in refused(result, ExitCode.USAGE)


def test_that_a_passphrase_is_changed_without_an_unprotected_file(protected, secret, tmp_path):
    to = tmp_path / "changed.lmkl"
    files = ("--passphrase-file", secret(), "--new-passphrase-file", secret(OTHER, "new"))
    assert run("export", protected, "--to", to, *files, "-q").exit_code == ExitCode.OK
    assert load(to, passphrase=OTHER).digest == window_model().digest
    kept = tmp_path / "kept.lmkl"
    assert run("export", protected, "--to", kept, *files[:2], "-q").exit_code == ExitCode.OK
    assert load(kept, passphrase=PASSPHRASE).digest == window_model().digest
    assert list(tmp_path.glob("*.safetensors")) == []


@pytest.mark.parametrize("command", ["score", "export", "report", "enrol"])
def test_that_a_script_without_a_passphrase_ends_at_once(command, protected, tmp_path):
    video = tmp_path / "clip.mp4"
    video.write_bytes(b"never read")
    out = tmp_path / "out"
    arguments = {
        "score": (protected, video),
        "export": (protected, "--to", out.with_suffix(".onnx")),
        "report": ("--model", protected, "--bona-fide", video, "-o", out.with_suffix(".html")),
        "enrol": (video, "--add-to", protected, "-o", out.with_suffix(".lmkl")),
    }[command]
    before = sorted(tmp_path.iterdir())
    sentence = refused(run(command, *arguments), ExitCode.NO_PASSPHRASE)
    assert "me.lmkl needs a passphrase" in sentence
    assert "--passphrase-file" in sentence
    assert sorted(tmp_path.iterdir()) == before


def test_that_a_missing_or_short_passphrase_is_refused_before_recording(tmp_path):
    refused(run("enrol", "demo", "-o", tmp_path / "me.lmkl"), ExitCode.NO_PASSPHRASE)
    result = run("enrol", "demo", "-o", tmp_path / "me.lmkl", env={"LMKL_PAD_PASSPHRASE": "short"})
    assert "at least 15" in refused(result, ExitCode.NO_PASSPHRASE)


def test_that_a_wrong_passphrase_has_its_exit_code(protected, secret, tmp_path):
    result = run("score", protected, "demo", "--frames", 1, "--passphrase-file", secret(WRONG))
    assert WRONG not in refused(result, ExitCode.NO_PASSPHRASE)


def test_that_a_passphrase_for_an_unprotected_model_is_refused(plain, secret):
    result = run("score", plain.path, "demo", "--frames", 1, "--passphrase-file", secret())
    refused(result, ExitCode.BAD_MODEL)


@pytest.mark.parametrize(
    ("command", "option"),
    [
        ("enrol", "--passphrase-file"),
        ("export", "--passphrase-file"),
        ("export", "--new-passphrase-file"),
    ],
)
def test_that_a_passphrase_for_an_unprotected_output_is_refused(
    command, option, plain, secret, tmp_path
):
    output = tmp_path / "x.safetensors"
    arguments = ("demo", "-o", output) if command == "enrol" else (plain.path, "--to", output)
    result = run(command, *arguments, option, secret())
    assert output.name in refused(result, ExitCode.USAGE)
    assert not output.exists()


@pytest.mark.parametrize(
    ("contents", "problem"),
    [(None, "No such file"), (b"\n", "is empty"), (b"", "is empty"), (b"\xff\xfe\n", "UTF-8")],
    ids=["missing", "empty line", "empty", "not text"],
)
def test_that_a_file_without_a_passphrase_is_refused(protected, tmp_path, contents, problem):
    file = tmp_path / "file"
    if contents is not None:
        file.write_bytes(contents)
        file.chmod(0o600)
    result = run("export", protected, "--to", tmp_path / "x.onnx", "--passphrase-file", file)
    assert problem in refused(result, ExitCode.BAD_INPUT)


@pytest.mark.skipif(os.name != "posix", reason="there are no such permissions")
def test_that_a_file_that_others_can_read_is_reported(protected, secret, tmp_path):
    file = secret(mode=0o644)
    result = run("export", protected, "--to", tmp_path / "x.lmkl", "--passphrase-file", file, "-q")
    assert result.exit_code == ExitCode.OK
    (warning,) = result.stderr.splitlines()
    assert f"{file}: restrict it with chmod 600" in warning


def test_that_a_protected_model_is_enrolled_extended_scored_and_reported(
    genuine, attack, secret, tmp_path
):
    me, option = tmp_path / "me.lmkl", ("--passphrase-file", secret())
    shared = ("--every", 0.06, "-o", me, *option)
    result = run("enrol", genuine[0], *shared, "--preset", "tiny")
    assert result.exit_code == ExitCode.OK, result.output
    assert "protected by a passphrase" in result.stdout
    first = load(me, passphrase=PASSPHRASE)
    result = run("enrol", genuine[1], *shared, "--add-to", me, "--json")
    assert result.exit_code == ExitCode.OK, result.output
    facts = json.loads(result.stdout)["model"]
    assert facts["is_protected"]
    assert facts["n_samples"] > len(first.estimator.labels_)
    env = {"LMKL_PAD_PASSPHRASE": PASSPHRASE}
    result = run("score", me, attack, "--frames", 2, "--json", env=env)
    assert result.exit_code == ExitCode.OK, result.output
    assert json.loads(result.stdout)["model"]["digest"] == load(me, passphrase=PASSPHRASE).digest
    page = tmp_path / "report.html"
    presented = ("--attack", f"print={attack}", "--every", 0.05)
    result = run("report", "--model", me, *presented, "-o", page, *option, "-q")
    assert (result.exit_code, result.stdout) == (ExitCode.OK, "")
    for file in (page, page.with_suffix(".json")):
        assert PASSPHRASE not in file.read_text(encoding="utf-8")


LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the terminal is made as on Linux")


def run_on_terminal(arguments, dialogue):
    """Run Python on its own terminal; return exit code, standard output and what was shown.

    ``dialogue`` consists of pairs: words to wait for, and the answer to type, if any.
    """
    import fcntl
    import pty
    import termios

    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, *map(str, arguments)],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name != "LMKL_PAD_PASSPHRASE"},
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    ) as process:
        os.close(theirs)
        try:
            shown = ""
            for words, answer in dialogue:
                shown += read_until(ours, words)
                if answer is not None:
                    wait_for_echo_off(ours)
                    os.write(ours, answer + b"\n")
            stdout = process.communicate(timeout=120)[0]
        finally:
            process.kill()
            os.close(ours)
    return process.returncode, stdout, shown


@LINUX
def test_that_a_passphrase_is_asked_for_on_the_terminal_and_not_shown(protected, tmp_path):
    to, new = tmp_path / "changed.lmkl", "New passphrase for changed.lmkl "
    answers = [
        ("Passphrase of me.lmkl: ", WRONG),
        ("Passphrase of me.lmkl: ", PASSPHRASE),
        (new, "short"),
        (new, OTHER),
        ("again: ", WRONG),
        (new, OTHER),
        ("again: ", OTHER),
    ]
    code, stdout, shown = run_on_terminal(
        ["-m", "app", "export", protected, "--to", to, "--json"],
        [(words, answer.encode()) for words, answer in answers],
    )
    assert code == ExitCode.OK, shown
    assert json.loads(stdout)["is_protected"]
    assert not [secret for secret in (PASSPHRASE, WRONG, OTHER) if secret in shown]
    assert load(to, passphrase=OTHER).digest == window_model().digest


ASK = "from app.cli.models import _typed; print(_typed('Passphrase: '))"


@LINUX
def test_that_input_that_is_not_text_is_refused_and_not_shown():
    dialogue = [("Passphrase: ", b"secret \xff words"), ("terminal's encoding.", None)]
    code, stdout, shown = run_on_terminal(["-X", "utf8", "-c", ASK], dialogue)
    assert code != 0
    assert "secret" not in shown
    assert stdout == b""


def read_until(handle, words, patience=120.0):
    """Read what a terminal shows until it shows some words."""
    import select

    shown, end = "", time.monotonic() + patience
    while words not in shown:
        assert time.monotonic() < end, shown
        if select.select([handle], [], [], 1.0)[0]:
            shown += os.read(handle, 1).decode("utf-8", "replace")
    return shown


def wait_for_echo_off(handle, patience=120.0):
    """Wait until the terminal no longer shows what is typed."""
    import termios

    end = time.monotonic() + patience
    while termios.tcgetattr(handle)[3] & termios.ECHO:
        assert time.monotonic() < end
        time.sleep(0.01)
