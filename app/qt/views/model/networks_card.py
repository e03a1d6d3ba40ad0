"""The liveness networks where they are missing: what they are good for, and how to get them."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.qt.icons import icon
from app.qt.state import NetworksState
from app.qt.theme import set_class
from app.qt.views.parts.texts import MarkedText, set_text, wrapped

_BY_HAND_LINES = 14


class NetworksCard(QFrame):
    """Offer the networks; hidden where nothing is missing.

    Signals
    -------
    get_requested, cancel_requested, choose_requested : no value
        The person wants a download, its end, or to choose files that are here already.
    """

    get_requested = Signal()
    cancel_requested = Signal()
    choose_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_class(self, "card")
        heading = wrapped(self.tr("Another light, or an attack?"), "heading", self)
        self._text = wrapped(
            self.tr(
                "In a light that was never enrolled, the live person cannot be told from an "
                "attack. Two small networks that judge how live a face looks can, for about nine "
                "in ten of the real recordings that the rule was chosen on."
            ),
            "",
            self,
        )
        self._facts = wrapped("", "muted", self)
        self._problem = MarkedText("warning", "caution", parent=self)
        self._hint = wrapped("", "", self)
        self.files = QPlainTextEdit(self)
        self.files.setReadOnly(True)
        self.files.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)
        self.files.setFixedHeight(_BY_HAND_LINES * self.fontMetrics().lineSpacing())
        self.files.setAccessibleName(self.tr("Files to bring, with their addresses and checksums"))
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(self.tr("Progress of the download"))
        self.get = QPushButton(icon("import", "on_accent"), self.tr("Get them"), self)
        self.get.setToolTip(self.tr("Download both files, check them and use them at once"))
        set_class(self.get, "primary")
        self.get.clicked.connect(self.get_requested)
        self.choose = QPushButton(icon("open"), self.tr("Choose files…"), self)
        self.choose.setToolTip(self.tr("Use files that were brought from another computer"))
        self.choose.clicked.connect(self.choose_requested)
        self.cancel = QPushButton(icon("stop"), self.tr("Cancel"), self)
        self.cancel.clicked.connect(self.cancel_requested)
        row = QHBoxLayout()
        row.setSpacing(8)
        for button in (self.get, self.choose, self.cancel):
            row.addWidget(button)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 16)
        column.setSpacing(8)
        for part in (heading, self._text, self._facts, self._problem, self._hint, self.files):
            column.addWidget(part)
        column.addWidget(self.bar)
        column.addLayout(row)
        self.show_networks(NetworksState())

    @property
    def text(self) -> str:
        """Everything that is written."""
        parts = (self._text, self._facts, self._problem, self._hint)
        return "\n".join(part.text() for part in parts if part.text())

    @Slot(object)
    def show_networks(self, shown: NetworksState) -> None:
        """Show what is missing, or nothing."""
        is_busy = bool(shown.working.text)
        set_text(self._facts, self._facts_words(shown, is_busy=is_busy))
        self._problem.show_text("" if is_busy else shown.problem)
        is_by_hand = shown.is_by_hand and not is_busy
        set_text(self._hint, self._hint_words(shown) if is_by_hand else "")
        self.files.setVisible(is_by_hand)
        self.files.setPlainText(
            "\n".join(f"{one.name}\n{one.url}\nSHA-256 {one.sha256}" for one in shown.missing)
        )
        for button in (self.get, self.choose):
            button.setVisible(not is_busy)
        self.cancel.setVisible(is_busy and shown.working.can_cancel)
        self.bar.setVisible(is_busy)
        # A busy bar moves by a timer of its own, which must not outlive the work.
        self.bar.setRange(0, shown.working.total if is_busy else 1)
        self.bar.setValue(shown.working.done)
        self.setVisible(bool(shown.missing))

    def _facts_words(self, shown: NetworksState, *, is_busy: bool) -> str:
        size = f"{shown.size / 1e6:.1f}"
        if is_busy:
            if not shown.working.total:
                return shown.working.text
            text = self.tr("{what}: {done:.1f} of {size} MB")
            done = shown.working.done / 1e6
            return text.format(what=shown.working.text, done=done, size=size)
        text = self.tr("{size} MB to download, licence {licence}. The model stays as it is.")
        return text.format(size=size, licence=shown.licence)

    def _hint_words(self, shown: NetworksState) -> str:
        return self.tr(
            "Without internet: get these files on another computer and choose them here, or put "
            "them into {folder} and press “Get them”."
        ).format(folder=shown.folder)
