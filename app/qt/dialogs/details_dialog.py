"""Ask for the details of a test that only the tester knows, with templates."""

from collections.abc import Iterable, Mapping

from PySide6.QtCore import QLocale, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QScrollArea,
    QWidget,
)

from app.names import LONGEST_NAME
from app.qt.pages.guided_test.species import species_title
from app.qt.theme import GRID, set_class
from app.qt.widgets.inputs import CalmComboBox
from app.qt.widgets.layout import button, hbox, scroll_area, vbox
from app.qt.widgets.texts import plain_tip, wrapped
from app.session.guided_test.details import (
    DETAILS,
    LARGEST_COUNT,
    LONGEST_DETAIL,
    SPECIES_DETAILS,
    Detail,
    Details,
    made_hint,
)

_PLAIN_NUMBERS = QLocale.c()
_PLAIN_NUMBERS.setNumberOptions(QLocale.NumberOption.RejectGroupSeparator)


class DetailsDialog(QDialog):
    """Asks for the details of a test and of these attack species; all are optional."""

    details_entered = Signal(object)
    """The `Details`, on OK."""
    template_saved = Signal(str, object)
    """A name and `Details`."""
    template_deleted = Signal(str)
    """The name of a template."""

    def __init__(
        self,
        details: Details,
        species: Iterable[str],
        templates: Mapping[str, Details],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Details of the test")
        self._details = details
        self._templates = dict(templates)
        self._editors: dict[tuple[str, str], QWidget] = {}
        about = wrapped(
            "Details that evaluators expect and the program cannot measure. All are optional; the "
            "report counts what is missing. The program fills in dates, camera, resolution, frame "
            "rate, computer and processing times.",
            "muted",
        )
        kind = QDialogButtonBox.StandardButton
        buttons = QDialogButtonBox(kind.Ok | kind.Cancel)
        self.ok_button = buttons.button(kind.Ok)
        set_class(self.ok_button, "primary")
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        parts = (about, self._template_row(), (self._questions(tuple(species)), 1), buttons)
        vbox(self, *parts, margins=2 * GRID, spacing=GRID + 4)
        self._show(details)
        metrics = self.fontMetrics()
        self.resize(112 * metrics.averageCharWidth(), 38 * metrics.height())
        self._editors["", DETAILS[0].key].setFocus()

    def details(self) -> Details:
        """Return the contents of the fields; species without fields keep their details."""
        values: dict[str, str] = {}
        species = {name: dict(known) for name, known in self._details.species.items()}
        for (name, key), editor in self._editors.items():
            answers = species.setdefault(name, {}) if name else values
            answers.pop(key, None)
            if text := _text(editor):
                answers[key] = text
        return Details(values, {name: answers for name, answers in species.items() if answers})

    def editor(self, key: str, species: str = "") -> QWidget:
        return self._editors[species, key]

    def accept(self) -> None:
        self.details_entered.emit(self.details())
        super().accept()

    def _template_row(self) -> QHBoxLayout:
        title = QLabel("Te&mplate")  # not "&T": that breaks the kerning of "Te" and cuts the label
        edit = QLineEdit()
        edit.setMaxLength(LONGEST_NAME)
        self.template = QComboBox()
        self.template.setEditable(True)
        self.template.setLineEdit(edit)
        edit.setPlaceholderText("Choose one, or type a new name")
        self.template.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.template.setAccessibleName("Template")
        title.setBuddy(self.template)
        self.save_button = button("&Save as template", "save", self._on_save)
        self.delete_button = button("&Delete", "delete", self._on_delete)
        for action in (self.save_button, self.delete_button):
            action.setAutoDefault(False)
        self._offer("")
        self.template.activated.connect(self._on_template)
        self.template.editTextChanged.connect(self._refresh)
        return hbox(None, title, (self.template, 1), self.save_button, self.delete_button)

    def _questions(self, species: tuple[str, ...]) -> QScrollArea:
        inside = QWidget()
        form = QFormLayout(inside)
        form.setContentsMargins(0, 0, GRID, 0)
        form.setSpacing(GRID)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for question in DETAILS:
            editor = self._editors["", question.key] = _editor(question, question.hint)
            form.addRow(question.label, editor)
        form.addRow(wrapped("Attack instruments", "heading"))
        if not species:
            missing = "No attack has been presented or planned yet."
            form.addRow(wrapped(missing, "muted"))
        metrics = self.fontMetrics()
        letter = metrics.averageCharWidth()
        for name in species:
            words = species_title(name)
            for question in SPECIES_DETAILS:
                editor = _editor(question, question.hint or made_hint(name))
                editor.setAccessibleName(f"{words}: {question.label}")
                if question.kind == "number":
                    editor.setFixedWidth(17 * letter)
                self._editors[name, question.key] = editor
            label = QLabel(metrics.elidedText(words, Qt.TextElideMode.ElideRight, 26 * letter))
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setToolTip(plain_tip(name))
            form.addRow(label, hbox(None, *(self._editors[name, q.key] for q in SPECIES_DETAILS)))
        return scroll_area(inside)

    def _offer(self, name: str) -> None:
        with QSignalBlocker(self.template):
            self.template.clear()
            self.template.addItems(list(self._templates))
            self.template.setCurrentIndex(-1)
            self.template.setEditText(name)
        self._refresh()

    @Slot()
    def _refresh(self) -> None:
        name = self._name()
        self.save_button.setEnabled(bool(name))
        self.save_button.setToolTip(
            "Save these details under this name, for other tests."
            if name
            else "Type a name for the template first."
        )
        self.delete_button.setEnabled(name in self._templates)

    @Slot(int)
    def _on_template(self, place: int) -> None:
        self._show(self._templates[self.template.itemText(place)])
        self._refresh()

    @Slot()
    def _on_save(self) -> None:
        name, details = self._name(), self.details()
        self._templates[name] = details
        self._offer(name)
        self.template_saved.emit(name, details)

    @Slot()
    def _on_delete(self) -> None:
        name = self._name()
        del self._templates[name]
        self._offer("")
        self.template_deleted.emit(name)

    def _name(self) -> str:
        return " ".join(self.template.currentText().split())

    def _show(self, details: Details) -> None:
        for (name, key), editor in self._editors.items():
            answers = details.of(name) if name else details.values
            _set_text(editor, answers.get(key, ""))


def _editor(question: Detail, hint: str) -> QWidget:
    editor: QComboBox | QLineEdit
    if question.choices:
        editor = CalmComboBox()
        editor.addItems(["–", *question.choices])
    else:
        editor = QLineEdit()
        editor.setMaxLength(LONGEST_DETAIL)
        editor.setPlaceholderText(hint)
        if question.kind == "number":
            validator = QIntValidator(0, LARGEST_COUNT, editor)
            validator.setLocale(_PLAIN_NUMBERS)
            editor.setValidator(validator)
            editor.setMaximumWidth(28 * editor.fontMetrics().averageCharWidth())
    editor.setAccessibleName(question.label)
    editor.setToolTip(hint)
    return editor


def _text(editor: QWidget) -> str:
    """Return an editor's text; empty if nothing is chosen."""
    if isinstance(editor, QComboBox):
        return editor.currentText() if editor.currentIndex() > 0 else ""
    assert isinstance(editor, QLineEdit)
    return " ".join(editor.text().split())


def _set_text(editor: QWidget, text: str) -> None:
    if isinstance(editor, QComboBox):
        if text and editor.findText(text) < 0:
            editor.addItem(text)  # a file may hold other values
        editor.setCurrentIndex(max(editor.findText(text), 0) if text else 0)
    else:
        assert isinstance(editor, QLineEdit)
        editor.setText(text)
