"""Write and read unsaved takes on a separate thread: a slow disk must not slow the recording."""

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
    """The samples that should be on disk, and the earlier runs some of them come from.

    Both are one value, so that an earlier run is deleted only after its samples are written.
    """

    samples: tuple[Sample, ...] = ()
    features: Mapping[str, Any] = MappingProxyType({})
    restored: tuple[Found, ...] = ()


class RecoveryWorker(Notifier):
    """Owns the journal; of several pending states only the newest is written."""

    topic = "recovery failed"
    """Differs from the controller's topic, so that a failure does not replace an offer."""
    found = Signal(object)
    """A list of `Found`: takes of earlier runs."""

    search, _keep, _remove = Signal(), Signal(), Signal()
    """Call the slots from other threads."""

    def __init__(self) -> None:
        super().__init__()
        self._writing = threading.Lock()
        """Held while writing; the main thread waits for it only in `discard_now`."""
        self._journal = Journal()
        self._has_warned = False
        self._wanted = self._written = Wanted()
        self._restored: tuple[Found, ...] = ()
        self._unwanted: deque[Found] = deque()
        self.search.connect(self.find)
        self._keep.connect(self.keep)
        self._remove.connect(self.remove)

    # ------------------------------------------------------------- on the main thread

    def restore(self, found: Found) -> None:
        """Delete the folder of an earlier run after the next write."""
        self._restored += (found,)

    def keep_only(self, samples: tuple[Sample, ...], features: Mapping[str, Any]) -> None:
        """Keep exactly these samples on disk; do nothing if they are unchanged."""
        if samples != self._wanted.samples:
            self._wanted = Wanted(samples, features, self._restored)
            self._keep.emit()

    def discard(self, found: Iterable[Found]) -> None:
        """Delete takes of earlier runs."""
        self._unwanted.extend(found)
        self._remove.emit()

    def discard_now(self) -> None:
        """Delete the takes of this run before returning, and drop pending writes."""
        with self._writing:
            self._wanted = Wanted(restored=self._restored)
            self._write()  # on failure, `finish` tries again
            self._wanted = self._written = Wanted()
            self._restored = ()

    # ------------------------------------------------------------- slots

    @Slot()
    def find(self) -> None:
        """Search for takes of earlier runs.

        Without the lock: reading may take long, and `discard_now` must not wait for it.
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
                self._warn_once(_reason(error))

    @Slot()
    def remove(self) -> None:
        """Delete the discarded takes of earlier runs."""
        while self._unwanted:
            for sentence in remove([self._unwanted.popleft().run]):
                self.tell(sentence, "warning")

    @Slot()
    def finish(self) -> None:
        """Finish pending writes and deletions, and release the folders; called last."""
        self.keep()
        self.remove()
        with self._writing:
            self._journal.close()
            for found in self._restored:
                found.run.release()

    def _warn_once(self, reason: str) -> None:
        """Show why takes cannot be kept, unless already shown; recording continues."""
        if not self._has_warned:
            self._has_warned = True
            text = (
                f"Unsaved takes cannot be kept on disk ({reason}) and would be lost in a crash: "
                "free some space, and export the model soon."
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
    """Return the system's message if there is one."""
    for cause in (error, error.__cause__):
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror
    return str(error) or type(error).__name__
