"""The enrolment page: record takes, see what is covered, delete bad frames, fit a model.

Shortcuts that hold in the whole window are the window's; tool tips here name them.
"""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QResizeEvent
from PySide6.QtWidgets import QFrame, QWidget

from app.qt.controllers.app_controller import AppController
from app.qt.pages.enrol.gallery import Gallery
from app.qt.pages.enrol.quality_list import QualityList
from app.qt.pages.enrol.record_card import RecordCard
from app.qt.pages.enrol.takes_list import CoverageMeter, TakesList
from app.qt.theme import set_class
from app.qt.theme.icons import icon
from app.qt.widgets.layout import CARD, ask, button, card, grid, hbox, scroll_area, vbox
from app.qt.widgets.texts import NumberBadge, set_text, wrapped
from app.session.takes import EnrolmentState
from app.types import Quality, ScoredFrame

_STEPS = (
    "Sit before the camera as you usually do and press Record.",
    "Turn, nod and lean a little while the ring fills.",
    "Record a second take in another light, then fit the model.",
)


class Guidance(QFrame):
    """How to enrol, in three numbered lines under a heading that folds them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._was_begun = self._is_opened = False
        tip = "Show or hide the three steps."
        self.button = button("How to enrol", slot=self._on_clicked, tip=tip, kind="quiet")
        self._title = wrapped("Show the program your face", "title")
        self._steps = QWidget(self)
        steps = grid(self._steps, 12, 10, 0, 1)
        for row, text in enumerate(_STEPS):
            steps.addWidget(NumberBadge(row + 1, self), row, 0, Qt.AlignmentFlag.AlignTop)
            label = wrapped(text, parent=self)
            label.setAlignment(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
            steps.addWidget(label, row, 1)
        self._opened = wrapped(
            "The model knows its own takes; pictures are not kept in files. "
            "A new take is added to it."
        )
        folding = (self.button, 0, Qt.AlignmentFlag.AlignLeft)
        self._column = vbox(self, self._title, folding, self._steps, self._opened, spacing=12)
        self._fold(False)

    def show_state(self, *, was_begun: bool, is_opened: bool) -> None:
        """Fold the steps once something was recorded, and unfold them when all is gone.

        In between they stay as the person left them. A note replaces them where the model came
        from a file.
        """
        if (was_begun, is_opened) != (self._was_begun, self._is_opened):
            self._was_begun, self._is_opened = was_begun, is_opened
            self._fold(was_begun)

    @Slot()
    def _on_clicked(self) -> None:
        self._fold(self.is_open)

    def _fold(self, is_folded: bool) -> None:
        self.is_open = not is_folded and not self._is_opened
        self._opened.setVisible(self._is_opened)
        self._steps.setVisible(self.is_open)
        # Before anything was recorded the steps are what matters: nothing to fold them with.
        self._title.setVisible(not self._was_begun and not self._is_opened)
        self.button.setVisible(self._was_begun)
        self.button.setIcon(icon("chevron-down" if self.is_open else "chevron-right"))
        self.button.setAccessibleDescription(
            "The steps are shown." if self.is_open else "The steps are hidden."
        )
        has_frame = self.is_open or self._is_opened
        set_class(self, "card" if has_frame else "")
        if not has_frame:
            self._column.setContentsMargins(0, 0, 0, 0)
        elif self._was_begun:
            self._column.setContentsMargins(0, 0, 16, 16)
        else:
            self._column.setContentsMargins(*CARD)
        self._steps.setContentsMargins(16 if self._was_begun else 0, 0, 0, 0)


UNDO_SHORTCUT = QKeySequence.StandardKey.Undo
FIT_SHORTCUT = "Ctrl+F"


class FitBar(QFrame):
    """Undo on the left, fit on the right, and one line of words above them."""

    undo_requested = Signal()
    fit_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._enrolment = EnrolmentState()
        self._is_busy = self._has_model = False
        self._n_unmodelled = 0
        self._state: tuple[object, ...] = ()
        self.words = wrapped(kind="muted", parent=self)
        tip = f"Take back the last change to the takes ({_native(QKeySequence(UNDO_SHORTCUT))})."
        self.undo_button = button("Undo", "undo", self.undo, tip=tip, parent=self)
        self.fit_button = button("", slot=self.fit, parent=self)
        buttons = hbox(None, self.undo_button, 1, self.fit_button)
        vbox(self, self.words, buttons, margins=(16, 10, 16, 12))
        self._refresh()

    def show_enrolment(self, enrolment: EnrolmentState) -> None:
        """Take what can be undone and whether a model can be fitted."""
        self._enrolment = enrolment
        self._refresh()

    def set_busy(self, is_busy: bool) -> None:
        self._is_busy = is_busy
        self._refresh()

    def set_model_present(self, is_present: bool, n_unmodelled: int) -> None:
        """Say whether there is a model, and how many frames it does not know."""
        self._has_model, self._n_unmodelled = is_present, n_unmodelled
        self._refresh()

    @property
    def tab_stops(self) -> tuple[QWidget, ...]:
        return self.undo_button, self.fit_button

    @property
    def may_undo(self) -> bool:
        """Whether there is something to take back, and no take being recorded."""
        return self._enrolment.can_undo and not self._enrolment.collecting

    @property
    def may_fit(self) -> bool:
        taken = self._enrolment
        return taken.can_fit and not taken.collecting and not self._is_busy

    @Slot()
    def undo(self) -> None:
        if self.may_undo:
            self.undo_requested.emit()

    @Slot()
    def fit(self) -> None:
        if self.may_fit:
            self.fit_requested.emit()

    @property
    def _n_frames(self) -> int:
        return sum(take.n_samples for take in self._enrolment.takes)

    def _refresh(self) -> None:
        n_new = self._n_unmodelled if self._has_model else self._n_frames
        words = self._in_words(n_new)
        state = (words, self.may_undo, self.may_fit, n_new, self._fit_text())
        if state == self._state:
            return
        self._state = state
        set_text(self.words, words)
        self.undo_button.setEnabled(self.may_undo)
        self.fit_button.setEnabled(self.may_fit)
        set_class(self.fit_button, "primary" if self.may_fit and n_new else "")
        self.fit_button.setText(self._fit_text())
        keys = _native(QKeySequence(FIT_SHORTCUT))
        how = f"Learn from all frames of all takes ({keys})."
        self.fit_button.setToolTip(how if self.may_fit else words)
        self.fit_button.setAccessibleDescription(words)

    def _fit_text(self) -> str:
        if self._is_busy:
            return "Fitting\N{HORIZONTAL ELLIPSIS}"
        return "Fit again" if self._has_model else "Fit model"

    def _in_words(self, n_new: int) -> str:
        if self._is_busy:
            return "The model is being fitted."
        if not self._enrolment.can_fit:
            return self._enrolment.why_not
        if not self._has_model:
            return f"{self._n_frames} frames are ready to learn from."
        if n_new == 0:
            return "The model knows all frames."
        if n_new == 1:
            return "The model does not know 1 frame yet: fit again."
        return f"The model does not know {n_new} frames yet: fit again."


def _native(keys: QKeySequence) -> str:
    return keys.toString(QKeySequence.SequenceFormat.NativeText)


_TWO_COLUMNS = 54
"""Width from which there are two columns, in heights of a line of text."""

_GAP = 12


class EnrolPage(QWidget):
    """Everything about enrolling a face."""

    def __init__(self, controller: AppController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._is_busy = self._has_model = False
        self._shown = EnrolmentState()
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
        self._order_tabs()
        self._on_enrolment(controller.session.enrolment.state)

    def show_enrolment(self, shown: EnrolmentState) -> None:
        """Show the enrolment; may be called for every frame."""
        self._shown = shown
        has_takes = bool(shown.takes)
        self._guide()
        self.record.show_enrolment(shown)
        self.takes.show_takes(shown.takes, shown.collecting)
        self.coverage.show_coverage(shown.coverage)
        self.gallery.show_samples(shown.samples)
        self.fit_bar.show_enrolment(shown)
        self._takes_card.setVisible(has_takes)
        self._coverage_card.setVisible(has_takes and bool(shown.coverage))
        self._gallery_card.setVisible(bool(shown.samples))
        self._lock()

    def show_quality(self, quality: Quality | None, reason: str) -> None:
        """Show the checks of the newest frame; may be called for every frame."""
        self.quality.show_quality(quality, reason)

    @Slot(bool)
    def set_busy(self, is_busy: bool) -> None:
        self._is_busy = is_busy
        self.fit_bar.set_busy(is_busy)
        self._lock()

    def set_model_present(self, is_present: bool, n_unmodelled: int) -> None:
        """Say whether there is a model, and how many frames it does not know."""
        self._has_model = is_present
        self.fit_bar.set_model_present(is_present, n_unmodelled)
        self.record.set_model_present(is_present)
        self._guide()

    def resizeEvent(self, event: QResizeEvent, /) -> None:
        """Use two columns where there is room for them."""
        super().resizeEvent(event)
        self._arrange()

    def _guide(self) -> None:
        has_begun = bool(self._shown.takes or self._shown.collecting)
        # A model from a file was enrolled elsewhere: the first steps are not needed.
        is_opened = self._has_model and not has_begun
        self.guidance.show_state(was_begun=has_begun, is_opened=is_opened)

    def _lock(self) -> None:
        """Leave the takes alone while one is recorded; a fit goes on with what it was given."""
        is_recording = bool(self._shown.collecting)
        self.takes.set_locked(is_recording, may_clear=not is_recording and not self._is_busy)
        self.gallery.set_locked(is_recording)

    def _lay_out(self) -> None:
        content = QWidget()
        scroll = scroll_area(content, self, takes_focus=False)
        self._first, self._second = vbox(None, spacing=_GAP), vbox(None, spacing=_GAP)
        self._columns = hbox(None, self._first, self._second)
        parts = (self.guidance, self._columns, (self._gallery_card, 1))
        vbox(content, *parts, margins=_GAP, spacing=_GAP)
        self._n_columns = 0
        self._arrange()
        line = QFrame(self)
        set_class(line, "line")
        vbox(self, (scroll, 1), line, self.fit_bar, spacing=0)

    def _arrange(self) -> None:
        wanted = 2 if self.width() >= self.fontMetrics().height() * _TWO_COLUMNS else 1
        if wanted == self._n_columns:
            return
        self._n_columns = wanted
        second = self._first if wanted == 1 else self._second
        self._columns.setSpacing(_GAP if wanted == 2 else 0)
        self._columns.setStretch(0, 1)
        self._columns.setStretch(1, wanted - 1)
        for layout in (self._first, self._second):
            while layout.count():
                layout.takeAt(0)
        self._first.addWidget(self.record)
        self._first.addWidget(self._coverage_card)
        second.addWidget(self._quality_card)
        second.addWidget(self._takes_card)
        for layout in (self._first, self._second):
            layout.addStretch(1)

    def _connect(self) -> None:
        controller, enrol = self._controller, self._controller.enrol
        self.record.take_requested.connect(enrol.start)
        self.record.take_stopped.connect(enrol.stop)
        self.record.person_changed.connect(enrol.set_person)
        self.takes.remove_requested.connect(enrol.remove_take)
        self.takes.rename_requested.connect(enrol.rename_take)
        self.takes.assign_requested.connect(enrol.assign_take)
        self.takes.clear_requested.connect(self._on_clear)
        self.takes.frames_requested.connect(self.gallery.show_take)
        self.gallery.remove_requested.connect(enrol.remove_samples)
        self.fit_bar.undo_requested.connect(enrol.undo)
        self.fit_bar.fit_requested.connect(controller.model.fit)
        controller.enrolment_changed.connect(self._on_enrolment)
        controller.scored.connect(self._on_scored)
        controller.model.fitting_changed.connect(self.set_busy)
        controller.source.interrupted.connect(self._on_no_picture)
        controller.source.finished.connect(self._on_no_picture)

    def _order_tabs(self) -> None:
        """Go from top to bottom: laying the widgets out has mixed up their order."""
        last: QWidget = self.guidance.button
        for stops in (
            self.record.tab_stops,
            self.quality.tab_stops,
            self.takes.tab_stops,
            self.gallery.tab_stops,
            self.fit_bar.tab_stops,
        ):
            for stop in stops:
                QWidget.setTabOrder(last, stop)
                last = stop

    @Slot(object)
    def _on_enrolment(self, state: EnrolmentState) -> None:
        session = self._controller.session
        self.show_enrolment(state)
        self.set_model_present(session.model is not None, len(session.enrolment.unmodelled))

    @Slot(object)
    def _on_scored(self, scored: ScoredFrame) -> None:
        if self.isVisible():
            is_fine = scored.quality is not None and scored.quality.passed
            self.show_quality(scored.quality, "" if is_fine else scored.reason)

    @Slot(str)
    def _on_no_picture(self, why: str) -> None:
        self.show_quality(None, why)

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
