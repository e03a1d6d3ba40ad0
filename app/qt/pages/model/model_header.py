"""The model in brief: what it was made of, how good the fit is, its threshold, its file."""

from pathlib import PurePath

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from app.models.summary import ModelSummary
from app.qt.charts.format import decimals, places_for, scientific
from app.qt.pages.model.threshold import threshold_mark, threshold_words
from app.qt.theme import set_class
from app.qt.theme.icons import icon
from app.qt.widgets.flow import FlowRow
from app.qt.widgets.layout import CARD, button, clear, hbox, vbox
from app.qt.widgets.marks import Mark, MarkedText, caution
from app.qt.widgets.texts import ElidedLabel, plain_tip, wrapped


class _Figure(QWidget):
    """A number with its name below it."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._name = name
        self._value, label = QLabel(self), QLabel(name, self)
        set_class(self._value, "title")
        set_class(label, "muted")
        vbox(self, self._value, label, spacing=0)

    def show_value(self, text: str) -> None:
        self._value.setText(text)
        self.setAccessibleName(f"{self._name}: {text}")


class ModelHeader(QFrame):
    """A card that sums a model up."""

    fit_requested = Signal()
    export_requested = Signal()
    open_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_class(self, "card")
        self._notes: list[MarkedText] = []
        self._notes_column = vbox(None, spacing=6)
        self._simulated = caution("", self)
        names = ("frames", "takes", "clusters", "threshold")
        self._figures = {name: _Figure(name, self) for name in names}
        figures = FlowRow(self, gap=28)
        figures.add(*self._figures.values())
        self.certificate = MarkedText("genuine", "good", parent=self)
        self.threshold = MarkedText("genuine", "good", parent=self)
        tip = "Show or hide how the threshold was set, in exact words"
        self.more = button("Details", "chevron-right", tip=tip, kind="quiet", parent=self)
        self.more.setCheckable(True)
        self.more.setAccessibleName("Details of the threshold")
        self.more.toggled.connect(self._on_more)
        self.details = wrapped("", "muted", self)
        self.file = ElidedLabel(parent=self)
        self.protection = QLabel(self)
        set_class(self.protection, "muted")
        self._file_mark = Mark("save", "muted", self)
        tip = "Save the model as one file and check that it scores alike"
        self.export = button("Export…", "export", self.export_requested, tip=tip, parent=self)
        self.fit = button("Fit again", "refresh", self.fit_requested, parent=self)
        tip = "Use a model from a file in place of this one"
        self.open = button("Open…", "open", self.open_requested, tip=tip, parent=self)
        buttons = FlowRow(self, gap=8)
        buttons.add(self.export, self.fit, self.open)
        vbox(
            self,
            self._simulated,
            figures,
            self.certificate,
            self.threshold,
            (self.more, 0, Qt.AlignmentFlag.AlignLeft),
            self.details,
            self._notes_column,
            hbox(None, self._file_mark, self.file, self.protection, 1),
            buttons,
            margins=CARD,
            spacing=10,
        )
        self.details.hide()
        self.set_can_fit(True, "")

    def show_model(self, model: ModelSummary) -> None:
        simulated = "Simulated: frames of the demo were enrolled, not of a person."
        self._simulated.show_text(simulated if model.is_simulated else "")
        threshold = model.threshold
        values = {
            "frames": str(model.n_samples),
            "takes": str(len(model.takes)),
            "clusters": str(model.n_clusters),
            "threshold": decimals(threshold.value, places_for(abs(threshold.value))),
        }
        for name, value in values.items():
            self._figures[name].show_value(value)
        gap = scientific(model.gap)
        if model.is_certified:
            text = f"The fit is optimal: proven to within {gap} (relative)."
            self.certificate.show_text(text, "genuine", "good")
        else:
            text = (
                f"The fit is not proven optimal: other weights may be better by up to {gap} "
                "(relative)."
            )
            self.certificate.show_text(text, "warning", "caution")
        self.threshold.show_text(threshold_words(threshold), *threshold_mark(threshold))
        self.details.setText(f"{threshold.statement} Set to {threshold.origin}.")
        clear(self._notes_column)
        self._notes = [caution(note, self) for note in model.notes]
        for note in self._notes:
            self._notes_column.addWidget(note)
        self._show_file(model.path, model.is_protected)

    def set_can_fit(self, can_fit: bool, why_not: str) -> None:
        """Allow another fit, or say why there cannot be one."""
        self.fit.setEnabled(can_fit)
        self.fit.setToolTip("Fit anew on all enrolled takes" if can_fit else why_not)

    @property
    def simulated(self) -> str:
        """The remark that the frames are simulated; empty where they are not."""
        return self._simulated.text()

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(note.text() for note in self._notes)

    @Slot(bool)
    def _on_more(self, is_open: bool) -> None:
        self.details.setVisible(is_open)
        self.more.setIcon(icon("chevron-down" if is_open else "chevron-right"))

    def _show_file(self, path: str, is_protected: bool) -> None:
        self.file.set_whole(PurePath(path).name if path else "Not exported yet")
        self.file.setToolTip(plain_tip(path) or "The model is in memory only: it ends with the app")
        shape = "lock" if is_protected else "check"
        self._file_mark.set_shape(shape if path else "info", "good" if path else "caution")
        self.protection.setText("protected by a passphrase" if is_protected else "not protected")
        self.protection.setVisible(bool(path))
        set_class(self.export, "" if path else "primary")
        self.export.setIcon(icon("export", "text" if path else "on_accent"))
