"""The demo's chapters, recorded on a thread of their own and kept compressed.

A picture takes 25 to 65 ms to record on an idle core, and longer than it is shown when the networks
run beside it. What is presented is recorded first and as fast as it goes, everything else ahead of
time and at half that pace, so that the rest of the program gets its share. The thread ends when
nothing is left to record.

A picture has 43 to 69 KB: as shipped, the whole loop takes 38 MB and each take to enrol another 11
to 18 MB once it is asked for, 125 MB when everything is there.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from app.demo.script import Chapter

Record = Callable[[Chapter, Callable[[], bool]], Iterator[bytes]]
"""Record a chapter; asks the second argument whether to stop."""

HEAD_START = 0.5
"""Seconds for which loading the renderer is put off while there is something to show: it would
take the interpreter from a program that is just starting."""


def _record(chapter: Chapter, stopping: Callable[[], bool]) -> Iterator[bytes]:
    # Here and not above: this loads the renderer, on the recorder's thread.
    from app.demo.renderer.takes import record

    return record(chapter, stopping)


class Reel:
    """The recorded pictures of chapters.

    Parameters
    ----------
    chapters : iterable of Chapter
        What may be asked for.
    record : callable
        Makes the pictures of a chapter.
    head_start : float
        Seconds from the first wish to the beginning of work, while nobody waits for a picture.
    """

    def __init__(
        self,
        chapters: Iterable[Chapter],
        record: Record = _record,
        head_start: float = HEAD_START,
    ) -> None:
        self._pictures: dict[Chapter, list[bytes]] = {chapter: [] for chapter in chapters}
        self._record = record
        self._head_start = head_start
        self._changed = threading.Condition()
        self._wishes: tuple[Chapter, ...] = ()
        self._n_waiting = 0
        self._stopped = True
        self._error: Exception | None = None
        self._thread: threading.Thread | None = None

    def insert(self, chapter: Chapter, pictures: Sequence[bytes]) -> None:
        """Put in pictures that were recorded earlier; the chapter goes on after them."""
        with self._changed:
            there = self._pictures[chapter]
            there += pictures[len(there) : chapter.n_recorded]

    def count(self, chapter: Chapter) -> int:
        """How many pictures of a chapter are there."""
        return len(self._pictures[chapter])

    def progress(self, chapters: Iterable[Chapter]) -> float:
        """Share of these chapters that is recorded, 0 to 1."""
        wanted = set(chapters)
        n_wanted = sum(chapter.n_recorded for chapter in wanted)
        return sum(map(self.count, wanted)) / n_wanted

    def start(self) -> None:
        """Begin to record what is wished for, or go on where `stop` broke off."""
        with self._changed:
            self._stopped, self._error = False, None
            self._work()

    def stop(self) -> None:
        """Stop recording and wake whoever waits for a picture; does not wait for the thread.

        The recorder notices at its next step: within half a second on an idle machine, within one
        and a half where two other processes keep both of its cores busy.
        """
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def wish(self, chapters: Iterable[Chapter]) -> None:
        """Say what to record, most urgent first; what is half recorded may have to wait."""
        wishes = tuple(dict.fromkeys(chapters))
        with self._changed:
            if wishes == self._wishes:
                return
            self._wishes = wishes
            self._changed.notify_all()
            if not self._stopped:
                self._work()

    def wake(self) -> None:
        """Let `picture` look again whether it still has to wait."""
        with self._changed:
            self._changed.notify_all()

    def picture(
        self, chapter: Chapter, number: int, waiting: Callable[[], bool] = lambda: True
    ) -> bytes | None:
        """Return a picture, as soon as it is recorded.

        None when the reel is stopped, or when ``waiting`` says not to wait any more; it is asked
        after every `wake`. An error of the recorder is raised here, on the reader's thread.
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
            if len(pictures) > number:
                return pictures[number]
            assert self._error is not None
            raise self._error

    def check(self) -> None:
        """Raise the error for which the recorder gave up, if it did."""
        if self._error is not None:
            raise self._error

    # ------------------------------------------------------------ recording

    def _work(self) -> None:
        """Start the thread if there is work and none does it; the lock is held."""
        if self._thread is None and self._error is None and self._next() is not None:
            # Not a daemon: a thread cut off within OpenCV takes the process down with it.
            self._thread = threading.Thread(target=self._run, name="demo recorder")
            self._thread.start()

    def _next(self) -> Chapter | None:
        """What to record now, if recording goes on at all."""
        if self._stopped or not threading.main_thread().is_alive():
            return None
        incomplete = (one for one in self._wishes if self.count(one) < one.n_recorded)
        return next(incomplete, None)

    def _run(self) -> None:
        try:
            with self._changed:
                self._changed.wait_for(
                    lambda: self._stopped or self._n_waiting or self._is_urgent(), self._head_start
                )
            while (chapter := self._taken_on()) is not None:
                self._film(chapter)
        except Exception as error:
            with self._changed:
                self._error, self._thread = error, None
                self._changed.notify_all()

    def _taken_on(self) -> Chapter | None:
        """What to record next; with None the thread has said that it ends."""
        with self._changed:
            chapter = self._next()
            if chapter is None:
                self._thread = None
            return chapter

    def _is_urgent(self) -> bool:
        """Whether what is presented has not a single picture."""
        return bool(self._wishes) and self.count(self._wishes[0]) == 0

    def _film(self, chapter: Chapter) -> None:
        """Record a chapter until it is complete, or until something else is more urgent."""

        def stopping() -> bool:
            return self._next() != chapter

        # A take is one uninterrupted recording: one that was broken off is made from its beginning,
        # and what is there already is left out.
        pictures = self._pictures[chapter]
        began = time.monotonic()
        for number, picture in enumerate(self._record(chapter, stopping)):
            with self._changed:
                if stopping():
                    return
                if number == len(pictures):
                    pictures.append(picture)
                    self._changed.notify_all()
                if self._wishes[0] != chapter and not self._n_waiting:
                    self._changed.wait_for(stopping, time.monotonic() - began)
            began = time.monotonic()
        if not stopping():
            raise RuntimeError(f"The recording of {chapter.key!r} ended before it was complete.")
