"""Offer, fetch or import missing liveness networks, and use them without a restart."""

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from app.logs import trace_of
from app.qt.controllers import Controller
from app.qt.state import Choice, NetworksState, Working
from app.qt.workers.scoring import NETWORKS_TOPIC, ScoringWorker
from app.qt.workers.worker import Cancel, Job, JobWorker, sentence_of
from app.session.session import Session, Topic
from app.types import Verdict
from lmkl_core.errors import Cancelled, InvalidInputError
from lmkl_core.features.liveness import missing_weights
from lmkl_core.features.weights import FetchError, fetch, import_file, weights_folder
from lmkl_core.features.weights.store import partial_path

log = logging.getLogger(__name__)

SHOW = "show"
TIMEOUT = 10.0
"""Seconds without data after which a download fails; cancelling may take as long."""


class NetworksController(Controller):
    """Carries out the actions of the networks' card, on a separate thread.

    The networks are offered at the first verdict of unfamiliar conditions.
    """

    topic = NETWORKS_TOPIC
    changed = Signal(object)
    """A `NetworksState`."""
    card_requested = Signal()
    job_requested = Signal(object)
    use_requested = Signal()

    def __init__(
        self,
        session: Session,
        worker: JobWorker,
        scoring: ScoringWorker,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session, self._worker = session, worker
        self.state = NetworksState()
        self._is_offered = self._is_wanted = False
        self._cancelled = threading.Event()
        self.job_requested.connect(worker.run)
        self.use_requested.connect(scoring.use_meter)
        worker.working.connect(self._on_working)
        worker.ended.connect(self.run_callback)
        session.subscribe(self._on_change)

    @Slot()
    def check(self) -> None:
        """Check which files are missing."""
        self._start("", "", lambda _cancel: None)

    @Slot()
    def get(self) -> None:
        """Download the missing files, and use them."""
        self._is_wanted = True
        text = "Downloading the liveness networks"
        cancelled = threading.Event()
        work = partial(self._fetch, text, cancelled)
        self._start(text, "The networks could not be downloaded", work, cancelled)

    def import_files(self, paths: Sequence[str]) -> None:
        """Import files chosen by the user, and use them once all are there."""

        def work(cancel: Cancel) -> None:
            failed: Exception | None = None
            for path in paths:
                try:
                    import_file(path, cancel=cancel)
                except (InvalidInputError, OSError) as error:
                    failed = failed or error  # try the other files, too
            if failed is not None:
                raise failed

        self._is_wanted = True
        self._start("Copying the liveness networks", "The files could not be copied", work)

    @Slot()
    def cancel(self) -> None:
        """Cancel; takes effect late if the server does not respond."""
        self._cancelled.set()
        self._worker.cancel_running()  # possibly an earlier job
        self._on_working(Working("Stopping", can_cancel=False))

    @Slot(str, str)
    def choose(self, topic: str, key: str) -> None:
        """Open the card if the offer is accepted."""
        if (topic, key) == (self.topic, SHOW):
            self.card_requested.emit()

    # ------------------------------------------------------------- jobs

    def _start(
        self,
        text: str,
        failed: str,
        work: Callable[[Cancel], None],
        cancelled: threading.Event | None = None,
    ) -> None:
        """Run a job on the files, then check which are missing."""

        def do(cancel: Cancel) -> NetworksState:
            problem, is_by_hand = "", False
            try:
                work(cancel)
            except Cancelled:
                pass
            except FetchError as error:
                problem, is_by_hand = f"{failed}: {error.reason}.", True
            except Exception as error:
                log.info("%s: %s", failed, trace_of(error))
                problem = sentence_of(error, failed)
            return NetworksState(missing_weights(), str(weights_folder()), problem, is_by_hand)

        self._cancelled = cancelled or threading.Event()
        fail, leave = partial(self.tell, level="warning"), partial(self._on_working, Working())
        job = Job(
            text, do, self._on_checked, fail, leave, can_cancel=True, cancelled=self._cancelled
        )
        self.job_requested.emit(job)

    def _fetch(self, text: str, cancelled: threading.Event, cancel: Cancel) -> None:
        missing = missing_weights()
        total, before = sum(entry.size or 0 for entry in missing), 0

        def report(done: int, _of: int | None) -> None:
            self._worker.working.emit(Working(text, before + done, total))

        report(0, None)
        for entry in missing:
            try:
                fetch(entry, progress=report, cancel=cancel, timeout=TIMEOUT)
            except (Cancelled, FetchError) as error:
                # Closing the window keeps a partial file; cancelling deletes it, even if the server
                # hangs up at the same time.
                if not cancelled.is_set():
                    raise
                partial_path(entry).unlink(missing_ok=True)
                raise Cancelled("The download was cancelled.") from error
            before += entry.size or 0

    # ------------------------------------------------------------- inner

    def _on_change(self, topic: Topic) -> None:
        """Offer the networks once, when they would have helped."""
        is_unfamiliar = self._session.decision.verdict is Verdict.UNFAMILIAR
        if topic is not Topic.DECISION or not is_unfamiliar or self._is_offered:
            return
        if self.state.missing:
            self._is_offered = True
            text = "Two small networks can distinguish a live person from an attack in this light."
            self.tell(text, actions=(Choice(SHOW, "Show them"),))

    @Slot(object)
    def _on_working(self, working: Working) -> None:
        if self._cancelled.is_set() and working.can_cancel and working.text:
            return  # progress from before the user cancelled
        self.state = replace(self.state, working=working)
        self.changed.emit(self.state)

    def _on_checked(self, state: NetworksState) -> None:
        self.state = state
        self.changed.emit(state)
        if self._is_wanted and not state.missing:
            self._is_wanted = False
            self.use_requested.emit()
