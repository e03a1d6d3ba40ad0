"""What becomes of errors in any command, and that all commands say what their codes mean."""

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
from app.cli.main import Commands
commands = typer.Typer(cls=Commands, pretty_exceptions_enable=False)
@commands.callback()
def root(): pass
@commands.command()
def work():
    {work}
commands(["work"])
"""


def doing(action):
    """Return what a command ends with that does this."""
    commands = typer.Typer(cls=Commands, pretty_exceptions_enable=False)

    @commands.callback()
    def root():
        pass

    @commands.command()
    def work():
        action()

    return CliRunner().invoke(commands, ["work"])


def raising(error):
    """Return what a command ends with that raises this."""

    def action():
        raise error

    return doing(action)


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
def test_that_an_error_is_told_in_its_own_sentence_with_its_own_code(error, code):
    result = raising(error)
    assert (result.exit_code, result.stdout, result.stderr) == (code, "", "They are gone.\n")


@pytest.mark.parametrize(
    ("error", "code", "way"),
    [
        (MissingWeightsError("Gone.", "facenet"), ExitCode.MISSING_WEIGHTS, "fetch facenet"),
        (MissingWeightsError("Gone."), ExitCode.MISSING_WEIGHTS, "import FILE"),
        (WrongWeightsError("Gone.", is_download=True), ExitCode.BAD_WEIGHTS, "import FILE"),
    ],
)
def test_that_weights_are_told_with_their_command_by_commands_window_and_doctor(
    error, code, way, monkeypatch
):
    def check(*_):
        raise error

    monkeypatch.setattr(doctor, "_engine", check)
    found = next(one.found for one in doctor.check_up() if one.check == "engine")
    result = raising(error)
    assert result.exit_code == code
    assert f"`lmkl-pad weights {way}`" in found
    assert found == result.stderr.strip() == sentence_of(error, "It failed")


def test_that_the_system_s_errors_name_the_file():
    result = raising(PermissionError(errno.EACCES, "Permission denied", "/secret"))
    assert (result.exit_code, result.stderr) == (1, "Cannot use /secret: Permission denied.\n")


def test_that_what_nobody_foresaw_has_no_traceback_unless_it_is_asked_for(monkeypatch):
    result = raising(KeyError("views"))
    assert result.exit_code == ExitCode.FAILED
    (sentence,) = result.stderr.splitlines()
    assert "KeyError: 'views'" in sentence
    assert DEBUG_VARIABLE in sentence
    monkeypatch.setenv(DEBUG_VARIABLE, "1")
    assert "Traceback" in raising(KeyError("views")).stderr


@pytest.mark.parametrize("how", ["typer.echo", "rich.print"])
def test_that_a_reader_who_leaves_early_is_no_failure_of_ours(how):
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


def test_that_a_reader_of_the_help_may_leave_early_too():
    reading, writing = os.pipe()
    os.close(reading)  # whatever is written first is refused
    command = [sys.executable, "-m", "app", "--help"]
    try:
        run = subprocess.run(command, cwd=ROOT, stdout=writing, stderr=subprocess.PIPE)
    finally:
        os.close(writing)
    assert (run.returncode, run.stderr) == (ExitCode.PIPE_CLOSED, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize(
    ("number", "code", "then", "said"),
    [
        ("SIGINT", 130, None, "Stopped."),
        ("SIGHUP", 143, None, "Stopped."),
        ("SIGTERM", 143, typer.Exit(ExitCode.INTERRUPTED), ""),
        ("SIGTERM", 143, ImportError("interrupted while it loads"), "Stopped."),
    ],
)
def test_that_signals_end_a_command_with_codes_of_their_own(number, code, then, said):
    def work():
        try:
            os.kill(os.getpid(), getattr(signal, number))
            time.sleep(10)
        except KeyboardInterrupt as interrupt:
            raise (then or interrupt) from None

    monitored = getattr(signal, number)
    usual = signal.default_int_handler if number == "SIGINT" else signal.SIG_DFL
    before = signal.signal(monitored, usual)
    try:
        result = doing(work)
        assert signal.getsignal(monitored) is usual
    finally:
        signal.signal(monitored, before)
    assert (result.exit_code, result.stderr.strip()) == (code, said)


def test_that_an_encoding_without_a_names_letters_shows_them_escaped():
    """As where output is redirected on Windows."""
    ran = subprocess.run(
        [sys.executable, "-c", COMMAND.format(work=r"print('gr\xf6\udcff')")],
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "gr\\xf6\\udcff\n", "")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such terminals")
def test_that_rows_beside_a_bar_go_where_standard_output_goes():
    import pty

    ours, theirs = pty.openpty()
    try:
        ran = subprocess.run(
            [sys.executable, "-c", PRINT_BESIDE_BAR],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=theirs,
            text=True,
        )
        assert (ran.returncode, ran.stdout) == (0, "a row\n")
        assert b"working" in os.read(ours, 10_000)
    finally:
        os.close(theirs)
        os.close(ours)


PRINT_BESIDE_BAR = """
from app.cli.console import progress_bar
with progress_bar("working"):
    print("a row")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
def test_that_a_signal_that_is_ignored_stays_so(monkeypatch):
    """As under ``nohup``."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        result = doing(lambda: os.kill(os.getpid(), signal.SIGHUP))
        assert (result.exit_code, result.output) == (ExitCode.OK, "")
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_that_every_help_explains_every_exit_code():
    weights = [("weights", name) for name in load_command("weights").commands]
    for words in ((), *((name,) for name in COMMANDS), *weights):
        text = " ".join(run(*words, "--help").stdout.split())
        assert [code for code in ExitCode if f"{code:d} {code.meaning}" not in text] == []


def test_that_the_list_of_commands_has_the_first_line_of_each_commands_help():
    for name, line in COMMANDS.items():
        assert load_command(name).help.partition("\n")[0] == line


def test_that_every_command_takes_json():
    for name in COMMANDS:
        command = load_command(name)
        parts = getattr(command, "commands", {name: command})
        for part in parts.values():
            assert any("--json" in option.opts for option in part.params), part.name
