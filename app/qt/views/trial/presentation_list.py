"""The presentations of a test, newest first: each rightly or wrongly judged, with its score."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QListView, QMenu, QWidget

from app.qt.icons import icon
from app.qt.views.parts.texts import plain_tip
from app.qt.views.trial.trial_words import is_error, judgement, outcome_words
from app.qt.views.trial.two_line_delegate import CELL, Cell, TwoLineDelegate
from app.session.guided_test.state import PresentationSummary

_Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()

NUMBER = Qt.ItemDataRole.UserRole + 1
"""Under this role the model gives a presentation's number."""

ROWS_SHOWN = 6
"""With more presentations than these the list scrolls."""


class PresentationModel(QAbstractListModel):
    """The presentations, newest first.

    Parameters
    ----------
    parent : QObject, optional
        Who owns it.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._shown: list[PresentationSummary] = []

    def show_presentations(self, presentations: Sequence[PresentationSummary]) -> None:
        """Show presentations, given oldest first; rows that stay are left alone."""
        wanted = list(reversed(presentations))
        wanted_too = set(wanted)
        kept = [shown for shown in self._shown if shown in wanted_too]
        if wanted[len(wanted) - len(kept) :] != kept:
            self.beginResetModel()
            self._shown = wanted
            self.endResetModel()
            return
        for row in reversed(range(len(self._shown))):
            if self._shown[row] not in wanted_too:
                self.beginRemoveRows(_NOWHERE, row, row)
                del self._shown[row]
                self.endRemoveRows()
        n_new = len(wanted) - len(kept)
        if n_new:
            self.beginInsertRows(_NOWHERE, 0, n_new - 1)
            self._shown = wanted
            self.endInsertRows()

    def rowCount(self, parent: _Index = _NOWHERE) -> int:
        """Return how many presentations there are."""
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a row's words, its `Cell` or its presentation's number."""
        if not index.isValid():
            return None
        shown = self._shown[index.row()]
        if role == NUMBER:
            return shown.number
        if role == CELL:
            return self._cell_of(shown)
        if role in (
            Qt.ItemDataRole.DisplayRole,
            Qt.ItemDataRole.AccessibleTextRole,
            Qt.ItemDataRole.ToolTipRole,
        ):
            cell = self._cell_of(shown)
            told = f"{cell.text}. {cell.below}"
            return plain_tip(told) if role == Qt.ItemDataRole.ToolTipRole else told
        return None

    def _cell_of(self, shown: PresentationSummary) -> Cell:
        score = (
            self.tr("no score")
            if shown.score is None
            else self.tr("score {score}").format(score=f"{shown.score:.3f}")
        )
        frames = (
            self.tr("1 frame")
            if shown.n_frames == 1
            else self.tr("{n} frames").format(n=shown.n_frames)
        )
        parts = [self.tr("No. {number}").format(number=shown.number), score, frames]
        if shown.is_simulated:
            parts.append(self.tr("simulated"))
        shape, role = judgement(shown)
        return Cell(
            outcome_words(shown),
            ", ".join(parts),
            shape,
            role,
            role="bad" if is_error(shown) else "text",
        )


class PresentationList(QListView):
    """The list; what is selected is removed with Delete or from the menu.

    Parameters
    ----------
    parent : QWidget, optional
        Where it lies.
    """

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
        self.setAccessibleName(self.tr("Presentations, newest first"))
        self.setUniformItemSizes(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._on_menu)
        self.selectionModel().selectionChanged.connect(self._on_selected)
        self._model.modelReset.connect(self._on_selected)
        self._fit()

    def show_presentations(self, presentations: Sequence[PresentationSummary]) -> None:
        """Show presentations, given oldest first."""
        self._model.show_presentations(presentations)
        self._fit()

    def minimumSizeHint(self) -> QSize:
        """Return a small width: lines are cut off where there is no room."""
        return QSize(120, super().minimumSizeHint().height())

    @Slot()
    def remove_selected(self) -> None:
        """Ask for the removal of what is selected."""
        numbers = [index.data(NUMBER) for index in self.selectionModel().selectedIndexes()]
        for number in sorted(numbers, reverse=True):
            self.removal_requested.emit(number)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Remove with Delete or Backspace."""
        if event.matches(QKeySequence.StandardKey.Delete) or event.key() == Qt.Key.Key_Backspace:
            self.remove_selected()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Fit the rows to another font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    @Slot(QPoint)
    def _on_menu(self, place: QPoint) -> None:
        if not self.selectionModel().hasSelection():
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(icon("delete"), self.tr("Remove"), self.remove_selected)
        menu.popup(self.viewport().mapToGlobal(place))

    @Slot()
    def _on_selected(self) -> None:
        self.selected.emit(len(self.selectionModel().selectedIndexes()))

    def _fit(self) -> None:
        rows = min(self._model.rowCount(), ROWS_SHOWN)
        # Four pixels for the ring that shows the keyboard's focus.
        self.setFixedHeight(rows * self._delegate.row_height(self.font()) + 4)
