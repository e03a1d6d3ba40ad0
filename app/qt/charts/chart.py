"""Base of all charts: when they draw, their text and legend, and how they are exported."""

import csv
import io
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from PySide6.QtCore import QMargins, QPoint, QSize, Qt, Slot
from PySide6.QtGui import QAction, QColor, QGuiApplication, QKeySequence, QPixmap
from PySide6.QtWidgets import QFileDialog, QMenu, QMessageBox, QPushButton, QTableView, QWidget

from app.names import spreadsheet_cell
from app.qt import theme
from app.qt.charts.plot import Plot
from app.qt.widgets.layout import FlowRow, activate, vbox
from app.qt.widgets.texts import set_text, wrapped
from app.qt.widgets.throttle import Throttle

_MARGIN = 12
_SCALE = 2

LegendEntry = tuple[str, str, str]
"""A symbol, its colour, and a text."""


class Chart(QWidget):
    """A chart that redraws itself only while it is visible.

    A subclass calls ``_lay_out`` and implements ``_draw`` (the picture), ``_description`` (the
    content in one or two sentences, also for screen readers) and ``to_csv``. Text is updated less
    often than the picture to stay readable.
    """

    interval_ms = 33
    text_interval_ms = 250
    file_stem = "chart"

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        # Qt calls the newest event filter first, so a chart that is shown is drawn before its
        # text is updated.
        self._text_throttle = Throttle(self, self.text_interval_ms, self._update_text)
        self._draw_throttle = Throttle(self, self.interval_ms, self._draw)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self._make_actions()
        self._statement, self._legend = wrapped(parent=self), wrapped(parent=self)
        self._legend.setTextFormat(Qt.TextFormat.RichText)
        self.head = FlowRow(self)
        """Controls above the picture; the last button copies or saves the chart."""
        self._picture = QWidget(self)
        theme.notifier().changed.connect(self.mark_stale)

    @Slot()
    def refresh(self) -> None:
        """Update picture and text now if they are stale."""
        self._draw_throttle.catch_up()
        self._text_throttle.catch_up()

    @Slot()
    def mark_stale(self) -> None:
        """Schedule a refresh; cheap, so it may be called for every frame."""
        self._draw_throttle.mark_stale()
        self._text_throttle.mark_stale()

    def to_csv(self) -> str:
        """Return the chart's numbers as CSV with a header."""
        raise NotImplementedError

    def picture(self) -> QPixmap:
        """Return the chart without its controls, on its background, at twice the resolution."""
        self.refresh()
        visible_size = self._picture.size()
        # Include columns that are scrolled out of view.
        tables = self._picture.findChildren(QTableView)
        hidden = [table.horizontalHeader().length() - table.viewport().width() for table in tables]
        self._resize_picture(visible_size + QSize(max([0, *hidden]), 0))
        plots = self._picture.findChildren(Plot)
        for plot in plots:
            plot.set_pixel_ratio(_SCALE)
        self._draw()
        size = self._picture.size().grownBy(QMargins(_MARGIN, _MARGIN, _MARGIN, _MARGIN))
        pixmap = QPixmap(size * _SCALE)
        pixmap.setDevicePixelRatio(_SCALE)
        pixmap.fill(QColor(theme.colours().panel))
        only_children = QWidget.RenderFlag.DrawChildren
        self._picture.render(pixmap, QPoint(_MARGIN, _MARGIN), renderFlags=only_children)
        self._resize_picture(visible_size)
        for plot in plots:
            plot.set_pixel_ratio(self.devicePixelRatioF())
        self._draw()
        return pixmap

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
        """Save as CSV if the name ends in ``.csv``, otherwise as PNG; show errors in a box."""
        try:
            if path.lower().endswith(".csv"):
                Path(path).write_text(self.to_csv(), encoding="utf-8", newline="")
            elif not self.picture().save(path, "PNG"):
                raise OSError("the picture could not be written")
        except OSError as error:
            box = QMessageBox(self)
            box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            box.setIcon(QMessageBox.Icon.Warning)
            box.setTextFormat(Qt.TextFormat.PlainText)
            reason = error.strerror or error
            box.setText(f"{path} was not saved ({reason}): choose another folder or name.")
            box.open()

    def _lay_out(self, *parts: QWidget, controls: Sequence[QWidget] = ()) -> None:
        """Put the controls above the parts of the picture; plots take the remaining space."""
        button = QPushButton("Copy or save", self)
        button.setAccessibleName("Copy or save this chart")
        menu = QMenu(button)
        menu.addActions(self.actions())
        button.setMenu(menu)
        self.head.add(*controls, button)
        for part in parts:
            if isinstance(part, Plot):
                part.resized.connect(self._draw_throttle.mark_stale)
        stretched = [(part, int(isinstance(part, Plot))) for part in parts]
        vbox(self._picture, *stretched, 0, spacing=6)
        vbox(self, self.head, (self._picture, 1), spacing=6)

    def _resize_picture(self, size: QSize) -> None:
        self._picture.resize(size)
        for table in self._picture.findChildren(QTableView):
            table.doItemsLayout()
            table.updateGeometry()  # its scroll bar may have come or gone
        activate(self._picture)

    def _draw(self) -> None:
        raise NotImplementedError

    def _description(self) -> str:
        raise NotImplementedError

    def _statement_text(self) -> str:
        """Return the text beside the picture; by default the whole description."""
        return self._description()

    def _legend_entries(self) -> Sequence[LegendEntry]:
        return ()

    @Slot()
    def _update_text(self) -> None:
        description = self._description()
        if description != self.accessibleDescription():
            self.setAccessibleDescription(description)
        set_text(self._statement, self._statement_text())
        entries = (
            f'<span style="color:{colour}">{mark}</span>&nbsp;{escape(text).replace(" ", "&nbsp;")}'
            for mark, colour, text in self._legend_entries()
        )
        set_text(self._legend, "&nbsp;&nbsp; ".join(entries))

    def sizeHint(self) -> QSize:
        line = self.fontMetrics().height()
        return QSize(line * 36, max(line * 18, super().sizeHint().height()))

    def _make_actions(self) -> None:
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


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write rows as CSV with a header; None becomes an empty field."""
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(header)
    writer.writerows(map(spreadsheet_cell, row) for row in rows)
    return stream.getvalue()
