"""Items of lists that change row by row."""

from collections.abc import Callable, Hashable, Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QListWidget, QListWidgetItem

KEY = Qt.ItemDataRole.UserRole + 1
"""Under this role an item of `update_items` has its key."""

Index = QModelIndex | QPersistentModelIndex


def update_items(
    view: QListWidget, keys: Sequence[Hashable], make: Callable[[int], QListWidgetItem]
) -> None:
    """Remove and insert items until they have these keys; ``make`` gets the place of a new one.

    Items whose key stays are left alone, so that they stay selected.
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
    while view.count() > len(keys):  # those that came earlier in the new order
        view.takeItem(view.count() - 1)
