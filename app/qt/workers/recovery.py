"""Unsaved takes, written and read on a thread of their own: a slow disk disturbs no recording."""

import logging
import threading
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from app.logs import way_of
from app.session.recovery import Found, Journal, find, remove
from app.types import Sample

log = logging.getLogger(__name__)

Wanted = tuple[tuple[Sample, ...], Mapping[str, Any], tuple[Found, ...]]
"""The samples to have on disk, their views, and earlier runs whose takes are among them.

One value, replaced as a whole: a run adopted before its samples are wanted would be deleted.
"""
NOTHING: Wanted = ((), {}, ())


class RecoveryWorker(QObject):
    """Own the journal; of several states that wait, only the newest is written."""

    found = Signal(object)
    """A list of `Found`: what earlier runs have left."""
    failed = Signal(str)
    """Why the takes cannot be kept, to stand in brackets."""
    not_removed = Signal(str)
    """A sentence about what could not be deleted."""

    look, _keep, _remove = Signal(), Signal(), Signal()
    """Lead from other threads to the slots."""

    def __init__(self) -> None:
        super().__init__()
        self._writing = threading.Lock()
        """Held while the disk is at work; the main thread waits for it only in `discard_now`."""
        self._journal = Journal()
        self._wanted = self._written = NOTHING
        self._adopted: tuple[Found, ...] = ()
        self._n_adopted = 0
        self._unwanted: deque[Found] = deque()
        self.look.connect(self.find)
        self._keep.connect(self.keep)
        self._remove.connect(self.remove)

    # ------------------------------------------------------------- on the main thread

    def adopt(self, found: Found) -> None:
        """Keep the takes of an earlier run, which are among the samples wanted next."""
        self._adopted += (found,)

    def want(self, samples: tuple[Sample, ...], features: Mapping[str, Any]) -> None:
        """Have exactly these samples on disk; cheap where they are wanted already."""
        if samples != self._wanted[0]:
            self._wanted = (samples, features, self._adopted)
            self._keep.emit()

    def do_not_want(self, found: Iterable[Found]) -> None:
        """Have what earlier runs have left deleted."""
        self._unwanted.extend(found)
        self._remove.emit()

    def discard_now(self) -> None:
        """Remove what this run has kept before returning; what waits is dropped."""
        with self._writing:
            self._wanted = ((), {}, self._adopted)
            try:
                self._write()
            finally:
                self._wanted = self._written = NOTHING
                self._adopted, self._n_adopted = (), 0

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
            if self._wanted is self._written:
                return
            try:
                self._write()
            except Exception as error:
                log.info("Unsaved takes could not be kept: %s", way_of(error))
                self.failed.emit(_reason(error))

    @Slot()
    def remove(self) -> None:
        """Delete what of earlier runs is not wanted."""
        while self._unwanted:
            for sentence in remove([self._unwanted.popleft().run]):
                self.not_removed.emit(sentence)

    @Slot()
    def finish(self) -> None:
        """Write and delete what still waits and release the folders; called last."""
        self.keep()
        self.remove()
        with self._writing:
            self._journal.close()

    def _write(self) -> None:
        samples, features, adopted = self._written = self._wanted
        for found in adopted[self._n_adopted :]:
            self._journal.adopt(found)
        self._n_adopted = len(adopted)
        self._journal.keep(samples, features)


def _reason(error: Exception) -> str:
    """Return the system's own words where there are any."""
    for one in (error, error.__cause__):
        if isinstance(one, OSError) and one.strerror:
            return one.strerror
    return str(error) or type(error).__name__
