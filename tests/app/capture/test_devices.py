"""Whether a look for cameras can find any."""

import sys

import pytest

from app.capture.devices import may_have_cameras


def test_that_linux_without_a_node_has_no_camera(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    (tmp_path / "tty0").touch()
    (tmp_path / "my-video0").touch()
    assert not may_have_cameras(tmp_path)


@pytest.mark.parametrize("name", ["video0", "video12"])
def test_that_any_node_may_be_a_camera(tmp_path, monkeypatch, name):
    monkeypatch.setattr(sys, "platform", "linux")
    (tmp_path / name).touch()
    assert may_have_cameras(tmp_path)


def test_that_a_folder_that_is_not_there_holds_no_camera(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    assert not may_have_cameras(tmp_path / "missing")


@pytest.mark.parametrize("platform", ["win32", "darwin", "freebsd14"])
def test_that_elsewhere_nobody_is_sure(tmp_path, monkeypatch, platform):
    monkeypatch.setattr(sys, "platform", platform)
    assert may_have_cameras(tmp_path)
