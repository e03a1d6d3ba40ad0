"""Write and read unsaved takes on a thread of their own: a slow disk does not disturb recording."""

import logging
import threading
from collections import deque
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from PySide6.QtCore import Signal, Slot

from app.logs import trace_of
from app.qt.workers.worker import Notifier
from app.session.recovery import Found, Journal, find, remove
from app.types import Sample

log = logging.getLogger(__name__)


class Wanted(NamedTuple):
    """The samples to have on disk, and earlier runs whose takes are among them.

    One value, so that an earlier run is deleted only after its samples are written here.
    """

    samples: tuple[Sample, ...] = ()
    features: Mapping[str, Any] = MappingProxyType({})
    restored: tuple[Found, ...] = ()


class RecoveryWorker(Notifier):
    """Own the journal; of several waiting states only the newest is written."""

    topic = "recovery failed"
    """Not that of the controller: a failure must not take the place of an offer."""
    found = Signal(object)
    """A list of `Found`: what earlier runs left."""

    look, _keep, _remove = Signal(), Signal(), Signal()
    """Lead from other threads to the slots."""

    def __init__(self) -> None:
        super().__init__()
        self._writing = threading.Lock()
        """Held while the disk is at work; the main thread waits for it only in `discard_now`."""
        self._journal = Journal()
        self._has_complained = False
        self._wanted = self._written = Wanted()
        self._restored: tuple[Found, ...] = ()
        self._unwanted: deque[Found] = deque()
        self.look.connect(self.find)
        self._keep.connect(self.keep)
        self._remove.connect(self.remove)

    # ------------------------------------------------------------- on the main thread

    def restore(self, found: Found) -> None:
        """Delete the folder of an earlier run once the samples wanted next are written."""
        self._restored += (found,)

    def want(self, samples: tuple[Sample, ...], features: Mapping[str, Any]) -> None:
        """Keep exactly these samples on disk; cheap if they are unchanged."""
        if samples != self._wanted.samples:
            self._wanted = Wanted(samples, features, self._restored)
            self._keep.emit()

    def do_not_want(self, found: Iterable[Found]) -> None:
        """Delete what earlier runs left."""
        self._unwanted.extend(found)
        self._remove.emit()

    def discard_now(self) -> None:
        """Remove what this run kept before returning; drop what waits."""
        with self._writing:
            self._wanted = Wanted(restored=self._restored)
            self._write()  # if it fails, `finish` tries again
            self._wanted = self._written = Wanted()
            self._restored = ()

    # ------------------------------------------------------------- slots

    @Slot()
    def find(self) -> None:
        """Look for what earlier runs left.

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
                log.info("Unsaved takes could not be kept: %s", trace_of(error))
                self._complain(_reason(error))

    @Slot()
    def remove(self) -> None:
        """Delete what earlier runs left and is not wanted."""
        while self._unwanted:
            for sentence in remove([self._unwanted.popleft().run]):
                self.tell(sentence, "warning")

    @Slot()
    def finish(self) -> None:
        """Write and delete what still waits and release the folders; called last."""
        self.keep()
        self.remove()
        with self._writing:
            self._journal.close()
            for found in self._restored:
                found.run.release()

    def _complain(self, reason: str) -> None:
        """Show once why takes cannot be kept: recording goes on."""
        if not self._has_complained:
            self._has_complained = True
            text = (
                f"Unsaved takes cannot be kept on disk ({reason}) and would be lost if the program "
                "were killed: free some space, and export the model soon."
            )
            self.tell(text, "warning")

    def _write(self) -> None:
        wanted = self._wanted
        self._journal.keep(wanted.samples, wanted.features)
        for found in wanted.restored:
            if found.run.is_there:
                found.run.remove()
        self._written = wanted


def _reason(error: Exception) -> str:
    """Return the system's own words where there are any."""
    for one in (error, error.__cause__):
        if isinstance(one, OSError) and one.strerror:
            return one.strerror
    return str(error) or type(error).__name__
