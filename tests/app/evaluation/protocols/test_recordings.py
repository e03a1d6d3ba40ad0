"""Frames and digests of recordings."""

import numpy as np
import pytest

from app.capture.source import SourceError
from app.capture.video import VideoFile
from app.demo.renderer.takes import frames
from app.demo.script import Take
from app.evaluation.protocols import demo as demo_database
from app.evaluation.protocols import recordings
from app.evaluation.protocols.demo import DemoReader
from app.evaluation.protocols.recordings import FileReader, spread
from tests.app.capture.media import (
    CODECS,
    N_FRAMES,
    RATE,
    bar_width,
    encoded,
    picture,
    write_video,
)


def filmed(path, codec="MJPG"):
    return write_video(path, codec, [picture(step) for step in range(N_FRAMES)])


@pytest.fixture
def video(tmp_path):
    return filmed(tmp_path / "video.avi")


@pytest.fixture
def folder(tmp_path):
    for step in range(12):
        (tmp_path / f"image{step}.png").write_bytes(encoded(picture(step), ".png"))
    return tmp_path


def steps(found):
    """Return the numbers of the pictures in frames, whose bars grow by 4 pixels per step."""
    return [round(bar_width(frame.image) / 4) - 1 for frame in found]


def test_that_frames_are_spread_over_the_middles_of_equal_parts():
    for n_frames, n, chosen in (
        (20, 4, [2, 7, 12, 17]),
        (20, 1, [10]),
        (5, 4, [0, 1, 3, 4]),
        (3, 9, [0, 1, 2]),
        (0, 4, []),
        (7, 0, []),
    ):
        assert spread(n_frames, n) == chosen
    for n_frames in range(1, 60):
        for n in range(1, n_frames + 1):
            chosen = spread(n_frames, n)
            gaps = np.diff([-1 - chosen[0], *chosen])[1:]
            assert len(set(chosen)) == n
            assert chosen[-1] < n_frames
            if len(gaps):
                assert gaps.max() - gaps.min() <= 1


@pytest.mark.parametrize("name", CODECS)
def test_that_frames_of_a_video_match_their_numbers(tmp_path, name):
    video = filmed(tmp_path / name, CODECS[name])
    for n in (1, 4, 7, N_FRAMES, 99):
        found = list(FileReader(video).frames(n))
        assert [frame.number for frame in found] == spread(N_FRAMES, n)
        assert steps(found) == spread(N_FRAMES, n)
        assert [frame.time for frame in found] == pytest.approx([f.number / RATE for f in found])
    # Skipped frames do not change the pixels of others.
    with VideoFile(video, paced=False) as source:
        everything = [frame.image for frame in source]
    for frame in FileReader(video).frames(5):
        np.testing.assert_array_equal(frame.image, everything[frame.number])


@pytest.fixture
def openings(monkeypatch):
    """Record every opening of a video."""
    found = []
    opening = VideoFile.open

    def counted(self):
        found.append(self.path)
        return opening(self)

    monkeypatch.setattr(VideoFile, "open", counted)
    return found


def test_that_a_video_is_read_once_unless_its_frames_are_too_large(video, openings, monkeypatch):
    assert len(list(FileReader(video).frames(5))) == 5
    assert len(openings) == 1
    monkeypatch.setattr(recordings, "MOST_HELD", 100)
    assert steps(FileReader(video).frames(5)) == spread(N_FRAMES, 5)
    assert len(openings) == 3


def test_that_frames_are_counted_without_decoding(video, folder):
    demo = DemoReader(Take("P001", None, "office", 1, n_frames=15))
    for n in (1, 20):
        assert FileReader(video).count(n) == n
        assert FileReader(folder / "image3.png").count(n) == 1
        assert FileReader(folder).count(n) == min(n, 12)
        assert demo.count(n) == min(n, 15)


@pytest.mark.parametrize("announced", [7, 500])
def test_that_a_wrong_announced_count_does_not_matter(tmp_path, announced):
    data = bytearray(filmed(tmp_path / "right.avi").read_bytes())
    for header, offset in ((b"avih", 16), (b"strh", 32)):
        at = data.index(header) + 8 + offset
        assert int.from_bytes(data[at : at + 4], "little") == N_FRAMES
        data[at : at + 4] = announced.to_bytes(4, "little")
    (tmp_path / "wrong.avi").write_bytes(data)
    with VideoFile(tmp_path / "wrong.avi", paced=False) as source:
        assert source.open().n_frames == announced
    assert steps(FileReader(tmp_path / "wrong.avi").frames(4)) == spread(N_FRAMES, 4)


def test_that_frames_of_a_truncated_video_are_spread_over_the_rest(tmp_path):
    broken = tmp_path / "broken.avi"
    data = filmed(tmp_path / "whole.avi").read_bytes()
    broken.write_bytes(data[: len(data) // 2])
    with VideoFile(broken, paced=False) as source:
        n_frames = len(list(source))
    assert 2 < n_frames < N_FRAMES
    assert steps(FileReader(broken).frames(3)) == spread(n_frames, 3)


def test_that_damaged_frames_are_skipped(tmp_path):
    data = bytearray(filmed(tmp_path / "whole.avi").read_bytes())
    starts = [at for at in range(len(data)) if data[at : at + 3] == b"\xff\xd8\xff"]
    for damaged in (5, 6, 11):
        data[starts[damaged] : starts[damaged] + 300] = bytes(300)
    (tmp_path / "damaged.avi").write_bytes(data)
    whole = [step for step in range(N_FRAMES) if step not in (5, 6, 11)]
    damaged = FileReader(tmp_path / "damaged.avi")
    assert steps(damaged.frames(99)) == whole
    assert steps(damaged.frames(3)) == [whole[place] for place in spread(len(whole), 3)]


def test_that_a_generator_closed_early_releases_the_file(video, monkeypatch):
    monkeypatch.setattr(recordings, "MOST_HELD", 100)  # frames are read one by one
    reading = FileReader(video).frames(6)
    next(reading)
    closed = []
    monkeypatch.setattr(VideoFile, "close", lambda source: closed.append(source.path))
    reading.close()
    assert closed == [video]


def test_that_images_of_a_folder_are_spread_in_natural_order(folder):
    found = list(FileReader(folder).frames(4))
    assert [frame.number for frame in found] == [1, 4, 7, 10]
    assert steps(found) == [1, 4, 7, 10]


def test_that_hidden_files_and_inner_folders_are_ignored(folder):
    first = FileReader(folder).digest()
    (folder / "._image3.png").write_bytes(b"of a Mac")
    (folder / "copies.png").mkdir()
    assert [frame.number for frame in FileReader(folder).frames(99)] == list(range(12))
    assert FileReader(folder).digest() == first


def test_that_a_broken_image_of_a_folder_is_skipped(folder):
    (folder / "image4.png").write_bytes(b"not an image")
    assert [frame.number for frame in FileReader(folder).frames(4)] == [1, 7, 10]


def test_that_an_image_is_one_frame(folder):
    (frame,) = FileReader(folder / "image3.png").frames(8)
    assert steps([frame]) == [3]
    assert list(FileReader(folder / "image3.png").frames(0)) == []


def test_that_unreadable_recordings_are_refused(tmp_path):
    (tmp_path / "broken.mp4").write_bytes(b"not a video")
    (tmp_path / "broken.png").write_bytes(b"not an image")
    (tmp_path / "empty").mkdir()
    for name in ("gone.mp4", "gone.png", "broken.mp4", "broken.png", "empty"):
        with pytest.raises(SourceError):
            list(FileReader(tmp_path / name).frames(3))
    with pytest.raises(SourceError):
        FileReader(tmp_path / "gone.mp4").digest()


def test_that_a_digest_depends_on_the_bytes_and_not_on_the_name(tmp_path):
    one, same, other = (tmp_path / name for name in ("one.mp4", "same.mp4", "other.mp4"))
    one.write_bytes(b"x" * 3_000_000)
    same.write_bytes(b"x" * 3_000_000)
    other.write_bytes(b"x" * 2_999_999 + b"y")
    assert FileReader(one).digest() == FileReader(same).digest()
    assert FileReader(one).digest() != FileReader(other).digest()


def test_that_the_digest_of_a_folder_depends_on_names_and_contents_of_images(folder):
    first = FileReader(folder).digest()
    (folder / "notes.txt").write_text("not part of the recording")
    assert FileReader(folder).digest() == first
    (folder / "image3.png").rename(folder / "image30.png")
    renamed = FileReader(folder).digest()
    (folder / "image30.png").write_bytes(encoded(picture(9), ".png"))
    assert len({first, renamed, FileReader(folder).digest()}) == 3


def test_that_frames_of_the_demo_are_equally_spaced():
    take = Take("P002", seed=3, n_frames=30)
    found = list(DemoReader(take).frames(3))
    assert [frame.number for frame in found] == [0, 10, 20]
    for frame, expected in zip(found, frames(take, 10), strict=True):
        np.testing.assert_array_equal(frame.image, expected.image)
    assert list(DemoReader(take).frames(0)) == []


def test_that_demo_digests_distinguish_takes_and_versions_of_the_renderer(monkeypatch):
    one, other = DemoReader(Take("P002")), DemoReader(Take("P002", seed=1))
    first = one.digest()
    assert first == DemoReader(Take("P002")).digest()
    assert first != other.digest()
    monkeypatch.setattr(demo_database, "_renderer_digest", lambda: "another version")
    assert one.digest() != first
