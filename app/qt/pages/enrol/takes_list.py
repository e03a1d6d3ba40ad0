"""The list of takes, to rename, delete or assign them, and the coverage of the enrolment."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QProgressBar,
    QSizePolicy,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from app.qt.theme import set_class
from app.qt.theme.icons import icon
from app.qt.widgets.layout import add_action, button, hbox, vbox
from app.qt.widgets.texts import Mark, plain_tip, set_text, wrapped
from app.session.takes import CoverageItem, TakeSummary

_NAME, _PERSON, _FRAMES, _LIGHT, _MODEL = range(5)
_MOST_ROWS = 6
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class TakesList(QWidget):
    """A table of takes with actions on them."""

    remove_requested = Signal(str)
    rename_requested = Signal(str, str)
    assign_requested = Signal(str, str)
    """Name of a take, and its person."""
    frames_requested = Signal(str)
    """Name of the take whose frames to show."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._takes: tuple[TakeSummary, ...] = ()
        self._collecting = ""
        self._is_locked = self._may_clear = False
        self.table = self._make_table()
        self.message = wrapped(kind="caution", parent=self)
        """Why the last name was refused; empty if it was accepted."""
        self.message.hide()
        tip = "Give the selected take another name (F2)."
        self.rename_button = button("Rename", slot=self._on_rename, tip=tip, parent=self)
        tip = "Delete the selected take with its frames (Del). Undo brings it back."
        self.remove_button = button("Delete", "delete", self._on_remove, tip=tip, parent=self)
        self.remove_button.setAccessibleName("Delete the selected take")
        tip = "Delete all takes. This cannot be undone."
        self.clear_button = button("Delete all…", tip=tip, kind="quiet", parent=self)
        buttons = hbox(None, self.rename_button, self.remove_button, 1, self.clear_button)
        vbox(self, self.table, self.message, buttons)
        self._update_buttons()

    def show_takes(self, takes: Sequence[TakeSummary], collecting: str = "") -> None:
        """Show these takes; ``collecting`` is the name of the one being recorded."""
        if (tuple(takes), collecting) != (self._takes, self._collecting):
            self._takes, self._collecting = tuple(takes), collecting
            set_text(self.message, "")
            self._fill()

    def set_locked(self, is_locked: bool, may_clear: bool) -> None:
        """Enable or disable changes, and the deletion of all takes."""
        self._is_locked, self._may_clear = is_locked, may_clear
        self._update_buttons()

    def selected_name(self) -> str:
        items = self.table.selectedItems()
        return items[0].text(_NAME) if items else ""

    def _make_table(self) -> QTreeWidget:
        table = QTreeWidget(self)
        table.setAccessibleName("Takes")
        table.setHeaderLabels(["Take", "Person", "Frames", "Light", "Model"])
        table.setRootIsDecorated(False)
        table.setAllColumnsShowFocus(True)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        table.setSizeAdjustPolicy(QAbstractItemView.SizeAdjustPolicy.AdjustToContents)
        table.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        table.setStyleSheet(
            "QTreeView::item { border-radius: 0; } QLineEdit { padding: 0; border-radius: 0; }"
        )
        head = table.headerItem()
        head.setTextAlignment(_FRAMES, _RIGHT)
        head.setToolTip(_LIGHT, "Takes with the same number were recorded in the same light.")
        head.setToolTip(_PERSON, "Person in the take; double-click to change.")
        header = table.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        for column in (_NAME, _PERSON):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        table.setColumnHidden(_PERSON, True)
        table.itemSelectionChanged.connect(self._update_buttons)
        table.itemDoubleClicked.connect(self._on_double_click)
        table.itemChanged.connect(self._on_typed)
        for text, slot, keys in (
            ("Rename", self._on_rename, [Qt.Key.Key_F2]),
            ("Change person", self._on_assign, []),
            ("Show frames", self._on_frames, []),
            ("Delete", self._on_remove, [Qt.Key.Key_Delete, Qt.Key.Key_Backspace]),
        ):
            add_action(table, text, slot, *keys)
        return table

    def _fill(self) -> None:
        table = self.table
        with QSignalBlocker(table):
            while table.topLevelItemCount() > len(self._takes):
                table.takeTopLevelItem(table.topLevelItemCount() - 1)
            for number, take in enumerate(self._takes):
                item = table.topLevelItem(number) or QTreeWidgetItem(table)
                self._show_take(item, take)
            table.setColumnHidden(_PERSON, len({take.person for take in self._takes}) < 2)
        row = max(table.sizeHintForRow(0), 1)
        table.setMaximumHeight(table.header().sizeHint().height() + _MOST_ROWS * row + 4)
        self._update_buttons()

    def _show_take(self, item: QTreeWidgetItem, take: TakeSummary) -> None:
        state, shape, role = "new", "add", "accent"
        if take.name == self._collecting:
            state, shape = "recording", "record"
        elif take.is_in_model:
            state, shape, role = "in the model", "check", "good"
        light = f"light {take.light}" if take.light else "\N{EN DASH}"
        texts = (take.name, take.person, str(take.n_samples), light, state)
        for column, text in enumerate(texts):
            item.setText(column, text)
        for column in (_NAME, _PERSON):
            item.setToolTip(column, plain_tip(texts[column]))
        item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
        item.setTextAlignment(_FRAMES, _RIGHT)
        item.setIcon(_MODEL, icon(shape, role))

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
            if (editor := self.table.viewport().findChild(QLineEdit)) is not None:
                title = "Person in the take" if column == _PERSON else "Name of the take"
                editor.setAccessibleName(title)

    @Slot(QTreeWidgetItem, int)
    def _on_typed(self, item: QTreeWidgetItem, column: int) -> None:
        """Request a new name or person; the row shows it once the enrolment has changed."""
        take = self._takes[self.table.indexOfTopLevelItem(item)]
        typed = " ".join(item.text(column).split())
        self._fill()
        message = ""
        if column == _PERSON:
            self.assign_requested.emit(take.name, typed)
        elif typed != take.name and typed in {other.name for other in self._takes}:
            message = "There is already a take with this name: choose another."
        elif typed and typed != take.name:
            self.rename_requested.emit(take.name, typed)
        set_text(self.message, message)

    @Slot()
    def _on_remove(self) -> None:
        if (name := self.selected_name()) and not self._is_locked:
            self.remove_requested.emit(name)

    @Slot()
    def _on_frames(self) -> None:
        if name := self.selected_name():
            self.frames_requested.emit(name)


class CoverageMeter(QWidget):
    """A bar, a word and advice for each aspect of the enrolment."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Coverage of the enrolment")
        self._rows: list[CoverageRow] = []
        self._column = vbox(self)

    def show_coverage(self, items: Sequence[CoverageItem]) -> None:
        while len(self._rows) < len(items):
            self._rows.append(CoverageRow())
            self._column.addWidget(self._rows[-1])
        for row in self._rows[len(items) :]:
            row.hide()
        for row, item in zip(self._rows, items, strict=False):
            row.show_item(item)
            row.show()


class CoverageRow(QWidget):
    """One aspect of the enrolment."""

    def __init__(self) -> None:
        super().__init__()
        self._mark, self.name, self.bar = Mark(), wrapped(), QProgressBar(textVisible=False)
        self.advice = wrapped(kind="small")
        self.advice.setIndent(22)  # below the name
        vbox(self, hbox(None, self._mark, (self.name, 1), (self.bar, 1)), self.advice, spacing=2)

    def show_item(self, item: CoverageItem) -> None:
        # Advice means incomplete, even if the rounded number would be 100 %.
        is_covered = not item.advice
        per_cent = 100 if is_covered else min(int(item.share * 100), 99)
        word = "covered" if is_covered else f"{per_cent} %" if per_cent else "missing"
        self._mark.set_shape("check" if is_covered else "dash", "good" if is_covered else "muted")
        self.name.setText(f"{item.name}: {word}")
        self.bar.setValue(per_cent)
        set_class(self.bar, "good" if is_covered else "")
        self.bar.setAccessibleName(item.name)
        set_text(self.advice, item.advice)
