"""A recorder whose every picture has to be allowed: what is there at which moment is known."""

import threading

import pytest

from app.demo.reel import Reel
from app.demo.script import script

PATIENCE = 20.0


class Studio:
    """Stands in for the renderer; a picture's bytes tell the chapter and the number."""

    def __init__(self):
        self._allowed = threading.Semaphore(0)
        self.begun = []
        self.threads = set()
        self.most_at_once = self._at_work = 0

    def allow(self, n_pictures):
        self._allowed.release(n_pictures)

    def record(self, chapter, stopping):
        self.begun.append(chapter.key)
        self.threads.add(threading.current_thread())
        self._at_work += 1
        self.most_at_once = max(self.most_at_once, self._at_work)
        try:
            yield from self._pictures(chapter, stopping)
        finally:
            self._at_work -= 1

    def _pictures(self, chapter, stopping):
        for number in range(chapter.take.n_frames):
            while not self._allowed.acquire(timeout=0.005):
                if stopping():
                    return
            if stopping():
                self._allowed.release()  # meant for what is wanted now
                return
            yield pictured(chapter, number)

    def join(self):
        for thread in self.threads:
            thread.join(PATIENCE)
            assert not thread.is_alive()


def pictured(chapter, number):
    return f"{chapter.key}: {number}".encode()


def pictures_of(chapter, n_pictures=None):
    return [pictured(chapter, number) for number in range(n_pictures or chapter.take.n_frames)]


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
    studio.join()
