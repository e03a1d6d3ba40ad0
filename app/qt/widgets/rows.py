"""Updates of list widgets that keep unchanged items."""

from collections.abc import Callable, Hashable, Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QListWidget, QListWidgetItem

KEY = Qt.ItemDataRole.UserRole + 1
"""Role of the key of an item in `update_items`."""

Index = QModelIndex | QPersistentModelIndex


def update_items(
    view: QListWidget, keys: Sequence[Hashable], make: Callable[[int], QListWidgetItem]
) -> None:
    """Remove and insert items to match the keys; ``make`` creates the item of a row.

    Items with an unchanged key are kept, and so is their selection.
    """
    wanted = set(keys)
    for row in reversed(range(view.count())):
        if view.item(row).data(KEY) not in wanted:
            view.takeItem(row)
    for row, key in enumerate(keys):
        if row == view.count() or view.item(row).data(KEY) != key:
            item = make(row)
            item.setData(KEY, key)
            view.insertItem(row, item)
    while view.count() > len(keys):  # items that moved up have been inserted again
        view.takeItem(view.count() - 1)
