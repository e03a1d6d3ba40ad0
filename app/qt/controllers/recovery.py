"""Keep unsaved takes on disk, and offer them again after a crash."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from app.qt.controllers import Controller
from app.qt.state import Choice, Notice
from app.qt.workers.recovery import RecoveryWorker
from app.session.recovery import Found, fits, offer_of, outcome_of
from app.session.session import Session, Topic

BRING_BACK, DELETE = "bring back", "delete"


class RecoveryController(Controller):
    """Keeps unsaved takes on disk, and offers those of an earlier run.

    ``is_on`` says whether takes are kept (`Settings.recover_takes`).
    """

    topic = "recovery"
    brought_back = Signal()
    """Takes of an earlier run are back in the session."""

    def __init__(
        self, session: Session, worker: RecoveryWorker, is_on: bool, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._worker, self._is_on = session, worker, is_on
        self._features: Mapping[str, Any] | None = None
        self._found: list[Found] = []
        worker.found.connect(self.on_found)
        session.subscribe(self._on_change)

    # ------------------------------------------------------------- actions

    @Slot(str, str)
    def choose(self, topic: str, key: str) -> None:
        """Carry out the choice made in the notice."""
        if topic != self.topic or not self._found:
            return
        if key == DELETE:
            self._worker.discard([self._found.pop(0)])
        elif not self._found[0].run.is_there:
            self._found.pop(0).run.release()  # deleted by another instance
        elif fits(self._found[0], self._features or {}):
            self._bring_back(self._found.pop(0))
        self._offer()

    def switch(self, is_on: bool) -> None:
        """Keep takes from now on, or delete those on disk and keep none."""
        if is_on == self._is_on:
            return
        self._is_on = is_on
        if is_on:
            self._keep()
        else:
            self._worker.keep_only((), {})
            self._worker.discard(self._found)
            self._found = []
            self._offer()
        self._worker.search.emit()  # takes found while this is off are deleted

    def forget(self) -> None:
        """Delete the takes of this run and release those of earlier ones, before returning.

        Raises `OSError` if something cannot be deleted.
        """
        self.release()
        self._offer()
        self._worker.discard_now()

    def release(self) -> None:
        """Release the takes of earlier runs, to be offered again at the next start."""
        while self._found:
            self._found.pop().run.release()

    # ------------------------------------------------------------- from workers

    @Slot(object)
    def on_prepared(self, features: Mapping[str, Any]) -> None:
        """Keep takes of these views from now on, and offer those that match."""
        is_first, self._features = self._features is None, features
        self._keep()
        if is_first:
            self._worker.search.emit()
        self._offer()

    @Slot(object)
    def on_found(self, found: list[Found]) -> None:
        """Offer the takes of earlier runs."""
        if not self._is_on:
            self._worker.discard(found)
            return
        # All data may have been deleted since the search.
        self._found += [takes for takes in found if takes.run.is_there]
        self._offer()

    # ------------------------------------------------------------- inner

    def _bring_back(self, found: Found) -> None:
        self._worker.restore(found)
        self._session.change_enrolment(lambda enrolment: enrolment.restore(found.samples))
        self.brought_back.emit()
        level = "warning" if found.n_damaged else "info"
        # Without a topic, so that it does not replace the next offer.
        self.notice.emit(Notice(outcome_of(found), level))

    def _on_change(self, topic: Topic) -> None:
        if topic in (Topic.ENROLMENT, Topic.MODEL):
            self._keep()

    def _keep(self) -> None:
        if self._is_on and self._features is not None:
            self._worker.keep_only(self._session.unsaved_samples, self._features)

    def _offer(self) -> None:
        """Offer the first takes found; withdraw the offer when none are left."""
        if not self._found:
            self.tell("")
            return
        found, features = self._found[0], self._features or {}
        delete = (Choice(DELETE, "Delete takes"),)
        back = (Choice(BRING_BACK, "Restore takes"),) if fits(found, features) else ()
        self.tell(offer_of(found, features), actions=back + delete)
