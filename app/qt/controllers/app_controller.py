"""Create the session, its controllers and threads, and connect them."""

import contextlib
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Signal, Slot

from app import settings as settings_file
from app import storage
from app.qt.controllers import Controller
from app.qt.controllers.enrolment import EnrolController
from app.qt.controllers.guided_test import GuidedTestController
from app.qt.controllers.model import ModelController
from app.qt.controllers.networks import NetworksController
from app.qt.controllers.recovery import RecoveryController
from app.qt.controllers.source import SourceController
from app.qt.state import SourceState, Working
from app.qt.workers.recovery import RecoveryWorker
from app.qt.workers.scoring import Observe, ScoringWorker
from app.qt.workers.worker import JobWorker, WorkerThread, stop_threads
from app.session.session import Session, Topic
from app.session.takes import Plan
from app.settings import Settings
from app.types import ScoredFrame, Throughput

FIT_PARAMETERS = ("delta", "p", "q", "n_clusters", "temperature")
"""Settings used by the next fit."""


class AppController(Controller):
    """Owns the session, the controllers and the threads; views connect to its signals.

    ``source`` may have been started already. ``model`` is the path of a model to open at the start.
    ``observe`` is passed to `ScoringWorker`.
    """

    scored = Signal(object)
    decision_changed = Signal(object)
    enrolment_changed = Signal(object)
    model_changed = Signal(object)
    guided_test_changed = Signal(object)
    """These five carry the session's value with the same name."""

    working = Signal(object)
    """A `Working`: the running job, or else the preparation of the networks."""
    settings_changed = Signal(object)
    prepared = Signal()
    """The networks are ready, and frames are scored from now on."""

    _prepare = Signal(str, str)

    def __init__(
        self,
        settings: Settings,
        source: SourceController,
        *,
        model: str = "",
        plan: Plan | None = None,
        observe: Observe | None = None,
    ) -> None:
        super().__init__()
        self.settings, self.source = settings, source
        self.is_forgotten = False
        """Whether all stored data were deleted and no setting has changed since."""
        self._first_model = model
        if not model and settings.reopen_last and settings.recent:
            self._first_model = settings.recent[0]
        self._preparing, self._job = Working(), Working()
        self._was_demo = False
        self._is_stopped = False

        self.session = session = Session(settings, plan)
        session.subscribe(self._on_change)  # before the controllers: views are updated first
        self.scoring = ScoringWorker(source.capture.to_score, observe)
        self.jobs, self.keeper, fetcher = JobWorker(), RecoveryWorker(), JobWorker()
        self._threads = [
            source.worker_thread,
            WorkerThread(self.scoring, "scoring"),
            WorkerThread(self.jobs, "fitting"),
            WorkerThread(self.keeper, "keeping"),
            WorkerThread(fetcher, "fetching"),
        ]
        self.enrol = EnrolController(session, source, self)
        self.model = ModelController(session, self)
        self.guided_test = GuidedTestController(session, source, self)
        self.recovery = RecoveryController(session, self.keeper, settings.recover_takes, self)
        self.networks = NetworksController(session, fetcher, self.scoring, self)
        self._connect()

    def _connect(self) -> None:
        source, scoring, jobs, model = self.source, self.scoring, self.jobs, self.model
        controllers = (self.enrol, model, self.guided_test, self.recovery, self.networks)
        for notifier in (source, scoring, self.keeper, *controllers):
            notifier.notice.connect(self.notice)
        for controller in (model, self.guided_test):
            controller.job_requested.connect(jobs.run)
        jobs.working.connect(self._on_job)
        jobs.ended.connect(self.run_callback)
        source.capture.score_ready.connect(scoring.on_frame_ready)
        source.stream_begins.connect(scoring.begin_stream)
        source.stream_begins.connect(self.session.begin_stream)
        source.interrupted.connect(self.session.interrupt)
        source.finished.connect(self.session.end_stream)
        source.source_changed.connect(self._on_source_changed)
        self._prepare.connect(scoring.prepare)
        scoring.working.connect(self._on_preparing)
        scoring.observed.connect(self._on_observed)
        for slot in (self.prepared, model.on_prepared, self.recovery.on_prepared):
            scoring.prepared.connect(slot)
        model.model_changed.connect(scoring.set_model)
        model.opened.connect(self._on_model_opened)
        model.missing.connect(self._on_model_missing)
        self.enrol.take_complete.connect(model.fold_in)

    # ------------------------------------------------------------- start and stop

    def start(self) -> None:
        """Start the threads, and repeat the source's signals for the window."""
        for thread in self._threads[1:]:
            thread.start()
        self.source.repeat()
        self.source.cameras_requested.emit()
        self.networks.check()
        self.guided_test.refresh()
        self._prepare_views()
        self.model.open(self._first_model)

    def forget_takes(self) -> None:
        """Delete unsaved takes from the disk before their thread ends.

        Takes that cannot be deleted are offered at the next start.
        """
        self.keeper.keep_only((), {})

    def stop(self) -> bool:
        """End all threads and release the source; return whether all ended in time."""
        if self._is_stopped:
            return True
        self._is_stopped = True
        self.recovery.release()
        self.guided_test.release()
        return stop_threads(self._threads)

    # ------------------------------------------------------------- throughput and settings

    def throughput(self) -> Throughput:
        capture = self.source.capture
        rate = 0.0 if capture.capture is None else capture.capture.state.rate
        return self.session.throughput(rate, capture.to_score.n_dropped)

    def change_settings(self, **changes: Any) -> None:
        """Apply changed settings and save them."""
        self.use_settings(replace(self.settings, **changes))

    def use_settings(self, settings: Settings) -> None:
        """Apply settings and save them."""
        before, self.settings = self.settings, settings
        if settings == before:
            return
        self.is_forgotten = False
        self.session.settings = settings
        try:
            settings_file.save(settings)
        except OSError as error:
            reason = error.strerror or error
            text = f"The settings cannot be saved ({reason}): check their folder and disk space."
            self.tell(text, "warning", "settings")
        self.source.use(settings)
        self.recovery.switch(settings.recover_takes)
        if (before.preset, before.detector) != (settings.preset, settings.detector):
            self._prepare_views()
        if settings.target_bpcer != before.target_bpcer:
            self.model.set_target(settings.target_bpcer)
        changed = [n for n in FIT_PARAMETERS if getattr(before, n) != getattr(settings, n)]
        if changed and self.session.model is not None:
            self.tell("Fit the model again to use the new parameters.", topic="model")
        self.settings_changed.emit(settings)

    @Slot(object)
    def set_target(self, target: float | None) -> None:
        """Set the target BPCER in the settings and for the model."""
        if target == self.settings.target_bpcer:
            self.model.set_target(target)  # an opened model may have another target
        else:
            self.change_settings(target_bpcer=target)  # also sets the model's target

    def delete_everything(self) -> None:
        """Drop model, takes and tests, and delete all stored personal data."""
        self.jobs.cancel_running()
        self.model.discard()
        self.session.change_enrolment(lambda enrolment: enrolment.clear())
        self.guided_test.forget()
        self.use_settings(self.settings.forgotten())
        with contextlib.suppress(OSError):  # `delete_all` reports it
            self.recovery.forget()
        deletion = storage.delete_all()
        # Nothing is stored again until the user changes a setting.
        self.is_forgotten = True
        text = " ".join(deletion.problems) or "Everything the program had stored is deleted."
        self.tell(text, "warning" if deletion.problems else "info", "privacy")

    @Slot()
    def cancel(self) -> None:
        """Cancel the running job."""
        self.jobs.cancel_running()

    def _prepare_views(self) -> None:
        """Prepare the networks; scoring pauses meanwhile."""
        self.session.interrupt()
        self._prepare.emit(self.settings.preset, self.settings.detector)

    # ------------------------------------------------------------- slots

    def _on_change(self, topic: Topic) -> None:
        """Emit the value of the session that has changed."""
        session = self.session
        match topic:
            case Topic.SCORED:
                self.scored.emit(session.scored)
            case Topic.DECISION:
                self.decision_changed.emit(session.decision)
            case Topic.ENROLMENT:
                self.enrolment_changed.emit(session.enrolment.state)
            case Topic.MODEL:
                self.model_changed.emit(session.model_summary)
            case Topic.GUIDED_TEST:
                self.guided_test_changed.emit(session.guided_test.state)

    @Slot(object)
    def _on_observed(self, scored: ScoredFrame) -> None:
        # A frame that was being scored when its source stopped is out of date.
        if not (self._is_stopped or self.source.is_interrupted):
            self.session.observe(scored)

    @Slot(object)
    def _on_source_changed(self, source: SourceState) -> None:
        """Let the demo begin with the genuine person whenever it is opened."""
        is_opened = source.is_demo and not self._was_demo
        self._was_demo = source.is_demo
        if is_opened:
            self.enrol.welcome()

    @Slot(object)
    def _on_preparing(self, working: Working) -> None:
        self._preparing = working
        self.working.emit(self._job if self._job.text else working)

    @Slot(object)
    def _on_job(self, working: Working) -> None:
        self._job = working
        self.working.emit(working if working.text else self._preparing)

    @Slot(str)
    def _on_model_opened(self, path: str) -> None:
        self.use_settings(self.settings.with_recent(path))

    @Slot(str)
    def _on_model_missing(self, path: str) -> None:
        self.use_settings(self.settings.without_recent(path))
