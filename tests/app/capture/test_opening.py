import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.capture.folder import ImageFolder
from app.capture.network import NetworkCamera
from app.capture.opening import source_from
from app.capture.source import Cause, SourceError
from app.capture.video import VideoFile
from app.capture.webcam import Webcam
from app.demo.source import DemoSource
from tests.app.capture.media import encoded, picture


def refusal_of(text):
    with pytest.raises(SourceError) as caught:
        source_from(text)
    return caught.value


def test_that_a_name_address_or_path_selects_the_source(videos, tmp_path):
    video, image = str(videos["mp4v.mp4"]), tmp_path / "one.PNG"
    image.write_bytes(encoded(picture(0), ".png"))
    for text, kind, name in (
        ("camera", Webcam, "Camera"),
        ("Camera:", Webcam, "Camera"),
        ("camera: HD Webcam (2)", Webcam, "HD Webcam (2)"),
        ("http://user:secret@cam.local/video", NetworkCamera, "http://cam.local/video"),
        ("HTTPS://user:secret@cam.local/video", NetworkCamera, "https://cam.local/video"),
        ("rtsp://user:secret@cam.local/video", NetworkCamera, "rtsp://cam.local/video"),
        (video, VideoFile, "mp4v.mp4"),
        (str(image), ImageFolder, "one.PNG"),
        (str(tmp_path), ImageFolder, tmp_path.name),
        (tmp_path.as_uri(), ImageFolder, tmp_path.name),
        (" Demo ", DemoSource, "Demo"),
    ):
        source = source_from(text)
        assert (type(source), source.name) == (kind, name), text
    assert source_from(video).paced
    assert not source_from(video, paced=False).paced
    demo = source_from("demo", paced=False, loop=False)
    assert (demo.paced, demo.loop) == (False, False)


def test_that_a_tilde_is_expanded_and_a_file_address_decoded(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    path = tmp_path / "take 50% größer #1"
    path.mkdir()
    assert source_from(f"~/{path.name}").path == path
    assert source_from(path.as_uri()).path == path
    if os.name == "posix":
        assert source_from(f"file://localhost{tmp_path}").path == tmp_path


def test_that_a_folder_that_may_not_be_entered_is_reported(monkeypatch):
    def refuse(self):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "exists", refuse)
    error = refusal_of("/home/other/take.mp4")
    assert error.cause is Cause.PERMISSION
    assert "/home/other/take.mp4" in str(error)


def test_that_a_missing_path_is_named_and_other_text_refused_with_the_accepted_forms():
    for text in ("gone.mp4", "no/such/folder", "/no/such/file"):
        error = refusal_of(text)
        assert error.cause is Cause.NOT_FOUND
        assert text in str(error)
    others = ("", "   ", "webcam", "x" * 5000, "nul\0byte", "~nobody-here/x", "ftp://u:secret@h/x")
    for text in others:
        error = refusal_of(text)
        assert error.cause in (Cause.UNKNOWN_FORM, Cause.NOT_FOUND)
        assert "secret" not in str(error)
        if error.cause is Cause.UNKNOWN_FORM:
            assert "camera:NAME" in str(error)


def test_that_opencv_and_ffmpeg_print_nothing(tmp_path):
    (tmp_path / "bad.mp4").write_bytes(b"no video" * 1000)
    (tmp_path / "cut.jpg").write_bytes(encoded(picture(0), ".jpg")[:600])
    script = (
        "import sys\n"
        "from app.capture.opening import source_from\n"
        "from app.capture.source import SourceError\n"
        "for text in sys.argv[1:]:\n"
        "    try:\n"
        "        source_from(text).open()\n"
        "    except SourceError: pass\n"
        "print('done')"
    )
    files = (str(tmp_path / "bad.mp4"), str(tmp_path / "cut.jpg"))
    command = [sys.executable, "-c", script, *files, "camera:9000", "http://127.0.0.1:9/video"]
    env = {name: value for name, value in os.environ.items() if not name.startswith("OPENCV")}
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, env=env)
    assert (run.stdout.strip(), run.stderr) == ("done", "")
