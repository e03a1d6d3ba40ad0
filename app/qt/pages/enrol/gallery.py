"""The gallery of enrolled frames, in which bad ones can be deleted."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtGui import QIcon, QPixmap, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLabel,
    QListView,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QSizePolicy,
    QWidget,
)

from app.names import counted
from app.qt.theme import set_class
from app.qt.theme.icons import icon
from app.qt.widgets.inputs import CalmComboBox
from app.qt.widgets.layout import add_action, button, hbox, vbox
from app.qt.widgets.rows import KEY, update_items
from app.qt.widgets.texts import picture, plain_tip
from app.types import Sample

_PICTURE, _CELL = 76, 88
_STYLE = """
QListView::item { padding: 2px; border: 3px solid transparent; }
QListView::item:selected { border-color: palette(highlight); }
QListView::item:focus:!selected { border: 3px dotted palette(text); }
"""


class _Thumbnails(QListWidget):
    """Thumbnails at the end of a page; the wheel scrolls the page to its end first."""

    def wheelEvent(self, event: QWheelEvent, /) -> None:
        page = self.parentWidget()
        while page is not None and not isinstance(page, QScrollArea):
            page = page.parentWidget()
        bar = None if page is None else page.verticalScrollBar()
        if bar is not None and event.angleDelta().y() < 0 and bar.value() < bar.maximum():
            event.ignore()
        else:
            super().wheelEvent(event)


class Gallery(QWidget):
    """Thumbnails of the frames of one take or all takes."""

    remove_requested = Signal(list)
    """Numbers of the frames to delete."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._samples: Sequence[Sample] = ()
        self._is_locked = False
        self.filter = CalmComboBox(self)
        self.filter.setAccessibleName("Take to show")
        self.filter.setToolTip("Show the frames of one take only.")
        self.filter.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.filter.addItem("All takes", "")
        self.filter.currentIndexChanged.connect(self._show_chosen)
        self._count = QLabel(self)
        set_class(self._count, "muted")
        tip = "Delete the selected frames (Del). Undo brings them back."
        self.remove_button = button("Delete", "delete", self._on_remove, tip=tip, parent=self)
        self.remove_button.setAccessibleName("Delete the selected frames")
        self.view = _Thumbnails(self)
        self.view.setViewMode(QListView.ViewMode.IconMode)
        self.view.setMovement(QListView.Movement.Static)
        self.view.setResizeMode(QListView.ResizeMode.Adjust)
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.view.setIconSize(QSize(_PICTURE, _PICTURE))
        self.view.setGridSize(QSize(_CELL, _CELL))
        self.view.setMinimumHeight(2 * _CELL + 8)
        self.view.setStyleSheet(_STYLE)
        self.view.setAccessibleName("Enrolled frames")
        keys = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
        add_action(self.view, "Delete the selected frames", self._on_remove, *keys)
        head = hbox(None, (self.filter, 1), self._count, self.remove_button)
        vbox(self, head, (self.view, 1))
        self.view.itemSelectionChanged.connect(self._update_count)
        self._update_count()

    def show_samples(self, samples: Sequence[Sample]) -> None:
        """Show these samples; unchanged items are kept."""
        if samples is self._samples:
            return
        bar = self.view.verticalScrollBar()
        follows = 0 < len(self._samples) < len(samples) and bar.value() == bar.maximum()
        self._samples = samples
        names = list(dict.fromkeys(sample.take for sample in samples))
        if names != [self.filter.itemData(index) for index in range(1, self.filter.count())]:
            chosen = self.filter.currentData()
            with QSignalBlocker(self.filter):
                self.filter.clear()
                self.filter.addItem("All takes", "")
                for name in names:
                    self.filter.addItem(name, name)
                self.show_take(chosen)  # or all takes if that one is gone or renamed
        self._show_chosen()
        if follows:
            self.view.scrollToBottom()

    def show_take(self, name: str) -> None:
        """Show the frames of a take, or of all takes if the name is empty."""
        self.filter.setCurrentIndex(max(0, self.filter.findData(name)))

    def set_locked(self, is_locked: bool) -> None:
        self._is_locked = is_locked
        self._update_count()

    def selected_numbers(self) -> list[int]:
        return sorted(item.data(KEY)[0] for item in self.view.selectedItems())

    @Slot()
    def _show_chosen(self) -> None:
        take = self.filter.currentData()
        samples = [sample for sample in self._samples if take in ("", sample.take)]
        keys = [(sample.number, sample.take, id(sample.thumbnail)) for sample in samples]
        update_items(self.view, keys, lambda row: _item_of(samples[row]))
        self._update_count()

    @Slot()
    def _on_remove(self) -> None:
        numbers = self.selected_numbers()
        if numbers and not self._is_locked:
            self.remove_requested.emit(numbers)

    @Slot()
    def _update_count(self) -> None:
        n_selected, n_frames = len(self.view.selectedItems()), self.view.count()
        text = f"{n_selected} selected" if n_selected else counted(n_frames, "frame")
        self._count.setText(text)
        self.remove_button.setEnabled(bool(n_selected) and not self._is_locked)


def _item_of(sample: Sample) -> QListWidgetItem:
    thumbnail = icon("person", "muted")
    if sample.thumbnail is not None:
        thumbnail = QIcon(QPixmap.fromImage(picture(sample.thumbnail)))
    item = QListWidgetItem(thumbnail, "")
    tip = f"Frame {sample.number + 1}, take “{sample.take}”"
    item.setToolTip(plain_tip(tip))
    item.setData(Qt.ItemDataRole.AccessibleTextRole, tip)
    return item
