"""Where a passphrase is typed: unseen, unless the person wants to see it."""

from PySide6.QtCore import QEvent, Qt, Slot
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.qt.theme import GRID, set_class

_WIDTH = 80
"""Of a dialog, in letters."""


class PassphraseEdit(QWidget):
    """A name and the line under it that takes a passphrase.

    Parameters
    ----------
    title : str
        What it is called.
    parent : QWidget, optional
        Owner.
    """

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.line = QLineEdit(self)
        self.show_typed(False)
        self.line.setAccessibleName(title)
        label = QLabel(title, self)
        label.setBuddy(self.line)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GRID // 2)
        column.addWidget(label)
        column.addWidget(self.line)

    def text(self) -> str:
        """Return what was typed."""
        return self.line.text()

    def show_typed(self, is_seen: bool) -> None:
        """Show or hide what is typed; no keyboard is to learn it either way."""
        echo = QLineEdit.EchoMode
        self.line.setEchoMode(echo.Normal if is_seen else echo.Password)
        hint = Qt.InputMethodHint
        self.line.setInputMethodHints(
            self.line.inputMethodHints()
            | hint.ImhSensitiveData
            | hint.ImhNoPredictiveText
            | hint.ImhNoAutoUppercase
        )

    def take(self) -> str:
        """Return what was typed and forget it."""
        text = self.line.text()
        self.line.setText("")  # unlike clear(), this leaves nothing that could be undone
        return text


class SeeTyped(QCheckBox):
    """Shows or hides what is typed.

    Parameters
    ----------
    edits : PassphraseEdit
        Whose.
    parent : QWidget
        Owner.
    """

    def __init__(self, *edits: PassphraseEdit, parent: QWidget) -> None:
        super().__init__(parent)
        self.setText(self.tr("&Show what I type"))
        self._edits = edits
        self.toggled.connect(self._on_toggled)

    @Slot(bool)
    def _on_toggled(self, is_seen: bool) -> None:
        for edit in self._edits:
            edit.show_typed(is_seen)


class PassphraseDialog(QDialog):
    """A column of widgets over two buttons, as high as its texts need in its width.

    Parameters
    ----------
    title, go_on : str
        Of the window, and of the button that is pressed by Enter.
    parent : QWidget, optional
        The window it belongs to.
    """

    def __init__(self, title: str, go_on: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.go_on = QPushButton(go_on, self)
        self.go_on.setDefault(True)
        set_class(self.go_on, "primary")
        kind = QDialogButtonBox.StandardButton
        self._buttons = QDialogButtonBox(kind.Cancel, self)
        self._buttons.button(kind.Cancel).setIcon(QIcon())
        self._buttons.addButton(self.go_on, QDialogButtonBox.ButtonRole.AcceptRole)
        self._buttons.accepted.connect(self.accept)
        self._buttons.rejected.connect(self.reject)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(3 * GRID, 2 * GRID, 3 * GRID, 2 * GRID)
        self._column.setSpacing(GRID + 4)

    def arrange(self, *widgets: QWidget) -> None:
        """Put widgets into the column, in order."""
        for widget in (*widgets, self._buttons):
            self._column.addWidget(widget)

    def event(self, event: QEvent, /) -> bool:
        """Fit anew whenever something appears, goes, or says something else."""
        done = super().event(event)
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Show, QEvent.Type.Polish):
            width = _WIDTH * self.fontMetrics().averageCharWidth()
            self.setFixedSize(width, self._column.totalHeightForWidth(width))
        return done
