"""``lmkl-pad`` without a command: the window, or a short demo if there is no screen."""

import errno
import re
import signal
import subprocess
import sys
from pathlib import Path

import PySide6
import pytest

from app import launch as launching
from app.__main__ import main
from app.cli.console import ExitCode
from app.cli.demo import DEFAULT_OUTPUT, JSON_FILE, MODEL_FILE
from app.demo import run
from app.launch import launch, why_no_screen
from app.models.files import load

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def no_screen(monkeypatch, tmp_path):
    """Take the screen away, and return the folder in which the program is started."""
    monkeypatch.setattr("app.launch.why_no_screen", lambda: "There is no screen here.")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def opened(monkeypatch):
    """Return the arguments with which windows are opened."""
    calls = []
    monkeypatch.setattr("app.launch.why_no_screen", lambda: "")
    monkeypatch.setattr("app.qt.app.run", lambda *values: calls.append(values) or 3)
    handler = signal.getsignal(signal.SIGINT)
    yield calls
    signal.signal(signal.SIGINT, handler)


def exit_code_without_arguments(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["lmkl-pad"])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code


def test_that_with_a_screen_the_window_opens(opened, monkeypatch):
    assert launch("demo", "face.safetensors") == 3
    assert exit_code_without_arguments(monkeypatch) == 3
    assert opened == [("demo", "face.safetensors", None), ("", "", None)]


@pytest.mark.parametrize(
    ("before", "while_loading"),
    [
        # An exception while Qt loads would crash the process or get lost.
        (signal.default_int_handler, signal.SIG_DFL),
        (signal.SIG_IGN, signal.SIG_IGN),  # as under nohup
    ],
)
def test_that_ctrl_c_ends_the_process_while_qt_loads(opened, before, while_loading):
    signal.signal(signal.SIGINT, before)
    assert launch() == 3
    assert signal.getsignal(signal.SIGINT) == while_loading


def test_that_without_a_screen_a_short_demo_runs(no_screen, monkeypatch, demo_result, capsys):
    sizes = []
    monkeypatch.setattr(run, "run", lambda *, size, **_: sizes.append(size) or demo_result)
    # It takes half a minute, and has a test with the command.
    monkeypatch.setattr("app.cli.demo.take_window_picture", lambda *_: "")
    assert launch() == 0
    assert "no screen" in capsys.readouterr().err
    assert sizes == [run.SHORT]
    assert load(no_screen / DEFAULT_OUTPUT / MODEL_FILE).digest == demo_result.pad.digest
    assert (no_screen / DEFAULT_OUTPUT / JSON_FILE).exists()


@pytest.mark.parametrize("options", [["--source", "clip.mp4"], ["--model", "face.safetensors"]])
def test_that_without_a_screen_what_only_the_window_opens_is_refused(
    no_screen, monkeypatch, capsys, options
):
    monkeypatch.setattr(sys, "argv", ["lmkl-pad", *options])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == ExitCode.FAILED
    (sentence,) = capsys.readouterr().err.splitlines()
    assert "lmkl-pad score" in sentence
    assert not any(no_screen.iterdir())


@pytest.mark.parametrize(
    ("error", "exit_code", "message"),
    [
        (ValueError("delta must be positive"), ExitCode.FAILED, "delta must be positive"),
        (OSError(errno.ENOSPC, "full"), ExitCode.UNWRITABLE, "the disk is full"),
        (KeyboardInterrupt, 130, "Stopped."),
    ],
    ids=["failure", "full disk", "Ctrl-C"],
)
def test_that_a_demo_that_ends_early_gives_its_exit_code(
    no_screen, monkeypatch, capsys, error, exit_code, message
):
    def fail(**_):
        raise error

    monkeypatch.setattr(run, "run", fail)
    assert exit_code_without_arguments(monkeypatch) == exit_code
    assert message in capsys.readouterr().err


def test_that_opening_the_window_does_not_load_the_command_line():
    script = "import sys, app.__main__, app.launch; print('typer' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"


@pytest.fixture
def sockets(tmp_path, monkeypatch):
    """Return a folder with the socket of one X server, number 7; all libraries load."""
    monkeypatch.setattr("app.launch._X11_LIBRARIES", {})
    (tmp_path / "X7").touch()
    return tmp_path


SCREENS = {
    "": [
        dict(platform="win32"),
        dict(platform="darwin"),
        dict(DISPLAY=":7.0"),
        dict(DISPLAY="somewhere:8"),  # on another computer
        dict(WAYLAND_DISPLAY="wayland-0", DISPLAY=":8"),
        dict(QT_QPA_PLATFORM="offscreen"),
        dict(QT_QPA_PLATFORM="wayland;xcb"),
        dict(QT_QPA_PLATFORM="xcb", DISPLAY=":7"),
    ],
    "WAYLAND_DISPLAY": [dict(QT_QPA_PLATFORM="", WAYLAND_DISPLAY="", DISPLAY="")],
    "QT_QPA_PLATFORM": [dict(QT_QPA_PLATFORM="xcb:something", WAYLAND_DISPLAY="wayland-0")],
    "The screen {DISPLAY} does": [
        *(dict(DISPLAY=display) for display in (":8", ":8.7", "nonsense", ":")),
        dict(QT_QPA_PLATFORM="xcb", DISPLAY=":8"),
    ],
}


def test_that_a_missing_screen_is_found_and_named(sockets):
    for reason, environments in SCREENS.items():
        for environment in environments:
            variables = {**environment}
            platform = variables.pop("platform", "linux")
            sentence = why_no_screen(variables, platform, sockets)
            assert bool(sentence) == bool(reason), environment
            assert reason.format(**variables) in sentence
    assert why_no_screen({"DISPLAY": ":8"}, "linux", sockets / "missing") == ""


@pytest.mark.skipif(sys.platform != "linux", reason="libraries are named as on Linux")
def test_that_missing_libraries_are_named_with_their_packages(sockets, monkeypatch):
    needed = {"libc.so.6": "libc6"}
    monkeypatch.setattr("app.launch._X11_LIBRARIES", needed)
    assert why_no_screen({"DISPLAY": ":7"}, "linux", sockets) == ""
    needed |= {"libone.so.0": "libone0", "libtwo.so.0": "libtwo0"}
    sentence = why_no_screen({"DISPLAY": ":7"}, "linux", sockets)
    assert "without libone.so.0, libtwo.so.0;" in sentence
    assert sentence.endswith("install libone0 libtwo0.")


@pytest.mark.skipif(sys.platform != "linux", reason="the plugin of Linux")
def test_that_all_libraries_of_the_x11_plugin_are_checked_and_documented():
    plugin = Path(PySide6.__file__).parent / "Qt/plugins/platforms/libqxcb.so"
    listed = subprocess.run(["ldd", plugin], capture_output=True, text=True, check=True).stdout
    found = set(re.findall(r"^\s*(libx(?:cb-|kbcommon-x)\S+)", listed, re.MULTILINE))
    with_others = ("randr", "render", "shm", "sync", "util", "xfixes", "xkb")  # on Debian
    found = {
        name for name in found if not name.startswith(tuple(f"libxcb-{n}." for n in with_others))
    }
    assert found == set(launching._X11_LIBRARIES)
    page = (ROOT / "docs/installing.md").read_text(encoding="utf-8")
    assert set(launching._X11_LIBRARIES.values()) <= set(page.split())
