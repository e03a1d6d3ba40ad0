"""Drives the window and saves what it shows, for `app.qt.screenshots`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QPoint
from PySide6.QtGui import QImage, QImageWriter
from PySide6.QtWidgets import QScrollArea, QWidget

from app.qt import waiting
from app.qt.main_window import MainWindow

THEMES = ("light", "dark")
MARGIN = 12
MOST_BYTES = 150_000
"""A picture that is larger than this as PNG becomes a JPEG; twice the scale may have twice that."""
JPEG_QUALITIES = (90, 85, 80, 75, 70, 65)

SETTLE = 0.6
"""Seconds for which a view is left alone before it is taken, so that its charts are drawn."""


class Photographer:
    """Drives the window and saves what it shows.

    Parameters
    ----------
    window : MainWindow
        Shown.
    folder : Path
        Where the pictures go.
    suffix : str
        At the end of their names.
    only : tuple of str
        Views to save; all when empty.
    """

    def __init__(
        self, window: MainWindow, folder: Path, suffix: str = "", only: tuple[str, ...] = ()
    ) -> None:
        self.window, self.desk = window, window.desk
        self.folder, self._suffix, self._only = folder, suffix, only

    def wait(self, what: str, condition: Callable[[], bool], seconds: float = 120.0) -> None:
        """Let the program work until something is so; end with a sentence if it never is."""
        if not waiting.wait_until(condition, seconds):
            raise SystemExit(f"The pictures are not complete: waited in vain for {what}.")

    def rest(self, seconds: float = SETTLE) -> None:
        """Let the program work for a while."""
        waiting.rest(seconds)

    def take(self, name: str, widget: QWidget | None = None) -> None:
        """Save a view in both themes; the whole window unless another one is given."""
        if not self.wants(name):
            return
        for theme in THEMES:
            self.desk.change_settings(theme=theme)
            self.rest()
            QCoreApplication.processEvents()  # what is to be laid out anew
            picture = (widget or self.window).grab().toImage()
            self.keep(picture, f"{name}-{theme}{self._suffix}")

    def wants(self, name: str) -> bool:
        """Whether a view is to be saved."""
        return not self._only or name in self._only

    def scroll_to(self, widget: QWidget | None) -> None:
        """Bring a part of a page to the top of what is seen of it."""
        assert widget is not None
        area = widget.parentWidget()
        while area is not None and not isinstance(area, QScrollArea):
            area = area.parentWidget()
        if area is not None:
            self.rest(0.2)
            content = area.widget()
            assert content is not None
            top = widget.mapTo(content, QPoint(0, 0)).y()
            area.verticalScrollBar().setValue(top - MARGIN)

    def keep(self, picture: QImage, name: str) -> None:
        """Save a picture, as JPEG where it is too large for PNG, and say where."""
        path = self.folder / f"{name}.png"
        most = MOST_BYTES * picture.devicePixelRatio()
        picture.save(str(path))
        if path.stat().st_size > most:
            path.unlink()
            path = path.with_suffix(".jpg")
            for quality in JPEG_QUALITIES:
                writer = QImageWriter(str(path), b"jpg")
                writer.setQuality(quality)
                writer.setOptimizedWrite(True)
                writer.setProgressiveScanWrite(True)
                writer.write(picture)
                if path.stat().st_size <= most:
                    break
        print(f"{path} ({path.stat().st_size // 1000} kB)", flush=True)
