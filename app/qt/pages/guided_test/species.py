"""Species: their names, icons and outcomes in words, and the buttons that choose one."""

from collections.abc import Iterable

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QFrame,
    QLineEdit,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from app.names import counted
from app.qt.charts.format import percent
from app.qt.theme import GRID, set_class, set_mark
from app.qt.theme.icons import icon
from app.qt.widgets.inputs import CalmComboBox
from app.qt.widgets.layout import grid, vbox
from app.qt.widgets.texts import StepHeading, set_text, wrapped
from app.session.guided_test.presentation import (
    GuidedTestError,
    Presentation,
    Tally,
    species_name,
)
from app.types import BONA_FIDE, Verdict

MARGIN = GRID + 4
"""Pixels around and between the parts of a card."""

N_COLUMNS = 3
"""Of buttons."""

_SPECIES = {
    BONA_FIDE: ("Genuine person", "person"),
    "print": ("Print (matt)", "species-print"),
    "photo": ("Photo (glossy)", "species-photo"),
    "phone": ("Phone", "species-phone"),
    "tablet": ("Tablet", "species-tablet"),
    "replay": ("Replayed video", "species-replay"),
    "monitor": ("Monitor", "species-monitor"),
    "paper mask": ("Paper mask", "species-paper-mask"),
    "3-D mask": ("3-D mask", "species-3d-mask"),
}
"""Names of buttons and rows, and icons."""

_OUTCOMES = {
    Verdict.GENUINE: " was accepted",
    Verdict.ATTACK: " was refused",
    Verdict.UNFAMILIAR: " was refused, unfamiliar light",
    Verdict.NO_FACE: ", no face found",
}


def species_words(species: str) -> str:
    """Return a species as buttons and rows name it; a typed name as it is."""
    return _SPECIES[species][0] if species in _SPECIES else species


def species_icon_name(species: str) -> str:
    """Return the name of a species' icon; typed names share one."""
    return _SPECIES[species][1] if species in _SPECIES else "species-named"


def rate_name(species: str) -> str:
    """Return the name of the species' error rate in ISO/IEC 30107-3."""
    return "BPCER" if species == BONA_FIDE else "APCER"


def is_error(presentation: Presentation) -> bool:
    """Return whether a presentation was judged wrongly; no response is not an error."""
    verdict = presentation.verdict
    return verdict.accepts if presentation.is_attack else verdict.refuses


def judgement(presentation: Presentation) -> tuple[str, str]:
    """Return icon and colour for right, wrong or no response."""
    if not presentation.verdict.decides:
        return "dash", "muted"
    return ("cross", "bad") if is_error(presentation) else ("check", "good")


def outcome_words(presentation: Presentation) -> str:
    """Return the outcome of a presentation, and whether it is right."""
    what = species_words(presentation.species)
    judged = "Wrong" if is_error(presentation) else "Right"
    if not presentation.verdict.decides:
        judged = "No response"
    return f"{judged}: {what}{_OUTCOMES.get(presentation.verdict, ', picture too poor')}"


def bound_words(row: Tally) -> str:
    """Return the upper bound on a species' error rate in a sentence."""
    n, wrong = row.errors.n, row.errors.n_errors
    what, at_most = species_words(row.species), percent(row.errors.interval[1])
    if n == 0:
        return f"{what}: no response yet, so every error rate is possible."
    if wrong == 0:
        return f"{what}: 0 errors in {n} still allow an error rate of up to {at_most}."
    return (
        f"{what}: {counted(wrong, 'error')} in {n}, so the error rate may be as high as {at_most}."
    )


def choice_button(text: str, shape: str) -> QToolButton:
    """Return a large button with an icon above its name, which stays down while chosen."""
    made = QToolButton()
    made.setText(text)
    made.setIcon(icon(shape))
    made.setIconSize(QSize(24, 24))
    made.setCheckable(True)
    made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    made.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
    made.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    set_class(made, "choice")
    return made


class SpeciesPicker(QFrame):
    """A card of large buttons, one of which is down, and a field for an attack that has none."""

    changed = Signal()
    """Another species was chosen or typed."""
    confirmed = Signal()
    """Enter was pressed in the field."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_class(self, "card")
        self._buttons = {name: choice_button(*shown) for name, shown in _SPECIES.items()}
        self._other = choice_button("Other...", "species-own")
        self._field = QLineEdit()
        self._field.setPlaceholderText("What is it? For example: silicone mask")
        self._name = CalmComboBox()
        self._name.setEditable(True)
        self._name.setLineEdit(self._field)
        self._name.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self._name.setAccessibleName("Name of the attack")
        self._name.setToolTip("A short name, which the tally and the report use.")
        self._name.keep_narrow(16)
        self._complaint = wrapped("", "bad")
        genuine, *attacks = self._buttons.values()
        layout = grid(None, GRID, GRID, *[1] * N_COLUMNS)
        layout.addWidget(genuine, 0, 0, 1, N_COLUMNS)
        layout.addWidget(wrapped("or an attack", "muted"), 1, 0, 1, N_COLUMNS)
        for number, each in enumerate((*attacks, self._other)):
            layout.addWidget(each, 2 + number // N_COLUMNS, number % N_COLUMNS)
        for part in (self._name, self._complaint):
            layout.addWidget(part, layout.rowCount(), 0, 1, N_COLUMNS)
            part.hide()
        heading = StepHeading(1, "Choose what is presented")
        vbox(self, heading, layout, margins=MARGIN, spacing=MARGIN)
        self._group = QButtonGroup(self)
        for each in (genuine, *attacks, self._other):
            self._group.addButton(each)
        genuine.setChecked(True)
        self.set_possible(None)
        self._group.buttonToggled.connect(self._on_toggled)
        self._other.clicked.connect(self._name.setFocus)
        self._field.textChanged.connect(self._on_typed)
        self._field.returnPressed.connect(self.confirmed)

    @property
    def species(self) -> str:
        """The choice; empty without a usable name, which `problem` explains."""
        return self._chosen()[0]

    @property
    def problem(self) -> str:
        """Why the choice cannot be presented; empty when it can."""
        return self._chosen()[1]

    def show_own_names(self, names: Iterable[str]) -> None:
        """Offer typed names that were presented before."""
        typed = self._field.text()
        with QSignalBlocker(self._name):
            self._name.clear()
            self._name.addItems([name for name in names if name not in _SPECIES])
            self._name.setEditText(typed)

    def set_possible(self, species: Iterable[str] | None) -> None:
        """Allow only some species, as the demo does; None allows everything."""
        possible = None if species is None else {BONA_FIDE, *species}
        impossible = "The demo cannot present this: choose a camera as the source."
        for name, each in self._buttons.items():
            is_possible = possible is None or name in possible
            each.setEnabled(is_possible)
            each.setToolTip(f"Present this: {each.text()}." if is_possible else impossible)
        self._other.setEnabled(possible is None)
        tip = "Present something that is not listed, under a name of your own."
        self._other.setToolTip(tip if possible is None else impossible)
        if possible is not None and self.species not in possible:
            self.choose(BONA_FIDE)

    @Slot(str)
    def choose(self, species: str) -> None:
        """Choose a species if it can be presented; one without a button is typed."""
        chosen = self._buttons.get(species, self._other)
        if chosen.isEnabledTo(self):
            if chosen is self._other:
                self._field.setText(species)
            chosen.setChecked(True)

    def _chosen(self) -> tuple[str, str]:
        for species, each in self._buttons.items():
            if each.isChecked():
                return species, ""
        own_names = [self._name.itemText(place) for place in range(self._name.count())]
        try:
            name = species_name(self._field.text(), own_names)
        except GuidedTestError as error:
            return "", str(error)
        if name == BONA_FIDE:
            return "", "That is not an attack: choose Genuine person instead."
        return name, ""

    @Slot()
    def _on_toggled(self) -> None:
        self._name.setVisible(self._other.isChecked())
        self._on_typed()

    @Slot()
    def _on_typed(self) -> None:
        # An empty field explains itself; only what was typed can be wrong.
        problem = self.problem if self._field.text().strip() else ""
        set_text(self._complaint, problem)
        set_mark(self._name, "wrong", bool(problem))
        self.changed.emit()
