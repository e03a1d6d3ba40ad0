"""Which picture of the demo is shown next: everything in turn, or what it is directed to show.

A patient projector waits for the picture that is due, so that equal demos give equal frames. An
impatient one never waits while it has something to show: it plays what is recorded of a chapter to
and fro while more arrives, and holds what it shows until there is a picture of what comes next.
"""

from collections.abc import Callable
from dataclasses import dataclass

from app.demo.reel import Reel
from app.demo.script import Chapter, Script

_FEW = 8
"""With fewer pictures, running to and fro would look like trembling: the last one is held."""


@dataclass(frozen=True, eq=False)
class _Order:
    """What is to be shown; None is everything in turn. Each is told from every other."""

    chapter: Chapter | None


class Projector:
    """Chooses pictures from a reel.

    ``present`` and ``presenting`` are for any thread, the rest for the reader's.

    Parameters
    ----------
    script : Script
        What can be shown.
    reel : Reel
        Where the pictures come from.
    loop : bool
        Whether everything in turn starts over at its end.
    patient : bool
        Whether to wait for pictures.

    Attributes
    ----------
    shown : Chapter
        What the last picture presents (what the first one will, before any).
    """

    def __init__(self, script: Script, reel: Reel, *, loop: bool, patient: bool) -> None:
        self._script, self._reel = script, reel
        self._loop, self._patient = loop, patient
        self._order = self._followed = _Order(None)
        self.shown = script.loop[0]
        self._has_shown = False
        self._turn = self._position = 0
        self._place, self._step = 0, 1
        self._wish(self._order)

    @property
    def presenting(self) -> Chapter | None:
        """What was asked for; None is everything in turn."""
        return self._order.chapter

    def present(self, chapter: Chapter | None) -> None:
        """Show a chapter from the next picture on, or everything in turn from its beginning."""
        if chapter == self._order.chapter:
            return
        self._order = order = _Order(chapter)
        self._wish(order)
        self._reel.wake()

    def picture(self) -> bytes | None:
        """Return the next picture; None at the end, or when the reel is stopped."""
        while True:
            order = self._order
            if order is not self._followed:
                self._followed = order
                self._turn = self._position = 0
                self._wish(order)
            chapter = self._due(order)
            if chapter is None:
                return None

            def waiting(order: _Order = order) -> bool:
                return self._order is order

            choose = self._exact if self._patient else self._at_hand
            packed = choose(chapter, waiting)
            if packed is not None or waiting():
                return packed

    def _due(self, order: _Order) -> Chapter | None:
        """What the next picture should present."""
        if order.chapter is not None:
            return order.chapter
        loop = self._script.loop
        if self._position == loop[self._turn].n_frames:
            if self._turn + 1 == len(loop) and not self._loop:
                return None
            following = (self._turn + 1) % len(loop)
            if self._patient or self._reel.count(loop[following]):
                self._turn, self._position = following, 0
                self._wish(order)
            else:
                # The chapter goes on until there is something of the next one to be seen.
                self._reel.check()
                self._position -= 1
        return loop[self._turn]

    def _exact(self, chapter: Chapter, waiting: Callable[[], bool]) -> bytes | None:
        packed = self._reel.picture(chapter, chapter.picture_of(self._position), waiting)
        return self._show(chapter, packed)

    def _at_hand(self, chapter: Chapter, waiting: Callable[[], bool]) -> bytes | None:
        n_there = self._reel.count(chapter)
        if not n_there and self._has_shown:
            self._reel.check()
            return self._reel.picture(self.shown, self._place, waiting)
        if self._position == 0:
            self._place, self._step = 0, 1
        else:
            self._move(n_there, is_complete=n_there == chapter.n_recorded)
        return self._show(chapter, self._reel.picture(chapter, self._place, waiting))

    def _show(self, chapter: Chapter, packed: bytes | None) -> bytes | None:
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

    def _wish(self, order: _Order) -> None:
        """Have what is shown recorded first, then what probably follows."""
        loop = self._script.loop[self._turn :] + self._script.loop[: self._turn]
        if order.chapter is None:
            self._reel.wish(loop)
            return
        everything = self._script.presentations
        place = everything.index(order.chapter)
        self._reel.wish((order.chapter, *everything[place + 1 : place + 2], *loop))
