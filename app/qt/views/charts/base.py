"""What all charts have in common: when they draw, their words, and ways to take them along.

Two clocks. Data may arrive at any rate: a chart only notes that it is stale. A timer then draws at
most every `Chart.interval_ms`, and another writes text at most every `Chart.text_interval_ms`,
because text must be readable. Both are single shots that run only while the chart can be seen and
is stale, so a chart that is hidden or has nothing new costs nothing.
"""

from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QGuiApplication,
    QHideEvent,
    QKeySequence,
    QPalette,
    QPixmap,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QLabel,
    QMenu,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.qt.views.charts.colours import DARK, LIGHT, ChartColours, chart_colours
from app.qt.views.charts.export import picture_of

__all__ = ["DARK", "LIGHT", "Chart", "ChartColours", "chart_colours"]


class Chart(QWidget):
    """A chart that draws when it is stale and can be seen.

    A kind of chart sets ``interval_ms``, and writes ``_draw`` (the picture), ``_words`` (one or two
    sentences that state the content, also its accessible description), ``to_csv`` and
    ``_picture_parts``.

    Signals
    -------
    saved : str
        Path of a file that "Save as" has written.
    failed : str
        One sentence: why a file could not be written, and what to do.
    """

    saved = Signal(str)
    failed = Signal(str)

    interval_ms = 33
    text_interval_ms = 250
    file_stem = "chart"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colours = LIGHT
        self._is_on_screen = False
        self._must_draw = self._must_write = True
        self._draw_timer = self._single_shot(self.interval_ms, self._on_draw_due)
        self._text_timer = self._single_shot(self.text_interval_ms, self._on_text_due)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(6)
        self._actions = self._make_actions()

    # ------------------------------------------------------------ to be used by the window

    def set_colours(self, colours: ChartColours) -> None:
        """Draw with other colours; costs nothing when they are the same."""
        if colours != self._colours:
            self._colours = colours
            self._recolour()
            self.mark_stale()

    def refresh(self) -> None:
        """Draw and write now whatever is out of date."""
        if self._must_draw:
            self._must_draw = False
            self._draw()
        if self._must_write:
            self._must_write = False
            self._write()
        self._restart()

    def to_csv(self) -> str:
        """Return the numbers of the chart as CSV with a header."""
        raise NotImplementedError

    def picture(self) -> QPixmap:
        """Return the chart without its controls, on its background, at twice the resolution."""
        self.refresh()
        return picture_of(self._picture_parts(), self._colours.background)

    @Slot()
    def copy_image(self) -> None:
        """Put the picture on the clipboard."""
        QGuiApplication.clipboard().setPixmap(self.picture())

    @Slot()
    def copy_csv(self) -> None:
        """Put the numbers on the clipboard."""
        QGuiApplication.clipboard().setText(self.to_csv())

    @Slot()
    def save_as(self) -> None:
        """Ask for a file name and save the picture (PNG) or the numbers (CSV) there."""
        image, table = self.tr("Picture (*.png)"), self.tr("Table (*.csv)")
        path, chosen = QFileDialog.getSaveFileName(
            self, self.tr("Save chart"), f"{self.file_stem}.png", f"{image};;{table}"
        )
        if path:
            if Path(path).suffix.lower() not in (".png", ".csv"):
                path += ".csv" if chosen == table else ".png"
            self.save(path)

    def save(self, path: str) -> bool:
        """Save as CSV if the name ends so, otherwise as PNG; say whether it was done."""
        try:
            if path.lower().endswith(".csv"):
                Path(path).write_text(self.to_csv(), encoding="utf-8")
            elif not self.picture().save(path, "PNG"):
                raise OSError(self.tr("the picture could not be written"))
        except OSError as error:
            reason = error.strerror or str(error)
            self.failed.emit(
                self.tr("{path} was not saved ({reason}). Choose another folder or name.").format(
                    path=path, reason=reason
                )
            )
            return False
        self.saved.emit(path)
        return True

    # ------------------------------------------------------------ to be used by kinds of charts

    def mark_stale(self) -> None:
        """Note that there is something new; cheap, whatever the rate."""
        self._must_draw = self._must_write = True
        self._restart()

    def _draw(self) -> None:
        """Bring the picture up to date."""
        raise NotImplementedError

    def _words(self) -> str:
        """Return the content in words."""
        raise NotImplementedError

    def _write(self) -> None:
        """Bring texts up to date; kinds of charts extend it."""
        words = self._words()
        if words != self.accessibleDescription():
            self.setAccessibleDescription(words)

    def _recolour(self) -> None:
        """Take over new colours where `_draw` does not; kinds of charts extend it."""
        for label in self.findChildren(QLabel):
            palette = label.palette()
            palette.setColor(QPalette.ColorRole.WindowText, self._colours.text)
            label.setPalette(palette)

    def _picture_parts(self) -> list[QWidget]:
        """Widgets that make up the picture, from top to bottom."""
        raise NotImplementedError

    def _make_label(self, text: str = "") -> QLabel:
        """Return a label that wraps and may get as narrow as it must."""
        label = QLabel(text, self)
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        label.setSizePolicy(policy)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        return label

    def _make_scroll(self, content: QWidget) -> QScrollArea:
        """Return a see-through area in which tall content scrolls."""
        scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # its content takes the keys
        scroll.setWidget(content)
        for widget in (scroll.viewport(), content):
            widget.setAutoFillBackground(False)
        return scroll

    def _make_export_button(self) -> QPushButton:
        """Return the button with the ways to take the chart along."""
        button = QPushButton(self.tr("Copy or save"), self)
        button.setAccessibleName(self.tr("Copy or save this chart"))
        button.setMenu(self._export_menu(button))
        return button

    # ------------------------------------------------------------ Qt

    def sizeHint(self) -> QSize:
        """Return a size at which everything can be read."""
        line = self.fontMetrics().height()
        return QSize(line * 36, line * 18)

    def showEvent(self, event: QShowEvent, /) -> None:
        """Catch up with what arrived while hidden."""
        super().showEvent(event)
        self._is_on_screen = True
        self.refresh()

    def hideEvent(self, event: QHideEvent, /) -> None:
        """Stop both clocks."""
        self._is_on_screen = False
        self._draw_timer.stop()
        self._text_timer.stop()
        super().hideEvent(event)

    def resizeEvent(self, event: QResizeEvent, /) -> None:
        """Arrange the picture anew."""
        super().resizeEvent(event)
        self._must_draw = True
        self._restart()

    def contextMenuEvent(self, event: QContextMenuEvent, /) -> None:
        """Offer to copy or save; also by the keyboard's menu key."""
        menu = self._export_menu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    # ------------------------------------------------------------ own

    def _single_shot(self, milliseconds: int, slot: object) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(milliseconds)
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
        image = QAction(self.tr("Copy as image"), self)
        image.setShortcut(QKeySequence("Ctrl+Shift+C"))
        image.triggered.connect(self.copy_image)
        table = QAction(self.tr("Copy as CSV"), self)
        table.setShortcut(QKeySequence(QKeySequence.StandardKey.Copy))
        table.triggered.connect(self.copy_csv)
        save = QAction(self.tr("Save as\N{HORIZONTAL ELLIPSIS}"), self)
        save.triggered.connect(self.save_as)
        actions = [image, table, save]
        for action in actions:
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            self.addAction(action)
        return actions

    def _export_menu(self, parent: QWidget) -> QMenu:
        menu = QMenu(parent)
        menu.addActions(self._actions)
        return menu
