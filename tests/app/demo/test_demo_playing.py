"""The order in which the demo shows pictures."""

import threading
from itertools import islice

import pytest

from app.demo.source import DemoSource
from tests.app.capture.media import FakeClock
from tests.app.demo.conftest import PATIENCE, pictures_of

N_RECORDED = 40


@pytest.fixture
def n_recorded():
    return N_RECORDED


@pytest.fixture
def play(reel):
    """Return a function that opens a demo with some pictures recorded."""
    sources = []

    def play(recorded, *, paced=True, loop=True):
        for chapter, n_pictures in recorded.items():
            reel.insert(chapter, pictures_of(chapter, n_pictures))
        source = DemoSource(paced, loop, n_recorded=N_RECORDED, clock=FakeClock())
        source._reel = reel
        source.present(None)
        source.open()
        sources.append(source)
        return source

    yield play
    for source in sources:
        source.close()


def numbers(source, n_frames):
    return [round(frame.image.mean() / 6) for frame in islice(source, n_frames)]


@pytest.mark.parametrize("paced", [True, False])
def test_that_pictures_are_shown_forwards_and_backwards(parts, play, paced):
    source = play({parts.loop[0]: N_RECORDED}, paced=paced)
    forwards, backwards = list(range(N_RECORDED)), list(range(N_RECORDED - 2, 0, -1))
    assert numbers(source, 180) == (3 * (forwards + backwards))[:180]


def test_that_the_last_picture_of_a_growing_recording_is_held(parts, studio, reel, play):
    first = parts.loop[0]
    source = play({first: 3})
    assert numbers(source, 6) == [0, 1, 2, 2, 2, 2]
    studio.allow(6)  # the first three are recorded again
    reel.picture(first, 5)
    assert numbers(source, 4) == [3, 4, 5, 5]


def test_that_the_last_picture_is_held_until_the_selection_has_one(parts, studio, reel, play):
    first, enrolled = parts.loop[0], parts.enrolment[0]
    source = play({first: N_RECORDED})
    assert numbers(source, 5) == [0, 1, 2, 3, 4]
    source.present(enrolled.key)
    assert numbers(source, 3) == [4, 4, 4]
    assert source.chapter == first
    studio.allow(1000)
    reel.picture(enrolled, 0)
    assert numbers(source, 1) == [0]
    assert source.chapter == enrolled


def test_that_a_chapter_continues_until_the_next_has_a_picture(parts, studio, reel, play):
    first, second = parts.loop[:2]
    source = play({first: N_RECORDED})
    numbers(source, first.n_frames)
    assert len(set(numbers(source, 3))) == 3
    assert source.chapter == first
    studio.allow(1)
    reel.picture(second, 0)
    assert numbers(source, 1) == [0]
    assert source.chapter == second


@pytest.mark.parametrize("paced", [True, False])
def test_that_a_selected_presentation_stays_until_the_loop_is_selected(parts, play, paced):
    first, second = parts.loop[:2]
    source = play({first: N_RECORDED, second: N_RECORDED}, paced=paced)
    source.present(second.key)
    captions = {frame.caption for frame in islice(source, 2 * second.n_frames)}
    assert captions == {second.frame_caption}
    source.present(second.key)
    assert numbers(source, 1) != [0]
    source.present(None)
    assert source.presenting is None
    assert numbers(source, 3) == [0, 1, 2]
    assert source.chapter == first


def test_that_a_waiting_reader_follows_a_new_selection(parts, play):
    chapter = parts.loop[1]
    source = play({parts.loop[0]: 1, chapter: N_RECORDED}, paced=False)
    got = numbers(source, 1)
    reader = threading.Thread(target=lambda: got.extend(numbers(source, 1)))
    reader.start()  # waits for the second picture
    source.present(chapter.key)
    reader.join(PATIENCE)
    assert got == [0, 0]
    assert source.chapter == chapter


@pytest.mark.parametrize("paced", [True, False])
@pytest.mark.parametrize("loop", [True, False])
def test_that_the_loop_shows_every_chapter_for_its_time_and_may_end(parts, play, loop, paced):
    recorded = {chapter: chapter.take.n_frames for chapter in parts.loop}
    source = play(recorded, loop=loop, paced=paced)
    for chapter in parts.loop:
        captions = {frame.caption for frame in islice(source, chapter.n_frames)}
        assert captions == {chapter.frame_caption}
    assert numbers(source, 1) == ([0] if loop else [])


def test_that_the_selected_presentation_is_recorded_first(parts, studio, reel, play):
    first, enrolled, following = parts.loop[0], *parts.enrolment[3:5]
    source = play({first: N_RECORDED})
    source.present(enrolled.key)
    studio.allow(1000)
    reel.picture(parts.loop[1], 0)
    order = [studio.begun.index(chapter.take) for chapter in (enrolled, following)]
    assert order == sorted(order)
    assert order[1] < len(studio.begun) - 1


def test_that_a_failed_recorder_is_reported_when_its_pictures_are_needed(parts, reel, play):
    first = parts.loop[0]

    def broken(take):
        raise ValueError("no light")

    reel._record = broken
    source = play({first: N_RECORDED})
    assert len(numbers(source, first.n_frames)) == first.n_frames
    with pytest.raises(ValueError, match="no light"):
        reel.picture(parts.loop[1], 0)
    with pytest.raises(ValueError, match="no light"):
        source.read()
