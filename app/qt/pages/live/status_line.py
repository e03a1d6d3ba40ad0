"""The foot of the window: the source, how fast things go, and what is being done."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QLabel, QStatusBar, QWidget

from app.qt import theme
from app.qt.state import Working
from app.qt.widgets.layout import button, progress_bar
from app.types import Throughput


class StatusLine(QStatusBar):
    """Figures at a readable rate, and the progress of long work."""

    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeGripEnabled(False)
        self._text, self._bar = QLabel(), progress_bar("Progress")
        self._bar.setMaximumWidth(160)
        self._cancel = button("Cancel", slot=self.cancel_requested, kind="quiet")
        self._figures = QLabel()
        theme.set_class(self._figures, "muted")
        for widget in (self._text, self._bar, self._cancel):
            self.addWidget(widget)
        self.addPermanentWidget(self._figures)
        self.setContentsMargins(12, 0, 12, 0)
        self.show_working(Working())

    @property
    def text(self) -> str:
        """What is being done and the figures, as written."""
        return f"{self._text.text()} {self._figures.text()}".strip()

    @Slot(object)
    def show_working(self, working: Working) -> None:
        busy = bool(working.text)
        self._text.setText(working.text)
        self._bar.setVisible(busy)
        self._cancel.setVisible(busy and working.can_cancel)
        # Without a share the bar runs to and fro.
        self._bar.setRange(0, working.total)
        self._bar.setValue(working.done)

    def show_throughput(self, source: str, figures: Throughput) -> None:
        parts = [source] if source else []
        parts.append(f"camera {figures.source_rate:.0f} /s")
        if figures.scoring_rate > 0:
            parts.append(f"judged {figures.scoring_rate:.0f} /s")
            parts.append(f"latency {1000 * figures.latency:.0f} ms")
        parts.append(f"skipped {figures.n_dropped}")
        self._figures.setText("   ".join(parts))
        self._figures.setToolTip(
            "Frames a second that arrive and that are judged, time from a frame to its "
            "verdict, and frames that were skipped because a newer one had come"
        )
