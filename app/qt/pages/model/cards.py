"""Cards about work: how far a piece of it is, and the liveness networks where they are missing."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QProgressBar, QWidget

from app.qt.state import NetworksState, Working
from app.qt.theme import set_class
from app.qt.widgets.layout import CARD, button, hbox, vbox
from app.qt.widgets.marks import MarkedText
from app.qt.widgets.texts import set_text, wrapped

_STEPS = 1000
_BY_HAND_LINES = 14


def _progress_bar(name: str, parent: QWidget) -> QProgressBar:
    bar = QProgressBar(parent)
    bar.setTextVisible(False)
    bar.setAccessibleName(name)
    return bar


class WorkingCard(QFrame):
    """Progress with words; hidden while nothing is being done."""

    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_class(self, "card")
        self._shown = Working()
        self._title = wrapped("", "heading", self)
        self.bar = _progress_bar("Progress", self)
        tip = "End this work; the model in use stays as it is"
        self.cancel = button("Cancel", "stop", self.cancel_requested, tip=tip, parent=self)
        head = hbox(None, (self._title, 1), self.cancel, spacing=12)
        vbox(self, head, self.bar, margins=(16, 12, 16, 14))
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
        self.cancel.setVisible(working.can_cancel)
        share = working.share
        self.bar.setRange(0, 0 if share is None else _STEPS)
        words = "Under way; how long it takes is not known"
        if share is not None:
            self.bar.setValue(round(_STEPS * min(1.0, max(0.0, share))))
            words = f"{round(100 * share)} % done"
        self.bar.setAccessibleDescription(words)
        self.bar.setToolTip(words)


class NetworksCard(QFrame):
    """Offer the liveness networks; hidden where nothing is missing."""

    get_requested = Signal()
    cancel_requested = Signal()
    choose_requested = Signal()
    """The person wants to choose files that are here already."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_class(self, "card")
        heading = wrapped("Another light, or an attack?", "heading", self)
        self._text = wrapped(
            "In a light that was never enrolled, the live person cannot be told from an "
            "attack. Two small networks that judge how live a face looks can, for about nine "
            "in ten of the real recordings that the rule was chosen on.",
            parent=self,
        )
        self._facts = wrapped("", "muted", self)
        self._problem = MarkedText("warning", "caution", parent=self)
        self._hint = wrapped(parent=self)
        self.files = QPlainTextEdit(self)
        self.files.setReadOnly(True)
        self.files.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)
        self.files.setFixedHeight(_BY_HAND_LINES * self.fontMetrics().lineSpacing())
        self.files.setAccessibleName("Files to bring, with their addresses and checksums")
        self.bar = _progress_bar("Progress of the download", self)
        self.get = button(
            "Get them",
            "import",
            self.get_requested,
            tip="Download both files, check them and use them at once",
            kind="primary",
            parent=self,
        )
        tip = "Use files that were brought from another computer"
        self.choose = button("Choose files…", "open", self.choose_requested, tip=tip, parent=self)
        self.cancel = button("Cancel", "stop", self.cancel_requested, parent=self)
        buttons = hbox(None, self.get, self.choose, self.cancel, 1)
        texts = (heading, self._text, self._facts, self._problem, self._hint)
        vbox(self, *texts, self.files, self.bar, buttons, margins=CARD)
        self.show_networks(NetworksState())

    @property
    def text(self) -> str:
        parts = (self._text, self._facts, self._problem, self._hint)
        return "\n".join(part.text() for part in parts if part.text())

    @Slot(object)
    def show_networks(self, state: NetworksState) -> None:
        working = state.working
        is_busy = bool(working.text)
        size = f"{state.size / 1e6:.1f}"
        facts = f"{size} MB to download, licence {state.licence}. The model stays as it is."
        if is_busy:
            done = f": {working.done / 1e6:.1f} of {size} MB" if working.total else ""
            facts = f"{working.text}{done}"
        set_text(self._facts, facts)
        self._problem.show_text("" if is_busy else state.problem)
        is_by_hand = state.is_by_hand and not is_busy
        hint = (
            "Without internet: get these files on another computer and choose them here, or put "
            f"them into {state.folder} and press “Get them”."
        )
        set_text(self._hint, hint if is_by_hand else "")
        self.files.setVisible(is_by_hand)
        self.files.setPlainText(
            "\n".join(f"{one.name}\n{one.url}\nSHA-256 {one.sha256}" for one in state.missing)
        )
        for each in (self.get, self.choose):
            each.setVisible(not is_busy)
        self.cancel.setVisible(is_busy and working.can_cancel)
        self.bar.setVisible(is_busy)
        # A busy bar moves by a timer of its own, which must not outlive the work.
        self.bar.setRange(0, working.total if is_busy else 1)
        self.bar.setValue(working.done)
        self.setVisible(bool(state.missing))
