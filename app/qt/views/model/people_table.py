"""Several people in one model: what the threshold does to each."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from app.models.people import PersonSummary
from app.qt.theme import set_class
from app.qt.views.charts.wording import decimals, percent
from app.qt.views.parts.texts import wrapped

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop


class PeopleTable(QWidget):
    """A row for each person; hidden where there is only one.

    Parameters
    ----------
    parent : QWidget, optional
        Its owner.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: tuple[PersonSummary, ...] = ()
        self._labels: list[QLabel] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(0, 1)
        self.setAccessibleName(self.tr("People"))
        self.hide()

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """What is written, row by row; the headings first."""
        texts = [label.text() for label in self._labels]
        return tuple(tuple(texts[start : start + 4]) for start in range(0, len(texts), 4))

    def show_people(self, people: tuple[PersonSummary, ...]) -> None:
        """Show people; costs nothing when they are shown already."""
        if people == self._shown:
            return
        self._shown = people
        for label in self._labels:
            label.hide()
            label.deleteLater()
        self._labels = []
        if len(people) > 1:
            self._put_row(
                self.tr("Person"),
                self.tr("Takes, frames"),
                self.tr("Median score"),
                self.tr("Frames refused (95 %)"),
                kind="muted",
            )
            for person in people:
                self._put_row(*self._words(person))
        self.setVisible(bool(self._labels))

    def _words(self, person: PersonSummary) -> tuple[str, str, str, str]:
        low, high = person.interval
        rate = self.tr("{rate} of {n} ({low} to {high})")
        return (
            person.name or self.tr("no name"),
            f"{person.n_takes}, {person.n_frames}",
            decimals(person.level, 3),
            rate.format(
                rate=percent(person.bpcer),
                n=person.n_scores,
                low=percent(low),
                high=percent(high),
            ),
        )

    def _put_row(self, *texts: str, kind: str = "") -> None:
        row = len(self._labels) // 4
        for column, text in enumerate(texts):
            label = wrapped(text, kind, self) if column == 0 else QLabel(text, self)
            label.setTextFormat(Qt.TextFormat.PlainText)
            if kind:
                set_class(label, kind)
            self._grid.addWidget(
                label, row, column, _RIGHT if column else Qt.AlignmentFlag.AlignTop
            )
            self._labels.append(label)
            label.show()
