"""Species: their names, icons and outcomes in words, and the buttons that choose one."""

from collections.abc import Iterable

from PySide6.QtCore import QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QPaintEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QLineEdit,
    QSizePolicy,
    QStyle,
    QStyleOptionToolButton,
    QStylePainter,
    QToolButton,
    QWidget,
)

from app.names import LONGEST_NAME, counted
from app.qt.theme import GRID, colours, set_class, set_mark
from app.qt.theme.icons import icon, paint_icon
from app.qt.widgets.layout import EvenLayout, vbox
from app.qt.widgets.texts import plain_caption, set_text, wrapped
from app.session.guided_test.presentation import Presentation, Tally
from app.types import BONA_FIDE, SPECIES, Verdict

NO_BREAK = "\N{NO-BREAK SPACE}"

_SPECIES = {
    BONA_FIDE: ("Genuine person", "the genuine person", "person"),
    "print": ("Print (matt)", "the print", "species-print"),
    "photo": ("Photo (glossy)", "the photo", "species-photo"),
    "phone": ("Phone", "the phone", "species-phone"),
    "tablet": ("Tablet", "the tablet", "species-tablet"),
    "replay": ("Replayed video", "the replayed video", "species-replay"),
    "monitor": ("Monitor", "the monitor", "species-monitor"),
    "paper mask": ("Paper mask", "the paper mask", "species-paper-mask"),
    "3-D mask": ("3-D mask", "the 3-D mask", "species-3d-mask"),
}
"""Names of buttons and rows, names within a sentence, and icons."""

_OUTCOMES = {
    Verdict.GENUINE: " was accepted",
    Verdict.ATTACK: " was refused",
    Verdict.UNFAMILIAR: " was refused, unfamiliar light",
    Verdict.NO_FACE: ", no face found",
}


def species_words(species: str) -> str:
    """Return a species as a button or a row names it; a person's own name as it was typed."""
    return _SPECIES[species][0] if species in _SPECIES else species


def species_icon_name(species: str) -> str:
    """Return the name of a species' icon; all that a person named share one."""
    return _SPECIES[species][2] if species in _SPECIES else "species-named"


def percent(share: float) -> str:
    """Return a share in per cent; only 0 and 1 themselves become 0 and 100."""
    number = f"{100 * share:.1f}"
    if number == "0.0" and share > 0:
        number = "< 0.1"
    elif number == "100.0" and share < 1:
        number = "> 99.9"
    return f"{number}{NO_BREAK}%"


def rate_name(species: str) -> str:
    """Return what ISO/IEC 30107-3 calls the species' error rate."""
    return "BPCER" if species == BONA_FIDE else "APCER"


def is_error(presentation: Presentation) -> bool:
    """Return whether a presentation was judged wrongly; no response is not an error."""
    verdict = presentation.verdict
    return verdict.accepts if presentation.is_attack else verdict.refuses


def judgement(presentation: Presentation) -> tuple[str, str]:
    """Return the shape and the colour that say whether a presentation was judged rightly."""
    if not presentation.verdict.decides:
        return "dash", "muted"
    return ("cross", "bad") if is_error(presentation) else ("check", "good")


def outcome_words(presentation: Presentation) -> str:
    """Return whether a presentation was judged rightly, and what was done with it."""
    species = presentation.species
    what = _SPECIES[species][1] if species in _SPECIES else f"“{species}”"
    judged = "Wrong" if is_error(presentation) else "Right"
    if not presentation.verdict.decides:
        judged = "No response"
    return f"{judged}: {what}{_OUTCOMES.get(presentation.verdict, ', picture too poor')}"


def bound_words(row: Tally) -> str:
    """Return what a species' presentations so far say about its error rate at most."""
    n, wrong = row.errors.n, row.errors.n_errors
    what, at_most = species_words(row.species), percent(row.errors.interval[1])
    if n == 0:
        return f"{what}: no response yet, so every error rate is possible."
    if wrong == 0:
        return f"{what}: 0 errors in {n} still allow an error rate of up to {at_most}."
    return (
        f"{what}: {counted(wrong, 'error')} in {n}, so the error rate may be as high as {at_most}."
    )


_TYPED = LONGEST_NAME * 4
"""What the field takes: more than a name may have, so that a long name is refused, not cut."""

_ICON, _PAD, _MARK = 24, 8, 14


class ChoiceButton(QToolButton):
    """A large button that stays down while it is chosen, with a tick beside the colour.

    The icon stands before the name if ``is_wide``, else above it. With ``is_own`` the name was
    typed and may be long: it asks for no room, and is cut.
    """

    def __init__(
        self, text: str, shape: str, *, is_wide: bool = False, is_own: bool = False
    ) -> None:
        super().__init__()
        self._icons = icon(shape), icon(shape, "accent")
        self.setText(plain_caption(text))
        self.setAccessibleName(text)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setIcon(self._icons[0])
        self.setIconSize(QSize(_ICON + 4 * is_wide, _ICON))  # the rest is a gap before the words
        style = Qt.ToolButtonStyle
        self.setToolButtonStyle(
            style.ToolButtonTextBesideIcon if is_wide else style.ToolButtonTextUnderIcon
        )
        across = QSizePolicy.Policy.Ignored if is_own else QSizePolicy.Policy.Expanding
        self.setSizePolicy(across, QSizePolicy.Policy.Fixed)
        set_class(self, "choice")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave Space and Enter to the page once this one is chosen."""
        chooses = event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if chooses and self.isChecked():
            event.ignore()
        elif chooses and event.key() != Qt.Key.Key_Space:
            self.click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        room = self.width() - 2 * _PAD
        cut, flags = Qt.TextElideMode.ElideRight, Qt.TextFlag.TextShowMnemonic.value
        option.text = self.fontMetrics().elidedText(self.text(), cut, room, flags)
        option.icon = self._icons[self.isChecked() and self.isEnabled()]
        if self.isChecked():
            # It stays readable while it is presented and nothing else can be chosen.
            option.state |= QStyle.StateFlag.State_Enabled
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ToolButton, option)
        if self.isChecked():
            mark = QRectF(self.width() - _MARK - 5, 5, _MARK, _MARK)
            paint_icon(painter, "check", mark, colours().accent)
        painter.end()


class SpeciesPicker(QWidget):
    """Large buttons, one of which is down, and a field for another name."""

    changed = Signal()
    """Another species was chosen or typed."""
    confirmed = Signal()
    """Enter was pressed in the field."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._own_names: tuple[str, ...] = ()
        self._possible: frozenset[str] | None = None
        self._group = QButtonGroup(self)
        self._buttons: dict[str, ChoiceButton] = {}
        for species in (BONA_FIDE, *SPECIES):
            self._add(species)
        self._other = ChoiceButton("Other...", "species-own")
        self._group.addButton(self._other)
        grid = QWidget()
        self._grid = EvenLayout(grid, GRID)
        self._name = QLineEdit()
        self._name.setPlaceholderText("What is it? For example: silicone mask")
        self._name.setAccessibleName("Name of the attack")
        self._name.setToolTip("A short name, which the tally and the report use.")
        self._name.setMaxLength(_TYPED)
        self._complaint = wrapped("", "bad")
        caption = wrapped("or an attack", "muted")
        vbox(self, self._buttons[BONA_FIDE], caption, grid, self._name, self._complaint)
        self._name.hide()
        self._complaint.hide()
        self._fill_grid()
        self._buttons[BONA_FIDE].setChecked(True)
        self._group.buttonToggled.connect(self._on_toggled)
        self._name.textChanged.connect(self._on_typed)
        self._name.returnPressed.connect(self.confirmed)
        self._show_possible()

    @property
    def species(self) -> str:
        """The choice; empty without a usable name, which `problem` explains."""
        for species, button in self._buttons.items():
            if button.isChecked():
                return species if button.isEnabledTo(self) else ""
        return "" if self.problem else self._typed()

    @property
    def problem(self) -> str:
        """Why the choice cannot be presented; empty when it can."""
        if not self._other.isChecked():
            return ""
        if self._possible is not None:
            return "The demo cannot present other things: choose one of the buttons."
        name = self._typed()
        if not name:
            return "Type what is presented, such as silicone mask."
        if len(name) > LONGEST_NAME:
            return f"The name has {len(name)} characters: use at most {LONGEST_NAME}."
        if name.casefold() == BONA_FIDE.casefold():
            return "That is not an attack: choose Genuine person instead."
        return ""

    def show_own_names(self, names: Iterable[str]) -> None:
        """Offer typed names that were presented before, each with a button."""
        wanted = tuple(name for name in dict.fromkeys(names) if name not in (BONA_FIDE, *SPECIES))
        if wanted == self._own_names:
            return
        chosen = self.species
        for button in [self._buttons.pop(name) for name in self._own_names]:
            self._group.removeButton(button)
            button.hide()
            button.deleteLater()
        self._own_names = wanted
        for name in wanted:
            self._add(name)
        self._fill_grid()
        for name in wanted:
            self._buttons[name].show()
        self._show_possible()
        # What was typed has a button now, and what had a button may have lost it.
        if chosen in self._buttons:
            self.choose(chosen)
        elif self._group.checkedButton() is None:
            self.choose(BONA_FIDE)

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

    @Slot(str)
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
        known = {one.casefold(): one for one in (*SPECIES, *self._own_names)}
        return known.get(name.casefold(), name)

    def _fill_grid(self) -> None:
        while self._grid.takeAt(0) is not None:
            pass
        before: QWidget = self._buttons[BONA_FIDE]
        named = [self._buttons[name] for name in (*SPECIES, *self._own_names)]
        for button in (*named, self._other):
            self._grid.addWidget(button)
            QWidget.setTabOrder(before, button)
            before = button
        QWidget.setTabOrder(before, self._name)

    def _add(self, species: str) -> None:
        button = self._buttons[species] = ChoiceButton(
            species_words(species),
            species_icon_name(species),
            is_wide=species == BONA_FIDE,
            is_own=species not in (BONA_FIDE, *SPECIES),
        )
        self._group.addButton(button)

    def _show_possible(self) -> None:
        possible = self._possible
        impossible = "The demo cannot present this: choose a camera as the source."
        for species, button in self._buttons.items():
            is_possible = possible is None or species == BONA_FIDE or species in possible
            button.setEnabled(is_possible)
            tip = f"Present this: {species_words(species)}."
            button.setToolTip(tip if is_possible else impossible)
        self._other.setEnabled(possible is None)
        tip = "Present something that is not listed, under a name of your own."
        self._other.setToolTip(tip if possible is None else impossible)

    @Slot("QAbstractButton*", bool)
    def _on_toggled(self, _button: object, is_checked: bool) -> None:
        if not is_checked:
            return
        is_own = self._other.isChecked()
        self._name.setVisible(is_own)
        if is_own and self._other.hasFocus():
            self._name.setFocus(Qt.FocusReason.OtherFocusReason)
        self._on_typed()

    @Slot()
    def _on_typed(self) -> None:
        # An empty field explains itself; only what was typed can be wrong.
        problem = self.problem if self._name.text().strip() else ""
        set_text(self._complaint, problem)
        set_mark(self._name, "wrong", bool(problem))
        self.changed.emit()
