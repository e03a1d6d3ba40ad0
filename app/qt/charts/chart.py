"""What all charts share: when they draw, their words and legend, and how they are exported."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QPoint, QPointF, QSize, Qt, Slot
from PySide6.QtGui import (
    QAction,
    QColor,
    QContextMenuEvent,
    QGuiApplication,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QFileDialog,
    QMenu,
    QMessageBox,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QWidget,
)

from app.qt import theme
from app.qt.charts.plot import Plot, draw_mark
from app.qt.theme.themes import LIGHT, Colours
from app.qt.widgets.layout import FlowRow, vbox
from app.qt.widgets.texts import wrapped
from app.qt.widgets.throttle import Throttle

_MARGIN = 12
_SCALE = 2.0


class Chart(QWidget):
    """A chart that draws while it is stale and visible.

    A kind of chart calls ``_lay_out`` and writes ``_draw`` (the picture), ``_words`` (one or two
    sentences that state the content, also its accessible description) and ``to_csv``. Text
    changes less often than the picture, because it must be readable.
    """

    interval_ms = 33
    text_interval_ms = 250
    file_stem = "chart"

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self._colours = theme.colours()
        self._is_recoloured = False
        # The newest event filter is called first: a chart that is shown draws before it writes.
        self._writing = Throttle(self, self.text_interval_ms, self._write)
        self._drawing = Throttle(self, self.interval_ms, self._on_draw_due)
        self._actions = self._make_actions()
        self._parts: tuple[QWidget, ...] = ()
        self._statement = wrapped(parent=self)
        self._legend = Legend(self)
        self.head = FlowRow(self)
        """Controls above the picture; the last one copies or saves the chart."""
        theme.notifier().changed.connect(self.set_colours)

    @Slot(object)
    def set_colours(self, colours: Colours) -> None:
        if colours != self._colours:
            self._colours, self._is_recoloured = colours, False
            self.mark_stale()

    @Slot()
    def refresh(self) -> None:
        """Draw and write now if there is something new."""
        self._drawing.catch_up()
        self._writing.catch_up()

    def mark_stale(self) -> None:
        """Note that there is something new; cheap, whatever the rate."""
        self._drawing.mark_stale()
        self._writing.mark_stale()

    def to_csv(self) -> str:
        """Return the numbers of the chart as CSV with a header."""
        raise NotImplementedError

    def picture(self) -> QPixmap:
        """Return the chart without its controls, on its background, at twice the resolution."""
        self.refresh()
        return _picture_of([_whole(part) for part in self._parts], self._colours.panel)

    @Slot()
    def copy_image(self) -> None:
        QGuiApplication.clipboard().setPixmap(self.picture())

    @Slot()
    def copy_csv(self) -> None:
        QGuiApplication.clipboard().setText(self.to_csv())

    @Slot()
    def save_as(self) -> None:
        """Ask for a file name and save the picture (PNG) or the numbers (CSV) there."""
        image, table = "Picture (*.png)", "Table (*.csv)"
        path, chosen = QFileDialog.getSaveFileName(
            self, "Save chart", f"{self.file_stem}.png", f"{image};;{table}"
        )
        if path:
            if Path(path).suffix.lower() not in (".png", ".csv"):
                path += ".csv" if chosen == table else ".png"
            self.save(path)

    def save(self, path: str) -> None:
        """Save as CSV if the name ends so, otherwise as PNG; show a failure in a box."""
        try:
            if path.lower().endswith(".csv"):
                Path(path).write_text(self.to_csv(), encoding="utf-8")
            elif not self.picture().save(path, "PNG"):
                raise OSError("the picture could not be written")
        except OSError as error:
            box = QMessageBox(self)
            box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            box.setIcon(QMessageBox.Icon.Warning)
            box.setTextFormat(Qt.TextFormat.PlainText)
            reason = error.strerror or error
            box.setText(f"{path} was not saved ({reason}). Choose another folder or name.")
            box.open()

    def _lay_out(self, *parts: QWidget, controls: Sequence[QWidget] = ()) -> None:
        """Put the controls above the parts of the picture; plots take the room there is."""
        button = QPushButton("Copy or save", self)
        button.setAccessibleName("Copy or save this chart")
        button.setMenu(self._export_menu(button))
        self.head.add(*controls, button)
        self._parts = parts
        grows = (Plot, QScrollArea, QStackedWidget)
        stretched = [(part, int(isinstance(part, grows))) for part in parts]
        vbox(self, self.head, *stretched, 0, spacing=6)

    def _draw(self) -> None:
        raise NotImplementedError

    def _words(self) -> str:
        raise NotImplementedError

    def _statement_text(self) -> str:
        """The text that stands with the picture; by default all words."""
        return self._words()

    def _keys(self) -> tuple["Key", ...]:
        return ()

    @Slot()
    def _write(self) -> None:
        words = self._words()
        if words != self.accessibleDescription():
            self.setAccessibleDescription(words)
        self._statement.setText(self._statement_text())
        self._legend.show_keys(self._keys(), self._colours)

    def _recolour(self) -> None:
        """Take over new colours where `_draw` does not; kinds of charts extend it."""
        for plot in self.findChildren(Plot):
            plot.set_colours(self._colours)

    def sizeHint(self) -> QSize:
        line = self.fontMetrics().height()
        return QSize(line * 36, line * 18)

    def resizeEvent(self, event: QResizeEvent, /) -> None:
        super().resizeEvent(event)
        self._drawing.mark_stale()

    def contextMenuEvent(self, event: QContextMenuEvent, /) -> None:
        """Offer to copy or save; also by the keyboard's menu key."""
        menu = self._export_menu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    @Slot()
    def _on_draw_due(self) -> None:
        if not self._is_recoloured:
            self._is_recoloured = True
            self._recolour()
        self._draw()

    def _make_actions(self) -> list[QAction]:
        actions = []
        for text, keys, slot in (
            ("Copy as image", "Ctrl+Shift+C", self.copy_image),
            ("Copy as CSV", QKeySequence.StandardKey.Copy, self.copy_csv),
            ("Save as…", "", self.save_as),
        ):
            action = QAction(text, self)
            action.setShortcut(QKeySequence(keys))
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            action.triggered.connect(slot)
            self.addAction(action)
            actions.append(action)
        return actions

    def _export_menu(self, parent: QWidget) -> QMenu:
        menu = QMenu(parent)
        menu.addActions(self._actions)
        return menu


@dataclass(frozen=True)
class Key:
    """One entry of a legend: its words, its colour (``#rrggbb``) and the shape of its mark."""

    text: str
    colour: str
    shape: str = "square"


class _Entry(QWidget):
    def __init__(self, key: Key, colours: Colours, parent: QWidget) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._key, self._colours = key, colours
        self.setAccessibleName(key.text)

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self._key.text) + self._mark() + 8, metrics.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(self._mark() * 3, self.fontMetrics().height())

    def paintEvent(self, event: QPaintEvent, /) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        mark = self._mark()
        centre = QPointF(mark / 2 + 1, self.height() / 2)
        draw_mark(painter, self._key.shape, centre, mark * 0.75, self._key.colour)
        painter.setPen(QColor(self._colours.text))
        rest = self.rect().adjusted(mark + 6, 0, 0, 0)
        text = self.fontMetrics().elidedText(
            self._key.text, Qt.TextElideMode.ElideRight, rest.width()
        )
        painter.drawText(rest, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        painter.end()

    def _mark(self) -> int:
        return max(10, round(self.fontMetrics().ascent() * 0.95))


class Legend(FlowRow):
    """Entries side by side; hidden while there are none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, gap=14)
        self.keys: tuple[Key, ...] = ()
        self._colours = LIGHT
        self.hide()

    def show_keys(self, keys: tuple[Key, ...], colours: Colours) -> None:
        if (keys, colours) != (self.keys, self._colours):
            self.keys, self._colours = keys, colours
            self.clear()
            self.add(*(_Entry(key, colours, self) for key in keys))
            self.setVisible(bool(keys))


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write rows as CSV with a header; None becomes an empty field."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([_plain(cell) for cell in row] for row in rows)
    return stream.getvalue()


def _plain(cell: object) -> object:
    """Return a name so that a spreadsheet takes it neither for a formula nor for a line's end."""
    if not isinstance(cell, str):
        return cell
    text = cell.replace("\r", " ")
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t") else text


def _whole(part: QWidget) -> QWidget:
    """Return what a part of the picture shows, whole where it is scrolled."""
    shown = part.currentWidget() if isinstance(part, QStackedWidget) else part
    inside = shown.widget() if isinstance(shown, QScrollArea) else shown
    return inside or part


def _picture_of(widgets: Iterable[QWidget], background: str) -> QPixmap:
    """Paint widgets below each other, twice as fine as the screen, so that it can be printed."""
    parts = [widget for widget in widgets if not widget.isHidden()]
    width = max((part.width() for part in parts), default=1)
    height = sum(part.height() for part in parts) or 1
    pixmap = QPixmap(int((width + 2 * _MARGIN) * _SCALE), int((height + 2 * _MARGIN) * _SCALE))
    pixmap.setDevicePixelRatio(_SCALE)
    pixmap.fill(QColor(background))
    top = _MARGIN
    painter = QPainter(pixmap)
    try:
        for part in parts:
            # The widget's own: a plot's `render` is that of its scene.
            QWidget.render(
                part, painter, QPoint(_MARGIN, top), renderFlags=QWidget.RenderFlag.DrawChildren
            )
            top += part.height()
    finally:
        painter.end()
    return pixmap
