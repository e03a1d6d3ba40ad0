"""Unsaved takes, written and read on a thread of their own: a slow disk disturbs no recording."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from app.logs import way_of

if TYPE_CHECKING:
    from app.recovery.finding import Found
    from app.recovery.journal import Journal
    from app.takes import Sample

    State = tuple[tuple[Sample, ...], Mapping[str, Any]]

log = logging.getLogger(__name__)


class RecoveryWorker(QObject):
    """Own the journal; of several states that wait, the newest is written."""

    found = Signal(object)
    """A list of `Found`: what earlier runs have left."""
    recovered = Signal(object)
    """A `Recovered`."""
    failed = Signal(str)
    """Why the takes cannot be kept, to stand in brackets."""
    not_removed = Signal(str)
    """A sentence about what could not be deleted."""

    def __init__(self) -> None:
        super().__init__()
        self._writing = threading.Lock()
        """Held while the disk is at work; the window waits for it only to have all removed."""
        self._guard = threading.Lock()
        self._state: State | None = None
        self._journal: Journal | None = None

    # ------------------------------------------------------------- from other threads

    def want(self, samples: tuple[Sample, ...], features: Mapping[str, Any]) -> bool:
        """Leave what is to be kept; return whether `keep` has to be called."""
        with self._guard:
            was_empty = self._state is None
            self._state = samples, features
            return was_empty

    def discard_now(self) -> None:
        """Remove what this run has kept, before this returns; what waits is dropped.

        Raises
        ------
        OSError
            If something cannot be deleted.
        """
        with self._writing:
            self._taken_state()
            if self._journal is not None:
                self._journal.discard()

    def ask_to_stop(self) -> None:
        """End after what is being written (called from another thread)."""

    # ------------------------------------------------------------- slots

    @Slot()
    def find(self) -> None:
        """Look for what earlier runs have left."""
        from app.recovery.finding import find

        if found := find():
            self.found.emit(found)

    @Slot()
    def keep(self) -> None:
        """Write the newest state."""
        with self._writing:
            if (state := self._taken_state()) is None:
                return
            try:
                self._made_journal().keep(*state)
            except Exception as error:
                log.info("Unsaved takes could not be kept: %s", way_of(error))
                self.failed.emit(_reason(error))

    @Slot(object)
    def load(self, found: Found) -> None:
        """Read takes again; their folder goes when they are kept in ours."""
        from app.recovery.finding import load

        recovered = load(found)
        if recovered.samples:
            with self._writing:
                self._made_journal().replace(found.run)
        self.recovered.emit(recovered)

    @Slot(object)
    def remove(self, found: list[Found]) -> None:
        """Delete what earlier runs have left."""
        from app.recovery.finding import remove

        for sentence in remove(one.run for one in found):
            self.not_removed.emit(sentence)

    @Slot()
    def finish(self) -> None:
        """Write what still waits and let go of the folders; the last thing that is called."""
        self.keep()
        with self._writing:
            if self._journal is not None:
                self._journal.close()

    def _taken_state(self) -> State | None:
        with self._guard:
            state, self._state = self._state, None
            return state

    def _made_journal(self) -> Journal:
        from app.recovery.journal import Journal

        if self._journal is None:
            self._journal = Journal()
        return self._journal


def _reason(error: Exception) -> str:
    """Return the system's own words where there are any."""
    for one in (error, error.__cause__):
        if isinstance(one, OSError) and one.strerror:
            return one.strerror
    return str(error) or type(error).__name__
