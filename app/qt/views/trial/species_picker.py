"""Choosing what is presented: the genuine person, an attack of the list, or one's own."""

from collections.abc import Iterable

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QButtonGroup, QLabel, QLineEdit, QVBoxLayout, QWidget

from app.qt.theme import GRID, set_class, set_mark
from app.qt.views.trial.choice_button import ChoiceButton
from app.qt.views.trial.choice_grid import ChoiceGrid
from app.qt.views.trial.species_icons import species_icon_name
from app.qt.views.trial.trial_words import species_words
from app.types import BONA_FIDE, SPECIES

LONGEST_NAME = 60
"""Characters of a name of one's own, as `app.session.guided_test.presentation` takes them."""

_TYPED = LONGEST_NAME * 4
"""What the field takes: more than a name may have, so that what is too long is told, not cut."""


class SpeciesPicker(QWidget):
    """Large buttons, one of which is down, and a field for a name of one's own.

    Parameters
    ----------
    parent : QWidget, optional
        Where it lies.
    """

    changed = Signal()
    """Another species was chosen, or the name of one's own is another."""

    confirmed = Signal()
    """Enter was pressed in the field of one's own name."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._buttons: dict[str, ChoiceButton] = {}
        self._own_names: tuple[str, ...] = ()
        self._possible: frozenset[str] | None = None
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)

        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GRID)
        column.addWidget(self._add(BONA_FIDE, is_wide=True))
        caption = QLabel(self.tr("or an attack"))
        set_class(caption, "muted")
        column.addWidget(caption)
        self._grid = ChoiceGrid(GRID)
        column.addWidget(self._grid)
        for species in SPECIES:
            self._add(species)
        self._other = ChoiceButton(self.tr("Other..."), "species-own")
        self._group.addButton(self._other)
        self._fill_grid()

        self._name = QLineEdit()
        self._name.setPlaceholderText(self.tr("What is it? For example: silicone mask"))
        self._name.setAccessibleName(self.tr("Name of the attack"))
        self._name.setToolTip(self.tr("A short name, which the tally and the report use."))
        self._name.setMaxLength(_TYPED)
        self._name.hide()
        column.addWidget(self._name)
        self._complaint = QLabel()
        self._complaint.setWordWrap(True)
        set_class(self._complaint, "bad")
        self._complaint.hide()
        column.addWidget(self._complaint)

        self._buttons[BONA_FIDE].setChecked(True)
        self._group.buttonToggled.connect(self._on_toggled)
        self._name.textChanged.connect(self._on_typed)
        self._name.returnPressed.connect(self.confirmed)
        self._show_possible()

    @property
    def species(self) -> str:
        """What is chosen; empty when it has no usable name, which `problem` then explains."""
        for species, button in self._buttons.items():
            if button.isChecked():
                return species if button.isEnabledTo(self) else ""
        return "" if self.problem else self._typed()

    @property
    def problem(self) -> str:
        """Why what is chosen cannot be presented, in one sentence; empty when it can."""
        if not self._other.isChecked():
            return ""
        if self._possible is not None:
            return self.tr("The demo cannot present other things: choose one of the buttons.")
        name = self._typed()
        if not name:
            return self.tr("Type what is presented, such as silicone mask.")
        if len(name) > LONGEST_NAME:
            return self.tr("The name has {n} characters: use at most {most}.").format(
                n=len(name), most=LONGEST_NAME
            )
        if name.casefold() == BONA_FIDE.casefold():
            return self.tr("That is no attack: choose Genuine person instead.")
        return ""

    def show_own_names(self, names: Iterable[str]) -> None:
        """Offer names of one's own that were presented before, each with a button."""
        wanted = tuple(name for name in dict.fromkeys(names) if name not in (BONA_FIDE, *SPECIES))
        if wanted == self._own_names:
            return
        chosen = self.species
        self._own_names = wanted
        self._show_own_buttons()
        # What was typed has a button now, and what had a button may have lost it.
        if chosen in self._buttons:
            self.choose(chosen)

    def set_possible(self, species: Iterable[str] | None) -> None:
        """Allow only some species, as the demo does; None allows everything."""
        possible = None if species is None else frozenset(species)
        if possible == self._possible:
            return
        self._possible = possible
        self._show_possible()
        chosen = self._group.checkedButton()
        if chosen is None or not chosen.isEnabledTo(self):
            self.choose(BONA_FIDE)

    def choose(self, species: str) -> None:
        """Choose a species; one without a button is typed into the field."""
        button = self._buttons.get(species)
        if button is not None:
            button.setChecked(True)
        else:
            self._name.setText(species)
            self._other.setChecked(True)

    def _typed(self) -> str:
        name = " ".join(self._name.text().split())
        for known in (*SPECIES, *self._own_names):
            if known.casefold() == name.casefold():
                return known
        return name

    def _offered(self) -> tuple[str, ...]:
        return (BONA_FIDE, *SPECIES, *self._own_names)

    def _fill_grid(self) -> None:
        attacks = [self._buttons[name] for name in self._offered() if name != BONA_FIDE]
        self._grid.set_members([*attacks, self._other])

    def _add(self, species: str, *, is_wide: bool = False) -> ChoiceButton:
        button = ChoiceButton(
            species_words(species),
            species_icon_name(species),
            is_wide=is_wide,
            is_own=species not in (BONA_FIDE, *SPECIES),
        )
        self._buttons[species] = button
        self._group.addButton(button)
        return button

    def _show_own_buttons(self) -> None:
        gone = [name for name in self._buttons if name not in self._offered()]
        for button in [self._buttons.pop(name) for name in gone]:
            if button.isChecked():
                self._buttons[BONA_FIDE].setChecked(True)
            self._group.removeButton(button)
            button.deleteLater()
        for species in self._own_names:
            if species not in self._buttons:
                self._add(species)
        self._fill_grid()
        before: QWidget = self._buttons[SPECIES[-1]]
        for after in (*(self._buttons[name] for name in self._own_names), self._other, self._name):
            QWidget.setTabOrder(before, after)
            before = after
        self._show_possible()

    def _show_possible(self) -> None:
        possible = self._possible
        impossible = self.tr("The demo cannot present this: choose a camera as the source.")
        for species, button in self._buttons.items():
            is_possible = possible is None or species == BONA_FIDE or species in possible
            button.setEnabled(is_possible)
            told = self.tr("Present this: {what}.").format(what=species_words(species))
            button.setToolTip(told if is_possible else impossible)
        self._other.setEnabled(possible is None)
        told = self.tr("Present something that is not listed, under a name of your own.")
        self._other.setToolTip(told if possible is None else impossible)

    @Slot("QAbstractButton*", bool)
    def _on_toggled(self, _button: object, is_checked: bool) -> None:
        if not is_checked:
            return
        is_own = self._other.isChecked()
        self._name.setVisible(is_own)
        if is_own and self._other.hasFocus():
            self._name.setFocus(Qt.FocusReason.OtherFocusReason)
        self._show_problem()
        self.changed.emit()

    @Slot()
    def _on_typed(self) -> None:
        self._show_problem()
        self.changed.emit()

    def _show_problem(self) -> None:
        # An empty field explains itself; only what was typed can be wrong.
        problem = self.problem if self._name.text().strip() else ""
        if self._complaint.text() != problem:
            self._complaint.setText(problem)
        self._complaint.setVisible(bool(problem))
        set_mark(self._name, "wrong", bool(problem))
