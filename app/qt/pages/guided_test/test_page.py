"""The Test page: present genuine people and attacks in turn, and report the outcome."""

from collections.abc import Iterable
from functools import partial

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from app.models.summary import ModelSummary
from app.names import counted
from app.qt.controllers.app_controller import AppController
from app.qt.dialogs.details_dialog import DetailsDialog
from app.qt.pages.guided_test.cards import PlanCard, PresentCard, ReportPanel
from app.qt.pages.guided_test.species import MARGIN, SpeciesPicker
from app.qt.pages.guided_test.tally import TallyCard
from app.qt.state import SourceState
from app.qt.widgets.layout import ask, button, scroll_area, vbox
from app.qt.widgets.texts import MarkedText, banner, caution, wrapped
from app.session.guided_test.guided_test import GuidedTestState
from app.session.guided_test.keeping import KeptTest
from app.types import SPECIES


class TestPage(QWidget):
    """A guided test: plan, species, presentation, tally and report."""

    __test__ = False  # not a test for pytest

    report_save_requested = Signal()
    report_open_requested = Signal()

    def __init__(self, controller: AppController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._guided_test = GuidedTestState()
        self._why_not = ""
        self._is_simulated = False
        self._kept: tuple[KeptTest, ...] = ()
        self._build()
        for keys, slot in ((Qt.Key.Key_P, self._on_present), (Qt.Key.Key_Escape, self._on_stop)):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WindowShortcut)
            shortcut.setAutoRepeat(False)
            shortcut.activated.connect(slot)
        self._refresh()
        control = controller.guided_test
        controller.guided_test_changed.connect(self.show_guided_test)
        controller.model_changed.connect(self._on_model)
        controller.source.source_changed.connect(self._on_source)
        control.report_changed.connect(self._report.show_report)
        control.plans_changed.connect(self._plan.show_plans)
        control.kept_changed.connect(self.show_kept)
        self.show_guided_test(controller.session.guided_test.state)
        self._on_model(controller.session.model_summary)
        self._on_source(controller.source.state)

    @Slot(object)
    def show_guided_test(self, guided_test: GuidedTestState) -> None:
        before = self._guided_test
        if guided_test == before:
            return
        self._guided_test = guided_test
        if guided_test.tally != before.tally:
            self._picker.suggest_names(row.species for row in guided_test.tally)
        if guided_test.presenting and guided_test.presenting != before.presenting:
            self._picker.choose(guided_test.presenting)
        self._plan.show_plan(guided_test.plan)
        if before.presenting and not guided_test.presenting:
            self._picker.choose(self._plan.next_species(before.presenting))
        self._present.show_guided_test(guided_test)
        self._tally.show_guided_test(guided_test)
        if guided_test.presentations != before.presentations:
            self._report.set_stale()
        self._refresh()

    @Slot(object)
    def show_kept(self, kept: tuple[KeptTest, ...]) -> None:
        """Offer saved sessions, newest first, while the current one has no presentation."""
        self._kept = kept
        self._refresh()

    def set_why_not(self, why_not: str) -> None:
        """Set the reason why nothing can be presented; empty if something can."""
        self._why_not = why_not
        self._refresh()

    def set_simulated(self, is_simulated: bool, species: Iterable[str] = SPECIES) -> None:
        """Limit the choice to the species of the demo, or allow all."""
        self._picker.set_possible(species if is_simulated else None)
        if is_simulated != self._is_simulated:
            self._is_simulated = is_simulated
            self._present.set_simulated(is_simulated)
            self._refresh()

    def _build(self) -> None:
        content = QWidget()
        vbox(self, scroll_area(content, self, takes_focus=False))
        control = self._controller.guided_test
        self._plan = PlanCard()
        self._plan.plan_chosen.connect(control.choose_plan)
        self._plan.plan_opened.connect(control.open_plan)
        self._picker = SpeciesPicker()
        self._picker.changed.connect(self._refresh)
        self._picker.confirmed.connect(self._on_present)
        self._plan.species_chosen.connect(self._picker.choose)
        self._present = PresentCard()
        self._present.present_button.clicked.connect(self._on_present)
        self._present.stop_button.clicked.connect(self._on_stop)
        self._tally = TallyCard()
        self._tally.removal_requested.connect(control.remove)
        self._tally.clear_button.clicked.connect(self._on_clear)
        self._tally.close_button.clicked.connect(control.close_session)
        self._report = ReportPanel()
        self._report.make_button.clicked.connect(control.build_report)
        self._report.save_button.clicked.connect(self.report_save_requested)
        self._report.open_button.clicked.connect(self.report_open_requested)
        self._report.details_button.clicked.connect(self._on_details)
        cards = (self._plan, self._picker, self._present, self._tally, self._report)
        parts = (*self._make_head(), *cards)
        vbox(content, *parts, 1, margins=MARGIN, spacing=MARGIN)

    def _make_head(self) -> list[QWidget]:
        self._missing = caution("")
        note = MarkedText("info", "accent")
        note.show_text("Simulated: the demo presents what you choose.")
        run_all = self._controller.guided_test.run_all
        self._auto = button("Run the whole demo test", "play", run_all)
        self._demo_banner = banner("banner-info", note, self._auto)
        self._kept_note = MarkedText("info", "accent")
        self.continue_button = button("Continue session", "play", self._on_continue)
        tip = "Show the next saved session."
        self.another_button = button("Show next", slot=self._on_another, tip=tip)
        self.forget_button = button("Delete session", "delete", self._on_forget)
        buttons = (self.continue_button, self.another_button, self.forget_button)
        self._kept_banner = banner("banner-info", self._kept_note, *buttons)
        about = "Present a genuine person and attacks in turn, and see how many are misjudged."
        texts = [wrapped("Test", "title"), wrapped(about, "muted")]
        return [*texts, self._missing, self._demo_banner, self._kept_banner]

    @Slot()
    def _refresh(self) -> None:
        guided_test, is_presenting = self._guided_test, bool(self._guided_test.presenting)
        why_not = self._why_not
        self._missing.show_text(why_not)
        self._demo_banner.setVisible(self._is_simulated)
        self._auto.setEnabled(not why_not and not is_presenting)
        self._auto.setToolTip(why_not or "Let the demo present the person and each attack in turn.")
        self._show_kept()
        self._picker.setEnabled(not is_presenting)
        self._plan.setEnabled(not is_presenting)
        species = guided_test.presenting or self._picker.species
        why_not = why_not or self._picker.problem
        self._present.set_possible(why_not, species)
        self._tally.show_species(species)
        self._report.set_why_not(self._no_report())

    def _show_kept(self) -> None:
        has_begun = self._guided_test.presentations or self._guided_test.presenting
        self._kept_banner.setVisible(bool(self._kept) and not has_begun)
        if not self._kept:
            return
        self.another_button.setVisible(len(self._kept) > 1)
        day, _, time = self._kept[0].when.partition("T")
        count = counted(self._kept[0].n_presentations, "presentation")
        self._kept_note.show_text(f"A saved test session from {day}, {time[:5]}: {count}.")

    @Slot()
    def _on_continue(self) -> None:
        self._controller.guided_test.continue_session(self._kept[0].path)

    @Slot()
    def _on_another(self) -> None:
        self._kept = (*self._kept[1:], *self._kept[:1])
        self._refresh()

    @Slot()
    def _on_forget(self) -> None:
        delete = partial(self._controller.guided_test.delete_session, self._kept[0].path)
        self._ask("Delete the session", "Delete the saved session?", "Delete", delete)

    def _ask(self, title: str, text: str, action: str, slot: object) -> None:
        information = "Saved reports are not deleted."
        ask(self, title, text, information=information, action=action, slot=slot, keep="Keep")

    def _no_report(self) -> str:
        if not self._guided_test.presentations:
            return "There is nothing to report yet: present something first."
        if self._guided_test.presenting:
            return "A presentation is under way: wait until it is complete, or stop it."
        return ""

    @Slot(object)
    def _on_model(self, model: ModelSummary | None) -> None:
        why_not = "Enrol a face and fit a model first: then it can be tested."
        self.set_why_not("" if model else why_not)

    @Slot(object)
    def _on_source(self, source: SourceState) -> None:
        self.set_simulated(source.is_demo, source.species)

    @Slot()
    def _on_details(self) -> None:
        """Ask for the details that an evaluator expects."""
        control, guided_test = self._controller.guided_test, self._controller.session.guided_test
        named = control.templates.named
        dialog = DetailsDialog(guided_test.details, control.attacks(), named, self.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.details_entered.connect(control.set_details)
        dialog.template_saved.connect(control.save_template)
        dialog.template_deleted.connect(control.delete_template)
        dialog.open()

    @Slot()
    def _on_present(self) -> None:
        species = self._picker.species
        if self._present.present_button.isEnabled() and species:
            self._controller.guided_test.start(species)

    @Slot()
    def _on_stop(self) -> None:
        if self._guided_test.presenting:
            self._controller.guided_test.stop()

    @Slot()
    def _on_clear(self) -> None:
        n = len(self._guided_test.presentations)
        what = "the one presentation" if n == 1 else f"all {n} presentations"
        text = f"Discard {what} of this session?"
        self._ask("Start a new session", text, "Discard", self._controller.guided_test.clear)
