import threading

import numpy as np

from app.capture.capture import LatestFrame
from app.types import Frame


def frame(number):
    return Frame(np.zeros((2, 2, 3), np.uint8), number)


def test_that_the_newest_frame_wins_and_the_others_are_counted():
    mailbox = LatestFrame()
    for number in range(5):
        mailbox.put(frame(number))
    assert mailbox.take().number == 4
    assert mailbox.n_dropped == 4


def test_that_taking_leaves_the_place_empty():
    mailbox = LatestFrame()
    mailbox.put(frame(0))
    assert mailbox.take() is not None
    assert mailbox.take() is None
    mailbox.put(frame(1))
    assert mailbox.n_dropped == 0


def test_that_waiting_gives_up_without_a_frame():
    assert LatestFrame().wait(timeout=0.0) is None


def test_that_a_frame_wakes_a_waiting_reader():
    mailbox = LatestFrame()
    got = []
    reader = threading.Thread(target=lambda: got.append(mailbox.wait(10)))
    reader.start()
    mailbox.put(frame(7))
    reader.join(10)
    assert got[0].number == 7
    assert mailbox.take() is None


def test_that_a_slow_reader_sees_frames_in_order_and_none_twice():
    mailbox = LatestFrame()
    seen = []
    n_frames = 2000

    def read():
        while not seen or seen[-1] != n_frames - 1:
            got = mailbox.wait(10)
            assert got is not None
            seen.append(got.number)

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(n_frames):
        mailbox.put(frame(number))
    reader.join(10)
    assert seen == sorted(set(seen))
    assert len(seen) + mailbox.n_dropped == n_frames
