"""The gallery of enrolled frames: look at them, and delete the bad ones."""

from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QRectF,
    QSignalBlocker,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QColor,
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLabel,
    QListView,
    QScrollArea,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.qt.theme import colours
from app.qt.theme.icons import paint_icon
from app.qt.widgets.inputs import CalmComboBox
from app.qt.widgets.layout import add_action, button, hbox, vbox
from app.qt.widgets.rows import Index, update_rows
from app.qt.widgets.texts import picture, plain_tip
from app.types import Sample

_PICTURE = 80
_GAP = 4
_CELL = _PICTURE + 2 * _GAP
_ROWS = 2
"""Rows of pictures that are always in sight; more where there is room."""


NUMBER_ROLE = Qt.ItemDataRole.UserRole


class GalleryModel(QAbstractListModel):
    """Samples of all takes or of one, with their pictures; it changes row by row."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: tuple[Sample, ...] = ()
        self._rows: list[Sample] = []
        self._pictures: dict[int, QPixmap] = {}
        self._take = ""

    def set_take(self, take: str) -> None:
        """Show the samples of one take, or of all when the name is empty."""
        if take != self._take:
            self.beginResetModel()
            self._take = take
            self._rows = self._wanted()
            self.endResetModel()

    def show_samples(self, samples: Sequence[Sample]) -> None:
        """Show these samples; only rows that differ are touched."""
        if samples is self._all:
            return
        self._all = tuple(samples)
        wanted = self._wanted()
        update_rows(self, self._rows, wanted, lambda sample: sample.number)
        for row, (old, new) in enumerate(zip(self._rows, wanted, strict=True)):
            self._rows[row] = new
            has_other_picture = old.thumbnail is not new.thumbnail
            if has_other_picture:
                self._pictures.pop(new.number, None)
            if has_other_picture or old.take != new.take:
                self.dataChanged.emit(self.index(row), self.index(row))
        known = {sample.number for sample in samples}
        self._pictures = {n: one for n, one in self._pictures.items() if n in known}

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        sample = self._rows[index.row()]
        if role == NUMBER_ROLE:
            return sample.number
        if role == Qt.ItemDataRole.DecorationRole:
            return self._picture(sample)
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            # Counted, because a row that is being removed is not among all any more.
            place = sum(s.take == sample.take and s.number <= sample.number for s in self._all)
            words = f"Frame {place} of the take “{sample.take}”"
            return plain_tip(words) if role == Qt.ItemDataRole.ToolTipRole else words
        return None

    def _picture(self, sample: Sample) -> QPixmap | None:
        if sample.thumbnail is None:
            return None
        if sample.number not in self._pictures:
            self._pictures[sample.number] = QPixmap.fromImage(picture(sample.thumbnail))
        return self._pictures[sample.number]

    def _wanted(self) -> list[Sample]:
        return [sample for sample in self._all if self._take in ("", sample.take)]


class Gallery(QWidget):
    """Thumbnails of the samples, of all takes or of one."""

    remove_requested = Signal(list)
    """Numbers of the samples to delete."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names: tuple[str, ...] = ()
        self._is_locked = False
        self.model = GalleryModel(self)
        self.view = self._make_view()
        self.filter = CalmComboBox(self)
        self.filter.setAccessibleName("Take whose frames are shown")
        self.filter.setToolTip("Show the frames of one take only.")
        self.filter.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.filter.addItem("All takes", "")
        self.filter.currentIndexChanged.connect(self._on_filter_changed)
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
        self.view.selectionModel().selectionChanged.connect(self._write)
        self.model.rowsInserted.connect(self._on_inserted)
        self.model.rowsRemoved.connect(self._write)
        self.model.modelReset.connect(self._write)
        self._write()

    @property
    def tab_stops(self) -> tuple[QWidget, ...]:
        return self.filter, self.remove_button, self.view

    def show_samples(self, samples: Sequence[Sample]) -> None:
        """Show these samples; cheap when little has changed."""
        self.model.show_samples(samples)
        names = tuple(dict.fromkeys(sample.take for sample in samples))
        if names != self._names:
            self._show_names(names)

    def show_take(self, name: str) -> None:
        """Show the frames of one take, or of all when the name is empty."""
        self.filter.setCurrentIndex(max(0, self.filter.findData(name)))

    def set_locked(self, is_locked: bool) -> None:
        if is_locked != self._is_locked:
            self._is_locked = is_locked
            self._write()

    def selected_numbers(self) -> list[int]:
        return sorted(index.data(NUMBER_ROLE) for index in self.view.selectedIndexes())

    def _make_view(self) -> QListView:
        view = _Thumbnails(self)
        view.setModel(self.model)
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

    def _show_names(self, names: tuple[str, ...]) -> None:
        """Bring the filter up to date; when its take is gone or renamed, all are shown."""
        chosen = self.filter.currentData()
        self._names = names
        with QSignalBlocker(self.filter):
            while self.filter.count() > 1:
                self.filter.removeItem(1)
            for name in names:
                self.filter.addItem(name, name)
            self.show_take(chosen)
        self._on_filter_changed()

    @Slot()
    def _on_filter_changed(self) -> None:
        self.model.set_take(self.filter.currentData() or "")

    @Slot()
    def _on_remove(self) -> None:
        numbers = self.selected_numbers()
        if numbers and not self._is_locked:
            self.remove_requested.emit(numbers)

    @Slot(QModelIndex, int, int)
    def _on_inserted(self, _parent: QModelIndex, first: int, _last: int) -> None:
        self._write()
        bar = self.view.verticalScrollBar()
        if first > 0 and bar.value() == bar.maximum():
            self.view.scrollToBottom()  # who looks at the newest goes on seeing the newest

    @Slot()
    def _write(self) -> None:
        n_selected, n_shown = len(self.view.selectedIndexes()), self.model.rowCount()
        if n_selected:
            words = f"{n_selected} selected"
        elif n_shown == 1:
            words = "1 frame"
        else:
            words = f"{n_shown} frames"
        self._count.setText(words)
        self.remove_button.setEnabled(bool(n_selected) and not self._is_locked)


class _Thumbnails(QListView):
    """Spreads the pictures over the whole width, and lets the page scroll first.

    The gallery is the last thing on its page: the wheel goes on with the pictures once the end of
    the page is in sight, and never stops at them before.
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
    """Paints a picture with round corners; what is selected has a frame and a tick."""

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
