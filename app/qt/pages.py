"""The pages beside the picture, and what connects each with the desk.

Pages are made on first sight. What they show comes from the session's signals, and what a page that
was just made has missed is told to it at once.
"""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.models.summary import ModelSummary
from app.qt import theme
from app.qt.desk import Desk
from app.qt.state import NetworksState, SourceState, Working
from app.qt.views.parts.book import ENROL, MODEL, TEST, WHY, Book
from app.session.guided_test.state import TrialState
from app.session.takes import EnrolmentState
from app.types import ScoredFrame

if TYPE_CHECKING:
    from app.qt.views.enrol.enrol_page import EnrolPage
    from app.qt.views.model.model_page import ModelPage
    from app.qt.views.trial.test_page import TestPage
    from app.qt.views.why.why_page import WhyPage
    from app.session.session import Session


class Pages(QObject):
    """Makes the pages and keeps them up to date.

    Parameters
    ----------
    desk : Desk
        Ready.
    book : Book
        Where the pages go.
    """

    export_requested = Signal()
    open_requested = Signal()
    report_save_requested = Signal()
    report_open_requested = Signal()
    networks_choose_requested = Signal()

    def __init__(self, desk: Desk, book: Book) -> None:
        super().__init__(book)
        self._desk, self._book = desk, book
        self._source = desk.source.shown  # opened before there were pages
        self._is_fitting = False
        signals = desk.signals
        assert signals is not None
        signals.enrolment.connect(self._on_enrolment)
        signals.model.connect(self._on_model)
        signals.trial.connect(self._on_trial)
        signals.scored.connect(self._on_scored)
        signals.decision.connect(self._on_decision)
        desk.working.connect(self._on_working)
        assert desk.networks is not None
        desk.networks.changed.connect(self._on_networks)
        assert desk.model is not None
        desk.model.fitting_changed.connect(self._on_fitting)
        desk.source.source_changed.connect(self._on_source)
        desk.source.interrupted.connect(self._on_no_picture)
        desk.source.finished.connect(self._on_no_picture)
        theme.notifier().changed.connect(self._on_colours)
        book.set_maker(ENROL, self._make_enrol)
        book.set_maker(MODEL, self._make_model)
        book.set_maker(WHY, self._make_why)
        book.set_maker(TEST, self._make_test)

    # ------------------------------------------------------------- making

    def _make_enrol(self, parent: QWidget) -> QWidget:
        from app.qt.views.enrol.enrol_page import EnrolPage

        page, control, model = EnrolPage(parent), self._desk.enrol, self._desk.model
        assert control is not None
        assert model is not None
        page.take_requested.connect(control.start)
        page.take_stopped.connect(control.stop)
        page.sample_removed.connect(control.remove_samples)
        page.take_removed.connect(control.remove_take)
        page.take_renamed.connect(control.rename_take)
        page.take_assigned.connect(control.assign_take)
        page.person_changed.connect(control.set_person)
        page.undo_requested.connect(control.undo)
        page.clear_requested.connect(control.clear)
        page.fit_requested.connect(model.fit)
        self._fill_enrol(page, self._session.enrolment_shown)
        page.set_busy(self._is_fitting)
        return page

    def _make_model(self, parent: QWidget) -> QWidget:
        from app.qt.views.model.model_page import ModelPage

        page, model, networks = ModelPage(parent), self._desk.model, self._desk.networks
        assert model is not None
        assert networks is not None
        page.fit_requested.connect(model.fit)
        page.cancel_requested.connect(self._desk.cancel)
        page.target_changed.connect(self._on_target)
        page.export_requested.connect(self.export_requested)
        page.open_requested.connect(self.open_requested)
        page.enrol_requested.connect(self.turn_to_enrol)
        page.networks.get_requested.connect(networks.get)
        page.networks.cancel_requested.connect(networks.cancel)
        page.networks.choose_requested.connect(self.networks_choose_requested)
        page.networks.show_networks(networks.shown)
        self._colour(page)
        page.show_model(self._session.model_shown)
        shown = self._session.enrolment_shown
        page.set_can_fit(shown.can_fit, shown.why_not)
        return page

    def _make_why(self, parent: QWidget) -> QWidget:
        from app.qt.views.why.why_page import WhyPage

        page = WhyPage(parent)
        page.enrol_requested.connect(self.turn_to_enrol)
        self._colour(page)
        page.show_model(self._session.model_shown)
        page.show_decision(self._session.decision)
        if self._session.scored is not None:
            page.show_scored(self._session.scored)
        return page

    def _make_test(self, parent: QWidget) -> QWidget:
        from app.qt.views.trial.test_page import TestPage

        page, control = TestPage(parent), self._desk.trial
        assert control is not None
        page.presentation_requested.connect(control.start)
        page.presentation_stopped.connect(control.stop)
        page.presentation_removed.connect(control.remove)
        page.session_cleared.connect(control.clear)
        page.auto_requested.connect(control.run_all)
        page.report_requested.connect(control.build_report)
        page.report_save_requested.connect(self.report_save_requested)
        page.report_open_requested.connect(self.report_open_requested)
        page.plan_chosen.connect(control.choose_plan)
        page.plan_opened.connect(control.open_plan)
        page.details_requested.connect(self._ask_for_details)
        page.session_closed.connect(control.close_session)
        page.session_continued.connect(control.continue_session)
        page.session_deleted.connect(control.delete_session)
        control.report_changed.connect(page.show_report)
        control.plans_changed.connect(page.show_plans)
        control.kept_changed.connect(page.show_kept)
        control.look()
        self._simulate(page, self._source)
        page.show_trial(self._session.trial_shown)
        self._make_ready(page, self._session.model_shown)
        return page

    @Slot()
    def _ask_for_details(self) -> None:
        """Ask what only people know about the test."""
        from app.qt.views.dialogs.details_dialog import DetailsDialog

        control = self._desk.trial
        assert control is not None
        dialog = DetailsDialog(
            self._session.trial.details,
            control.attacks(),
            control.templates.named,
            self._book.window(),
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.given.connect(control.set_details)
        dialog.template_saved.connect(control.save_template)
        dialog.template_deleted.connect(control.delete_template)
        dialog.open()

    # ------------------------------------------------------------- made pages

    @property
    def enrol(self) -> "EnrolPage | None":
        """The enrol page, once it was made."""
        return self._book.page(ENROL)  # type: ignore[return-value]

    @property
    def model(self) -> "ModelPage | None":
        """The model page, once it was made."""
        return self._book.page(MODEL)  # type: ignore[return-value]

    @property
    def why(self) -> "WhyPage | None":
        """The why page, once it was made."""
        return self._book.page(WHY)  # type: ignore[return-value]

    @property
    def test(self) -> "TestPage | None":
        """The test page, once it was made."""
        return self._book.page(TEST)  # type: ignore[return-value]

    @property
    def _session(self) -> "Session":
        assert self._desk.session is not None
        return self._desk.session

    # ------------------------------------------------------------- keeping up

    @Slot()
    def turn_to_enrol(self) -> None:
        """Open the enrol page."""
        self._book.turn_to(ENROL)

    @Slot()
    def turn_to_model(self) -> None:
        """Open the model page."""
        self._book.turn_to(MODEL)

    @Slot()
    def turn_to_networks(self) -> None:
        """Open the model page where it tells of the liveness networks."""
        self._book.turn_to(MODEL)
        if self.model is not None:
            self.model.scroll_to_networks()

    @Slot(object)
    def _on_networks(self, shown: NetworksState) -> None:
        if self.model is not None:
            self.model.networks.show_networks(shown)

    @Slot(object)
    def _on_enrolment(self, shown: EnrolmentState) -> None:
        if self.enrol is not None:
            self._fill_enrol(self.enrol, shown)
        if self.model is not None:
            self.model.set_can_fit(shown.can_fit, shown.why_not)

    @Slot(object)
    def _on_model(self, shown: ModelSummary | None) -> None:
        if self.model is not None:
            self.model.show_model(shown)
        if self.why is not None:
            self.why.show_model(shown)
        if self.test is not None:
            self._make_ready(self.test, shown)

    @Slot(object)
    def _on_trial(self, shown: TrialState) -> None:
        if self.test is not None:
            self.test.show_trial(shown)

    @Slot(object)
    def _on_scored(self, scored: ScoredFrame) -> None:
        if self._book.current == ENROL and self.enrol is not None:
            is_fine = scored.quality is not None and scored.quality.passed
            self.enrol.show_quality(scored.quality, "" if is_fine else scored.reason)
        elif self._book.current == WHY and self.why is not None:
            self.why.show_scored(scored)

    @Slot(str)
    def _on_no_picture(self, why: str) -> None:
        if self.enrol is not None:
            self.enrol.show_quality(None, why)

    @Slot(object)
    def _on_decision(self, decision: object) -> None:
        if self.why is not None:
            self.why.show_decision(decision)  # type: ignore[arg-type]

    @Slot(object)
    def _on_working(self, working: Working) -> None:
        if self.model is not None:
            self.model.show_working(working)

    @Slot(bool)
    def _on_fitting(self, is_fitting: bool) -> None:
        self._is_fitting = is_fitting
        if self.enrol is not None:
            self.enrol.set_busy(is_fitting)

    @Slot(object)
    def _on_source(self, source: SourceState) -> None:
        self._source = source
        if self.test is not None:
            self._simulate(self.test, source)

    @Slot(object)
    def _on_colours(self, _colours: object) -> None:
        # The open page now, the other one when events were handled.
        for page in (self.model, self.why):
            if page is not None and page.isVisible():
                self._colour(page)
            elif page is not None:
                QTimer.singleShot(theme.PAUSE, page, partial(self._colour, page))

    @Slot(object)
    def _on_target(self, target: float | None) -> None:
        self._desk.change_settings(target_bpcer=target)
        if self._desk.model is not None:
            # A model that was imported may have another target than the settings.
            self._desk.model.set_target(target)

    def _fill_enrol(self, page: "EnrolPage", shown: EnrolmentState) -> None:
        page.show_enrolment(shown)
        session = self._session
        page.set_model_present(session.model is not None, len(session.enrolment.unmodelled))

    @staticmethod
    def _simulate(page: "TestPage", source: SourceState) -> None:
        page.set_simulated(source.is_demo, source.species)

    def _make_ready(self, page: "TestPage", shown: ModelSummary | None) -> None:
        why = "" if shown else self.tr("Enrol a face and fit a model first: then it can be tested.")
        page.set_ready(shown is not None, why)

    @staticmethod
    def _colour(page: "ModelPage | WhyPage") -> None:
        from app.qt.views.charts.colours import chart_colours

        page.set_colours(chart_colours(theme.colours()))
