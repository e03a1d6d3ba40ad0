"""Sentences for the person, above the picture: what happened and the way out.

One that asks something has a button for each answer, and stays until it is answered or put away.
"""

from PySide6.QtCore import QEvent, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QWidget

from app.qt import theme
from app.qt.state import Notice
from app.qt.theme import icons
from app.qt.widgets.layout import button, hbox, vbox
from app.qt.widgets.marks import Mark

MOST = 3
"""Notices at a time; the oldest goes when another comes."""

READING_SECONDS = 12
"""A notice that asks for nothing goes by itself after this time."""

_LEVELS = {
    "info": ("banner-info", "info", "accent"),
    "warning": ("banner-caution", "warning", "caution"),
    "error": ("banner-bad", "warning", "bad"),
}
"""Ground, shape and its colour."""


class _Line(QFrame):
    """One notice, which can be put away."""

    def __init__(self, notice: Notice, parent: "Notices") -> None:
        super().__init__(parent)
        self.notice = notice
        self._notices = parent
        ground, shape, role = _LEVELS.get(notice.level, _LEVELS["info"])
        theme.set_class(self, ground)
        text, close = QLabel(notice.text), QToolButton()
        text.setWordWrap(True)
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        close.setIcon(icons.icon("cross", "muted"))
        close.setAutoRaise(True)
        close.setToolTip("Put this away")
        close.setAccessibleName(f"Put away: {notice.text}")
        close.clicked.connect(self._put_away)
        column = vbox(
            self, hbox(None, Mark(shape, role, scale=1.15), (text, 1), close), margins=(10, 6, 6, 6)
        )
        if notice.actions:
            column.addLayout(self._make_buttons(notice))
        self.setAccessibleName(notice.text)

    def _make_buttons(self, notice: Notice) -> QHBoxLayout:
        row = hbox(None, 1, margins=(0, 0, 4, 4))
        for choice in reversed(notice.actions):  # the first one stands where dialogs have theirs
            kind = ""
            if choice is notice.actions[0]:
                kind = "primary" if len(notice.actions) > 1 else "quiet"
            chooser = button(choice.text, slot=self._on_chosen, kind=kind)
            chooser.setProperty("choice", choice.key)
            row.addWidget(chooser)
        return row

    @Slot()
    def _on_chosen(self) -> None:
        key = str(self.sender().property("choice"))
        self._notices.remove(self)
        self._notices.chosen.emit(self.notice.topic, key)

    @Slot()
    def _put_away(self) -> None:
        self._notices.remove(self)


class Notices(QWidget):
    """A short stack of notices; empty, it takes no room."""

    changed = Signal()
    """Other notices are shown than before."""
    chosen = Signal(str, str)
    """Topic of a notice that asked something, and the key of the answer."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines: list[_Line] = []
        self._timer = QTimer(self, singleShot=True, interval=1000 * READING_SECONDS)
        self._timer.timeout.connect(self._put_read_ones_away)
        self._column = vbox(self, spacing=4)
        self.hide()

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(line.notice.text for line in self._lines)

    @Slot(object)
    def show_notice(self, notice: Notice) -> None:
        """Show a notice in the place of an earlier one of its topic."""
        for line in list(self._lines):
            same_topic = notice.topic and line.notice.topic == notice.topic
            if same_topic or line.notice.text == notice.text:
                if line.notice == notice:
                    return
                self.remove(line)
        if not notice.text:
            return
        while len(self._lines) >= MOST:
            # A question is not taken away by what merely happens meanwhile.
            plain = [line for line in self._lines if not line.notice.actions]
            self.remove((plain or self._lines)[0])
        line = _Line(notice, self)
        self._lines.append(line)
        self._column.addWidget(line)
        line.show()
        self.show()
        self.changed.emit()
        if notice.level == "info":
            self._timer.start()

    def event(self, event: QEvent, /) -> bool:
        """Place the notices anew when one needs more room than it seemed to before it was shown."""
        handled = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self.changed.emit()
        return handled

    def hideEvent(self, event: QHideEvent, /) -> None:
        self._timer.stop()
        super().hideEvent(event)

    @Slot()
    def _put_read_ones_away(self) -> None:
        for line in list(self._lines):
            if line.notice.level == "info" and not line.notice.actions:
                self.remove(line)

    def remove(self, line: _Line) -> None:
        self._lines.remove(line)
        self._column.removeWidget(line)
        line.hide()
        line.deleteLater()
        self.setVisible(bool(self._lines))
        self.changed.emit()
