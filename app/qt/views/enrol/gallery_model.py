"""The enrolled frames as Qt's model."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QPixmap

from app.qt.views.parts.marks import picture
from app.qt.views.parts.texts import plain_tip
from app.session.takes import Sample

Index = QModelIndex | QPersistentModelIndex

NUMBER_ROLE = Qt.ItemDataRole.UserRole


class GalleryModel(QAbstractListModel):
    """Samples of all takes or of one, with their pictures; it changes row by row."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: tuple[Sample, ...] = ()
        self._rows: list[Sample] = []
        self._pictures: dict[int, QPixmap] = {}
        self._take = ""

    def set_take(self, take: str) -> None:
        """Show the samples of one take, or of all when the name is empty."""
        if take != self._take:
            self.beginResetModel()
            self._take = take
            self._rows = self._wanted()
            self.endResetModel()

    def show_samples(self, samples: Sequence[Sample]) -> None:
        """Show these samples; only rows that differ are touched."""
        if _same(samples, self._all):
            return
        self._all = tuple(samples)
        wanted = self._wanted()
        self._remove_missing({sample.number for sample in wanted})
        if _is_subsequence(self._rows, wanted):
            self._insert_new(wanted)
            self._update(wanted)
        else:
            self.beginResetModel()
            self._rows = wanted
            self.endResetModel()
        self._forget_pictures({sample.number for sample in samples})

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        sample = self._rows[index.row()]
        if role == NUMBER_ROLE:
            return sample.number
        if role == Qt.ItemDataRole.DecorationRole:
            return self._picture(sample)
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            # Counted, because a row that is being removed is not among all any more.
            place = sum(s.take == sample.take and s.number <= sample.number for s in self._all)
            words = f"Frame {place} of the take “{sample.take}”"
            return plain_tip(words) if role == Qt.ItemDataRole.ToolTipRole else words
        return None

    def _picture(self, sample: Sample) -> QPixmap | None:
        if sample.thumbnail is None:
            return None
        if sample.number not in self._pictures:
            self._pictures[sample.number] = QPixmap.fromImage(picture(sample.thumbnail))
        return self._pictures[sample.number]

    def _forget_pictures(self, known: set[int]) -> None:
        for number in [number for number in self._pictures if number not in known]:
            del self._pictures[number]

    def _wanted(self) -> list[Sample]:
        return [sample for sample in self._all if self._take in ("", sample.take)]

    def _remove_missing(self, wanted: set[int]) -> None:
        last = len(self._rows) - 1
        while last >= 0:
            if self._rows[last].number in wanted:
                last -= 1
                continue
            first = last
            while first > 0 and self._rows[first - 1].number not in wanted:
                first -= 1
            self.beginRemoveRows(QModelIndex(), first, last)
            del self._rows[first : last + 1]
            self.endRemoveRows()
            last = first - 1

    def _insert_new(self, wanted: list[Sample]) -> None:
        at = 0
        while at < len(wanted):
            if at < len(self._rows) and self._rows[at].number == wanted[at].number:
                at += 1
                continue
            anchor = self._rows[at].number if at < len(self._rows) else None
            end = at
            while end < len(wanted) and wanted[end].number != anchor:
                end += 1
            self.beginInsertRows(QModelIndex(), at, end - 1)
            self._rows[at:at] = wanted[at:end]
            self.endInsertRows()
            at = end

    def _update(self, wanted: list[Sample]) -> None:
        for row, (old, new) in enumerate(zip(self._rows, wanted, strict=True)):
            if old is new:
                continue
            self._rows[row] = new
            if old.thumbnail is not new.thumbnail:
                self._pictures.pop(new.number, None)
            if old.thumbnail is not new.thumbnail or old.take != new.take:
                index = self.index(row)
                self.dataChanged.emit(index, index)


def _same(some: Sequence[Sample], others: Sequence[Sample]) -> bool:
    return len(some) == len(others) and all(
        (one.number, one.take) == (other.number, other.take) and one.thumbnail is other.thumbnail
        for one, other in zip(some, others, strict=True)
    )


def _is_subsequence(some: Sequence[Sample], of: Sequence[Sample]) -> bool:
    numbers = iter(sample.number for sample in of)
    return all(sample.number in numbers for sample in some)
