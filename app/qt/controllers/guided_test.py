"""Run guided tests and report on them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from app.qt.controllers import Controller
from app.qt.controllers.source import SourceController
from app.qt.workers.worker import Cancel, Job
from app.reports import Context, build, write
from app.session.guided_test.details import (
    Details,
    Templates,
    details_from,
    load_templates,
    save_templates,
)
from app.session.guided_test.guided_test import GuidedTest
from app.session.guided_test.keeping import KeptSession, kept_tests, open_kept
from app.session.guided_test.plans import built_in_plans, read_plan
from app.session.guided_test.presentation import GuidedTestError
from app.session.session import Session, Topic
from app.types import BONA_FIDE


class GuidedTestController(Controller):
    """Carries out the actions of the test page."""

    topic = "test"
    job_requested = Signal(object)
    report_changed = Signal(object)
    """A `ReportSummary` or None."""
    report_saved = Signal(str)
    """Path of the HTML page."""
    plans_changed = Signal(object)
    """Names of the test plans."""
    kept_changed = Signal(object)
    """Sessions on disk that can be continued, as a tuple of `KeptTest`."""

    def __init__(
        self, session: Session, source: SourceController, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._source = session, source
        self._change = session.change_guided_test
        self._n_before = self._n_planned = self._n_genuine = 0
        self._was_presenting = False
        self._planned: list[str] = []
        self._plans = {plan.name: plan for plan in built_in_plans()}
        self._kept: KeptSession | None = None
        self._has_warned = False
        self._on_disk: object = None
        self.templates = load_templates()
        session.guided_test.details = self.templates.last
        session.subscribe(self._on_change)

    # ------------------------------------------------------------- presentations

    @Slot(str)
    def start(self, species: str) -> None:
        """Begin a presentation; on the demo, also present it."""
        demo, chapter = self._source.demo, None
        if demo is not None:
            chapter = demo.script.presentation_of(species, self._n_genuine)
        why_not = ""
        if self._session.model is None:
            why_not = "There is no model to test: enrol a face and fit a model first."
        elif self._session.enrolment.is_recording:
            why_not = f"{self._session.occupied_by}: wait until it is complete, or stop it."
        elif demo is not None and chapter is None:
            why_not = f"The demo cannot present {species}: choose another species."
        if why_not:
            self._planned.clear()
            self.tell(why_not, "warning")
            return
        if chapter is not None:
            self._n_genuine += species == BONA_FIDE
            self._source.stage(chapter)
            self._session.expect(chapter.frame_caption)
        self._n_before = len(self._session.guided_test.presentations)
        self._change(lambda test: test.start(species, demo is not None, self._source.name))

    @Slot()
    def run_all(self) -> None:
        """Present everything the demo has, alternating the person with attacks."""
        demo = self._source.demo
        if demo is None or self._session.guided_test.is_presenting:
            return
        self._planned = list(demo.script.test_plan)
        self._n_planned = len(self._planned)
        self.start(self._planned.pop(0))

    @Slot()
    def stop(self) -> None:
        """End the presentation; it counts if enough frames were judged."""
        self._planned.clear()
        self._change(lambda test: test.finish())

    @Slot(int)
    def remove(self, number: int) -> None:
        self._change(lambda test: test.remove(number))

    @Slot()
    def clear(self) -> None:
        """Delete all presentations and their report."""
        self._planned.clear()
        kept, self._kept = self._kept, None
        self._change(lambda test: test.clear())
        self.report_changed.emit(None)
        if kept is not None:
            self._delete(kept)

    # ------------------------------------------------------------- plan and details

    @Slot(str)
    def choose_plan(self, name: str) -> None:
        """Follow a plan, or none if the name is empty."""
        self._change(lambda test: setattr(test, "plan", self._plans.get(name)))

    @Slot(str)
    def open_plan(self, path: str) -> None:
        """Read a plan from a file and follow it."""
        with self._show_errors():
            plan = read_plan(Path(path))
            self._plans[plan.name] = plan
            self.plans_changed.emit(tuple(self._plans))
            self.choose_plan(plan.name)

    def attacks(self) -> tuple[str, ...]:
        """Return the attacks that were presented, are planned, or have details."""
        guided_test = self._session.guided_test
        names = [row.species for row in guided_test.tally]
        names += [] if guided_test.plan is None else list(guided_test.plan.wanted)
        names += list(guided_test.details.species)
        return tuple(name for name in dict.fromkeys(names) if name != BONA_FIDE)

    @Slot(object)
    def set_details(self, details: Details) -> None:
        """Set the details of this test and of the next ones."""
        with self._show_errors():
            checked = details_from(details.as_dict())
            self._change(lambda test: setattr(test, "details", checked))
            self._keep_templates(replace(self.templates, last=checked))
            if self._session.guided_test.presentations:
                self.build_report()

    @Slot(str, object)
    def save_template(self, name: str, details: Details) -> None:
        with self._show_errors():
            details = details_from(details.as_dict())
            self._keep_templates(self.templates.with_named(name, details))

    @Slot(str)
    def delete_template(self, name: str) -> None:
        self._keep_templates(self.templates.without(name))

    def _keep_templates(self, templates: Templates) -> None:
        self.templates = templates
        with self._show_errors(
            "The templates cannot be saved ({}): free some space and try again."
        ):
            save_templates(templates)

    # ------------------------------------------------------------- sessions on disk

    @Slot()
    def refresh(self) -> None:
        """Emit the available plans and kept sessions."""
        self.plans_changed.emit(tuple(self._plans))
        self.kept_changed.emit(kept_tests())

    @Slot()
    def close_session(self) -> None:
        """Save the session for later, and begin an empty one."""
        if self._session.guided_test.is_presenting:
            return
        self._has_warned = False  # a new request may warn again
        if not self._keep() or self._kept is None:
            return
        self.release()
        self.clear()
        self.refresh()

    @Slot(str)
    def continue_session(self, name: str) -> None:
        """Continue a session on disk; the present one is saved for later."""
        with self._show_errors():
            kept = open_kept(name)
            try:
                guided_test = kept.read()
            except GuidedTestError:
                kept.release()
                raise
            self.release()
            self._kept = kept
            self._change(lambda present: present.take_over(guided_test))
            self.build_report()
        self.refresh()

    @Slot(str)
    def delete_session(self, name: str) -> None:
        with self._show_errors():
            self._delete(open_kept(name))
        self.refresh()

    def release(self) -> None:
        """Unlock the session on disk, to be continued later or in another window."""
        if self._kept is not None:
            self._kept.release()
            self._kept = None

    def forget(self) -> None:
        """Drop session, plan, details and templates; the caller deletes the files."""
        self.templates = Templates()
        self._session.guided_test.plan, self._session.guided_test.details = None, Details()
        self.clear()
        self.kept_changed.emit(())

    def _keep(self) -> bool:
        """Write unsaved parts of the session, and return whether all of it is on disk.

        An empty session needs no file. Failed writes are tried again at the next change.
        """
        guided_test = self._session.guided_test
        state = (guided_test.presentations, guided_test.plan, guided_test.details)
        if state == self._on_disk or not (self._kept or guided_test.presentations):
            return True
        with self._show_errors("The test cannot be saved ({}): save its report soon."):
            self._kept = self._kept or KeptSession.begin()
            self._kept.keep(guided_test)
            self._on_disk = state
            self._has_warned = False
        return state == self._on_disk

    def _delete(self, kept: KeptSession) -> None:
        with self._show_errors("The test session cannot be deleted ({}): try again."):
            kept.remove()

    # ------------------------------------------------------------- report

    @Slot()
    def build_report(self) -> None:
        """Build the report on all presentations so far."""
        self._report("", "Making the report")

    def save_report(self, path: str) -> None:
        """Save the report on all presentations so far, with JSON and CSV files next to it."""
        if self._session.guided_test.presentations:
            self._report(path, "Saving the report")

    def _report(self, path: str, text: str) -> None:
        guided_test = GuidedTest.from_dict(self._session.guided_test.as_dict())
        model, created = self._session.model_summary, datetime.now().astimezone()
        context = Context(self._source.name, model, version("lmkl-pad"), created)

        def work(_cancel: Cancel) -> Any:
            report = build(guided_test, context)
            return write(report, Path(path)) if path else report

        def done(report: Any) -> None:
            if not self._session.guided_test.presentations:
                return  # deleted meanwhile
            self.report_changed.emit(report.summary)
            if path:
                self.report_saved.emit(report.summary.html)
                name = Path(report.summary.html).name
                self.tell(f"The report is saved as {name}, with JSON and CSV files next to it.")

        self.job_requested.emit(Job(text, work, done, partial(self.tell, level="error")))

    # ------------------------------------------------------------- inner

    def _on_change(self, topic: Topic) -> None:
        """Keep every change; continue the plan and report after each presentation."""
        if topic is not Topic.GUIDED_TEST:
            return
        self._keep()
        guided_test, demo = self._session.guided_test, self._source.demo
        ended = self._was_presenting and not guided_test.is_presenting
        self._was_presenting = guided_test.is_presenting
        if not ended:
            return
        self._session.expect("")
        was_kept = len(guided_test.presentations) > self._n_before
        if not was_kept:
            self._planned.clear()  # stopped by the user, another source or another model
        if self._planned and demo is not None:
            number = self._n_planned - len(self._planned) + 1
            self.tell(f"Presentation {number} of {self._n_planned}: {self._planned[0]}")
            self.start(self._planned.pop(0))
            return
        self._planned.clear()
        self._source.unstage()
        if was_kept:
            self.build_report()

    @contextmanager
    def _show_errors(self, text: str = "") -> Iterator[None]:
        """Show errors as notices; those of the disk with this text, and only once."""
        try:
            yield
        except GuidedTestError as error:
            self.tell(str(error), "error")
        except OSError as error:
            if not text:
                raise
            if not self._has_warned:
                self._has_warned = True
                self.tell(text.format(error.strerror or error), "warning", "test failed")
