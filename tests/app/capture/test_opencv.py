import os
import subprocess
import sys
import threading

import pytest

from app.capture import opencv
from app.capture.opencv import Grabber, cv2


class Waiting:
    """A `cv2.VideoCapture` that waits inside every call until the test releases it."""

    def __init__(self, *_):
        self.entered, self.released = threading.Event(), threading.Event()
        self.n_released = 0

    def isOpened(self):
        return True

    def release(self):
        self.n_released += 1

    def _wait(self, *_):
        self.entered.set()
        assert self.released.wait(20)
        return 1.0

    get = set = grab = _wait

    def read(self):
        self._wait()
        return False, None


@pytest.mark.parametrize(
    "use",
    [
        lambda grabber: grabber.grab(),
        lambda grabber: grabber.skip(),
        lambda grabber: grabber.get(cv2.CAP_PROP_FPS),
        lambda grabber: grabber.set(cv2.CAP_PROP_FPS, 30.0),
    ],
    ids=["grab", "skip", "get", "set"],
)
def test_that_closing_during_any_call_releases_the_device_after_it(monkeypatch, use):
    monkeypatch.setattr(opencv.cv2, "VideoCapture", Waiting)
    grabber = Grabber(0, cv2.CAP_V4L2)
    capture = grabber._capture
    user = threading.Thread(target=use, args=(grabber,))
    user.start()
    assert capture.entered.wait(20)
    grabber.close()
    assert capture.n_released == 0
    capture.released.set()
    user.join(20)
    assert capture.n_released == 1


@pytest.mark.skipif(os.name != "posix", reason="names of any bytes")
def test_that_a_file_name_without_a_utf_8_form_is_refused(tmp_path):
    # In a process of its own, because OpenCV aborts it if given such a name.
    script = (
        "import os, sys\n"
        "from app.capture.source import SourceError\n"
        "from app.capture.video import VideoFile\n"
        "path = os.path.join(os.fsencode(sys.argv[1]), b'take\\xff.avi')\n"
        "open(path, 'wb').write(b'RIFF')\n"
        "try:\n"
        "    VideoFile(os.fsdecode(path)).open()\n"
        "except SourceError as error: print(error)\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    assert "take?.avi" in run.stdout
