"""A fake renderer that waits for permission for every picture, so that tests control timing."""

import threading

import cv2
import numpy as np
import pytest

from app.demo.reel import Reel
from app.demo.script import script

PATIENCE = 20.0


class Studio:
    """Stands in for the renderer; the grey level of a picture shows its number."""

    def __init__(self):
        self._allowed = threading.Semaphore(0)
        self._closed = threading.Event()
        self.begun = []
        self.threads = set()
        self.most_at_once = self._at_work = 0

    def allow(self, n_pictures):
        self._allowed.release(n_pictures)

    def record(self, take):
        self.begun.append(take)
        self.threads.add(threading.current_thread())
        self._at_work += 1
        self.most_at_once = max(self.most_at_once, self._at_work)
        try:
            for number in range(take.n_frames):
                while not self._allowed.acquire(timeout=0.005) and not self._closed.is_set():
                    pass
                yield picture_of(number)
        finally:
            self._at_work -= 1

    def close(self):
        self._closed.set()
        for thread in self.threads:
            thread.join(PATIENCE)
            assert not thread.is_alive()


def picture_of(number):
    grey = np.full((8, 8), 6 * number % 240, np.uint8)
    return cv2.imencode(".png", grey)[1].tobytes()


def pictures_of(chapter, n_pictures=None):
    return [picture_of(number) for number in range(n_pictures or chapter.take.n_frames)]


@pytest.fixture
def studio():
    return Studio()


@pytest.fixture
def parts(n_recorded):
    return script(n_recorded=n_recorded)


@pytest.fixture
def reel(parts, studio):
    reel = Reel(parts.presentations, studio.record, head_start=0.0)
    yield reel
    reel.stop()
    studio.close()
