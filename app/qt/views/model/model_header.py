"""The model in brief: what it was made of, how good the fit is, its threshold, its file."""

from pathlib import PurePath

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.models.summary import ModelSummary
from app.qt.icons import icon
from app.qt.theme import set_class
from app.qt.views.charts.flow import FlowLayout
from app.qt.views.charts.wording import decimals, places_for, scientific
from app.qt.views.model.threshold_words import threshold_mark, threshold_words
from app.qt.views.parts.texts import ElidedLabel, Mark, MarkedText, caution, plain_tip, wrapped


class _Figure(QWidget):
    """A number with its name below it."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._value = QLabel(self)
        set_class(self._value, "title")
        label = QLabel(name, self)
        set_class(label, "muted")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._value)
        column.addWidget(label)
        self._name = name

    def show_value(self, text: str) -> None:
        if self._value.text() != text:
            self._value.setText(text)
            self.setAccessibleName(f"{self._name}: {text}")


class ModelHeader(QFrame):
    """A card that sums a model up.

    Signals
    -------
    fit_requested, export_requested, open_requested : no value
        The buttons.
    """

    fit_requested = Signal()
    export_requested = Signal()
    open_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_class(self, "card")
        self._shown: ModelSummary | None = None
        self._notes: list[MarkedText] = []
        self._simulated = caution("", self)
        self._figures = {
            "frames": _Figure(self.tr("frames"), self),
            "takes": _Figure(self.tr("takes"), self),
            "clusters": _Figure(self.tr("clusters"), self),
            "threshold": _Figure(self.tr("threshold"), self),
        }
        self.certificate = MarkedText("genuine", "good", parent=self)
        self.threshold = MarkedText("genuine", "good", parent=self)
        self.more = QPushButton(icon("chevron-right"), self.tr("Details"), self)
        self.more.setCheckable(True)
        set_class(self.more, "quiet")
        self.more.setToolTip(self.tr("Show or hide how the threshold was set, in exact words"))
        self.more.setAccessibleName(self.tr("Details of the threshold"))
        self.more.toggled.connect(self._on_more)
        self.details = wrapped("", "muted", self)
        self.details.hide()
        self.file = ElidedLabel(parent=self)
        self.protection = QLabel(self)
        set_class(self.protection, "muted")
        self._file_mark = Mark("save", "muted", parent=self)
        self.export = QPushButton(icon("export"), self.tr("Export\N{HORIZONTAL ELLIPSIS}"), self)
        self.export.setToolTip(self.tr("Save the model as one file and check that it scores alike"))
        self.export.clicked.connect(self.export_requested)
        self.fit = QPushButton(icon("refresh"), self.tr("Fit again"), self)
        self.fit.clicked.connect(self.fit_requested)
        self.open = QPushButton(icon("open"), self.tr("Open\N{HORIZONTAL ELLIPSIS}"), self)
        self.open.setToolTip(self.tr("Use a model from a file in place of this one"))
        self.open.clicked.connect(self.open_requested)
        self.set_can_fit(True, "")
        self._arrange()

    def _arrange(self) -> None:
        figures = QWidget(self)
        flow = FlowLayout(figures, gap=28)
        for figure in self._figures.values():
            flow.addWidget(figure)
        file_row = QHBoxLayout()
        file_row.setSpacing(8)
        file_row.addWidget(self._file_mark)
        file_row.addWidget(self.file)
        file_row.addWidget(self.protection)
        file_row.addStretch(1)
        buttons = QWidget(self)
        button_flow = FlowLayout(buttons, gap=8)
        for button in (self.export, self.fit, self.open):
            button_flow.addWidget(button)
        self._notes_column = QVBoxLayout()
        self._notes_column.setSpacing(6)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 16)
        column.setSpacing(10)
        column.addWidget(self._simulated)
        column.addWidget(figures)
        column.addWidget(self.certificate)
        column.addWidget(self.threshold)
        column.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.details)
        column.addLayout(self._notes_column)
        column.addLayout(file_row)
        column.addWidget(buttons)

    def show_model(self, model: ModelSummary) -> None:
        """Show a model."""
        if model is self._shown:
            return
        old_notes = () if self._shown is None else self._shown.notes
        self._shown = model
        self._simulated.show_text(
            self.tr("Simulated: frames of the demo were enrolled, not of a person.")
            if model.is_simulated
            else ""
        )
        places = places_for(abs(model.threshold.value))
        values = {
            "frames": str(model.n_samples),
            "takes": str(len(model.takes)),
            "clusters": str(model.n_clusters),
            "threshold": decimals(model.threshold.value, places),
        }
        for name, value in values.items():
            self._figures[name].show_value(value)
        self._show_certificate(model)
        self._show_threshold(model)
        if model.notes != old_notes:
            self._show_notes(model.notes)
        self._show_file(model.path, model.is_protected)

    def set_can_fit(self, can_fit: bool, why_not: str) -> None:
        """Allow another fit, or say why there cannot be one."""
        self.fit.setEnabled(can_fit)
        self.fit.setToolTip(self.tr("Fit anew on all enrolled takes") if can_fit else why_not)

    @property
    def simulated(self) -> str:
        """The remark that the frames are simulated; empty where they are not."""
        return self._simulated.text()

    @property
    def notes(self) -> tuple[str, ...]:
        """Cautions that are shown."""
        return tuple(note.text() for note in self._notes)

    def _show_certificate(self, model: ModelSummary) -> None:
        gap = scientific(model.gap)
        if model.is_certified:
            text = self.tr("The fit is optimal: proven to within {gap} (relative).")
            self.certificate.show_text(text.format(gap=gap), "genuine", "good")
        else:
            text = self.tr(
                "The fit is not proven optimal: other weights may be better by up to {gap} "
                "(relative)."
            )
            self.certificate.show_text(text.format(gap=gap), "warning", "caution")

    def _show_threshold(self, model: ModelSummary) -> None:
        threshold = model.threshold
        text = threshold_words(threshold)
        self.threshold.show_text(text, *threshold_mark(threshold))
        statement = self.tr("{statement} Set to {origin}.")
        self.details.setText(
            statement.format(statement=threshold.statement, origin=threshold.origin)
        )

    @Slot(bool)
    def _on_more(self, is_open: bool) -> None:
        self.details.setVisible(is_open)
        self.more.setIcon(icon("chevron-down" if is_open else "chevron-right"))

    def _show_notes(self, notes: tuple[str, ...]) -> None:
        for note in self._notes:
            self._notes_column.removeWidget(note)
            note.hide()
            note.deleteLater()
        self._notes = [caution(text, self) for text in notes]
        for note in self._notes:
            self._notes_column.addWidget(note)

    def _show_file(self, path: str, is_protected: bool) -> None:
        self.file.set_whole(PurePath(path).name if path else self.tr("Not exported yet"))
        self.file.setToolTip(
            plain_tip(path) or self.tr("The model is in memory only: it ends with the app")
        )
        shape = "lock" if is_protected else "check"
        self._file_mark.set_shape(shape if path else "info", "good" if path else "caution")
        self.protection.setText(
            self.tr("protected by a passphrase") if is_protected else self.tr("not protected")
        )
        self.protection.setVisible(bool(path))
        set_class(self.export, "" if path else "primary")
        role = "text" if path else "on_accent"
        self.export.setIcon(icon("export", role))
