"""What all charts have in common: when they draw, their words, and ways to take them along.

Two clocks. Data may arrive at any rate: a chart only notes that it is stale. A timer then draws at
most every `Chart.interval_ms`, and another writes text at most every `Chart.text_interval_ms`,
because text must be readable. Both are single shots that run only while the chart can be seen and
is stale, so a chart that is hidden or has nothing new costs nothing.
"""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from PySide6.QtCore import QPoint, QSize, Qt, QTimer, Slot
from PySide6.QtGui import (
    QAction,
    QColor,
    QContextMenuEvent,
    QGuiApplication,
    QHideEvent,
    QKeySequence,
    QPainter,
    QPixmap,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QFileDialog,
    QMenu,
    QMessageBox,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QWidget,
)

from app.qt import theme
from app.qt.charts.plot import Plot
from app.qt.theme.themes import Colours
from app.qt.widgets.flow import FlowRow
from app.qt.widgets.layout import vbox

_MARGIN = 12
_SCALE = 2.0


class Chart(QWidget):
    """A chart that draws when it is stale and can be seen.

    A kind of chart calls ``_lay_out`` and writes ``_draw`` (the picture), ``_words`` (one or two
    sentences that state the content, also its accessible description) and ``to_csv``.
    """

    interval_ms = 33
    text_interval_ms = 250
    file_stem = "chart"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colours = theme.colours()
        self._is_on_screen = False
        self._must_draw = self._must_write = self._must_colour = True
        self._draw_timer = self._single_shot(self.interval_ms, self._on_draw_due)
        self._text_timer = self._single_shot(self.text_interval_ms, self._on_text_due)
        self._actions = self._make_actions()
        self._parts: tuple[QWidget, ...] = ()
        self.head = FlowRow(self)
        """Controls above the picture; the last one copies or saves the chart."""
        theme.notifier().changed.connect(self.set_colours)

    @Slot(object)
    def set_colours(self, colours: Colours) -> None:
        if colours != self._colours:
            self._colours = colours
            self._must_colour = True
            self.mark_stale()

    @Slot()
    def refresh(self) -> None:
        """Draw and write now whatever is out of date."""
        self._on_draw_due()
        self._on_text_due()
        self._restart()

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
        """Save as CSV if the name ends so, otherwise as PNG; a failure is shown in a box."""
        try:
            if path.lower().endswith(".csv"):
                Path(path).write_text(self.to_csv(), encoding="utf-8")
            elif not self.picture().save(path, "PNG"):
                raise OSError("the picture could not be written")
        except OSError as error:
            reason = error.strerror or str(error)
            box = QMessageBox(self)
            box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            box.setIcon(QMessageBox.Icon.Warning)
            box.setTextFormat(Qt.TextFormat.PlainText)
            box.setText(f"{path} was not saved ({reason}). Choose another folder or name.")
            box.open()

    def mark_stale(self) -> None:
        """Note that there is something new; cheap, whatever the rate."""
        self._must_draw = self._must_write = True
        self._restart()

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

    def _write(self) -> None:
        """Bring texts up to date; kinds of charts extend it."""
        words = self._words()
        if words != self.accessibleDescription():
            self.setAccessibleDescription(words)

    def _recolour(self) -> None:
        """Take over new colours where `_draw` does not; kinds of charts extend it."""
        for plot in self.findChildren(Plot):
            plot.set_colours(self._colours)

    def sizeHint(self) -> QSize:
        line = self.fontMetrics().height()
        return QSize(line * 36, line * 18)

    def showEvent(self, event: QShowEvent, /) -> None:
        super().showEvent(event)
        self._is_on_screen = True
        self.refresh()

    def hideEvent(self, event: QHideEvent, /) -> None:
        self._is_on_screen = False
        self._draw_timer.stop()
        self._text_timer.stop()
        super().hideEvent(event)

    def resizeEvent(self, event: QResizeEvent, /) -> None:
        super().resizeEvent(event)
        self._must_draw = True
        self._restart()

    def contextMenuEvent(self, event: QContextMenuEvent, /) -> None:
        """Offer to copy or save; also by the keyboard's menu key."""
        menu = self._export_menu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    def _single_shot(self, milliseconds: int, slot: object) -> QTimer:
        timer = QTimer(self, singleShot=True, interval=milliseconds)
        timer.timeout.connect(slot)
        return timer

    def _restart(self) -> None:
        if not self._is_on_screen:
            return
        if self._must_draw and not self._draw_timer.isActive():
            self._draw_timer.start()
        if self._must_write and not self._text_timer.isActive():
            self._text_timer.start()

    @Slot()
    def _on_draw_due(self) -> None:
        if self._must_colour:
            self._must_colour = False
            self._recolour()
        if self._must_draw:
            self._must_draw = False
            self._draw()
            self._restart()

    @Slot()
    def _on_text_due(self) -> None:
        if self._must_write:
            self._must_write = False
            self._write()

    def _make_actions(self) -> list[QAction]:
        actions = []
        for text, keys, slot in (
            ("Copy as image", "Ctrl+Shift+C", self.copy_image),
            ("Copy as CSV", QKeySequence.StandardKey.Copy, self.copy_csv),
            ("Save as\N{HORIZONTAL ELLIPSIS}", "", self.save_as),
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
