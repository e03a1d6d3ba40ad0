import pytest

from tests.app.capture.media import CODECS, N_FRAMES, picture, write_video
from tests.app.capture.mjpeg_server import running_server
from tests.app.capture.recorder import Recorder


@pytest.fixture(scope="session")
def videos(tmp_path_factory):
    """Return real video files by name, one for every codec that this OpenCV writes."""
    folder = tmp_path_factory.mktemp("videos")
    pictures = [picture(step) for step in range(N_FRAMES)]
    return {name: write_video(folder / name, fourcc, pictures) for name, fourcc in CODECS.items()}


@pytest.fixture
def camera_server():
    with running_server() as server:
        yield server


@pytest.fixture
def recorder():
    return Recorder()
