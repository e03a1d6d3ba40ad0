"""Fields of the settings: a name, an editor, one line of help, and what is wrong with the value.

A field gives back whatever was typed; `app.settings.check` says whether it can be used.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt, Signal, Slot
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.qt.theme import GRID, set_class, set_mark
from app.qt.views.parts.texts import plain_tip
from app.settings import AUTO

Choice = tuple[str, Any]
"""What is read, and the value it stands for."""


def automatic() -> str:
    """Return the word for what the program chooses."""
    return QCoreApplication.translate("SettingsDialog", "Automatic")


def line(text: str, kind: str) -> QLabel:
    """Return a line of plain text that wraps and takes as much height as it then needs."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    set_class(label, kind)
    return label


class Field(QWidget):
    """One setting; what it is edited with is up to the subclass.

    Parameters
    ----------
    name : str
        The field of `app.settings.Settings` it stands for.
    title, help_text : str
        What it is called, and one line on what it does.
    editor : QWidget
        What it is edited with.
    beside : QWidget, optional
        Stands to the right of the editor.
    """

    changed = Signal()
    """The value is another than before."""

    def __init__(
        self,
        name: str,
        title: str,
        help_text: str,
        editor: QWidget,
        beside: QWidget | None = None,
    ) -> None:
        super().__init__()
        self.name = name
        self.editor = editor
        self._help = line(help_text, "small")
        self._problem = line("", "bad")
        self._problem.hide()
        self._help_text = help_text
        editor.setObjectName(name)
        editor.setAccessibleName(title)
        editor.setAccessibleDescription(help_text)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, GRID)
        layout.setSpacing(GRID // 2)
        if not isinstance(editor, QCheckBox):
            label = QLabel(title)
            label.setBuddy(editor)
            layout.addWidget(label)
        row = QHBoxLayout()
        row.setSpacing(GRID)
        row.addWidget(editor, 1)
        if beside is not None:
            row.addWidget(beside)
        layout.addLayout(row)
        layout.addWidget(self._problem)
        layout.addWidget(self._help)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)

    def value(self) -> Any:
        """Return what the editor holds; a text where it is not understood."""
        raise NotImplementedError

    def set_value(self, value: Any) -> None:
        """Show a value."""
        raise NotImplementedError

    @property
    def problem(self) -> str:
        """What is wrong, as it is shown; empty when nothing is."""
        return self._problem.text()

    def show_problem(self, sentence: str) -> None:
        """Say what is wrong with the value under the editor, or nothing."""
        self._problem.setText(sentence)
        self._problem.setVisible(bool(sentence))
        self.editor.setAccessibleDescription(sentence or self._help_text)
        set_mark(self.editor, "wrong", bool(sentence))


class SwitchField(Field):
    """Yes or no."""

    editor: QCheckBox

    def __init__(self, name: str, title: str, help_text: str) -> None:
        super().__init__(name, title, help_text, QCheckBox(title))
        self.editor.toggled.connect(self.changed)

    def value(self) -> bool:
        """Return whether it is on."""
        return self.editor.isChecked()

    def set_value(self, value: Any) -> None:
        """Switch it on or off."""
        self.editor.setChecked(bool(value))


class NumberField(Field):
    """A number, or a fraction such as ``4/3``.

    Parameters
    ----------
    percent : bool
        Whether it is shown in hundredths.
    optional : bool
        Whether it may be None, which is shown as "Automatic".
    """

    editor: QLineEdit

    def __init__(
        self,
        name: str,
        title: str,
        help_text: str,
        *,
        percent: bool = False,
        optional: bool = False,
    ) -> None:
        super().__init__(name, title, help_text, QLineEdit())
        self._percent = percent
        self._optional = optional
        self._shown: tuple[str, Any] = ("", "")
        self.editor.textChanged.connect(self.changed)

    def value(self) -> Any:
        """Return the number, None where it may be left open, or the text if it is neither."""
        text = self.editor.text().strip()
        if text == self._shown[0]:
            return self._shown[1]  # with all the digits that are not shown
        if self._optional and text.casefold() in ("", AUTO, automatic().casefold()):
            return None
        try:
            number = _number(text.removesuffix("%") if self._percent else text)
        except (ValueError, ZeroDivisionError, OverflowError):
            return text
        return number / 100 if self._percent else number

    def set_value(self, value: Any) -> None:
        """Show a number in few digits, or that it is chosen automatically."""
        if value is None:
            text = automatic()
        elif self._percent:
            text = f"{value * 100:.6g} %"
        else:
            text = "4/3" if value == 4 / 3 else f"{value:.6g}"
        self._shown = (text, value)
        self.editor.setText(text)


class CalmComboBox(QComboBox):
    """A list that the wheel scrolls past: it turns only what has the focus."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Turn it, or let the page have the wheel."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class ChoiceField(Field):
    """One of several, or with ``editable`` also what is typed.

    Parameters
    ----------
    choices : sequence of (str, value)
        What is read and what it stands for.
    editable : bool
        Whether something else may be typed.
    browse : str
        For a field that takes paths: the kinds of files to look for, as Qt's file dialog takes
        them; empty for no button.
    about : mapping
        What some of the values are, in one sentence each; takes the place of the help text.
    """

    editor: QComboBox

    def __init__(
        self,
        name: str,
        title: str,
        help_text: str,
        choices: Sequence[Choice],
        *,
        editable: bool = False,
        browse: str = "",
        about: Mapping[str, str] | None = None,
    ) -> None:
        editor = CalmComboBox()
        editor.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        editor.setEditable(editable)
        editor.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        editor.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        editor.setMinimumContentsLength(16)
        button = QPushButton(self.tr("Browse...")) if browse else None
        super().__init__(name, title, help_text, editor, button)
        self._browse = browse
        self._about = about or {}
        self._values: list[Any] = []
        for text, value in choices:
            self._add(text, value)
        if button is not None:
            button.setAccessibleName(self.tr("Browse for: {0}").format(title))
            button.clicked.connect(self._on_browse)
        if editable:
            editor.editTextChanged.connect(self.changed)
        else:
            editor.currentIndexChanged.connect(self.changed)
        self.changed.connect(self._explain)

    def value(self) -> Any:
        """Return what the choice stands for, or what was typed."""
        if not self.editor.isEditable():
            number = self.editor.currentIndex()
            return self._values[number] if number >= 0 else None
        text = self.editor.currentText().strip()
        for number, value in enumerate(self._values):
            if text == self.editor.itemText(number):
                return value
        return text

    def set_value(self, value: Any) -> None:
        """Show a value; one that is not among the choices becomes one of them."""
        if value not in self._values:
            self._add(_spelled(value), value)
        self.editor.setCurrentIndex(self._values.index(value))
        if self.editor.isEditable():
            self.editor.setEditText(self.editor.itemText(self._values.index(value)))
        self._explain()

    @Slot()
    def _explain(self) -> None:
        value = self.value()
        self._help.setText(self._about.get(str(value), self._help_text))

    def _add(self, text: str, value: Any) -> None:
        # Values stay on this side: Qt would turn tuples into lists.
        self._values.append(value)
        self.editor.addItem(text)
        self.editor.setItemData(
            self.editor.count() - 1, plain_tip(text), Qt.ItemDataRole.ToolTipRole
        )

    @Slot()
    def _on_browse(self) -> None:
        dialog = QFileDialog(self, self.editor.accessibleName(), str(Path.home()), self._browse)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._on_file_selected)
        dialog.open()

    @Slot(str)
    def _on_file_selected(self, path: str) -> None:
        self.editor.setEditText(path)


def _number(text: str) -> float:
    """Return the number a text stands for; a comma counts as a point, "4/3" as a fraction."""
    above, slash, below = text.replace(",", ".").partition("/")
    return float(above) / float(below) if slash else float(above)


def _spelled(value: Any) -> str:
    if isinstance(value, tuple):
        return " \N{MULTIPLICATION SIGN} ".join(str(part) for part in value)
    return str(value)
