"""Everything that works behind the window: threads, session, controls, and how they are wired.

Start, in order: the capture thread, on which the first frame appears; then the scoring thread,
which imports what is heavy; then, on the main thread, session and controls; then the networks
are prepared. Stop: all threads are asked to end, then waited for together.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QDeadlineTimer, QObject, QTimer, Signal, Slot

from app import settings as settings_file
from app.qt.controllers.source_control import SourceControl
from app.qt.state import Notice, SourceState, Working
from app.qt.threads import WorkerThread
from app.qt.workers.capture import CaptureWorker
from app.qt.workers.jobs import JobWorker
from app.qt.workers.networks import NetworksWorker
from app.qt.workers.recovery import RecoveryWorker
from app.qt.workers.scoring import ScoringWorker
from app.settings import Settings
from app.types import Throughput

if TYPE_CHECKING:
    from app.capture.source import FrameSource
    from app.qt.bridge import SessionSignals
    from app.qt.controllers.enrol_control import EnrolControl
    from app.qt.controllers.model_control import ModelControl
    from app.qt.controllers.networks_control import NetworksControl
    from app.qt.controllers.recovery_control import RecoveryControl
    from app.qt.controllers.trial_control import TrialControl
    from app.session.enrolment import Plan
    from app.session.session import Session

log = logging.getLogger(__name__)

LATEST_WARM_UP = 3000
"""Milliseconds after which the heavy parts are loaded though no frame was shown yet."""

STOP_MILLISECONDS = 2000
"""In which all threads have to end when the window is closed."""


class Desk(QObject):
    """Own the threads and what lives on them; the window shows what they say.

    Parameters
    ----------
    settings : Settings
        As loaded.
    make_demo : callable, optional
        Makes the demo source; tests pass their own.
    plan : Plan, optional
        How takes are recorded.
    observe : callable, optional
        See `ScoringWorker`.
    source, model : str
        What to open first, in the place of what the settings name; not kept in them.
    """

    ready = Signal()
    """Session and controls are there: pages can be made."""
    prepared = Signal()
    """The networks are ready: frames are judged from now on."""
    notice = Signal(object)
    working = Signal(object)
    settings_changed = Signal(object)

    _warm_up = Signal()
    _prepare = Signal(str, str)

    def __init__(
        self,
        settings: Settings,
        *,
        make_demo: Callable[[], FrameSource] | None = None,
        plan: Plan | None = None,
        observe: Any = None,
        source: str = "",
        model: str = "",
    ) -> None:
        super().__init__()
        self.settings = settings
        self._first_source = source
        self._first_model = model
        if not model and settings.reopen_last and settings.recent:
            self._first_model = settings.recent[0]
        self._preparing, self._job = Working(), Working()
        self._is_warm = False
        self._was_demo = False
        self.is_forgotten = False
        """Whether everything stored was deleted, and nothing was chosen since."""
        self._plan = plan
        self.capture = CaptureWorker(make_demo)
        self.scoring = ScoringWorker(self.capture.to_score, observe)
        self.jobs = JobWorker()
        self.keeper, self.fetcher = RecoveryWorker(), NetworksWorker()
        self._threads = [
            WorkerThread(self.capture, "capture"),
            WorkerThread(self.scoring, "scoring"),
            WorkerThread(self.jobs, "fitting"),
            WorkerThread(self.keeper, "keeping"),
            WorkerThread(self.fetcher, "fetching"),
        ]
        self.source = SourceControl(settings, self)
        self.session: Session | None = None
        self.signals: SessionSignals | None = None
        self.enrol: EnrolControl | None = None
        self.model: ModelControl | None = None
        self.trial: TrialControl | None = None
        self.recovery: RecoveryControl | None = None
        self.networks: NetworksControl | None = None
        self._is_started = self._is_stopped = False
        self._wire_source()

    # ------------------------------------------------------------- start and stop

    @Slot()
    def start(self) -> None:
        """Start the threads and open the source; once."""
        if self._is_started or self._is_stopped:
            return
        self._is_started = True
        for thread in self._threads:
            thread.start()
        if self._first_source:
            self.source.open(self._first_source)
        self.source.open_first()
        # Without a source that works, settings, models and other sources are needed all the more.
        QTimer.singleShot(LATEST_WARM_UP, self, self.warm_up)

    @Slot()
    def warm_up(self) -> None:
        """Begin with what is heavy, once: the first frame is on the screen, or none will come."""
        if self._is_warm or self._is_stopped:
            return
        self._is_warm = True
        self._warm_up.emit()

    def forget_takes(self) -> None:
        """Have what is kept of unsaved takes removed: the person closes the window without them.

        Their thread does so before it ends: the window waits for no disk. What it cannot delete is
        offered at the next start.
        """
        self.keeper.want((), {})

    def stop(self) -> bool:
        """End all threads and let go of the source; return whether all ended in time."""
        if self._is_stopped:
            return True
        self._is_stopped = True
        if self.recovery is not None and self.trial is not None:
            self.recovery.release()
            self.trial.release()
        deadline = QDeadlineTimer(STOP_MILLISECONDS)
        for thread in self._threads:
            thread.ask_to_stop()
        return all([thread.wait(deadline) for thread in self._threads])

    # ------------------------------------------------------------- for the window

    def throughput(self) -> Throughput:
        """Return how fast things go now."""
        capture = self.capture.capture
        rate = capture.state.rate if capture is not None else 0.0
        n_dropped = self.capture.to_score.n_dropped
        if self.session is None:
            return Throughput(rate, n_dropped=n_dropped)
        return self.session.throughput(rate, n_dropped)

    def change_settings(self, **changes: Any) -> None:
        """Take over changed settings, and keep them."""
        self.use_settings(replace(self.settings, **changes))

    def use_settings(self, settings: Settings) -> None:
        """Take over settings: what they change is done anew, and they are kept."""
        before, self.settings = self.settings, settings
        if settings == before:
            return
        self.is_forgotten = False
        if self.session is not None:
            self.session.settings = settings
        try:
            settings_file.save(settings)
        except OSError as error:
            text = self.tr("The settings cannot be kept ({why}).").format(
                why=error.strerror or error
            )
            self.notice.emit(Notice(text, "warning", "settings"))
        self.source.use(settings)
        if self.recovery is not None:
            self.recovery.switch(settings.recover_takes)
        views = ("preset", "detector")
        if any(getattr(before, name) != getattr(settings, name) for name in views):
            self._prepare_views()
        if self.model is not None:
            self._tell_model(self.model, before, settings)
        self.settings_changed.emit(settings)

    def _tell_model(self, model: ModelControl, before: Settings, settings: Settings) -> None:
        """Set the threshold anew at once; other parameters wait for the next fit."""
        if settings.target_bpcer != before.target_bpcer:
            model.set_target(settings.target_bpcer)
        names = ("delta", "p", "q", "n_clusters", "temperature")
        has_model = self.session is not None and self.session.model is not None
        if has_model and any(getattr(before, n) != getattr(settings, n) for n in names):
            text = self.tr("Fit the model again to use its new parameters.")
            self.notice.emit(Notice(text, topic="model"))

    def delete_everything(self) -> None:
        """Forget model, takes and tests, and remove all that is stored of the person."""
        from app import storage

        self.jobs.cancel_running()
        if self.session is not None and self.model is not None and self.trial is not None:
            self.model.discard()
            self.session.change_enrolment(lambda enrolment: enrolment.clear())
            self.trial.forget()
        self.use_settings(self.settings.forgotten())
        if self.recovery is not None:
            with contextlib.suppress(OSError):  # told by what follows
                self.recovery.forget()
        deletion = storage.delete_all()
        # Nothing is stored again before the person chooses something.
        self.is_forgotten = True
        text = self.tr("Everything the program had stored is deleted.")
        if deletion.problems:
            text = " ".join(deletion.problems)
        self.notice.emit(Notice(text, "warning" if deletion.problems else "info", "privacy"))

    def open_model(self, path: str) -> None:
        """Open a model, now or as soon as that can be done."""
        if self.model is None:
            self._first_model = path
        else:
            self.model.open(path)

    @Slot()
    def cancel(self) -> None:
        """Break off the work that is going on."""
        self.jobs.cancel_running()

    # ------------------------------------------------------------- wiring

    def _wire_source(self) -> None:
        capture, source = self.capture, self.source
        source.open_requested.connect(capture.open)
        source.cameras_requested.connect(capture.list_cameras)
        source.notice.connect(self.notice)
        source.stream_begins.connect(self.scoring.begin_stream)
        capture.source_opened.connect(source.on_opened)
        capture.state_changed.connect(source.on_state)
        capture.failed.connect(source.on_failed)
        capture.score_ready.connect(self.scoring.on_frame_ready)
        self._warm_up.connect(self.scoring.warm_up)
        self._prepare.connect(self.scoring.prepare)
        self.scoring.warmed_up.connect(self._on_warmed_up)
        self.scoring.working.connect(self._on_preparing)
        self.scoring.failed.connect(self._on_scoring_failed)
        self.scoring.unprepared.connect(self._on_unprepared)
        self.scoring.prepared.connect(self._on_prepared)
        self.jobs.working.connect(self._on_job)
        capture.failed.connect(self.warm_up)

    @Slot()
    def _on_warmed_up(self) -> None:
        """Make what needs the heavy imports, which are there now."""
        if self._is_stopped:
            return
        from app.qt.bridge import SessionSignals
        from app.qt.controllers.enrol_control import EnrolControl
        from app.qt.controllers.model_control import ModelControl
        from app.qt.controllers.networks_control import NetworksControl
        from app.qt.controllers.recovery_control import RecoveryControl
        from app.qt.controllers.trial_control import TrialControl
        from app.session.session import Session

        self.session = session = Session(self.settings, self._plan)
        self.signals = SessionSignals(session, self)
        self.enrol = EnrolControl(session, self.source, self)
        self.model = ModelControl(session, self)
        self.trial = TrialControl(session, self.source, self)
        is_on = self.settings.recover_takes
        self.recovery = RecoveryControl(session, self.keeper, is_on, self)
        self.recovery.notice.connect(self.notice)
        self.networks = NetworksControl(session, self.fetcher, self.scoring, self)
        self.networks.notice.connect(self.notice)
        self.networks.look()
        self._wire_session(session, self.enrol, self.model, self.trial)
        self.scoring.prepared.connect(self.recovery.on_prepared)
        self.ready.emit()
        self._prepare_views()
        self.model.open(self._first_model)

    def _prepare_views(self) -> None:
        """Have the networks made ready; nothing is judged meanwhile."""
        if self.session is not None:
            self.session.interrupt()
        self._prepare.emit(self.settings.preset, self.settings.detector)

    def _wire_session(
        self,
        session: Session,
        enrol: EnrolControl,
        model: ModelControl,
        trial: TrialControl,
    ) -> None:
        self.scoring.observed.connect(self._on_observed)
        self.source.stream_begins.connect(self._on_stream_begins)
        self.source.interrupted.connect(self._on_interrupted)
        self.source.finished.connect(self._on_finished)
        self.scoring.prepared.connect(model.on_prepared)
        for control in (enrol, model, trial):
            control.notice.connect(self.notice)
        for control in (model, trial):
            control.job_requested.connect(self.jobs.run)
            self.jobs.done.connect(control.on_done)
            self.jobs.failed.connect(control.on_failed)
        self.jobs.cancelled.connect(model.on_cancelled)
        model.model_changed.connect(self.scoring.set_model)
        model.opened.connect(self._on_model_opened)
        model.missing.connect(self._on_model_missing)
        enrol.take_complete.connect(model.fold_in)
        self.source.source_changed.connect(self._on_source_changed)
        enrol.welcome()

    # ------------------------------------------------------------- slots

    @Slot(object)
    def _on_observed(self, seen: Any) -> None:
        # A frame that was under way when its source fell silent says nothing of the present.
        if self.session is not None and not (self._is_stopped or self.source.is_interrupted):
            self.session.observe(seen)

    @Slot(object)
    def _on_source_changed(self, source: SourceState) -> None:
        """Greet with the person whenever the demo is opened anew."""
        is_opened = source.is_demo and not self._was_demo
        self._was_demo = source.is_demo
        if is_opened and self.enrol is not None:
            self.enrol.welcome()

    @Slot()
    def _on_stream_begins(self) -> None:
        if self.session is not None:
            self.session.begin_stream()

    @Slot(str)
    def _on_interrupted(self, why: str) -> None:
        if self.session is not None:
            self.session.interrupt(why)

    @Slot(str)
    def _on_finished(self, why: str) -> None:
        if self.session is not None:
            self.session.end_stream(why)

    @Slot(object)
    def _on_preparing(self, working: Working) -> None:
        self._preparing = working
        self._tell_working()

    @Slot(object)
    def _on_job(self, working: Working) -> None:
        self._job = working
        self._tell_working()

    def _tell_working(self) -> None:
        """Tell of one thing at a time, first of what the person has asked for."""
        self.working.emit(self._job if self._job.text else self._preparing)

    @Slot(object)
    def _on_prepared(self, _features: object) -> None:
        self.notice.emit(Notice("", topic="views"))
        self.notice.emit(Notice("", topic="scoring"))
        self.prepared.emit()

    @Slot(str)
    def _on_unprepared(self, sentence: str) -> None:
        self.notice.emit(Notice(sentence, "error", "views"))

    @Slot(str)
    def _on_scoring_failed(self, sentence: str) -> None:
        self.notice.emit(Notice(sentence, "error", "scoring"))

    @Slot(str)
    def _on_model_opened(self, path: str) -> None:
        self.use_settings(self.settings.with_recent(path))

    @Slot(str)
    def _on_model_missing(self, path: str) -> None:
        self.use_settings(self.settings.without_recent(path))
