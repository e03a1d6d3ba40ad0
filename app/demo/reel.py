"""The demo's chapters: recorded on a thread of their own, kept compressed, and played.

A picture takes 25 to 65 ms to record on an idle core, longer than it is shown when the networks run
beside it. What is presented is recorded first and at full speed, the rest ahead of time at half
that pace, to leave time for the program. The whole loop takes 38 MB, all takes to enrol 87 MB more.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from app.demo.script import Chapter, Script

Record = Callable[[Chapter, Callable[[], bool]], Iterator[bytes]]
"""Record a chapter; asks the second argument whether to stop."""

HEAD_START = 0.5
"""Seconds by which loading the renderer is put off while there is something to show: it would slow
down a program that is just starting."""


@dataclass(frozen=True, eq=False)
class _Order:
    """Compared by identity: equal orders may have another one between them."""

    chapter: Chapter | None
    """None: everything in turn."""


_FEW = 8
"""With fewer pictures, running to and fro would look like trembling: the last one is held."""


def _record(chapter: Chapter, stopping: Callable[[], bool]) -> Iterator[bytes]:
    # Here and not above: this loads the renderer, on the recorder's thread.
    from app.demo.renderer.takes import record

    return record(chapter.take, stopping=stopping)


class Reel:
    """The recorded pictures of chapters; `wish` says what to record, `picture` waits for one.

    Work begins ``head_start`` seconds after the first wish, or when a reader waits.
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
            there += pictures[len(there) : chapter.take.n_frames]

    def count(self, chapter: Chapter) -> int:
        return len(self._pictures[chapter])

    def progress(self, chapters: Iterable[Chapter]) -> float:
        """Share of these chapters that is recorded, 0 to 1."""
        wanted = set(chapters)
        return sum(map(self.count, wanted)) / sum(chapter.take.n_frames for chapter in wanted)

    def start(self) -> None:
        """Begin to record the wishes, or go on where `stop` broke off."""
        with self._changed:
            self._stopped, self._error = False, None
            self._work()

    def stop(self) -> None:
        """Stop recording and wake a waiting reader; the thread ends within about a second."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def wish(self, chapters: Iterable[Chapter]) -> None:
        """Set what to record, most urgent first; a half-recorded chapter may have to wait."""
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
        """Return a picture as soon as it is recorded; raise the recorder's error, if there is one.

        None when the reel is stopped, or when ``waiting``, asked after every `wake`, is false.
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
            # Not a daemon, though it would inherit that from the capture thread: cut off within
            # OpenCV, it would abort the process.
            self._thread = threading.Thread(target=self._run, name="demo recorder", daemon=False)
            self._thread.start()

    def _next(self) -> Chapter | None:
        """What to record now, if recording goes on at all."""
        if self._stopped or not threading.main_thread().is_alive():
            return None
        incomplete = (one for one in self._wishes if self.count(one) < one.take.n_frames)
        return next(incomplete, None)

    def _run(self) -> None:
        try:
            with self._changed:
                self._changed.wait_for(self._is_urgent, self._head_start)
            while True:
                with self._changed:
                    chapter = self._next()
                    if chapter is None:
                        self._thread = None
                        return
                self._film(chapter)
        except Exception as error:
            with self._changed:
                self._error, self._thread = error, None
                self._changed.notify_all()

    def _is_urgent(self) -> bool:
        """Whether a reader waits, or what is presented has not a single picture."""
        is_blank = bool(self._wishes) and self.count(self._wishes[0]) == 0
        return self._stopped or self._n_waiting > 0 or is_blank

    def _film(self, chapter: Chapter) -> None:
        """Record a chapter until it is complete, or until something else is more urgent."""

        def stopping() -> bool:
            return self._next() != chapter

        # A take is one uninterrupted recording: one that was broken off is made from its beginning,
        # and pictures that are there already are left out.
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


class Projector:
    """Chooses pictures from a reel: everything in turn, or what it is directed to show.

    A patient projector waits for the picture that is due, so that equal demos give equal frames. An
    impatient one never waits while it has something to show: it plays what is recorded of a chapter
    to and fro while more arrives, and holds its picture until there is one of what comes next.

    ``present`` and ``presenting`` are for any thread, the rest for the reader's. ``shown`` is what
    the last picture presents, or the first one will.
    """

    def __init__(self, script: Script, reel: Reel, *, loop: bool, patient: bool) -> None:
        self._script, self._reel = script, reel
        self._loop, self._patient = loop, patient
        self._order = self._followed = _Order(None)
        self.shown = script.loop[0]
        self._has_shown = False
        self._turn = self._position = 0
        self._place, self._step = 0, 1
        self._wish(None)

    @property
    def presenting(self) -> Chapter | None:
        """What was asked for; None is everything in turn."""
        return self._order.chapter

    def present(self, chapter: Chapter | None) -> None:
        """Show a chapter from the next picture on, or everything in turn from its beginning."""
        if chapter != self._order.chapter:
            self._order = _Order(chapter)
            self._wish(chapter)
            self._reel.wake()

    def picture(self) -> bytes | None:
        """Return the next picture; None at the end, or when the reel is stopped."""
        while True:
            if self._order is not self._followed:
                self._followed = self._order
                self._turn = self._position = 0
                self._wish(self._followed.chapter)
            chapter = self._followed.chapter or self._due()
            if chapter is None:
                return None
            packed = (self._exact if self._patient else self._at_hand)(chapter)
            if packed is not None or self._is_waiting():
                return packed

    def _is_waiting(self) -> bool:
        return self._order is self._followed

    def _due(self) -> Chapter | None:
        """Return the loop's chapter that the next picture presents; None at the end."""
        loop = self._script.loop
        if self._position == loop[self._turn].n_frames:
            if self._turn + 1 == len(loop) and not self._loop:
                return None
            following = (self._turn + 1) % len(loop)
            if self._patient or self._reel.count(loop[following]):
                self._turn, self._position = following, 0
                self._wish(None)
            else:
                # The chapter goes on until there is something of the next one to be seen.
                self._reel.check()
                self._position -= 1
        return loop[self._turn]

    def _exact(self, chapter: Chapter) -> bytes | None:
        return self._show(chapter, chapter.picture_of(self._position))

    def _at_hand(self, chapter: Chapter) -> bytes | None:
        n_there = self._reel.count(chapter)
        if not n_there and self._has_shown:
            self._reel.check()
            return self._reel.picture(self.shown, self._place, self._is_waiting)
        if self._position == 0:
            self._place, self._step = 0, 1
        else:
            self._move(n_there, is_complete=n_there == chapter.take.n_frames)
        return self._show(chapter, self._place)

    def _show(self, chapter: Chapter, number: int) -> bytes | None:
        packed = self._reel.picture(chapter, number, self._is_waiting)
        if packed is not None:
            self.shown, self._has_shown = chapter, True
            self._position += 1
        return packed

    def _move(self, n_there: int, *, is_complete: bool) -> None:
        """Go one picture on, and turn round where there are no more."""
        if self._place + self._step >= n_there:
            if n_there < _FEW and not is_complete:
                return
            self._step = -1
        elif self._place + self._step < 0:
            self._step = 1
        self._place = min(max(self._place + self._step, 0), n_there - 1)

    def _wish(self, chapter: Chapter | None) -> None:
        """Have what is shown recorded first, then what probably follows."""
        loop = self._script.loop[self._turn :] + self._script.loop[: self._turn]
        everything = self._script.presentations
        place = len(everything) if chapter is None else everything.index(chapter)
        self._reel.wish((*everything[place : place + 2], *loop))
