"""The liveness networks: looked for, fetched and imported on a thread of their own."""

import logging
import threading
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal, Slot

from app.logs import way_of
from app.qt.state import FileWanted, NetworksState, Working
from app.qt.workers.worker import sentence_of
from lmkl_core.errors import Cancelled, InvalidInputError
from lmkl_core.features.liveness import missing_weights
from lmkl_core.features.weights import FetchError, Weights, fetch, import_file, weights_folder
from lmkl_core.features.weights.download import forget
from lmkl_core.features.weights.store import partial_path

log = logging.getLogger(__name__)

TIMEOUT = 10.0
"""Seconds without a byte after which a download ends; so long may cancelling take."""


class NetworksWorker(QObject):
    """Bring the files here; whatever goes wrong becomes a sentence of what is shown."""

    looked = Signal(object)
    """A `NetworksState`: what is missing now."""
    working = Signal(object)
    """A `Working`: how far the download is; empty at its end."""

    def __init__(self) -> None:
        super().__init__()
        self.cancelled = threading.Event()
        """Set from another thread to break off, cleared before the next request."""
        self._stop = threading.Event()

    @Slot()
    def look(self) -> None:
        """Say what is missing."""
        self.looked.emit(_shown())

    @Slot()
    def fetch(self) -> None:
        """Download what is missing."""
        self._do("The networks could not be fetched", self._fetch)

    @Slot(object)
    def import_files(self, paths: Sequence[str]) -> None:
        """Take over files that the person brought."""

        def work() -> None:
            failed: Exception | None = None
            for path in paths:
                try:
                    import_file(path, cancel=self._is_over)
                except (InvalidInputError, OSError) as error:
                    failed = failed or error  # the other files may be the right ones
            if failed is not None:
                raise failed

        self._do("The files could not be copied", work)

    def ask_to_stop(self) -> None:
        """Break off, and keep what has arrived for the next time (called from another thread)."""
        self._stop.set()

    def _is_over(self) -> bool:
        return self._stop.is_set() or self.cancelled.is_set()

    def _do(self, what: str, work: Callable[[], None]) -> None:

        problem, is_by_hand = "", False
        try:
            work()
        except Cancelled:
            pass
        except FetchError as error:
            problem, is_by_hand = f"{what}: {error.reason}.", True
        except Exception as error:
            log.info("%s: %s", what, way_of(error))
            problem = sentence_of(error, what)
        self.working.emit(Working())
        self.looked.emit(_shown(problem, is_by_hand))

    def _fetch(self) -> None:

        missing = missing_weights()
        total, before = _size(missing), 0

        def tell(done: int, _of: int | None) -> None:
            self.working.emit(Working("Fetching the liveness networks", before + done, total))

        tell(0, None)
        for entry in missing:
            try:
                fetch(entry, progress=tell, cancel=self._is_over, timeout=TIMEOUT)
            except (Cancelled, FetchError) as error:
                # A server that hangs up just then must not leave what the person does not want.
                if not self.cancelled.is_set():
                    raise
                forget(partial_path(entry))
                raise Cancelled("The download was cancelled.") from error
            before += entry.size or 0


def _shown(problem: str = "", is_by_hand: bool = False) -> NetworksState:

    missing = missing_weights()
    return NetworksState(
        missing=tuple(FileWanted(one.file_name, one.sha256, one.url) for one in missing),
        size=_size(missing),
        licence=", ".join(dict.fromkeys(one.licence for one in missing)),
        folder=str(weights_folder()),
        problem=problem,
        is_by_hand=is_by_hand,
    )


def _size(entries: tuple[Weights, ...]) -> int:
    return sum(entry.size or 0 for entry in entries)
