"""The gallery of enrolled frames: look at them, and delete the bad ones."""

from collections import Counter
from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPixmap, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLabel,
    QListView,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.names import counted
from app.qt.theme import colours
from app.qt.theme.icons import paint_icon
from app.qt.widgets.inputs import CalmComboBox
from app.qt.widgets.layout import add_action, button, hbox, vbox
from app.qt.widgets.rows import KEY, Index, update_items
from app.qt.widgets.texts import picture, plain_tip
from app.types import Sample

_PICTURE = 80
_GAP = 4
_CELL = _PICTURE + 2 * _GAP
_ROWS = 2
"""Rows of pictures that are always in sight; more where there is room."""


class Gallery(QWidget):
    """Thumbnails of the samples, of all takes or of one."""

    remove_requested = Signal(list)
    """Numbers of the samples to delete."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._samples: Sequence[Sample] = ()
        self._tips: dict[tuple[int, int], str] = {}
        """What each item says, by key, so that only changed words are written."""
        self._is_locked = False
        self.view = self._make_view()
        self.filter = CalmComboBox(self)
        self.filter.setAccessibleName("Take whose frames are shown")
        self.filter.setToolTip("Show the frames of one take only.")
        self.filter.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.filter.addItem("All takes", "")
        self.filter.currentIndexChanged.connect(self._show_chosen)
        self._count = QLabel(self)
        self._count.setProperty("class", "muted")
        tip = "Delete the selected frames (Del). Undo brings them back."
        self.remove_button = button("Delete", "delete", self._on_remove, tip=tip, parent=self)
        self.remove_button.setAccessibleName("Delete the selected frames")
        # As wide as names need, and not across a whole large screen.
        self.filter.setMaximumWidth(self.fontMetrics().height() * 22)
        vbox(
            self, hbox(None, (self.filter, 100), 1, self._count, self.remove_button), (self.view, 1)
        )
        self.view.itemSelectionChanged.connect(self._write)
        self._write()

    @property
    def tab_stops(self) -> tuple[QWidget, ...]:
        return self.filter, self.remove_button, self.view

    def show_samples(self, samples: Sequence[Sample]) -> None:
        """Show these samples; only frames that differ are touched."""
        if samples is self._samples:
            return
        bar = self.view.verticalScrollBar()
        follows = 0 < len(self._samples) < len(samples) and bar.value() == bar.maximum()
        self._samples = samples
        names = list(dict.fromkeys(one.take for one in samples))
        if names != [self.filter.itemData(place) for place in range(1, self.filter.count())]:
            chosen = self.filter.currentData()
            with QSignalBlocker(self.filter):
                self.filter.clear()
                for text, name in (("All takes", ""), *zip(names, names, strict=True)):
                    self.filter.addItem(text, name)
                self.show_take(chosen)  # all of them when that take is gone or renamed
        self._show_chosen()
        if follows:  # who looks at the newest goes on seeing the newest
            self.view.scrollToBottom()

    def show_take(self, name: str) -> None:
        """Show the frames of one take, or of all when the name is empty."""
        self.filter.setCurrentIndex(max(0, self.filter.findData(name)))

    def set_locked(self, is_locked: bool) -> None:
        if is_locked != self._is_locked:
            self._is_locked = is_locked
            self._write()

    def selected_numbers(self) -> list[int]:
        return sorted(item.data(KEY)[0] for item in self.view.selectedItems())

    def _make_view(self) -> QListWidget:
        view = _Thumbnails(self)
        view.setItemDelegate(_ThumbnailDelegate(view))
        view.setViewMode(QListView.ViewMode.IconMode)
        view.setMovement(QListView.Movement.Static)
        view.setResizeMode(QListView.ResizeMode.Adjust)
        view.setUniformItemSizes(True)
        view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.setMinimumHeight(_ROWS * _CELL + 2 * _GAP)
        view.setAccessibleName("Enrolled frames")
        keys = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
        add_action(view, "Delete the selected frames", self._on_remove, *keys)
        return view

    @Slot()
    def _show_chosen(self) -> None:
        """Show the frames of the chosen take."""
        take = self.filter.currentData()
        places: Counter[str] = Counter()
        shown, tips = [], []
        for sample in self._samples:
            places[sample.take] += 1
            if take in ("", sample.take):
                shown.append(sample)
                tips.append(f"Frame {places[sample.take]} of the take “{sample.take}”")
        keys = [(one.number, id(one.thumbnail)) for one in shown]
        update_items(self.view, keys, lambda row: _item_of(shown[row], tips[row]))
        for row, (key, tip) in enumerate(zip(keys, tips, strict=True)):
            if self._tips.get(key, tip) != tip:
                _describe(self.view.item(row), tip)
        self._tips = dict(zip(keys, tips, strict=True))
        self._write()

    @Slot()
    def _on_remove(self) -> None:
        numbers = self.selected_numbers()
        if numbers and not self._is_locked:
            self.remove_requested.emit(numbers)

    @Slot()
    def _write(self) -> None:
        n_selected, n_shown = len(self.view.selectedItems()), self.view.count()
        words = f"{n_selected} selected" if n_selected else counted(n_shown, "frame")
        self._count.setText(words)
        self.remove_button.setEnabled(bool(n_selected) and not self._is_locked)


def _item_of(sample: Sample, tip: str) -> QListWidgetItem:
    item = QListWidgetItem()
    _describe(item, tip)
    if sample.thumbnail is not None:
        item.setData(Qt.ItemDataRole.DecorationRole, QPixmap.fromImage(picture(sample.thumbnail)))
    return item


def _describe(item: QListWidgetItem, tip: str) -> None:
    item.setToolTip(plain_tip(tip))
    item.setData(Qt.ItemDataRole.AccessibleTextRole, tip)


class _Thumbnails(QListWidget):
    """Spreads the pictures over the whole width, and lets the page scroll first.

    The gallery is last on its page: the wheel scrolls the pictures once the page is at its end.
    """

    def wheelEvent(self, event: QWheelEvent, /) -> None:
        if event.angleDelta().y() < 0 and self._page_goes_on():
            event.ignore()
        else:
            super().wheelEvent(event)

    def _page_goes_on(self) -> bool:
        around = self.parentWidget()
        while around is not None and not isinstance(around, QScrollArea):
            around = around.parentWidget()
        if around is None:
            return False
        bar = around.verticalScrollBar()
        return bar.value() < bar.maximum()

    def resizeEvent(self, event: QResizeEvent, /) -> None:
        # Room is kept for a scroll bar that may come, or it would come and go for ever.
        bar = self.verticalScrollBar()
        room = self.viewport().width() - (0 if bar.isVisible() else bar.sizeHint().width()) - 1
        n_columns = max(1, room // _CELL)
        cell = QSize(max(_CELL, room // n_columns), _CELL)
        if cell != self.gridSize():
            self.setGridSize(cell)
        super().resizeEvent(event)


class _ThumbnailDelegate(QStyledItemDelegate):
    """Paints a picture with round corners; a selected one has a frame and a tick."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(_CELL, _CELL)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme = colours()
        state: QStyle.StateFlag = option.state
        cell = QRectF(option.rect)
        place = QRectF(0, 0, _PICTURE, _PICTURE)
        place.moveCenter(cell.center())
        outline = QPainterPath()
        outline.addRoundedRect(place, 6, 6)
        painter.save()
        painter.setRenderHints(
            QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform
        )
        painter.fillPath(outline, QColor(theme.raised))
        pixmap = index.data(Qt.ItemDataRole.DecorationRole)
        if isinstance(pixmap, QPixmap):
            painter.setClipPath(outline)
            painter.drawPixmap(place, pixmap, QRectF(pixmap.rect()))
            painter.setClipping(False)
        else:
            inner = place.adjusted(22, 22, -22, -22)
            paint_icon(painter, "person", inner, theme.muted)
        if state & QStyle.StateFlag.State_Selected:
            self._paint_selected(painter, outline, place)
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.strokePath(outline, QPen(QColor(theme.outline), 2))
        if state & QStyle.StateFlag.State_HasFocus:
            around = place.adjusted(-3, -3, 3, 3)
            pen = QPen(QColor(theme.text), 1, Qt.PenStyle.DotLine)
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(around, 8, 8)
        painter.restore()

    def _paint_selected(self, painter: QPainter, outline: QPainterPath, place: QRectF) -> None:
        theme = colours()
        veil = QColor(theme.accent)
        veil.setAlphaF(0.25)
        painter.fillPath(outline, veil)
        painter.strokePath(outline, QPen(QColor(theme.accent), 3))
        badge = QRectF(place.right() - 24, place.top() + 4, 20, 20)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.accent))
        painter.drawEllipse(badge)
        paint_icon(painter, "check", badge.adjusted(4, 4, -4, -4), theme.on_accent)
