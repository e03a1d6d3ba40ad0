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
from app.launch import launch, why_no_screen

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


# ------------------------------------------------- whether there is a screen


@pytest.fixture
def sockets(tmp_path, monkeypatch):
    """Return a folder in which one X server, of number 7, has its socket; all libraries load."""
    monkeypatch.setattr("app.launch._NEEDED", ())
    (tmp_path / "X7").touch()
    return tmp_path


def told_of_screen(sockets, platform="linux", **environment):
    return why_no_screen(environment, platform, sockets)


def test_that_without_any_screen_one_sentence_says_so(sockets):
    sentence = told_of_screen(sockets)
    assert "no screen" in sentence
    assert "WAYLAND_DISPLAY" in sentence
    assert sentence.endswith(".")


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_that_other_systems_always_have_one(sockets, platform):
    assert told_of_screen(sockets, platform) == ""


@pytest.mark.parametrize("display", [":7", ":7.0"])
def test_that_a_local_screen_that_is_there_is_used(sockets, display):
    assert told_of_screen(sockets, DISPLAY=display) == ""


@pytest.mark.parametrize("display", [":8", ":77", ":8.7", "nonsense", ":"])
def test_that_a_local_screen_that_is_not_there_is_named(sockets, display):
    sentence = told_of_screen(sockets, DISPLAY=display)
    assert f"The screen {display} does not answer" in sentence


@pytest.mark.parametrize("display", ["somewhere:8", "localhost:10.0"])
def test_that_a_screen_elsewhere_is_not_looked_for_here(sockets, display):
    assert told_of_screen(sockets, DISPLAY=display) == ""


def test_that_without_a_folder_of_sockets_the_screen_is_believed(sockets):
    assert why_no_screen({"DISPLAY": ":8"}, "linux", sockets / "missing") == ""


def test_that_wayland_needs_nothing_else(sockets):
    assert told_of_screen(sockets, WAYLAND_DISPLAY="wayland-0") == ""
    assert told_of_screen(sockets, WAYLAND_DISPLAY="wayland-0", DISPLAY=":8") == ""


@pytest.mark.parametrize("chosen", ["offscreen", "minimal", "vnc:size=800x600", "wayland;xcb"])
def test_that_a_platform_that_needs_no_x_server_is_believed(sockets, chosen):
    assert told_of_screen(sockets, QT_QPA_PLATFORM=chosen) == ""


@pytest.mark.parametrize("chosen", ["xcb", "xcb:something"])
def test_that_a_platform_that_needs_an_x_server_does_not_hide_that_there_is_none(sockets, chosen):
    assert "QT_QPA_PLATFORM" in told_of_screen(sockets, QT_QPA_PLATFORM=chosen)
    assert told_of_screen(sockets, QT_QPA_PLATFORM=chosen, WAYLAND_DISPLAY="wayland-0")
    assert "does not answer" in told_of_screen(sockets, QT_QPA_PLATFORM=chosen, DISPLAY=":8")
    assert told_of_screen(sockets, QT_QPA_PLATFORM=chosen, DISPLAY=":7") == ""


def test_that_empty_variables_are_none(sockets):
    assert told_of_screen(sockets, QT_QPA_PLATFORM="", WAYLAND_DISPLAY="", DISPLAY="") != ""


@pytest.mark.skipif(sys.platform != "linux", reason="libraries are named as on Linux")
def test_that_a_missing_library_is_named_with_the_way_out(sockets, monkeypatch):
    monkeypatch.setattr("app.launch._NEEDED", ("libc.so.6",))
    assert told_of_screen(sockets, DISPLAY=":7") == ""
    monkeypatch.setattr("app.launch._NEEDED", ("libc.so.6", "libno-such-thing.so.0"))
    sentence = told_of_screen(sockets, DISPLAY=":7")
    assert "libno-such-thing.so.0 is missing" in sentence
    assert "apt-get install" in sentence


def test_that_the_processs_own_environment_is_looked_at(monkeypatch):
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    assert why_no_screen() == ""
