"""The Enrol page: record takes, see their coverage, delete bad frames, fit a model.

Tool tips name the shortcuts, which the window defines.
"""

from PySide6.QtCore import Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QFrame, QWidget

from app.names import counted
from app.qt.controllers.app_controller import AppController
from app.qt.pages.enrol.gallery import Gallery
from app.qt.pages.enrol.quality_list import QualityList
from app.qt.pages.enrol.record_card import RecordCard
from app.qt.pages.enrol.takes_list import CoverageMeter, TakesList
from app.qt.theme import set_class
from app.qt.widgets.layout import CARD, activate, ask, button, card, grid, hbox, scroll_area, vbox
from app.qt.widgets.texts import number_badge, set_text, wrapped
from app.session.takes import EnrolmentState
from app.types import ScoredFrame

_STEPS = (
    "Sit in front of the camera as usual and press Record.",
    "Turn, nod and lean a little while the ring fills.",
    "Record a second take in different light, then fit the model.",
)


class Guidance(QFrame):
    """How to enrol, in three steps; hidden once something is recorded.

    For a model from a file, a note replaces them.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_class(self, "card")
        self._title = wrapped("Show the program your face", "title")
        self._steps = QWidget(self)
        steps = grid(self._steps, 12, 10, 0, 1)
        for row, text in enumerate(_STEPS):
            steps.addWidget(number_badge(row + 1, self), row, 0)
            steps.addWidget(wrapped(text, parent=self), row, 1)
        self._opened = wrapped(
            "The model contains its takes, but model files hold no pictures. "
            "New takes are added to it."
        )
        vbox(self, self._title, self._steps, self._opened, margins=CARD, spacing=12)

    def show_state(self, *, has_begun: bool, has_model: bool) -> None:
        for part in (self._title, self._steps):
            part.setVisible(not has_model)
        self._opened.setVisible(has_model)
        self.setVisible(not has_begun)


class FitBar(QFrame):
    """The buttons Undo and Fit, with a line of text above them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.status = wrapped(kind="muted", parent=self)
        keys = _native(QKeySequence.StandardKey.Undo)
        tip = f"Undo the last change to the takes ({keys})."
        self.undo_button = button("Undo", "undo", tip=tip, parent=self)
        self.fit_button = button("", parent=self)
        buttons = hbox(None, self.undo_button, 1, self.fit_button)
        vbox(self, self.status, buttons, margins=(16, 10, 16, 12))

    def show_enrolment(
        self, enrolment: EnrolmentState, n_unmodelled: int | None, *, is_fitting: bool
    ) -> None:
        """Enable undo and fit; ``n_unmodelled`` is as in `EnrolPage.show_enrolment`."""
        is_idle = not enrolment.collecting
        may_fit = enrolment.can_fit and is_idle and not is_fitting
        n_frames = sum(take.n_samples for take in enrolment.takes)
        if is_fitting:
            status = "The model is being fitted."
        elif not enrolment.can_fit:
            status = enrolment.why_not
        elif n_unmodelled is None:
            status = f"{n_frames} frames are ready to fit a model."
        elif n_unmodelled:
            status = f"Not in the model yet: {counted(n_unmodelled, 'frame')}. Fit again."
        else:
            status = "All frames are in the model."
        set_text(self.status, status)
        self.undo_button.setEnabled(enrolment.can_undo and is_idle)
        self.fit_button.setEnabled(may_fit)
        has_new = n_frames if n_unmodelled is None else n_unmodelled
        set_class(self.fit_button, "primary" if may_fit and has_new else "")
        text = "Fit model" if n_unmodelled is None else "Fit again"
        self.fit_button.setText("Fitting…" if is_fitting else text)
        how = f"Fit a model to all frames of all takes ({_native('Ctrl+F')})."
        self.fit_button.setToolTip(how if may_fit else status)
        self.fit_button.setAccessibleDescription(status)
        activate(self)


def _native(keys: str | QKeySequence.StandardKey) -> str:
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


_GAP = 12


class EnrolPage(QWidget):
    """Guidance, recording, quality, takes, coverage, frames and the fit buttons."""

    def __init__(self, controller: AppController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._enrolment = EnrolmentState()
        self._n_unmodelled: int | None = None
        self._is_fitting = False
        self.guidance = Guidance(self)
        self.record = RecordCard(self)
        self.quality = QualityList(self)
        self.takes = TakesList(self)
        self.coverage = CoverageMeter(self)
        self.gallery = Gallery(self)
        self.fit_bar = FitBar(self)
        self._quality_card = _titled("Picture quality", self.quality, self)
        self._takes_card = _titled("Takes", self.takes, self)
        self._coverage_card = _titled("Coverage", self.coverage, self)
        self._gallery_card = _titled("Frames", self.gallery, self)
        self._lay_out()
        self._connect()
        self._on_enrolment(controller.session.enrolment.state)

    def show_enrolment(self, enrolment: EnrolmentState, n_unmodelled: int | None = None) -> None:
        """Show the enrolment; may be called for every frame.

        ``n_unmodelled`` is the number of frames not in the model, None without a model.
        """
        self._enrolment, self._n_unmodelled = enrolment, n_unmodelled
        takes, has_model = enrolment.takes, n_unmodelled is not None
        has_begun = bool(takes or enrolment.collecting)
        self.guidance.show_state(has_begun=has_begun, has_model=has_model)
        self.record.show_enrolment(enrolment, has_model=has_model)
        self.takes.show_takes(takes, enrolment.collecting)
        self.coverage.show_coverage(enrolment.coverage)
        self.gallery.show_samples(enrolment.samples)
        self._takes_card.setVisible(bool(takes))
        self._coverage_card.setVisible(bool(takes and enrolment.coverage))
        self._gallery_card.setVisible(bool(enrolment.samples))
        self._lock()

    @Slot(bool)
    def set_fitting(self, is_fitting: bool) -> None:
        self._is_fitting = is_fitting
        self._lock()

    def _lock(self) -> None:
        """Disable changes while a take is being recorded."""
        enrolment, is_fitting = self._enrolment, self._is_fitting
        self.fit_bar.show_enrolment(enrolment, self._n_unmodelled, is_fitting=is_fitting)
        is_recording = bool(enrolment.collecting)
        self.takes.set_locked(is_recording, may_clear=not is_recording and not is_fitting)
        self.gallery.set_locked(is_recording)

    def _lay_out(self) -> None:
        content = QWidget()
        scroll = scroll_area(content, self, takes_focus=False)
        cards = (self._coverage_card, self._quality_card, self._takes_card)
        # The gallery takes the remaining space; while it is hidden, the stretch below does.
        parts = (self.guidance, self.record, *cards, (self._gallery_card, 100), 1)
        vbox(content, *parts, margins=_GAP, spacing=_GAP)
        line = QFrame(self)
        set_class(line, "line")
        vbox(self, (scroll, 1), line, self.fit_bar, spacing=0)

    def _connect(self) -> None:
        controller, enrol = self._controller, self._controller.enrol
        self.record.take_requested.connect(enrol.start)
        self.record.take_stopped.connect(enrol.stop)
        self.record.person_changed.connect(enrol.set_person)
        self.takes.remove_requested.connect(enrol.remove_take)
        self.takes.rename_requested.connect(enrol.rename_take)
        self.takes.assign_requested.connect(enrol.assign_take)
        self.takes.clear_button.clicked.connect(self._on_clear)
        self.takes.frames_requested.connect(self.gallery.show_take)
        self.gallery.remove_requested.connect(enrol.remove_samples)
        self.fit_bar.undo_button.clicked.connect(enrol.undo)
        self.fit_bar.fit_button.clicked.connect(controller.model.fit)
        controller.enrolment_changed.connect(self._on_enrolment)
        controller.scored.connect(self._on_scored)
        controller.model.fitting_changed.connect(self.set_fitting)
        controller.source.interrupted.connect(self._on_no_picture)
        controller.source.finished.connect(self._on_no_picture)

    @Slot(object)
    def _on_enrolment(self, state: EnrolmentState) -> None:
        session = self._controller.session
        n_unmodelled = None if session.model is None else len(session.enrolment.unmodelled)
        self.show_enrolment(state, n_unmodelled)

    @Slot(object)
    def _on_scored(self, scored: ScoredFrame) -> None:
        if self.isVisible():
            is_fine = scored.quality is not None and scored.quality.passed
            self.quality.show_quality(scored.quality, "" if is_fine else scored.reason)

    @Slot(str)
    def _on_no_picture(self, why: str) -> None:
        self.quality.show_quality(None, why)

    @Slot()
    def _on_clear(self) -> None:
        ask(
            self,
            "Delete all takes",
            "Delete all takes with their frames?",
            information="This cannot be undone. The fitted model stays.",
            action="Delete all",
            slot=self._controller.enrol.clear,
        )


def _titled(title: str, widget: QWidget, parent: QWidget) -> QFrame:
    frame, column = card(parent)
    column.addWidget(wrapped(title, "heading", frame))
    column.addWidget(widget, 1)
    return frame
