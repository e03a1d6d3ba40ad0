"""The takes of an enrolment: rename, delete or assign them, and see what they cover."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractItemModel, QObject, QSize, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QAbstractItemView,
    QGridLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QProgressBar,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from app.names import LONGEST_NAME
from app.qt.theme import set_class
from app.qt.theme.icons import icon
from app.qt.widgets.layout import add_action, button, grid, hbox, vbox
from app.qt.widgets.rows import Index
from app.qt.widgets.texts import Mark, plain_tip, set_text, wrapped
from app.session.takes import CoverageItem, TakeSummary

_NAME, _FRAMES, _LIGHT, _MODEL, _PERSON = range(5)
_MOST_ROWS = 6
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class TakesList(QWidget):
    """A table of takes with what can be done to them."""

    remove_requested = Signal(str)
    rename_requested = Signal(str, str)
    assign_requested = Signal(str, str)
    """A take, and whose face it shows."""
    clear_requested = Signal()
    frames_requested = Signal(str)
    """The frames of this take should be shown."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._takes: tuple[TakeSummary, ...] = ()
        self._collecting = ""
        self._is_locked = self._may_clear = False
        self.table = _Table(self)
        self.table.setHeaderLabels(["Take", "Frames", "Light", "Model", "Person"])
        head = self.table.headerItem()
        head.setTextAlignment(_FRAMES, _RIGHT)
        head.setToolTip(_LIGHT, "Takes of the same light were recorded in the same circumstances.")
        head.setToolTip(_PERSON, "Whose face the take shows; a double click changes it.")
        self.table.setColumnHidden(_PERSON, True)
        self.table.setAccessibleName("Takes")
        self.table.itemSelectionChanged.connect(self._update_buttons)
        self.table.itemDoubleClicked.connect(self._on_double_click)
        for number, named, words in (
            (_NAME, self._on_named, "New name of the take"),
            (_PERSON, self.assign_requested, "Whose face the take shows"),
        ):
            delegate = _NameDelegate(words, self.table)
            delegate.named.connect(named)
            self.table.setItemDelegateForColumn(number, delegate)
        self.message = wrapped(kind="caution", parent=self)
        """Why the last name was not taken; empty when it was."""
        self.message.hide()
        for text, slot, keys in (
            ("Rename", self._on_rename, [Qt.Key.Key_F2]),
            ("Whose face", self._on_assign, []),
            ("Show its frames", self._on_frames, []),
            ("Delete", self._on_remove, [Qt.Key.Key_Delete, Qt.Key.Key_Backspace]),
        ):
            add_action(self.table, text, slot, *keys)
        tip = "Give the selected take another name (F2)."
        self.rename_button = button("Rename", slot=self._on_rename, tip=tip, parent=self)
        tip = "Delete the selected take with its frames (Del). Undo brings it back."
        self.remove_button = button("Delete", "delete", self._on_remove, tip=tip, parent=self)
        self.remove_button.setAccessibleName("Delete the selected take")
        tip, clear = "Delete all takes. This cannot be undone.", self.clear_requested
        self.clear_button = button("Delete all…", slot=clear, tip=tip, kind="quiet", parent=self)
        buttons = hbox(None, self.rename_button, self.remove_button, 1, self.clear_button)
        vbox(self, self.table, self.message, buttons)
        self._update_buttons()

    @property
    def tab_stops(self) -> tuple[QWidget, ...]:
        return self.table, self.rename_button, self.remove_button, self.clear_button

    def show_takes(self, takes: Sequence[TakeSummary], collecting: str = "") -> None:
        """Show these takes; ``collecting`` is the one that is being recorded."""
        if (tuple(takes), collecting) == (self._takes, self._collecting):
            return
        self._takes, self._collecting = tuple(takes), collecting
        while self.table.topLevelItemCount() > len(takes):
            self.table.takeTopLevelItem(self.table.topLevelItemCount() - 1)
        while self.table.topLevelItemCount() < len(takes):
            self.table.addTopLevelItem(_new_item())
        for number, take in enumerate(takes):
            if (item := self.table.topLevelItem(number)) is not None:
                self._show_take(item, take)
        self.table.setColumnHidden(_PERSON, len({take.person for take in takes}) < 2)
        self.table.updateGeometry()
        set_text(self.message, "")
        self._update_buttons()

    def set_locked(self, is_locked: bool, may_clear: bool) -> None:
        """Allow or forbid changes, and deleting everything."""
        if (is_locked, may_clear) != (self._is_locked, self._may_clear):
            self._is_locked, self._may_clear = is_locked, may_clear
            self._update_buttons()

    def selected_name(self) -> str:
        items = self.table.selectedItems()
        return items[0].text(_NAME) if items else ""

    def _show_take(self, item: QTreeWidgetItem, take: TakeSummary) -> None:
        words, shape, role = ("new", "add", "accent")
        if take.name == self._collecting:
            words, shape, role = "recording", "record", "accent"
        elif take.is_in_model:
            words, shape, role = "in the model", "check", "good"
        light = f"light {take.light}" if take.light else "\N{EN DASH}"
        if item.text(_MODEL) != words:
            item.setIcon(_MODEL, icon(shape, role))
        texts = (take.name, str(take.n_samples), light, words, take.person)
        for column, text in enumerate(texts):
            item.setText(column, text)
        for column in (_NAME, _PERSON):
            item.setToolTip(column, plain_tip(texts[column]))

    @Slot()
    def _update_buttons(self) -> None:
        may_change = bool(self.selected_name()) and not self._is_locked
        self.rename_button.setEnabled(may_change)
        self.remove_button.setEnabled(may_change)
        self.clear_button.setEnabled(self._may_clear and bool(self._takes))

    @Slot(QTreeWidgetItem, int)
    def _on_double_click(self, _item: QTreeWidgetItem, column: int) -> None:
        self._edit(_PERSON if column == _PERSON else _NAME)

    @Slot()
    def _on_rename(self) -> None:
        self._edit(_NAME)

    @Slot()
    def _on_assign(self) -> None:
        self.table.setColumnHidden(_PERSON, False)
        self._edit(_PERSON)

    def _edit(self, column: int) -> None:
        items = self.table.selectedItems()
        if items and not self._is_locked:
            self.table.editItem(items[0], column)

    @Slot(str, str)
    def _on_named(self, old: str, new: str) -> None:
        message = ""
        if new != old and new in {take.name for take in self._takes}:
            message = "There is a take of that name already: choose another one."
        elif new and new != old:
            self.rename_requested.emit(old, new)
        set_text(self.message, message)

    @Slot()
    def _on_remove(self) -> None:
        if (name := self.selected_name()) and not self._is_locked:
            self.remove_requested.emit(name)

    @Slot()
    def _on_frames(self) -> None:
        if name := self.selected_name():
            self.frames_requested.emit(name)


class _Table(QTreeWidget):
    """As high as its rows, up to some; then it scrolls."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setColumnCount(5)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        # One band across the columns instead of a box in each.
        self.setStyleSheet("QTreeView::item { border-radius: 0; }")
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionsClickable(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        for column in (_NAME, _PERSON):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        header.moveSection(_PERSON, _NAME + 1)

    def sizeHint(self) -> QSize:
        n_rows = min(max(self.topLevelItemCount(), 1), _MOST_ROWS)
        row = max(self.sizeHintForRow(0), self.fontMetrics().height())
        frame = 2 * self.frameWidth() + 4
        return QSize(
            super().sizeHint().width(), self.header().sizeHint().height() + n_rows * row + frame
        )

    def minimumSizeHint(self) -> QSize:
        return QSize(self.fontMetrics().height() * 12, self.sizeHint().height())


class _NameDelegate(QStyledItemDelegate):
    """Edits a name and emits it, but leaves the row alone: the enrolment decides."""

    named = Signal(str, str)
    """A take, and what was typed."""

    def __init__(self, words: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._words = words

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = QLineEdit(parent)
        editor.setMaxLength(LONGEST_NAME)
        editor.setFrame(False)
        editor.setStyleSheet("padding: 0 2px; border-radius: 0;")
        editor.setAccessibleName(self._words)
        return editor

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        if isinstance(editor, QLineEdit):
            take = index.sibling(index.row(), _NAME).data()
            self.named.emit(take, " ".join(editor.text().split()))


def _new_item() -> QTreeWidgetItem:
    item = QTreeWidgetItem()
    item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
    item.setTextAlignment(_FRAMES, _RIGHT)
    return item


class CoverageMeter(QWidget):
    """A bar, a word and some advice for every kind of variety."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Coverage of the enrolment")
        self._items: tuple[CoverageItem, ...] = ()
        self._rows: list[_Row] = []
        self._grid = grid(self, 10, 3, 0, 2, 3)

    def show_coverage(self, items: Sequence[CoverageItem]) -> None:
        if tuple(items) == self._items:
            return
        self._items = tuple(items)
        while len(self._rows) < len(items):
            self._rows.append(_Row(self._grid, len(self._rows), self))
        for number, row in enumerate(self._rows):
            row.show_item(items[number] if number < len(items) else None)


class _Row(QObject):
    """The widgets of one item, on two lines of the grid."""

    def __init__(self, layout: QGridLayout, number: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.mark = Mark(parent=parent)
        self.name = wrapped(parent=parent)
        self.bar = QProgressBar(parent, textVisible=False)
        self.word = QLabel(parent)
        self.advice = wrapped(kind="small", parent=parent)
        top = 3 * number
        middle = Qt.AlignmentFlag.AlignVCenter
        layout.addWidget(self.mark, top, 0, middle)
        layout.addWidget(self.name, top, 1)
        layout.addWidget(self.bar, top, 2, middle)
        layout.addWidget(self.word, top, 3)
        layout.addWidget(self.advice, top + 1, 1, 1, 3)
        if number:
            layout.setRowMinimumHeight(top - 1, 5)

    def show_item(self, item: CoverageItem | None) -> None:
        for widget in (self.mark, self.name, self.bar, self.word):
            widget.setVisible(item is not None)
        if item is None:
            set_text(self.advice, "")
            return
        # What still has advice is not complete, however near the rounded number is.
        is_covered = not item.advice
        per_cent = 100 if is_covered else min(int(item.share * 100), 99)
        word = "covered" if is_covered else "missing"
        if not is_covered and per_cent > 0:
            word = f"{'partly' if item.share >= 0.5 else 'a little'}, {per_cent} %"
        self.mark.set_shape("check" if is_covered else "dash", "good" if is_covered else "muted")
        self.name.setText(item.name)
        self.bar.setValue(per_cent)
        set_class(self.bar, "good" if is_covered else "")
        self.bar.setAccessibleName(item.name)
        self.bar.setAccessibleDescription(f"{word}. {item.advice}".strip())
        self.word.setText(word)
        set_text(self.advice, item.advice)
