"""The card that records takes: name, button, progress ring and next step."""

from PySide6.QtCore import QRectF, QSize, QStringListModel, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFont, QKeySequence, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QComboBox,
    QCompleter,
    QFrame,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QStackedWidget,
    QWidget,
)

from app.names import LONGEST_NAME, LONGEST_PERSON, TAKE_NAMES, counted
from app.qt.theme import colours, set_class
from app.qt.theme.icons import icon
from app.qt.widgets.inputs import CalmComboBox
from app.qt.widgets.layout import CARD, button, grid, hbox, vbox
from app.qt.widgets.texts import wrapped
from app.session.takes import EnrolmentState, TakeSummary

_FULL = 360 * 16
"""A full turn; Qt measures angles in sixteenths of a degree."""

_LINES = 7.5
"""Diameter in lines of text."""


class ProgressRing(QWidget):
    """A progress ring with the number of frames in the middle."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.count, self.share, self.is_complete = "0", 0.0, False
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Progress of the take")

    def show_frames(self, n: int, n_wanted: int) -> None:
        """Show the progress of a take; ``n_wanted`` is 0 while none is being recorded."""
        self.is_complete = n > 0 and not n_wanted
        self.count = f"{n} / {n_wanted}" if n_wanted else str(n)
        self.share = min(n / n_wanted, 1.0) if n_wanted else float(self.is_complete)
        self.setAccessibleDescription(f"{self.count} frames")
        self.update()

    def sizeHint(self) -> QSize:
        side = round(self.fontMetrics().height() * _LINES)
        return QSize(side, side)

    def paintEvent(self, _event: QPaintEvent, /) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = colours()
        width = self.width() / 12
        ring = QRectF(self.rect()).adjusted(width, width, -width, -width)
        painter.setPen(QPen(QColor(theme.raised), width))
        painter.drawEllipse(ring)
        done = QPen(QColor(theme.good if self.is_complete else theme.accent), width)
        done.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(done)
        painter.drawArc(ring, _FULL // 4, -round(self.share * _FULL))
        font = QFont(self.font())
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(QColor(theme.text))
        painter.drawText(ring, Qt.AlignmentFlag.AlignCenter, f"{self.count}\nframes")
        painter.end()


RECOMMENDED = 2
"""Recommended number of takes in different light before a fit."""

_INVITATION = "The recording ends by itself when the ring is full."


class RecordCard(QFrame):
    """Starts and stops takes, and shows the progress of the current one."""

    take_requested = Signal(str)
    """Name for the new take; empty for the suggested one."""
    take_stopped = Signal()
    person_changed = Signal(str)
    """Person in the next take."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_class(self, "card")
        self._collecting = self._outcome = self._person = ""
        self._takes: tuple[TakeSummary, ...] = ()
        self.heading = wrapped("New take", "heading", self)
        self.ring = ProgressRing(self)
        self._line = QLineEdit()
        self.name = self._make_name()
        self._people = QStringListModel(self)
        self.person = self._make_person()
        self.hint = wrapped(kind="heading", parent=self)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
        self._top = QStackedWidget(self)
        self._top.addWidget(self._make_naming())
        self._top.addWidget(self.hint)
        self.button = button("", slot=self.toggle, parent=self)
        self.button.setMinimumHeight(round(self.fontMetrics().height() * 2.6))
        self.note = wrapped(kind="muted", parent=self)
        fields = vbox(None, self._top, self.button, spacing=10)
        ring = (self.ring, 0, Qt.AlignmentFlag.AlignVCenter)
        body = hbox(None, ring, (fields, 1), spacing=16)
        vbox(self, self.heading, body, self.note, margins=CARD, spacing=10)
        self._show_state()

    def show_enrolment(self, enrolment: EnrolmentState, *, has_model: bool) -> None:
        """Show the progress of the recording, or the next step."""
        self._line.setPlaceholderText(enrolment.suggested_name)
        self._show_people(enrolment)
        before, self._collecting = self._collecting, enrolment.collecting
        if enrolment.collecting:
            self.ring.show_frames(enrolment.n_collected, enrolment.n_wanted)
        else:
            self.ring.show_frames(sum(take.n_samples for take in enrolment.takes), 0)
        if before and not enrolment.collecting:
            self._outcome = _outcome_of(before, enrolment)
        elif enrolment.takes != self._takes:
            self._outcome = ""
        self._takes = enrolment.takes
        if enrolment.collecting != before:
            self._show_state()
        self.hint.setText(enrolment.hint)
        text = " ".join(filter(None, (self._outcome, self._next_step(enrolment, has_model))))
        self.note.setText(_INVITATION if enrolment.collecting else text)

    @Slot()
    def toggle(self) -> None:
        if self._collecting:
            self.take_stopped.emit()
        else:
            self.take_requested.emit(" ".join(self.name.currentText().split()))

    def _make_name(self) -> QComboBox:
        name = CalmComboBox(self)
        name.setEditable(True)
        name.setLineEdit(self._line)
        name.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        name.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        name.addItems(TAKE_NAMES)
        name.setCurrentIndex(-1)
        name.setAccessibleName("Name of the take")
        name.setToolTip("Name of the next take; if empty, the name in grey is used.")
        if (completer := name.completer()) is not None:
            # With inline completion, "lamp" and Return would start a take named "lamp light".
            completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        self._line.setMaxLength(LONGEST_NAME)
        self._line.returnPressed.connect(self.toggle)
        return name

    def _make_person(self) -> QLineEdit:
        person = QLineEdit(self)
        person.setMaxLength(LONGEST_PERSON)
        person.setPlaceholderText("optional")
        person.setAccessibleName("Person")
        person.setToolTip("Name of the person in the next take, if several people share a model.")
        completer = QCompleter(self._people, person)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        person.setCompleter(completer)
        person.textChanged.connect(self._on_person)
        return person

    def _make_naming(self) -> QWidget:
        naming = QWidget(self)
        layout = grid(naming, 10, 6, 3, 2)
        layout.setRowStretch(0, 1)
        fields = {"Name of the take": self.name, "Person": self.person}
        for column, (text, field) in enumerate(fields.items()):
            label = QLabel(text, naming)
            label.setProperty("class", "muted")
            label.setBuddy(field)
            layout.addWidget(label, 1, column)
            layout.addWidget(field, 2, column)
        return naming

    def _show_people(self, enrolment: EnrolmentState) -> None:
        """Suggest known names, and update the field if the enrolment's person changed."""
        people = sorted({take.person for take in enrolment.takes} - {""})
        if people != self._people.stringList():
            self._people.setStringList(people)
        if enrolment.person not in (self._person, self._typed_person()):
            self.person.setText(enrolment.person)
        self._person = enrolment.person

    def _typed_person(self) -> str:
        return " ".join(self.person.text().split())

    def _show_state(self) -> None:
        is_recording = bool(self._collecting)
        self.name.setEnabled(not is_recording)
        self.person.setEnabled(not is_recording)
        keys = QKeySequence("Ctrl+R").toString(QKeySequence.SequenceFormat.NativeText)
        if is_recording:
            self.name.setCurrentIndex(-1)
            self.name.clearEditText()
            self.heading.setText(f"Recording “{self._collecting}”")
            self.button.setText("Stop")
            self.button.setIcon(icon("stop", "bad"))
            tip = f"Stop recording and keep the frames so far ({keys})."
        else:
            self.heading.setText("New take")
            self.button.setText("Record")
            self.button.setIcon(icon("record", "on_accent"))
            tip = f"Record a take ({keys}). It ends by itself when the ring is full."
        self.button.setToolTip(tip)
        set_class(self.button, "" if is_recording else "primary")
        self._top.setCurrentIndex(int(is_recording))

    def _next_step(self, enrolment: EnrolmentState, has_model: bool) -> str:
        """Return the number of takes out of those recommended, and the next step."""
        n = sum(take.person == enrolment.person for take in enrolment.takes)
        if not n or (has_model and n >= RECOMMENDED):
            return "" if self._outcome else _INVITATION
        if n >= RECOMMENDED:
            return f"{n} takes: fit the model, or record in different light."
        rest = f" Next: {enrolment.suggested_name}, then fit." if enrolment.suggested_name else ""
        return f"{n} of {RECOMMENDED} recommended takes.{rest}"

    @Slot()
    def _on_person(self) -> None:
        if self._typed_person() != self._person:
            self.person_changed.emit(self._typed_person())


def _outcome_of(name: str, enrolment: EnrolmentState) -> str:
    n = sum(take.n_samples for take in enrolment.takes if take.name == name)
    if not n:
        return "No frame was kept: check the picture quality and record again."
    return f"“{name}” has {counted(n, 'frame')}."
