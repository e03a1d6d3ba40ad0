"""How errors and signals end any command, and that all commands explain their exit codes."""

import errno
import os
import signal
import subprocess
import sys
import time

import pytest
import typer
from typer.testing import CliRunner

from app.capture.source import Cause, SourceError
from app.cli import doctor
from app.cli.console import ExitCode
from app.cli.main import COMMANDS, Commands, load_command
from app.cli.outputs import OutputError
from app.cli.recorder import TooFewFramesError
from app.evaluation.protocols.types import ProtocolError
from app.logs import DEBUG_VARIABLE
from app.qt.workers.worker import sentence_of
from app.reports import ReportError
from app.session.guided_test.presentation import GuidedTestError
from lmkl_core.errors import Cancelled, InvalidInputError, ModelFileError
from lmkl_core.features.weights import MissingWeightsError, WrongWeightsError
from tests.app.cli.running import ROOT, run

COMMAND = """
import rich
import typer
from app.cli.console import progress_bar
from app.cli.main import Commands
commands = typer.Typer(cls=Commands, pretty_exceptions_enable=False)
@commands.callback()
def root(): pass
@commands.command()
def work():
    {work}
commands(["work"])
"""


def run_action(action):
    """Return the result of a command that does this."""
    commands = typer.Typer(cls=Commands, pretty_exceptions_enable=False)

    @commands.callback()
    def root():
        pass

    @commands.command()
    def work():
        action()

    return CliRunner().invoke(commands, ["work"])


def run_raising(error):
    """Return the result of a command that raises this."""

    def action():
        raise error

    return run_action(action)


def run_script(work, **options):
    script = COMMAND.format(work=work)
    return subprocess.run([sys.executable, "-c", script], cwd=ROOT, text=True, **options)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (WrongWeightsError("They are gone."), ExitCode.BAD_WEIGHTS),
        (ModelFileError("They are gone."), ExitCode.BAD_MODEL),
        (TooFewFramesError("They are gone."), ExitCode.NO_FRAMES),
        (SourceError(Cause.EMPTY, message="They are gone."), ExitCode.BAD_INPUT),
        (GuidedTestError("They are gone."), ExitCode.BAD_INPUT),
        (ProtocolError("They are gone."), ExitCode.NO_DATABASE),
        (ReportError("They are gone."), ExitCode.UNWRITABLE),
        (OutputError("They are gone."), ExitCode.UNWRITABLE),
        (InvalidInputError("They\nare gone."), ExitCode.FAILED),
        (Cancelled("They are gone."), ExitCode.INTERRUPTED),
    ],
)
def test_that_an_error_ends_with_its_sentence_and_its_exit_code(error, code):
    result = run_raising(error)
    assert (result.exit_code, result.stdout, result.stderr) == (code, "", "They are gone.\n")


@pytest.mark.parametrize(
    ("error", "code", "arguments"),
    [
        (MissingWeightsError("Gone.", "facenet"), ExitCode.MISSING_WEIGHTS, "fetch facenet"),
        (MissingWeightsError("Gone."), ExitCode.MISSING_WEIGHTS, "import FILE"),
        (WrongWeightsError("Gone.", is_download=True), ExitCode.BAD_WEIGHTS, "import FILE"),
    ],
)
def test_that_commands_window_and_doctor_name_the_command_that_gets_the_weights(
    error, code, arguments, monkeypatch
):
    def check(*_):
        raise error

    monkeypatch.setattr(doctor, "_engine", check)
    found = next(finding.found for finding in doctor.run_checks() if finding.check == "engine")
    result = run_raising(error)
    assert result.exit_code == code
    assert f"`lmkl-pad weights {arguments}`" in found
    assert found == result.stderr.strip() == sentence_of(error, "It failed")


def test_that_system_errors_name_the_file():
    result = run_raising(PermissionError(errno.EACCES, "Permission denied", "/secret"))
    assert (result.exit_code, result.stderr) == (1, "Cannot use /secret: Permission denied.\n")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("score", "FILE", "demo", "--frames", 1), ExitCode.BAD_MODEL),
        (("enrol", "demo", "--add-to", "FILE", "-o", "m.safetensors"), ExitCode.BAD_MODEL),
        (("report", "FILE", "-o", "page.html"), ExitCode.BAD_INPUT),
        (("weights", "import", "FILE"), ExitCode.BAD_INPUT),
    ],
)
def test_that_a_file_without_permission_is_no_usage_error(arguments, code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "FILE").write_bytes(b"neither model nor session")
    monkeypatch.setattr(os, "access", lambda *_, **__: False)  # root may read everything
    assert run(*arguments).exit_code == code


def test_that_an_unexpected_error_has_no_traceback_unless_requested(monkeypatch):
    result = run_raising(KeyError("views"))
    assert result.exit_code == ExitCode.FAILED
    (sentence,) = result.stderr.splitlines()
    assert "KeyError: 'views'" in sentence
    assert DEBUG_VARIABLE in sentence
    monkeypatch.setenv(DEBUG_VARIABLE, "1")
    assert "Traceback" in run_raising(KeyError("views")).stderr


@pytest.mark.parametrize("how", ["typer.echo", "rich.print"])
def test_that_a_reader_who_closes_the_pipe_gets_no_error_message(how):
    """As in ``lmkl-pad ... | head -1``."""
    with subprocess.Popen(
        [sys.executable, "-c", COMMAND.format(work=f"while True: {how}('line' * 1000)")],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == ExitCode.PIPE_CLOSED


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")
@pytest.mark.parametrize(
    "arguments",
    [["-c", COMMAND.format(work="typer.echo('line')")]]
    + [["-m", "app", option] for option in ("--help", "--version")],
    ids=["command", "help", "version"],
)
def test_that_output_to_a_full_disk_is_refused_in_one_sentence(arguments):
    with open("/dev/full", "w") as full:
        run = subprocess.run(
            [sys.executable, *arguments], cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert run.returncode == ExitCode.UNWRITABLE
    (sentence,) = run.stderr.splitlines()
    assert "disk is full" in sentence


def test_that_a_reader_of_the_help_may_close_the_pipe_too():
    reading, writing = os.pipe()
    os.close(reading)  # the first write fails
    command = [sys.executable, "-m", "app", "--help"]
    try:
        run = subprocess.run(command, cwd=ROOT, stdout=writing, stderr=subprocess.PIPE)
    finally:
        os.close(writing)
    assert (run.returncode, run.stderr) == (ExitCode.PIPE_CLOSED, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize(
    ("name", "code", "then", "message"),
    [
        ("SIGINT", 130, None, "Stopped."),
        ("SIGHUP", 143, None, "Stopped."),
        ("SIGTERM", 143, typer.Exit(ExitCode.INTERRUPTED), ""),
        ("SIGTERM", 143, ImportError("interrupted while it loads"), "Stopped."),
    ],
)
def test_that_signals_end_a_command_with_their_own_exit_codes(name, code, then, message):
    number = getattr(signal, name)

    def work():
        try:
            os.kill(os.getpid(), number)
            time.sleep(10)
        except KeyboardInterrupt as interrupt:
            raise (then or interrupt) from None

    default = signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL
    before = signal.signal(number, default)
    try:
        result = run_action(work)
        assert signal.getsignal(number) is default
    finally:
        signal.signal(number, before)
    assert (result.exit_code, result.stderr.strip()) == (code, message)


def test_that_characters_the_encoding_lacks_are_escaped():
    """As if output is redirected on Windows."""
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    result = run_script(r"print('gr\xf6\udcff')", env=environment, capture_output=True)
    assert (result.returncode, result.stdout, result.stderr) == (0, "gr\\xf6\\udcff\n", "")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such terminals")
def test_that_rows_go_to_standard_output_while_a_bar_is_shown():
    import pty

    ours, theirs = pty.openpty()
    try:
        work = "with progress_bar('working'): print('a row')"
        environment = {**os.environ, "TERM": "xterm"}  # a dumb terminal has no bar
        result = run_script(work, env=environment, stdout=subprocess.PIPE, stderr=theirs)
        assert (result.returncode, result.stdout) == (0, "a row\n")
        assert b"working" in os.read(ours, 10_000)
    finally:
        os.close(theirs)
        os.close(ours)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
def test_that_an_ignored_signal_stays_ignored():
    """As under ``nohup``."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        result = run_action(lambda: os.kill(os.getpid(), signal.SIGHUP))
        assert (result.exit_code, result.output) == (ExitCode.OK, "")
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_that_every_help_explains_every_exit_code():
    weights = [("weights", name) for name in load_command("weights").commands]
    for words in ((), *((name,) for name in COMMANDS), *weights):
        text = " ".join(run(*words, "--help").stdout.split())
        assert [code for code in ExitCode if f"{code:d} {code.meaning}" not in text] == []


def test_that_every_command_has_json_and_the_first_line_of_its_help_in_the_list():
    for name, line in COMMANDS.items():
        command = load_command(name)
        assert command.help.partition("\n")[0] == line
        for part in getattr(command, "commands", {name: command}).values():
            assert any("--json" in option.opts for option in part.params), part.name
