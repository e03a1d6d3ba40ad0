"""Video files that are endless or damaged, or that lie about their length."""

import os
import struct

import numpy as np
import pytest

from app.capture.capture import Phase
from app.capture.opencv import Grabber
from app.capture.opening import source_from
from app.capture.source import Cause, SourceError
from app.capture.video import VideoFile
from tests.app.capture.media import N_FRAMES, RATE, FakeClock, jpeg, picture
from tests.app.capture.recorder import PATIENCE

ENDLESS = pytest.mark.fault(
    "Camera", "a video file that is endless or lies about its length", keeps="models"
)


@ENDLESS
@pytest.mark.skipif(os.name != "posix", reason="pipes and device nodes")
def test_that_a_pipe_or_a_device_is_refused_without_waiting_for_it(tmp_path, recorder):
    os.mkfifo(tmp_path / "camera.avi")
    with recorder.capture(source_from(str(tmp_path / "camera.avi"))) as capture:
        assert capture.wait(PATIENCE)
    assert (capture.state.phase, capture.state.cause) == (Phase.FAILED, Cause.UNREADABLE)
    with pytest.raises(SourceError, match="device"):
        VideoFile("/dev/zero").open()


@ENDLESS
@pytest.mark.parametrize("n_frames", [0, 10**6, 2**31 - 1, 2**32 - 1])
def test_that_a_wrong_length_in_the_header_is_ignored(videos, tmp_path, n_frames):
    data = bytearray(videos["mjpg.avi"].read_bytes())
    for mark, offset in ((b"avih", 8 + 16), (b"strh", 8 + 32)):
        struct.pack_into("<I", data, data.index(mark) + offset, n_frames)
    path = tmp_path / "take.avi"
    path.write_bytes(data)
    with VideoFile(path, paced=False) as source:
        assert len(list(source)) == N_FRAMES


@ENDLESS
def test_that_a_stream_without_a_header_has_no_length_and_is_read_to_its_end(tmp_path):
    path = tmp_path / "take.mjpeg"
    path.write_bytes(b"".join(jpeg(picture(step)) for step in range(N_FRAMES)))
    source = VideoFile(path, paced=False)
    info = source.open()
    times = [frame.time for frame in source]
    source.close()
    assert (info.n_frames, len(times)) == (None, N_FRAMES)
    assert np.all(np.diff(times) > 0)


@ENDLESS
def test_that_endless_damage_is_given_up_after_some_seconds(videos, monkeypatch):
    clock = FakeClock()
    source = VideoFile(videos["mjpg.avi"], paced=False, clock=clock)
    source.open()
    source.read()
    n_tried = 0

    def search(_):
        nonlocal n_tried
        n_tried += 1
        clock.time += 2.0  # through gigabytes of nothing
        return None

    monkeypatch.setattr(Grabber, "grab", search)
    assert source.read() is None
    source.close()
    assert n_tried == VideoFile.longest_search // 2 + 1


@pytest.mark.fault("Camera", "a truncated video file", keeps="models")
@pytest.mark.parametrize("name", ["mjpg.avi", "vp9.webm", "ffv1.mkv", "mp4v.mp4"])
def test_that_a_truncated_file_ends_early_or_is_refused(videos, tmp_path, name, attempt):
    data = videos[name].read_bytes()
    path = tmp_path / name
    for share in (0.02, 0.2, 0.4, 0.6, 0.8, 0.99):
        with attempt():
            path.write_bytes(data[: int(share * len(data))])
            times, causes = [], []
            try:
                with VideoFile(path, paced=False) as source:
                    times = [frame.time for frame in source]
            except SourceError as error:
                causes.append(error.cause)
            assert causes == ([] if times else [Cause.UNREADABLE])
            if share in (0.6, 0.8):  # a format with its index at the end cannot be read
                assert bool(times) == (name != "mp4v.mp4")
            assert len(times) <= N_FRAMES
            assert np.all(np.diff(times) > 0)
            assert max(times, default=0.0) <= N_FRAMES / RATE
