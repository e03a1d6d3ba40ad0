"""The presentations of a test, newest first: each rightly or wrongly judged, with its score."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QListView, QMenu, QWidget

from app.qt.pages.guided_test.species import is_error, judgement, outcome_words
from app.qt.theme.icons import icon
from app.qt.widgets.rows import CELL, Cell, Index, TwoLineDelegate, update_rows
from app.qt.widgets.texts import plain_tip
from app.session.guided_test.presentation import Presentation

_NOWHERE = QModelIndex()

NUMBER = Qt.ItemDataRole.UserRole + 1
"""Under this role the model gives a presentation's number."""

ROWS_SHOWN = 6
"""With more presentations than these the list scrolls."""


class PresentationModel(QAbstractListModel):
    """The presentations, newest first."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._presentations: list[Presentation] = []

    def show_presentations(self, presentations: Sequence[Presentation]) -> None:
        """Show presentations, given oldest first; rows that stay are left alone."""
        # By identity: hashing a presentation would go through all of its frames.
        update_rows(self, self._presentations, list(reversed(presentations)), id)

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._presentations)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        presentation = self._presentations[index.row()]
        if role == NUMBER:
            return presentation.number
        cell = _cell_of(presentation)
        if role == CELL:
            return cell
        words = f"{cell.text}. {cell.below}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(words)
        is_text = role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)
        return words if is_text else None


def _cell_of(presentation: Presentation) -> Cell:
    score, n = presentation.score, len(presentation.scores)
    parts = [
        f"No. {presentation.number}",
        "no score" if score is None else f"score {score:.3f}",
        "1 frame" if n == 1 else f"{n} frames",
        *(["simulated"] if presentation.is_simulated else []),
    ]
    role = "bad" if is_error(presentation) else "text"
    return Cell(outcome_words(presentation), ", ".join(parts), *judgement(presentation), role)


class PresentationList(QListView):
    """The list; what is selected is removed with Delete or from the menu."""

    removal_requested = Signal(int)
    """Number of a presentation."""

    selected = Signal(int)
    """How many presentations are selected now."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = PresentationModel(self)
        self._delegate = TwoLineDelegate(self)
        self.setModel(self._model)
        self.setItemDelegate(self._delegate)
        self.setAccessibleName("Presentations, newest first")
        self.setUniformItemSizes(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._on_menu)
        self.selectionModel().selectionChanged.connect(self._on_selected)
        self._model.rowsRemoved.connect(self._on_selected)
        self._fit()

    def show_presentations(self, presentations: Sequence[Presentation]) -> None:
        self._model.show_presentations(presentations)
        self._fit()

    def minimumSizeHint(self) -> QSize:
        """Return a small width: lines are cut off where there is no room."""
        return QSize(120, super().minimumSizeHint().height())

    @Slot()
    def remove_selected(self) -> None:
        numbers = [index.data(NUMBER) for index in self.selectionModel().selectedIndexes()]
        for number in sorted(numbers, reverse=True):
            self.removal_requested.emit(number)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Delete) or event.key() == Qt.Key.Key_Backspace:
            self.remove_selected()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    @Slot(QPoint)
    def _on_menu(self, place: QPoint) -> None:
        if not self.selectionModel().hasSelection():
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(icon("delete"), "Remove", self.remove_selected)
        menu.popup(self.viewport().mapToGlobal(place))

    @Slot()
    def _on_selected(self) -> None:
        self.selected.emit(len(self.selectionModel().selectedIndexes()))

    def _fit(self) -> None:
        rows = min(self._model.rowCount(), ROWS_SHOWN)
        # Four pixels for the ring that shows the keyboard's focus.
        self.setFixedHeight(rows * self._delegate.row_height(self.font()) + 4)
