"""The liveness networks: offered where they are missing, fetched or imported, and used at once."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from app.qt.state import Choice, NetworksState, Notice, Working
from app.qt.workers.networks import NetworksWorker
from app.qt.workers.scoring import ScoringWorker
from app.session.session import Session, Topic
from app.types import Verdict

TOPIC = "liveness networks"
SHOW = "show"


class NetworksController(QObject):
    """Carry out what the card of the networks wants.

    The first verdict of unfamiliar conditions is the time to offer them.
    """

    notice = Signal(object)
    changed = Signal(object)
    """A `NetworksState`."""
    card_requested = Signal()

    look_requested = Signal()
    fetch_requested = Signal()
    import_requested = Signal(object)
    use_requested = Signal()

    def __init__(
        self,
        session: Session,
        worker: NetworksWorker,
        scoring: ScoringWorker,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session, self._worker = session, worker
        self.state = NetworksState()
        self._is_offered = self._is_wanted = False
        self.look_requested.connect(worker.look)
        self.fetch_requested.connect(worker.fetch)
        self.import_requested.connect(worker.import_files)
        self.use_requested.connect(scoring.use_meter)
        worker.looked.connect(self._on_looked)
        worker.working.connect(self._on_working)
        scoring.metered.connect(self._on_metered)
        scoring.unmetered.connect(self._on_unmetered)
        session.subscribe(self._on_change)

    # ------------------------------------------------------------- intents

    @Slot()
    def look(self) -> None:
        self.look_requested.emit()

    @Slot()
    def get(self) -> None:
        """Download what is missing, and use it."""
        self._begin()
        self.fetch_requested.emit()

    def import_files(self, paths: Sequence[str]) -> None:
        """Take over files that the person brought, and use them once all are there."""
        self._begin()
        self.import_requested.emit(list(paths))

    @Slot()
    def cancel(self) -> None:
        """Break off; a server that has fallen silent delays the end."""
        self._worker.cancelled.set()
        self._on_working(Working("Stopping the download", can_cancel=False))

    @Slot(str, str)
    def choose(self, topic: str, key: str) -> None:
        """Open the card, as the offer says."""
        if (topic, key) == (TOPIC, SHOW):
            self.card_requested.emit()

    # ------------------------------------------------------------- inner

    def _begin(self) -> None:
        self._is_wanted = True
        self._worker.cancelled.clear()

    def _on_change(self, topic: Topic) -> None:
        """Offer them once, when they would have helped."""
        is_unfamiliar = self._session.decision.verdict is Verdict.UNFAMILIAR
        if topic is not Topic.DECISION or not is_unfamiliar or self._is_offered:
            return
        if not self.state.missing:
            return
        self._is_offered = True
        text = "Two small networks can tell the live person from an attack in this light."
        show = Choice(SHOW, "Show them")
        self.notice.emit(Notice(text, "info", TOPIC, (show,)))

    @Slot(object)
    def _on_working(self, working: Working) -> None:
        if self._worker.cancelled.is_set() and working.can_cancel and working.text:
            return  # a step that was under way when the person cancelled
        self.state = replace(self.state, working=working)
        self.changed.emit(self.state)

    @Slot(object)
    def _on_looked(self, shown: NetworksState) -> None:
        self.state = shown
        self.changed.emit(shown)
        if self._is_wanted and not shown.missing:
            self._is_wanted = False
            self.use_requested.emit()

    @Slot()
    def _on_metered(self) -> None:
        text = (
            "The liveness networks are in use: in a light that was not enrolled, the verdict now "
            "depends on how live the face looks."
        )
        self.notice.emit(Notice(text, topic=TOPIC))

    @Slot(str)
    def _on_unmetered(self, sentence: str) -> None:
        self.notice.emit(Notice(sentence, "warning", TOPIC))
