import threading

import pytest

from app.demo.reel import Reel
from tests.app.demo.conftest import PATIENCE, picture_of, pictures_of


@pytest.fixture
def n_recorded():
    return 4


def test_that_chapters_are_recorded_in_the_requested_order(parts, studio, reel):
    studio.allow(100)
    third, first = parts.loop[2], parts.loop[0]
    reel.request((third, first))
    reel.start()
    assert reel.picture(first, 3) == picture_of(3)
    assert studio.begun == [third.take, first.take]


def test_that_a_chapter_interrupted_by_an_urgent_one_is_completed_later(parts, studio, reel):
    slow, urgent = parts.loop[:2]
    reel.request((slow,))
    reel.start()
    studio.allow(2)
    reel.picture(slow, 1)
    reel.request((urgent, slow))
    studio.allow(1 + urgent.take.n_frames)  # one of the slow chapter is being recorded
    assert reel.picture(urgent, urgent.take.n_frames - 1) is not None
    assert reel.count(slow) < slow.take.n_frames
    studio.allow(100)
    reel.picture(slow, slow.take.n_frames - 1)
    assert [reel.picture(slow, k) for k in range(slow.take.n_frames)] == pictures_of(slow)


def test_that_inserted_pictures_are_not_recorded_again(parts, studio, reel):
    first, second = parts.loop[:2]
    reel.insert(first, pictures_of(first))
    reel.request((first, second))
    studio.allow(100)
    reel.start()
    reel.picture(second, 0)
    assert studio.begun == [second.take]


def test_that_the_thread_ends_with_the_work_and_starts_with_a_request(parts, studio, reel):
    first, second = parts.loop[:2]
    studio.allow(100)
    reel.request((first,))
    reel.start()
    reel.picture(first, first.take.n_frames - 1)
    for thread in studio.threads:
        thread.join(PATIENCE)
    reel.request((second,))
    assert reel.picture(second, 0) == picture_of(0)
    assert len(studio.threads) == 2


def test_that_there_is_never_more_than_one_recorder(parts, studio, reel):
    first = parts.loop[0]
    reel.request((first,))
    for _ in range(20):
        reel.start()
        reel.stop()
    reel.start()
    studio.allow(100)
    assert reel.picture(first, first.take.n_frames - 1) is not None
    assert studio.most_at_once == 1


def test_that_the_recorder_is_not_a_daemon_even_if_a_daemon_started_it(parts, studio, reel):
    reel.request(parts.loop)
    capture = threading.Thread(target=reel.start, daemon=True)
    capture.start()
    capture.join(PATIENCE)
    studio.allow(1)
    reel.picture(parts.loop[0], 0)
    assert [thread.daemon for thread in studio.threads] == [False]


def test_that_stopping_wakes_a_waiting_reader(parts, reel):
    reel.request(parts.loop)
    reel.start()
    got = []
    reader = threading.Thread(target=lambda: got.append(reel.picture(parts.loop[0], 0)))
    reader.start()
    reel.stop()
    reader.join(PATIENCE)
    assert got == [None]


def test_that_the_renderer_starts_later_if_there_is_something_to_show(parts, studio):
    reel = Reel(parts.presentations, studio.record, head_start=PATIENCE)
    studio.allow(100)
    first, second = parts.loop[:2]
    reel.insert(first, pictures_of(first))
    reel.request(parts.loop)
    reel.start()
    assert reel.picture(first, 0) == picture_of(0)
    assert studio.begun == []
    assert reel.picture(second, 0) == picture_of(0)  # a waiting reader ends the delay
    reel.stop()
    studio.close()


def test_that_progress_counts_a_repeated_chapter_once(parts, reel):
    first = parts.loop[0]
    reel.insert(first, pictures_of(first))
    assert parts.loop.count(first) == 2
    assert reel.progress((first, parts.loop[1], first)) == 0.5
