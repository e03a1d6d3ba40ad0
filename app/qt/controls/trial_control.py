"""Guided tests: presentations, and the report on them."""

from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from app import directing
from app.qt.controls.source_control import SourceControl
from app.qt.workers.jobs import Job
from app.session import Session, Topic
from app.shown import BONA_FIDE, Notice
from app.trial import Trial

TOPIC = "test"
REPORT, SAVE_REPORT = "report", "save report"


class TrialControl(QObject):
    """Carry out what the test page wants.

    Parameters
    ----------
    session : Session
        Where the test lives.
    source : SourceControl
        Directs the demo.
    """

    job_requested = Signal(object)
    notice = Signal(object)
    report_changed = Signal(object)
    """A `ReportShown` or None."""
    report_saved = Signal(str)

    def __init__(
        self, session: Session, source: SourceControl, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._source = source
        self._report: Any = None
        self._was_presenting = False
        self._shown_before = ""
        self._planned: list[str] = []
        self._n_genuine = 0
        session.subscribe(self._on_change)

    # ------------------------------------------------------------- intents

    @Slot(str)
    def start(self, species: str) -> None:
        """Begin a presentation; on the demo, also present it."""
        if self._session.model is None:
            self._tell(self.tr("Enrol a face and fit a model first: then it can be tested."))
            return
        demo = self._source.demo
        if demo is not None:
            chapter = directing.presentation_of(demo, species, self._n_genuine)
            if chapter is None:
                text = self.tr("The demo cannot present {what}: choose another species.")
                self._tell(text.format(what=species))
                return
            self._n_genuine += species == BONA_FIDE
            if not self._was_presenting:
                self._shown_before = demo.presenting or ""
            self._source.present(chapter.key)
            self._session.expect(directing.caption_of(chapter))
        is_simulated = demo is not None
        self._session.change_trial(lambda trial: trial.start(species, is_simulated))

    @Slot()
    def run_all(self) -> None:
        """Present everything the demo has, the person between attacks, one after the other."""
        demo = self._source.demo
        if demo is None or self._session.trial.is_presenting:
            return
        self._planned = list(directing.test_plan(demo))
        self._next()

    @Slot()
    def stop(self) -> None:
        """End the presentation: it counts if enough frames were judged."""
        self._planned.clear()

        def end(trial: Trial) -> None:
            if not trial.finish():
                trial.cancel()

        self._session.change_trial(end)

    @Slot(int)
    def remove(self, number: int) -> None:
        """Strike a presentation."""
        self._session.change_trial(lambda trial: trial.remove(number))

    @Slot()
    def clear(self) -> None:
        """Forget all presentations."""
        self._planned.clear()
        self._session.change_trial(lambda trial: trial.clear())

    @Slot()
    def build_report(self) -> None:
        """Make the report on what was presented so far."""
        trial = Trial.from_dict(self._session.trial.as_dict())
        model, name = self._session.model_shown, self._source.name
        created = datetime.now().astimezone()

        def work(_cancel: object) -> Any:
            from app.report import Context, build

            return build(trial, Context(name, model, version("lmkl-pad"), created))

        self.job_requested.emit(Job(REPORT, self.tr("Making the report"), work))

    @Slot(str)
    def save_report(self, path: str) -> None:
        """Write the report as a page, with its figures beside it."""
        report = self._report
        if report is None or not path:
            return

        def work(_cancel: object) -> Any:
            from app.report import write

            return write(report, Path(path))

        self.job_requested.emit(Job(SAVE_REPORT, self.tr("Saving the report"), work))

    # ------------------------------------------------------------- from workers

    @Slot(str, object)
    def on_done(self, kind: str, result: Any) -> None:
        """Take over a report, or tell where it is."""
        if kind == REPORT:
            self._report = result
            self.report_changed.emit(result.shown)
        elif kind == SAVE_REPORT:
            self._report = result
            self.report_changed.emit(result.shown)
            self.report_saved.emit(result.shown.html)
            name = Path(result.shown.html).name
            text = self.tr("The report is saved as {name}, with JSON and CSV beside it.")
            self.notice.emit(Notice(text.format(name=name), topic=TOPIC))

    @Slot(str, str)
    def on_failed(self, kind: str, sentence: str) -> None:
        """Tell why there is no report."""
        if kind in (REPORT, SAVE_REPORT):
            self.notice.emit(Notice(sentence, "error", TOPIC))

    # ------------------------------------------------------------- inner

    def _on_change(self, topic: Topic) -> None:
        """Follow presentations to their end."""
        if topic is not Topic.TRIAL:
            return
        presenting = self._session.trial.is_presenting
        ended, self._was_presenting = self._was_presenting and not presenting, presenting
        if not ended:
            return
        self._session.expect("")
        if self._planned:
            self._next()
        elif self._source.demo is not None:
            self._source.present(self._shown_before)
        if not self._planned and self._session.trial.presentations:
            self.build_report()

    def _next(self) -> None:
        if self._planned:
            self.start(self._planned.pop(0))

    def _tell(self, text: str) -> None:
        self.notice.emit(Notice(text, "warning", TOPIC))
