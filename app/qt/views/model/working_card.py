"""A long piece of work: what is being done, how far it is, and a way to end it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from app.qt.icons import icon
from app.qt.state import Working
from app.qt.theme import set_class
from app.qt.views.parts.texts import set_text, wrapped

_STEPS = 1000


class WorkingCard(QFrame):
    """Progress with words; hidden while nothing is being done.

    Signals
    -------
    cancel_requested : no value
        The person wants it to end.
    """

    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_class(self, "card")
        self._shown = Working()
        self._title = wrapped("", "heading", self)
        self._details = wrapped("", "muted", self)
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(self.tr("Progress"))
        self.cancel = QPushButton(icon("stop"), self.tr("Cancel"), self)
        self.cancel.setToolTip(self.tr("End this work; the model in use stays as it is"))
        self.cancel.clicked.connect(self.cancel_requested)
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(self._title, 1)
        row.addWidget(self.cancel)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 14)
        column.setSpacing(8)
        column.addLayout(row)
        column.addWidget(self.bar)
        column.addWidget(self._details)
        self.hide()

    def show_working(self, working: Working) -> None:
        """Show how far the work is; a text that is empty ends it."""
        if working == self._shown:
            return
        self._shown = working
        self.setVisible(bool(working.text))
        if not working.text:
            # A busy bar moves by a timer of its own, which must not outlive the work.
            self.bar.setRange(0, _STEPS)
            return
        set_text(self._title, working.text)
        set_text(self._details, "\n".join(working.details))
        self.cancel.setVisible(working.can_cancel)
        share = working.share
        self.bar.setRange(0, 0 if share is None else _STEPS)
        if share is not None:
            self.bar.setValue(round(_STEPS * min(1.0, max(0.0, share))))
        self.bar.setAccessibleDescription(self._words(share))
        self.bar.setToolTip(self._words(share))

    def _words(self, share: float | None) -> str:
        if share is None:
            return self.tr("Under way; how long it takes is not known")
        return self.tr("{percent} % done").format(percent=round(100 * share))
