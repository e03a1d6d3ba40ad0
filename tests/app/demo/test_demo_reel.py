import threading

import pytest

from app.demo.reel import Reel
from tests.app.demo.conftest import PATIENCE, pictured, pictures_of


@pytest.fixture
def n_recorded():
    return 4


def test_that_chapters_are_recorded_in_the_order_of_the_wishes(parts, studio, reel):
    studio.allow(100)
    third, first = parts.loop[2], parts.loop[0]
    reel.wish((third, first))
    reel.start()
    assert reel.picture(first, 3) == pictured(first, 3)
    assert studio.begun == [third.key, first.key]


def test_that_a_new_wish_comes_before_what_is_being_recorded(parts, studio, reel):
    slow, urgent = parts.loop[:2]
    reel.wish((slow,))
    reel.start()
    studio.allow(1)
    reel.picture(slow, 0)
    reel.wish((urgent, slow))
    studio.allow(urgent.take.n_frames)
    assert reel.picture(urgent, urgent.take.n_frames - 1) is not None
    assert reel.count(slow) < slow.take.n_frames


def test_that_a_recording_broken_off_is_completed_later_without_a_gap(parts, studio, reel):
    slow, urgent = parts.loop[:2]
    reel.wish((slow,))
    reel.start()
    studio.allow(2)
    reel.picture(slow, 1)
    reel.wish((urgent, slow))
    studio.allow(100)
    reel.picture(slow, slow.take.n_frames - 1)
    assert [reel.picture(slow, k) for k in range(slow.take.n_frames)] == pictures_of(slow)


def test_that_pictures_put_in_are_not_recorded_again(parts, studio, reel):
    first, second = parts.loop[:2]
    reel.insert(first, pictures_of(first))
    reel.wish((first, second))
    studio.allow(100)
    reel.start()
    reel.picture(second, 0)
    assert studio.begun == [second.key]


def test_that_the_thread_ends_when_nothing_is_left_and_begins_again_with_a_wish(
    parts, studio, reel
):
    first, second = parts.loop[:2]
    studio.allow(100)
    reel.wish((first,))
    reel.start()
    reel.picture(first, first.take.n_frames - 1)
    studio.join()
    reel.wish((second,))
    assert reel.picture(second, 0) == pictured(second, 0)
    assert len(studio.threads) == 2


def test_that_stopping_and_starting_never_makes_two_recorders(parts, studio, reel):
    first = parts.loop[0]
    reel.wish((first,))
    for _ in range(20):
        reel.start()
        reel.stop()
    reel.start()
    studio.allow(100)
    assert reel.picture(first, first.take.n_frames - 1) is not None
    assert studio.most_at_once == 1


def test_that_the_recorder_is_waited_for_at_exit_whichever_thread_started_it(parts, studio, reel):
    reel.wish(parts.loop)
    capture = threading.Thread(target=reel.start, daemon=True)
    capture.start()
    capture.join(PATIENCE)
    studio.allow(1)
    reel.picture(parts.loop[0], 0)
    assert [thread.daemon for thread in studio.threads] == [False]


def test_that_stopping_wakes_a_reader_that_waits(parts, reel):
    reel.wish(parts.loop)
    reel.start()
    got = []
    reader = threading.Thread(target=lambda: got.append(reel.picture(parts.loop[0], 0)))
    reader.start()
    reel.stop()
    reader.join(PATIENCE)
    assert got == [None]


def test_that_a_recording_that_is_too_short_is_an_error_and_not_tried_for_ever(parts):
    reel = Reel(parts.presentations, lambda chapter, stopping: iter([b"one"]), head_start=0.0)
    reel.wish(parts.loop)
    reel.start()
    with pytest.raises(RuntimeError, match="before it was complete"):
        reel.picture(parts.loop[0], 1)
    reel.stop()


def test_that_the_renderer_is_left_alone_for_a_while_when_there_is_something_to_show(parts, studio):
    reel = Reel(parts.presentations, studio.record, head_start=PATIENCE)
    studio.allow(100)
    first, second = parts.loop[:2]
    reel.insert(first, pictures_of(first))
    reel.wish(parts.loop)
    reel.start()
    assert reel.picture(first, 0) == pictured(first, 0)
    assert studio.begun == []
    # A reader that has to wait ends the delay.
    assert reel.picture(second, 0) == pictured(second, 0)
    reel.stop()
    studio.join()


def test_that_progress_counts_a_chapter_shown_twice_once(parts, reel):
    first = parts.loop[0]
    reel.insert(first, pictures_of(first))
    assert parts.loop.count(first) == 2
    assert reel.progress((first, first)) == 1.0
    assert reel.progress((first, parts.loop[1], first)) == 0.5
