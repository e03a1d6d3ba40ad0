import subprocess
import sys
import threading

import numpy as np
import pytest

from app.demo_video.reel import Reel
from app.demo_video.script import script
from app.demo_video.takes import frames
from app.sources.causes import SourceError
from app.sources.demo import DemoSource
from lmkl_core.errors import InvalidInputError


def quick(**options):
    return DemoSource(**{"paced": False, "n_recorded": 2, **options})


class RecordingClock:
    """A clock that stands still but for the waits asked of it."""

    def __init__(self):
        self.time = 0.0

    def now(self):
        return self.time

    def wait(self, until_set, seconds):
        self.time += seconds


def test_that_the_demo_shows_nobody_then_the_person_then_attacks_then_the_person_again():
    truths = [chapter.truth for chapter in DemoSource().chapters]
    assert truths == ["nobody", "bonafide", "bonafide", *["attack"] * 4, "bonafide"]
    species = [chapter.species for chapter in DemoSource().chapters if chapter.truth == "attack"]
    assert species == ["print", "phone", "replay", "paper-mask"]


def test_that_frames_are_those_of_the_chapters_takes():
    source = quick()
    with source:
        numbers = range(source.chapters[0].n_frames + 3)
        got = [source.read() for _ in numbers]
    assert [frame.number for frame in got] == list(numbers)
    expected = [frame.image for frame in frames(source.chapters[1].take)]
    shown = [frame.image for frame in got[-3:]]
    for image, index in zip(shown, (0, 1, 0), strict=True):
        assert np.array_equal(image, expected[index])


def test_that_the_chapter_of_a_frame_is_known_from_its_number_also_in_the_second_round():
    source = quick()
    length = sum(chapter.n_frames for chapter in source.chapters)
    first, second = source.chapters[:2]
    assert source.chapter_of(0) is first
    assert source.chapter_of(first.n_frames - 1) is first
    assert source.chapter_of(first.n_frames) is second
    assert source.chapter_of(length - 1) is source.chapters[-1]
    assert source.chapter_of(length) is first


def test_that_the_current_chapter_is_that_of_the_last_frame():
    source = quick()
    with source:
        for _ in range(source.chapters[0].n_frames):
            source.read()
        assert source.chapter is source.chapters[0]
        source.read()
        assert source.chapter is source.chapters[1]


def test_that_a_demo_that_does_not_loop_ends_after_its_last_chapter():
    source = quick(loop=False)
    info = source.open()
    source._n_delivered = info.n_frames
    assert source.read() is None
    source.close()


def test_that_a_paced_demo_gives_thirty_frames_a_second():
    clock = RecordingClock()
    with quick(paced=True, clock=clock) as source:
        for _ in range(16):
            source.read()
    assert clock.time == pytest.approx(15 / 30)


def test_that_a_reopened_demo_goes_on_counting():
    source = quick()
    with source:
        source.read()
    with source:
        frame = source.read()
    assert (frame.number, frame.time) == (1, pytest.approx(1 / 30))


def test_that_closing_from_another_thread_ends_a_read_that_waits():
    # Nothing is recorded for a reel that never started; a reader waits until it is stopped.
    reel = Reel(script("P001", n_recorded=2))
    reel._stopped = False
    got = []
    reader = threading.Thread(target=lambda: got.append(reel.picture(0, 0)))
    reader.start()
    reel.stop()
    reader.join(timeout=10)
    assert got == [None]


def test_that_a_closed_demo_gives_no_frame():
    source = quick()
    assert source.read() is None
    source.open()
    source.close()
    source.close()
    assert source.read() is None


def test_that_a_recorder_that_fails_tells_the_reader_why(monkeypatch):
    def missing(name):
        raise InvalidInputError("The demo's people are not installed; run `pip install it`.")

    monkeypatch.setattr("app.demo_video.setting.load_person", missing)
    source = quick(seed=90)
    with source:
        for _ in range(source.chapters[0].n_frames):
            source.read()
        with pytest.raises(SourceError, match="not installed"):
            source.read()


@pytest.mark.parametrize("ending", ["source.close()", "pass"])
def test_that_a_program_ends_in_peace_while_the_demo_is_being_recorded(ending):
    program = f"""
from app.sources.demo import DemoSource
source = DemoSource(paced=False)
source.open()
for _ in range(source.chapters[0].n_frames + 1):
    source.read()
{ending}
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=120)
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_that_recorded_pictures_are_shown_to_and_fro():
    chapter = script("P001", n_recorded=4)[1]
    assert [chapter.picture_of(k) for k in range(8)] == [0, 1, 2, 3, 2, 1, 0, 1]
