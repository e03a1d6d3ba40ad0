"""``lmkl-pad`` without a command: the window, or the demo where there is no screen."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from app.__main__ import main
from app.cli.console import ExitCode
from app.cli.demo import DEFAULT_OUTPUT, JSON_FILE, MODEL_FILE
from app.demo import run
from app.launch import launch

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def no_screen(monkeypatch, tmp_path):
    """Take the screen away, and return the folder the program is started in."""
    monkeypatch.setattr("app.launch.why_no_screen", lambda: "There is no screen here.")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def opened(monkeypatch):
    """Return what the window was opened with."""
    calls = []
    monkeypatch.setattr("app.launch.why_no_screen", lambda: "")
    monkeypatch.setattr("app.qt.app.run", lambda *values: calls.append(values) or 3)
    return calls


def test_that_with_a_screen_the_window_opens_with_what_was_asked_for(opened):
    assert launch("demo", "face.safetensors") == 3
    assert opened == [("demo", "face.safetensors", None)]


def test_that_without_a_screen_it_says_so_and_leaves_the_demos_results(
    no_screen, monkeypatch, demo_result, capsys
):
    monkeypatch.setattr(run, "run", lambda **_: demo_result)
    # The picture of the window is tested with the command.
    monkeypatch.setattr("app.cli.demo.take_window_picture", lambda *_: "No picture.")
    assert launch() == 0
    told = capsys.readouterr()
    assert told.err.startswith("There is no screen here. Here is a short demo without a window;")
    assert str(DEFAULT_OUTPUT) in told.out
    folder = no_screen / DEFAULT_OUTPUT
    assert {path.name for path in folder.iterdir()} >= {MODEL_FILE, JSON_FILE}


def test_that_a_demo_that_fails_gives_its_exit_code(no_screen, monkeypatch, capsys):
    def fail(**_):
        raise ValueError("delta must be positive")

    monkeypatch.setattr(run, "run", fail)
    assert launch() == ExitCode.FAILED
    assert "delta must be positive" in capsys.readouterr().err


def test_that_an_interrupt_is_told_in_one_word(no_screen, monkeypatch, capsys):
    def interrupted(**_):
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "run", interrupted)
    assert launch() == 130
    assert capsys.readouterr().err.endswith("Stopped.\n")


START = """
import app.__main__ as start

start._run = lambda: exec("raise KeyboardInterrupt")  # as dataclasses do while modules load
start.main()
"""


def test_that_an_interrupt_inside_exec_ends_with_our_code_too(tmp_path):
    (tmp_path / "interrupted_start.py").write_text(START)
    paths = os.pathsep.join([str(tmp_path), str(ROOT)])
    ended = subprocess.run(
        [sys.executable, "-m", "interrupted_start"],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (130, "Stopped.\n")


def test_that_the_command_without_arguments_launches_at_once(opened, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["lmkl-pad"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 3
    assert opened == [("", "", None)]


def test_that_arguments_go_to_the_command_line(opened, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["lmkl-pad", "--version"])
    with pytest.raises((SystemExit, typer.Exit)) as ended:
        main()
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("lmkl-pad ")
    assert opened == []


def test_that_the_way_to_the_window_loads_no_command_line():
    script = "import sys, app.__main__, app.launch; print('typer' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"
