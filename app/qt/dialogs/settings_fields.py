"""Fields of the settings dialog: a title, an editor, a help text and a problem.

`app.settings.check` decides whether a value is valid.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QWidget,
)

from app.qt.theme import GRID, set_mark
from app.qt.widgets.inputs import CalmComboBox
from app.qt.widgets.layout import button, hbox, vbox
from app.qt.widgets.texts import wrapped
from app.settings import AUTO

AUTOMATIC = "Automatic"


class Field(QWidget):
    """One setting; ``name`` is its name in `app.settings.Settings`."""

    changed = Signal()

    def __init__(
        self, name: str, title: str, help_text: str, editor: QWidget, beside: QWidget | None = None
    ) -> None:
        super().__init__()
        self.name = name
        self.editor = editor
        self._help, self._help_text = wrapped(help_text, "small"), help_text
        self._problem = wrapped("", "bad")
        self._problem.hide()
        editor.setObjectName(name)
        editor.setAccessibleName(title)
        editor.setAccessibleDescription(help_text)
        layout = vbox(self, margins=(0, 0, 0, GRID), spacing=GRID // 2)
        if not isinstance(editor, QCheckBox):
            label = QLabel(title)
            label.setBuddy(editor)
            layout.addWidget(label)
        layout.addLayout(hbox(None, (editor, 1), *([beside] if beside else [])))
        layout.addWidget(self._problem)
        layout.addWidget(self._help)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)

    def value(self) -> Any:
        """Return the value, or the typed text if it cannot be parsed."""
        raise NotImplementedError

    def set_value(self, value: Any) -> None:
        raise NotImplementedError

    @property
    def problem(self) -> str:
        """The problem shown; empty if there is none."""
        return self._problem.text()

    def show_problem(self, sentence: str) -> None:
        self._problem.setText(sentence)
        self._problem.setVisible(bool(sentence))
        self.editor.setAccessibleDescription(sentence or self._help_text)
        set_mark(self.editor, "wrong", bool(sentence))


class SwitchField(Field):
    """A check box."""

    editor: QCheckBox

    def __init__(self, name: str, title: str, help_text: str) -> None:
        super().__init__(name, title, help_text, QCheckBox(title))
        self.editor.toggled.connect(self.changed)

    def value(self) -> bool:
        return self.editor.isChecked()

    def set_value(self, value: Any) -> None:
        self.editor.setChecked(bool(value))


class NumberField(Field):
    """A number, a fraction such as ``4/3``, a percentage, or if ``optional`` "Automatic"."""

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
        self._percent, self._optional = percent, optional
        self._displayed: tuple[str, Any] = ("", "")
        self.editor.textChanged.connect(self.changed)

    def value(self) -> Any:
        """Return the number, None for "Automatic", or the text if it is neither."""
        text = self.editor.text().strip()
        if text == self._displayed[0]:
            return self._displayed[1]  # with all its digits
        if self._optional and text.casefold() in ("", AUTO, AUTOMATIC.casefold()):
            return None
        try:
            number = _number(text.removesuffix("%") if self._percent else text)
        except (ValueError, ZeroDivisionError, OverflowError):
            return text
        return number / 100 if self._percent else number

    def set_value(self, value: Any) -> None:
        """Show a rounded number or "Automatic"."""
        if value is None:
            text = AUTOMATIC
        elif self._percent:
            text = f"{value * 100:.6g} %"
        else:
            text = "4/3" if value == 4 / 3 else f"{value:.6g}"
        self._displayed = (text, value)
        self.editor.setText(text)


class ChoiceField(Field):
    """One of several choices, each a text and a value; if ``editable``, also typed text.

    ``browse`` is the filter of a file dialog, opened by a button; ``about`` replaces the help text
    for some values.
    """

    editor: QComboBox

    def __init__(
        self,
        name: str,
        title: str,
        help_text: str,
        choices: Sequence[tuple[str, Any]],
        *,
        editable: bool = False,
        browse: str = "",
        about: Mapping[str, str] | None = None,
    ) -> None:
        editor = CalmComboBox()
        editor.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        editor.setEditable(editable)
        editor.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        editor.keep_narrow(16)
        browser = button("Browse…") if browse else None
        super().__init__(name, title, help_text, editor, browser)
        self._browse, self._about = browse, about or {}
        self._values: list[Any] = []
        for text, value in choices:
            self._add(text, value)
        if browser is not None:
            browser.setAccessibleName(f"Browse for: {title}")
            browser.clicked.connect(self._on_browse)
        signal = editor.editTextChanged if editable else editor.currentIndexChanged
        signal.connect(self.changed)
        self.changed.connect(self._explain)

    def value(self) -> Any:
        """Return the value of the choice, or the typed text."""
        text = self.editor.currentText().strip()
        place = self.editor.findText(text, Qt.MatchFlag.MatchExactly)
        return text if place < 0 else self._values[place]

    def set_value(self, value: Any) -> None:
        """Show a value, adding it to the choices if necessary."""
        if value not in self._values:
            parts = value if isinstance(value, tuple) else (value,)
            self._add(" \N{MULTIPLICATION SIGN} ".join(map(str, parts)), value)
        self.editor.setCurrentIndex(self._values.index(value))
        if self.editor.isEditable():
            self.editor.setEditText(self.editor.itemText(self._values.index(value)))
        self._explain()

    @Slot()
    def _explain(self) -> None:
        self._help.setText(self._about.get(str(self.value()), self._help_text))

    def _add(self, text: str, value: Any) -> None:
        # Values are stored here, because Qt would turn tuples into lists.
        self._values.append(value)
        self.editor.addItem(text)

    @Slot()
    def _on_browse(self) -> None:
        dialog = QFileDialog(self, self.editor.accessibleName(), str(Path.home()), self._browse)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.editor.setEditText)
        dialog.open()


def _number(text: str) -> float:
    """Parse a number or a fraction; a decimal comma is allowed."""
    above, slash, below = text.replace(",", ".").partition("/")
    return float(above) / float(below) if slash else float(above)
