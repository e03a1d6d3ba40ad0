"""``lmkl-pad`` without a command: the window, or the demo where there is no screen."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.__main__ import main
from app.cli.console import ExitCode
from app.cli.demo import DEFAULT_OUTPUT
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
    calls = []
    monkeypatch.setattr("app.launch.why_no_screen", lambda: "")
    monkeypatch.setattr("app.qt.app.run", lambda *values: calls.append(values) or 3)
    handler = signal.getsignal(signal.SIGINT)
    yield calls
    signal.signal(signal.SIGINT, handler)


def test_that_with_a_screen_the_window_opens_with_what_was_asked_for(opened):
    assert launch("demo", "face.safetensors") == 3
    assert opened == [("demo", "face.safetensors", None)]


@pytest.mark.parametrize(
    ("before", "while_loading"),
    [
        # An exception while Qt loads crashes the process, or the window opens all the same.
        (signal.default_int_handler, signal.SIG_DFL),
        (signal.SIG_IGN, signal.SIG_IGN),  # as under nohup
    ],
)
def test_that_ctrl_c_ends_the_process_while_qt_loads(opened, before, while_loading):
    signal.signal(signal.SIGINT, before)
    assert launch() == 3
    assert signal.getsignal(signal.SIGINT) == while_loading


def test_that_without_a_screen_it_says_so_and_runs_the_short_demo(no_screen, monkeypatch, capsys):
    # What the demo leaves is tested with its command.
    asked = []
    monkeypatch.setattr("app.cli.demo.run_and_print", lambda **options: asked.append(options))
    assert launch() == 0
    assert "no screen" in capsys.readouterr().err
    assert asked == [{"output": DEFAULT_OUTPUT, "as_json": False, "is_short": True}]


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
    monkeypatch.setattr(sys, "argv", ["lmkl-pad"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    assert capsys.readouterr().err.endswith("Stopped.\n")


def test_that_the_command_without_arguments_launches_at_once(opened, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["lmkl-pad"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 3
    assert opened == [("", "", None)]


def test_that_the_way_to_the_window_loads_no_command_line():
    script = "import sys, app.__main__, app.launch; print('typer' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"


@pytest.fixture
def sockets(tmp_path, monkeypatch):
    """Return a folder in which one X server, of number 7, has its socket; all libraries load."""
    monkeypatch.setattr("app.launch._NEEDED", ())
    (tmp_path / "X7").touch()
    return tmp_path


def told_of_screen(sockets, platform="linux", **environment):
    return why_no_screen(environment, platform, sockets)


SCREENS = {
    "": [
        dict(platform="win32"),
        dict(platform="darwin"),
        dict(DISPLAY=":7.0"),
        dict(DISPLAY="somewhere:8"),  # is not looked for here
        dict(WAYLAND_DISPLAY="wayland-0", DISPLAY=":8"),
        dict(QT_QPA_PLATFORM="offscreen"),
        dict(QT_QPA_PLATFORM="wayland;xcb"),
        dict(QT_QPA_PLATFORM="xcb", DISPLAY=":7"),
    ],
    "WAYLAND_DISPLAY": [dict(QT_QPA_PLATFORM="", WAYLAND_DISPLAY="", DISPLAY="")],
    "QT_QPA_PLATFORM": [dict(QT_QPA_PLATFORM="xcb:something", WAYLAND_DISPLAY="wayland-0")],
    "does not answer": [
        *(dict(DISPLAY=display) for display in (":8", ":8.7", "nonsense", ":")),
        dict(QT_QPA_PLATFORM="xcb", DISPLAY=":8"),
    ],
}


@pytest.mark.parametrize("reason", SCREENS)
def test_that_a_missing_screen_is_known_and_told(sockets, reason):
    for environment in SCREENS[reason]:
        sentence = told_of_screen(sockets, **environment)
        assert bool(sentence) == bool(reason), environment
        assert reason in sentence
        if reason == "does not answer":
            assert f"The screen {environment['DISPLAY']} does" in sentence


def test_that_without_a_folder_of_sockets_the_screen_is_believed(sockets):
    assert why_no_screen({"DISPLAY": ":8"}, "linux", sockets / "missing") == ""


@pytest.mark.skipif(sys.platform != "linux", reason="libraries are named as on Linux")
def test_that_a_missing_library_is_named_with_the_way_out(sockets, monkeypatch):
    monkeypatch.setattr("app.launch._NEEDED", ("libc.so.6",))
    assert told_of_screen(sockets, DISPLAY=":7") == ""
    monkeypatch.setattr("app.launch._NEEDED", ("libc.so.6", "libno-such-thing.so.0"))
    sentence = told_of_screen(sockets, DISPLAY=":7")
    assert "libno-such-thing.so.0 is missing" in sentence
    assert "apt-get install" in sentence
