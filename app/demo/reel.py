"""The demo's chapters, recorded on a separate thread and kept compressed.

Recording a picture takes 25 to 65 ms on an idle core, longer than it is shown if the networks run
at the same time. The most urgent chapter is recorded at full speed, the others ahead of time at
half speed, to leave time for the program. The loop takes 38 MB, all takes to enrol another 87 MB.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from app.demo.script import Chapter, Take

HEAD_START = 0.5
"""Seconds until the renderer is loaded, unless a reader waits: loading slows down the start of the
program."""


def _record(take: Take) -> Iterator[bytes]:
    # Imported here, on the recorder's thread: this loads the renderer.
    from app.demo.renderer.takes import record

    return record(take)


class Reel:
    """The recorded pictures of chapters; `request` sets what to record, `picture` waits for one."""

    def __init__(
        self,
        chapters: Iterable[Chapter],
        record: Callable[[Take], Iterator[bytes]] = _record,
        head_start: float = HEAD_START,
    ) -> None:
        self._pictures: dict[Chapter, list[bytes]] = {chapter: [] for chapter in chapters}
        self._record = record
        self._head_start = head_start
        self._changed = threading.Condition()
        self._requested: tuple[Chapter, ...] = ()
        self._n_waiting = 0
        self._stopped = True
        self._error: Exception | None = None
        self._thread: threading.Thread | None = None

    def insert(self, chapter: Chapter, pictures: Sequence[bytes]) -> None:
        """Add pictures that were recorded earlier; recording continues after them."""
        with self._changed:
            existing = self._pictures[chapter]
            existing += pictures[len(existing) : chapter.take.n_frames]

    def count(self, chapter: Chapter) -> int:
        return len(self._pictures[chapter])

    def progress(self, chapters: Iterable[Chapter]) -> float:
        """Return the recorded share of these chapters, 0 to 1."""
        wanted = set(chapters)
        return sum(map(self.count, wanted)) / sum(chapter.take.n_frames for chapter in wanted)

    def start(self) -> None:
        """Start recording what was requested, or continue after `stop`."""
        with self._changed:
            self._stopped, self._error = False, None
            self._work()

    def stop(self) -> None:
        """Stop recording after the current picture, and wake waiting readers."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def request(self, chapters: Iterable[Chapter]) -> None:
        """Set what to record, most urgent first, and let waiting readers check again."""
        with self._changed:
            self._requested = tuple(dict.fromkeys(chapters))
            self._changed.notify_all()
            self._work()

    def picture(
        self, chapter: Chapter, number: int, waiting: Callable[[], bool] = lambda: True
    ) -> bytes | None:
        """Return a picture as soon as it is recorded; raise the recorder's error, if there is one.

        None if the reel is stopped, or if ``waiting``, called after every `request`, is false.
        """
        pictures = self._pictures[chapter]
        with self._changed:
            self._n_waiting += 1
            self._changed.notify_all()
            self._changed.wait_for(
                lambda: self._stopped or self._error or len(pictures) > number or not waiting()
            )
            self._n_waiting -= 1
            if self._stopped or not waiting():
                return None
            if len(pictures) <= number:
                self.check()
            return pictures[number]

    def check(self) -> None:
        """Raise the error that stopped the recorder, if any."""
        if self._error is not None:
            raise self._error

    # ------------------------------------------------------------ recording

    def _work(self) -> None:
        """Start the thread if there is work and no thread; the caller holds the lock."""
        if self._thread is None and self._error is None and self._next() is not None:
            # Not a daemon, although the capture thread that starts it is one: a thread killed
            # inside OpenCV aborts the process.
            self._thread = threading.Thread(target=self._run, name="demo recorder", daemon=False)
            self._thread.start()

    def _next(self) -> Chapter | None:
        """Return what to record next, or None to stop."""
        if self._stopped or not threading.main_thread().is_alive():
            return None
        incomplete = (c for c in self._requested if self.count(c) < c.take.n_frames)
        return next(incomplete, None)

    def _run(self) -> None:
        try:
            with self._changed:
                self._changed.wait_for(lambda: self._stopped or self._n_waiting, self._head_start)
                self._head_start = 0.0
            while True:
                with self._changed:
                    chapter = self._next()
                    if chapter is None:
                        self._thread = None
                        return
                self._record_chapter(chapter)
        except Exception as error:
            with self._changed:
                self._error, self._thread = error, None
                self._changed.notify_all()

    def _record_chapter(self, chapter: Chapter) -> None:
        """Record a chapter until it is complete or something else is more urgent."""
        # A take is one uninterrupted recording: after an interruption it is recorded again from the
        # beginning, and pictures that exist are skipped.
        pictures = self._pictures[chapter]
        began = time.monotonic()
        for number, picture in enumerate(self._record(chapter.take)):
            with self._changed:
                if self._next() != chapter:
                    return
                if number == len(pictures):
                    pictures.append(picture)
                    self._changed.notify_all()
                if self._requested[0] != chapter and not self._n_waiting:
                    spent = time.monotonic() - began
                    self._changed.wait_for(lambda: self._next() != chapter, spent)
            began = time.monotonic()
