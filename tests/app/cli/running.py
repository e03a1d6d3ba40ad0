"""Run commands, in this process or in another."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from typer.testing import CliRunner

from app.cli.main import cli

ROOT = Path(__file__).resolve().parents[3]
RUNNER = CliRunner(env={"COLUMNS": "160", "TERM": "dumb", "NO_COLOR": "1"})


def run(*arguments, env=None):
    return RUNNER.invoke(cli, [str(argument) for argument in arguments], env=env)


def refused(result, code):
    """Check that a command printed one sentence and nothing else; return the sentence."""
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    (sentence,) = result.stderr.splitlines()
    assert sentence.endswith(".")
    return sentence


def interrupted(arguments, when, number=signal.SIGINT):
    """Start a command and send a signal, by default Ctrl-C, when ``when(process)`` returns.

    Returns exit code, standard output and standard error.
    """
    with subprocess.Popen(
        [sys.executable, "-m", "app", *map(str, arguments)],
        cwd=ROOT,
        env=os.environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            when(process)
            assert process.poll() is None  # still running
            process.send_signal(number)
            stdout, stderr = process.communicate(timeout=60)
        finally:
            process.kill()
    return process.returncode, stdout, stderr
