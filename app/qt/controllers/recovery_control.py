"""Unsaved takes: kept as they are recorded, and offered again after an unexpected end."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from app.qt.state import Choice, Notice
from app.qt.workers.recovery import RecoveryWorker
from app.session.recovery.finding import Found, Recovered
from app.session.recovery.wording import fits, offer_of, outcome_of
from app.session.session import Session, Topic
from app.session.takes import Sample

TOPIC = "recovery"
BRING_BACK, DELETE = "bring back", "delete"
DAMAGED = "their files are damaged"


class RecoveryControl(QObject):
    """Tell the worker what is to be kept, and the person what an earlier run has left.

    Parameters
    ----------
    session : Session
        Where the takes live.
    worker : RecoveryWorker
        On its own thread.
    is_on : bool
        Whether takes are kept (`Settings.recover_takes`).
    """

    notice = Signal(object)
    brought_back = Signal()
    """Takes of an earlier run are among those of the session."""

    find_requested = Signal()
    keep_requested = Signal()
    load_requested = Signal(object)
    remove_requested = Signal()

    def __init__(
        self, session: Session, worker: RecoveryWorker, is_on: bool, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._worker, self._is_on = session, worker, is_on
        self._features: Mapping[str, Any] | None = None
        self._found: list[Found] = []
        self._has_looked = self._has_complained = False
        self._loading: Found | None = None
        self._brought_back: list[Found] = []
        """Whose takes are in the session, and not yet among those that are to be kept."""
        self._wanted: tuple[Sample, ...] = ()
        self.find_requested.connect(worker.find)
        self.keep_requested.connect(worker.keep)
        self.load_requested.connect(worker.load)
        self.remove_requested.connect(worker.remove)
        worker.found.connect(self.on_found)
        worker.recovered.connect(self.on_recovered)
        worker.failed.connect(self.on_failed)
        worker.not_removed.connect(self._on_not_removed)
        session.subscribe(self._on_change)

    # ------------------------------------------------------------- intents

    @Slot(str, str)
    def choose(self, topic: str, key: str) -> None:
        """Do what the person has chosen in the notice of what was found."""
        if topic != TOPIC or not self._found or self._loading is not None:
            return
        if key == BRING_BACK:
            self._loading = self._found[0]
            self.load_requested.emit(self._loading)
        elif key == DELETE:
            self._remove([self._found.pop(0)])
            self._offer()

    def switch(self, is_on: bool) -> None:
        """Keep takes from now on, or keep none and remove what is there."""
        if is_on == self._is_on:
            return
        self._is_on = is_on
        if is_on:
            self._keep()
            self._has_looked = False
            self._look()
            return
        self._want(())
        self._has_looked = False
        self._look()  # what is found while it is off is removed
        self._remove([one for one in self._found if one is not self._loading])
        self._found = [one for one in self._found if one is self._loading]
        if self._loading is None:
            self._offer()

    def forget(self) -> None:
        """Remove what this run has kept, and let go of what others have left, before returning.

        Raises
        ------
        OSError
            If something cannot be deleted.
        """
        self.release()
        self._offer()
        self._worker.discard_now()

    def release(self) -> None:
        """Let go of what earlier runs have left: it is offered again at the next start."""
        self._loading = None  # what is being read comes too late
        while self._found:
            self._found.pop().run.release()

    # ------------------------------------------------------------- from workers

    @Slot(object)
    def on_prepared(self, features: Mapping[str, Any]) -> None:
        """Views are known now: takes of theirs can be kept, and brought back."""
        self._features = features
        self._keep()
        self._look()
        self._offer()

    @Slot(object)
    def on_found(self, found: list[Found]) -> None:
        """Offer what an earlier run has left."""
        if not self._is_on:
            self._remove(found)
            return
        # Everything may have been deleted since it was looked for.
        self._found += [one for one in found if one.run.is_there]
        self._offer()

    @Slot(object)
    def on_recovered(self, recovered: Recovered) -> None:
        """Take over what was read again."""
        found = recovered.found
        if found is not self._loading:
            found.run.release()  # everything was deleted meanwhile, or the window closes
            return
        self._loading = None
        self._found.remove(found)
        if not recovered.samples:
            self._found.insert(0, replace(found, index=None, problem=DAMAGED))
        elif not fits(found, self._features or {}):
            self._found.insert(0, found)  # other views were chosen meanwhile
        else:
            self._take_over(recovered)
        if not self._is_on:
            self._remove(self._found)
            self._found = []
        self._offer()

    def _take_over(self, recovered: Recovered) -> None:
        self._brought_back.append(recovered.found)
        self._session.change_enrolment(lambda one: one.restore(recovered.samples))
        # Handed on with the takes; where none are kept, its folder is not needed any more.
        self._remove(self._brought_back)
        self._brought_back = []
        self.brought_back.emit()
        level = "warning" if recovered.n_damaged else "info"
        self.notice.emit(Notice(outcome_of(recovered), level))

    @Slot(str)
    def on_failed(self, reason: str) -> None:
        """Tell once: recording goes on."""
        if self._has_complained:
            return
        self._has_complained = True
        text = self.tr(
            "Unsaved takes cannot be kept on disk ({why}) and would be lost if the program were "
            "killed: make room, and export the model soon."
        ).format(why=reason)
        self.notice.emit(Notice(text, "warning", f"{TOPIC} failed"))

    @Slot(str)
    def _on_not_removed(self, sentence: str) -> None:
        self.notice.emit(Notice(sentence, "warning", f"{TOPIC} failed"))

    # ------------------------------------------------------------- inner

    def _on_change(self, topic: Topic) -> None:
        if topic in (Topic.ENROLMENT, Topic.MODEL):
            self._keep()

    def _keep(self) -> None:
        if self._is_on and self._features is not None:
            self._want(self._session.unsaved_samples)

    def _want(self, samples: tuple[Sample, ...]) -> None:
        if samples == self._wanted:
            return  # views are told at every frame, takes change less often
        self._wanted = samples
        replaced = [found.run for found in self._brought_back]
        self._brought_back = []
        if self._worker.want(samples, self._features or {}, replaced):
            self.keep_requested.emit()

    def _remove(self, found: list[Found]) -> None:
        if found:
            self._worker.do_not_want(found)
            self.remove_requested.emit()

    def _look(self) -> None:
        if not self._has_looked:
            self._has_looked = True
            self.find_requested.emit()

    def _offer(self) -> None:
        """Ask about the newest of what was found; nothing, where nothing is left."""
        if not self._found:
            self.notice.emit(Notice("", topic=TOPIC))
            return
        found, features = self._found[0], self._features or {}
        back = Choice(BRING_BACK, self.tr("Bring them back"))
        delete = Choice(DELETE, self.tr("Delete them"))
        actions = (back, delete) if fits(found, features) else (delete,)
        self.notice.emit(Notice(offer_of(found, features), "info", TOPIC, actions))
