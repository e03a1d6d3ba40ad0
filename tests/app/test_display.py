"""Whether a window can be shown, told before Qt would abort the process."""

import sys

import pytest

from app import launch
from app.launch import why_no_screen


@pytest.fixture
def sockets(tmp_path, monkeypatch):
    """Return a folder in which one X server, of number 7, has its socket; all libraries load."""
    monkeypatch.setattr(launch, "_NEEDED", ())
    (tmp_path / "X7").touch()
    return tmp_path


def told(sockets, platform="linux", **environment):
    return why_no_screen(environment, platform, sockets)


def test_that_without_any_screen_one_sentence_says_so(sockets):
    sentence = told(sockets)
    assert "no screen" in sentence
    assert "WAYLAND_DISPLAY" in sentence
    assert sentence.endswith(".")


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_that_other_systems_always_have_one(sockets, platform):
    assert told(sockets, platform) == ""


@pytest.mark.parametrize("display", [":7", ":7.0"])
def test_that_a_local_screen_that_is_there_is_used(sockets, display):
    assert told(sockets, DISPLAY=display) == ""


@pytest.mark.parametrize("display", [":8", ":77", ":8.7", "nonsense", ":"])
def test_that_a_local_screen_that_is_not_there_is_named(sockets, display):
    sentence = told(sockets, DISPLAY=display)
    assert f"The screen {display} does not answer" in sentence


@pytest.mark.parametrize("display", ["somewhere:8", "localhost:10.0"])
def test_that_a_screen_elsewhere_is_not_looked_for_here(sockets, display):
    assert told(sockets, DISPLAY=display) == ""


def test_that_without_a_folder_of_sockets_the_screen_is_believed(sockets):
    assert why_no_screen({"DISPLAY": ":8"}, "linux", sockets / "missing") == ""


def test_that_wayland_needs_nothing_else(sockets):
    assert told(sockets, WAYLAND_DISPLAY="wayland-0") == ""
    assert told(sockets, WAYLAND_DISPLAY="wayland-0", DISPLAY=":8") == ""


@pytest.mark.parametrize("chosen", ["offscreen", "minimal", "vnc:size=800x600", "wayland;xcb"])
def test_that_a_platform_that_needs_no_x_server_is_believed(sockets, chosen):
    assert told(sockets, QT_QPA_PLATFORM=chosen) == ""


@pytest.mark.parametrize("chosen", ["xcb", "xcb:something"])
def test_that_a_platform_that_needs_an_x_server_does_not_hide_that_there_is_none(sockets, chosen):
    assert "QT_QPA_PLATFORM" in told(sockets, QT_QPA_PLATFORM=chosen)
    assert told(sockets, QT_QPA_PLATFORM=chosen, WAYLAND_DISPLAY="wayland-0")
    assert "does not answer" in told(sockets, QT_QPA_PLATFORM=chosen, DISPLAY=":8")
    assert told(sockets, QT_QPA_PLATFORM=chosen, DISPLAY=":7") == ""


def test_that_empty_variables_are_none(sockets):
    assert told(sockets, QT_QPA_PLATFORM="", WAYLAND_DISPLAY="", DISPLAY="") != ""


@pytest.mark.skipif(sys.platform != "linux", reason="libraries are named as on Linux")
def test_that_a_missing_library_is_named_with_the_way_out(sockets, monkeypatch):
    monkeypatch.setattr(launch, "_NEEDED", ("libc.so.6",))
    assert told(sockets, DISPLAY=":7") == ""
    monkeypatch.setattr(launch, "_NEEDED", ("libc.so.6", "libno-such-thing.so.0"))
    sentence = told(sockets, DISPLAY=":7")
    assert "libno-such-thing.so.0 is missing" in sentence
    assert "apt-get install" in sentence


def test_that_the_processs_own_environment_is_looked_at(monkeypatch):
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    assert why_no_screen() == ""
