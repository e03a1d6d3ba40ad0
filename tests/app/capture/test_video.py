import threading
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from app.capture import video
from app.capture.opencv import Grabber
from app.capture.source import Cause, SourceError
from app.capture.video import VideoFile
from tests.app.capture.media import (
    CODECS,
    HEIGHT,
    N_FRAMES,
    RATE,
    WIDTH,
    FakeClock,
    bar_width,
    picture,
    write_video,
)

CORRUPT = pytest.mark.fault("Camera", "a corrupt video file", keeps="models")


def error_of_opening(path):
    with pytest.raises(SourceError) as caught:
        VideoFile(path).open()
    return caught.value


@pytest.mark.parametrize("name", CODECS)
def test_that_every_codec_gives_all_its_frames_in_order_and_colour(videos, name):
    with VideoFile(videos[name], paced=False) as source:
        info = source.open()
        frames = list(source)
    assert (info.name, info.width, info.height) == (name, WIDTH, HEIGHT)
    assert (info.rate, info.n_frames) == (pytest.approx(RATE), N_FRAMES)
    assert frames[0].image.dtype == np.uint8
    assert frames[0].image[60, 150] == pytest.approx([200, 0, 0], abs=12)
    assert [frame.number for frame in frames] == list(range(N_FRAMES))
    assert [bar_width(frame.image) for frame in frames] == pytest.approx(
        [4 * step + 4 for step in range(N_FRAMES)], abs=2
    )
    assert [frame.time for frame in frames] == pytest.approx(
        [step / RATE for step in range(N_FRAMES)], abs=2e-3
    )


def test_that_numbers_and_times_continue_when_it_is_opened_again(videos):
    source = VideoFile(videos["ffv1.mkv"], paced=False)
    with source:
        before = [source.read() for _ in range(5)]
    with source:
        after = list(source)
    frames = before + after
    assert [frame.number for frame in frames] == list(range(5 + N_FRAMES))
    assert np.all(np.diff([frame.time for frame in frames]) > 0)
    assert bar_width(after[0].image) == pytest.approx(4, abs=2)


def test_that_a_paced_file_catches_up_with_a_slow_reader_without_waiting(videos):
    clock = FakeClock()
    with VideoFile(videos["mjpg.avi"], paced=True, clock=clock) as source:
        source.read()
        clock.time += 5.5 / RATE
        times = [source.read().time for _ in range(5)]
        assert clock.waits == []
        assert source.read().time == pytest.approx(6 / RATE)
    assert clock.waits == pytest.approx([0.5 / RATE], abs=1e-3)
    assert times == pytest.approx([step / RATE for step in range(1, 6)])


def test_that_a_paced_file_does_not_rush_after_a_long_break(videos):
    clock = FakeClock()
    with VideoFile(videos["mjpg.avi"], paced=True, clock=clock) as source:
        source.read()
        clock.time += 3600
        for _ in range(4):
            source.read()
    assert clock.waits == pytest.approx([1 / RATE] * 3, abs=1e-3)


def test_that_closing_from_another_thread_ends_the_wait_for_a_frame(videos):
    waiting = threading.Event()
    reads = []

    class Forever(FakeClock):
        def wait(self, until_set, seconds):
            waiting.set()
            until_set.wait()

    source = VideoFile(videos["mjpg.avi"], paced=True, clock=Forever())
    source.open()
    thread = threading.Thread(target=lambda: reads.extend([source.read(), source.read()]))
    thread.start()
    assert waiting.wait(10)
    source.close()
    thread.join(10)
    assert not thread.is_alive()
    assert reads[0].number == 0
    assert reads[1] is None


@CORRUPT
def test_that_damaged_frames_are_skipped(videos, tmp_path):
    data = bytearray(videos["mjpg.avi"].read_bytes())
    starts = [at for at in range(len(data)) if data[at : at + 3] == b"\xff\xd8\xff"]
    assert len(starts) == N_FRAMES
    for damaged in (5, 6, 11):
        data[starts[damaged] : starts[damaged] + 300] = bytes(300)
    path = tmp_path / "damaged.avi"
    path.write_bytes(data)
    with VideoFile(path, paced=False) as source:
        frames = list(source)
    assert [frame.number for frame in frames] == list(range(N_FRAMES - 3))
    expected = [step / RATE for step in range(N_FRAMES) if step not in (5, 6, 11)]
    assert [frame.time for frame in frames] == pytest.approx(expected, abs=2e-3)


@CORRUPT
@pytest.mark.parametrize("name", CODECS)
def test_that_random_damage_gives_frames_in_order_or_an_error(videos, name, tmp_path, attempt):
    path = tmp_path / name
    for seed in range(3):
        with attempt():
            rng = np.random.default_rng(seed)
            data = np.frombuffer(videos[name].read_bytes(), np.uint8).copy()
            data[rng.integers(len(data), size=len(data) // 50)] = rng.integers(256, dtype=np.uint8)
            path.write_bytes(data.tobytes())
            frames = []
            with suppress(SourceError), VideoFile(path, paced=False) as source:
                frames.extend(source)
            assert [frame.number for frame in frames] == list(range(len(frames)))
            assert np.all(np.diff([frame.time for frame in frames]) >= 0)


@CORRUPT
@pytest.mark.parametrize(
    ("content", "cause"),
    [
        (b"", Cause.EMPTY),
        (b"no video at all\n" * 500, Cause.UNREADABLE),
        (np.random.default_rng(0).bytes(50_000), Cause.UNREADABLE),
        (b"#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:9/a.ts\n", Cause.UNREADABLE),
        (None, Cause.NOT_FOUND),
    ],
    ids=["empty", "text", "noise", "playlist", "folder"],
)
def test_that_anything_but_a_video_is_refused(content, cause, tmp_path):
    path = tmp_path / "take.mp4"
    path.mkdir() if content is None else path.write_bytes(content)
    assert error_of_opening(path).cause is cause


def test_that_a_file_in_a_forbidden_folder_is_reported(tmp_path, monkeypatch):
    def refuse(self):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "is_file", refuse)
    assert error_of_opening(tmp_path / "take.mp4").cause is Cause.PERMISSION


def test_that_closing_while_the_file_opens_releases_it(videos, monkeypatch):
    source = VideoFile(videos["mjpg.avi"], paced=False)
    made = []

    def close_meanwhile(*target):
        made.append(Grabber(*target))
        source.close()
        return made[-1]

    monkeypatch.setattr(video, "Grabber", close_meanwhile)
    with pytest.raises(SourceError):
        source.open()
    assert not made[0]._capture.isOpened()


def test_that_a_file_name_may_contain_any_characters(tmp_path):
    path = write_video(tmp_path / "plain.avi", "MJPG", [picture(0)])
    named = path.rename(tmp_path / "Gesicht größer 顔 %03d.avi")
    with VideoFile(named, paced=False) as source:
        assert len(list(source)) == 1


def test_that_giant_frames_are_refused_before_reading_one(videos, monkeypatch):
    monkeypatch.setattr("app.capture.opencv.MAX_PIXELS", WIDTH * HEIGHT - 1)
    error = error_of_opening(videos["mjpg.avi"])
    assert error.cause is Cause.TOO_LARGE
    assert f"{WIDTH * HEIGHT - 1:,} pixels" in str(error)
