"""Passphrases on the command line: from a file, the environment or the terminal, shown nowhere."""

import json
import os
import re
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

OTHER = "a passphrase of another kind"


@pytest.fixture
def secret(tmp_path):
    """Return a function that writes a passphrase into a file of the owner."""

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


def test_that_export_protects_a_model_and_takes_the_protection_away(plain, secret, tmp_path):
    sealed, again = tmp_path / "sealed.lmkl", tmp_path / "again.safetensors"
    result = run("export", plain.path, "--to", sealed, "--passphrase-file", secret(), "--json")
    assert result.exit_code == ExitCode.OK, result.output
    assert result.stderr == ""
    told = json.loads(result.stdout)
    assert told["is_protected"]
    assert told["parity"]["largest_difference"] == 0
    assert stat.S_IMODE(sealed.stat().st_mode) == 0o600
    with pytest.raises(PassphraseNeeded):
        load(sealed)
    result = run("export", sealed, "--to", again, "--passphrase-file", secret())
    assert result.exit_code == ExitCode.OK, result.output
    assert "again.safetensors is not protected" in result.stderr
    assert again.read_bytes() == (tmp_path / "me.safetensors").read_bytes()


def test_that_a_scorer_of_a_protected_model_is_told_to_be_unprotected(protected, tmp_path):
    env = {"LMKL_PAD_PASSPHRASE": PASSPHRASE}
    result = run("export", protected, "--to", tmp_path / "me.onnx", env=env)
    assert result.exit_code == ExitCode.OK, result.output
    assert "me.onnx is not protected" in result.stderr
    sentence = refused(
        run("export", protected, "--to", tmp_path / "x.lmkl", "--format", "onnx"), ExitCode.USAGE
    )
    assert "cannot be protected" in sentence


def test_that_a_passphrase_is_changed_without_the_model_touching_the_disk(
    protected, secret, tmp_path
):
    to = tmp_path / "changed.lmkl"
    files = ("--passphrase-file", secret(), "--new-passphrase-file", secret(OTHER, "new"))
    assert run("export", protected, "--to", to, *files, "-q").exit_code == ExitCode.OK
    assert load(to, passphrase=OTHER).digest == window_model().digest
    kept = tmp_path / "kept.lmkl"
    assert run("export", protected, "--to", kept, *files[:2], "-q").exit_code == ExitCode.OK
    assert load(kept, passphrase=PASSPHRASE).digest == window_model().digest
    assert {path.name for path in tmp_path.glob("*.safetensors")} == set()


@pytest.mark.parametrize("command", ["score", "export", "report", "enrol"])
def test_that_a_script_without_a_passphrase_ends_at_once(command, protected, tmp_path):
    video = tmp_path / "clip.mp4"
    video.write_bytes(b"never looked at")
    out = tmp_path / "out"
    arguments = {
        "score": (protected, video),
        "export": (protected, "--to", out.with_suffix(".onnx")),
        "report": ("--model", protected, "--bona-fide", video, "-o", out.with_suffix(".html")),
        "enrol": (video, "--add-to", protected, "-o", out.with_suffix(".lmkl")),
    }[command]
    before = sorted(tmp_path.iterdir())
    sentence = refused(run(command, *arguments), ExitCode.NO_PASSPHRASE)
    assert "me.lmkl needs a passphrase: give it with --passphrase-file" in sentence
    assert sorted(tmp_path.iterdir()) == before


def test_that_a_new_protected_model_without_a_passphrase_costs_no_recording(tmp_path):
    result = run("enrol", "demo", "-o", tmp_path / "me.lmkl")
    assert "me.lmkl needs a passphrase" in refused(result, ExitCode.NO_PASSPHRASE)
    result = run("enrol", "demo", "-o", tmp_path / "me.lmkl", env={"LMKL_PAD_PASSPHRASE": "short"})
    assert "at least 15" in refused(result, ExitCode.NO_PASSPHRASE)


def test_that_a_wrong_passphrase_has_its_exit_code(protected, secret, tmp_path):
    result = run("score", protected, "demo", "--frames", 1, "--passphrase-file", secret(WRONG))
    sentence = refused(result, ExitCode.NO_PASSPHRASE)
    assert "the passphrase is wrong, or the file was changed" in sentence
    assert WRONG not in sentence


def test_that_a_passphrase_for_an_unprotected_model_is_refused(plain, secret):
    result = run("score", plain.path, "demo", "--frames", 1, "--passphrase-file", secret())
    assert "not protected" in refused(result, ExitCode.BAD_MODEL)


@pytest.mark.parametrize("command", ["enrol", "export", "new"])
def test_that_a_passphrase_is_not_taken_for_a_file_that_it_would_not_protect(
    command, plain, secret, tmp_path
):
    option = "--new-passphrase-file" if command == "new" else "--passphrase-file"
    arguments = (
        ("enrol", "demo", "-o", tmp_path / "x.safetensors")
        if command == "enrol"
        else ("export", plain.path, "--to", tmp_path / "x.safetensors")
    )
    result = run(*arguments, option, secret())
    assert "x.safetensors would not be protected" in refused(result, ExitCode.USAGE)
    assert not (tmp_path / "x.safetensors").exists()


@pytest.mark.parametrize(
    ("contents", "told"),
    [(None, "No such file"), (b"\n", "is empty"), (b"", "is empty"), (b"\xff\xfe\n", "UTF-8")],
    ids=["missing", "empty line", "empty", "no text"],
)
def test_that_a_file_without_a_passphrase_is_told(protected, tmp_path, contents, told):
    file = tmp_path / "file"
    if contents is not None:
        file.write_bytes(contents)
        file.chmod(0o600)
    result = run("export", protected, "--to", tmp_path / "x.onnx", "--passphrase-file", file)
    assert told in refused(result, ExitCode.BAD_INPUT)


@pytest.mark.skipif(os.name != "posix", reason="there are no such permissions")
def test_that_a_file_that_others_can_read_is_told(protected, secret, tmp_path):
    file = secret(mode=0o644)
    result = run("export", protected, "--to", tmp_path / "x.lmkl", "--passphrase-file", file, "-q")
    assert result.exit_code == ExitCode.OK
    assert result.stderr == f"Others on this machine can read {file}: restrict it with chmod 600.\n"


def test_that_a_protected_model_is_enrolled_grows_scores_and_is_reported(
    genuine, attack, secret, tmp_path
):
    me, option = tmp_path / "me.lmkl", ("--passphrase-file", secret())
    how = ("--every", 0.06, "-o", me, *option)
    result = run("enrol", genuine[0], *how, "--preset", "tiny")
    assert result.exit_code == ExitCode.OK, result.output
    assert re.search(
        r"me\.lmkl \(\d+ frames, preset tiny, protected by a passphrase\)", result.stdout
    )
    first = load(me, passphrase=PASSPHRASE)
    result = run("enrol", genuine[1], *how, "--add-to", me, "--json")
    assert result.exit_code == ExitCode.OK, result.output
    told = json.loads(result.stdout)["model"]
    assert told["is_protected"]
    assert told["n_samples"] > len(first.estimator.labels_)
    env = {"LMKL_PAD_PASSPHRASE": PASSPHRASE}
    result = run("score", me, attack, "--frames", 2, "--json", env=env)
    assert result.exit_code == ExitCode.OK, result.output
    assert json.loads(result.stdout)["model"]["digest"] == load(me, passphrase=PASSPHRASE).digest
    page = tmp_path / "report.html"
    presented = ("--attack", f"print={attack}", "--every", 0.05)
    result = run("report", "--model", me, *presented, "-o", page, *option, "-q")
    assert (result.exit_code, result.output) == (ExitCode.OK, "")
    assert PASSPHRASE not in page.read_text() + page.with_suffix(".json").read_text()


LINUX = pytest.mark.skipif(
    sys.platform != "linux", reason="a terminal of its own is made as Linux does"
)


def on_a_terminal(words, answers):
    """Run a command on a terminal of its own; return its end, its output and what was shown.

    ``answers`` are pairs of what is waited for and what is then typed, in bytes, if anything.
    """
    import fcntl
    import pty
    import termios

    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, *map(str, words)],
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
            seen = ""
            for prompt, answer in answers:
                seen += read_until(ours, prompt)
                if answer is not None:
                    wait_for_silence(ours)
                    os.write(ours, answer + b"\n")
            stdout = process.communicate(timeout=120)[0]
        finally:
            process.kill()
            os.close(ours)
    return process.returncode, stdout, seen


@LINUX
def test_that_a_passphrase_is_asked_for_on_the_terminal_and_not_shown(protected, tmp_path):
    to = tmp_path / "changed.lmkl"
    answers = [
        ("Passphrase of me.lmkl: ", WRONG),
        ("try again.", None),
        ("Passphrase of me.lmkl: ", PASSPHRASE),
        ("not even by us", None),
        ("New passphrase for changed.lmkl (empty keeps the old one): ", "short"),
        ("at least 15", None),
        ("New passphrase for changed.lmkl (empty keeps the old one): ", OTHER),
        ("The same once more: ", WRONG),
        ("are not the same.", None),
        ("New passphrase for changed.lmkl (empty keeps the old one): ", OTHER),
        ("The same once more: ", OTHER),
    ]
    code, stdout, seen = on_a_terminal(
        ["-m", "app", "export", protected, "--to", to, "--json"],
        [(prompt, None if answer is None else answer.encode()) for prompt, answer in answers],
    )
    assert code == ExitCode.OK, seen
    assert json.loads(stdout)["is_protected"]
    for secret in (PASSPHRASE, WRONG, OTHER):
        assert secret not in seen
    assert load(to, passphrase=OTHER).digest == window_model().digest


ASK = "from app.cli.models import _typed; print(_typed('Passphrase: '))"


@LINUX
def test_that_what_is_typed_and_no_text_is_told_in_one_sentence_without_it():
    told = "check the terminal's encoding."
    code, stdout, seen = on_a_terminal(
        ["-X", "utf8", "-c", ASK], [("Passphrase: ", b"secret \xff words"), (told, None)]
    )
    assert code != 0
    assert "secret" not in seen
    assert stdout == b""


def read_until(handle, words, patience=120.0):
    """Read what a terminal shows until it shows some words."""
    import select

    seen, end = "", time.monotonic() + patience
    while not re.search(re.escape(words), seen):
        assert time.monotonic() < end, seen
        if select.select([handle], [], [], 1.0)[0]:
            seen += os.read(handle, 1).decode("utf-8", "replace")
    return seen


def wait_for_silence(handle, patience=120.0):
    """Wait until the terminal shows nothing that is typed: a person is slower than a program."""
    import termios

    end = time.monotonic() + patience
    while termios.tcgetattr(handle)[3] & termios.ECHO:
        assert time.monotonic() < end
        time.sleep(0.01)
