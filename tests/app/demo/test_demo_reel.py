import threading

import pytest

from app.demo.reel import Reel
from tests.app.demo.conftest import PATIENCE, picture_of, pictures_of


@pytest.fixture
def n_recorded():
    return 4


def test_that_chapters_are_recorded_in_the_order_of_the_wishes(parts, studio, reel):
    studio.allow(100)
    third, first = parts.loop[2], parts.loop[0]
    reel.wish((third, first))
    reel.start()
    assert reel.picture(first, 3) == picture_of(3)
    assert studio.begun == [third.take, first.take]


def test_that_a_chapter_broken_off_for_an_urgent_one_is_completed_later_without_a_gap(
    parts, studio, reel
):
    slow, urgent = parts.loop[:2]
    reel.wish((slow,))
    reel.start()
    studio.allow(2)
    reel.picture(slow, 1)
    reel.wish((urgent, slow))
    studio.allow(1 + urgent.take.n_frames)  # one of the slow chapter is under way
    assert reel.picture(urgent, urgent.take.n_frames - 1) is not None
    assert reel.count(slow) < slow.take.n_frames
    studio.allow(100)
    reel.picture(slow, slow.take.n_frames - 1)
    assert [reel.picture(slow, k) for k in range(slow.take.n_frames)] == pictures_of(slow)


def test_that_inserted_pictures_are_not_recorded_again(parts, studio, reel):
    first, second = parts.loop[:2]
    reel.insert(first, pictures_of(first))
    reel.wish((first, second))
    studio.allow(100)
    reel.start()
    reel.picture(second, 0)
    assert studio.begun == [second.take]


def test_that_the_thread_ends_when_all_is_recorded_and_begins_again_with_a_wish(
    parts, studio, reel
):
    first, second = parts.loop[:2]
    studio.allow(100)
    reel.wish((first,))
    reel.start()
    reel.picture(first, first.take.n_frames - 1)
    for thread in studio.threads:
        thread.join(PATIENCE)
    reel.wish((second,))
    assert reel.picture(second, 0) == picture_of(0)
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


def test_that_the_renderer_waits_for_a_while_when_there_is_something_to_show(parts, studio):
    reel = Reel(parts.presentations, studio.record, head_start=PATIENCE)
    studio.allow(100)
    first, second = parts.loop[:2]
    reel.insert(first, pictures_of(first))
    reel.wish(parts.loop)
    reel.start()
    assert reel.picture(first, 0) == picture_of(0)
    assert studio.begun == []
    assert reel.picture(second, 0) == picture_of(0)  # a waiting reader ends the delay
    reel.stop()
    studio.close()


def test_that_progress_counts_a_chapter_shown_twice_once(parts, reel):
    first = parts.loop[0]
    reel.insert(first, pictures_of(first))
    assert parts.loop.count(first) == 2
    assert reel.progress((first, parts.loop[1], first)) == 0.5
