"""Unsaved takes, written and read on a thread of their own: a slow disk disturbs no recording."""

import logging
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from app.logs import way_of
from app.session.recovery import Found, Journal, find, remove
from app.types import Sample

log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class _State:
    """What is to be on disk, and earlier runs whose takes are among it."""

    samples: tuple[Sample, ...]
    features: Mapping[str, Any]
    adopted: tuple[Found, ...] = ()


class RecoveryWorker(QObject):
    """Own the journal; of several states that wait, the newest is written."""

    found = Signal(object)
    """A list of `Found`: what earlier runs have left."""
    failed = Signal(str)
    """Why the takes cannot be kept, to stand in brackets."""
    not_removed = Signal(str)
    """A sentence about what could not be deleted."""

    _find, _keep, _remove = Signal(), Signal(), Signal()
    """Lead from other threads to the slots."""

    def __init__(self) -> None:
        super().__init__()
        self._writing = threading.Lock()
        """Held while the disk is at work; the window waits for it only to have all removed."""
        self._guard = threading.Lock()
        self._state: _State | None = None
        self._unwanted: list[Found] = []
        self._journal: Journal | None = None
        self._find.connect(self.find)
        self._keep.connect(self.keep)
        self._remove.connect(self.remove)

    # ------------------------------------------------------------- from other threads

    def look(self) -> None:
        """Have it found what earlier runs have left."""
        self._find.emit()

    def want(
        self,
        samples: tuple[Sample, ...],
        features: Mapping[str, Any],
        adopted: Sequence[Found] = (),
    ) -> None:
        """Have samples kept; ``adopted`` are earlier runs whose takes are among them."""
        with self._guard:
            before = self._state
            earlier = () if before is None else before.adopted
            self._state = _State(samples, features, (*earlier, *adopted))
        if before is None:
            self._keep.emit()

    def do_not_want(self, found: Sequence[Found]) -> None:
        """Have what earlier runs have left deleted."""
        with self._guard:
            self._unwanted += found
        self._remove.emit()

    def discard_now(self) -> None:
        """Remove what this run has kept before returning; what waits is dropped."""
        with self._writing:
            self._journal_with(self._taken_state()).discard()

    # ------------------------------------------------------------- slots

    @Slot()
    def find(self) -> None:
        """Look for what earlier runs have left.

        Without the lock: they may hold much, and the window must not wait until it is read.
        """
        if found := find():
            self.found.emit(found)

    @Slot()
    def keep(self) -> None:
        """Write the newest state."""
        with self._writing:
            if (state := self._taken_state()) is None:
                return
            if self._journal is None and not (state.samples or state.adopted):
                return  # nothing was kept
            try:
                self._journal_with(state).keep(state.samples, state.features)
            except Exception as error:
                log.info("Unsaved takes could not be kept: %s", way_of(error))
                self.failed.emit(_reason(error))

    @Slot()
    def remove(self) -> None:
        """Delete what of earlier runs is not wanted."""
        with self._guard:
            found, self._unwanted = self._unwanted, []
        for sentence in remove(one.run for one in found):
            self.not_removed.emit(sentence)

    @Slot()
    def finish(self) -> None:
        """Write and delete what still waits and release the folders; the last of all calls."""
        self.keep()
        self.remove()
        with self._writing:
            if self._journal is not None:
                self._journal.close()

    def _taken_state(self) -> _State | None:
        with self._guard:
            state, self._state = self._state, None
            return state

    def _journal_with(self, state: _State | None) -> Journal:
        """Return the journal, with what the state adopts."""
        if self._journal is None:
            self._journal = Journal()
        for found in () if state is None else state.adopted:
            self._journal.adopt(found)
        return self._journal


def _reason(error: Exception) -> str:
    """Return the system's own words where there are any."""
    for one in (error, error.__cause__):
        if isinstance(one, OSError) and one.strerror:
            return one.strerror
    return str(error) or type(error).__name__
