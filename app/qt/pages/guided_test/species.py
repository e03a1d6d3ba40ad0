"""Titles, icons and outcomes of species, and the buttons to choose one."""

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
"""Margin and spacing of cards in pixels."""

N_COLUMNS = 3
"""Columns of buttons."""

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
"""Title and icon of each species."""

_OUTCOMES = {
    Verdict.GENUINE: " was accepted",
    Verdict.ATTACK: " was refused",
    Verdict.UNFAMILIAR: " was refused (unfamiliar conditions)",
    Verdict.NO_FACE: ", no face found",
}


def species_title(species: str) -> str:
    """Return the title of a species on buttons and in rows; typed names stay as they are."""
    return _SPECIES[species][0] if species in _SPECIES else species


def species_icon_name(species: str) -> str:
    """Return the icon of a species; all typed names have the same one."""
    return _SPECIES[species][1] if species in _SPECIES else "species-named"


def rate_name(species: str) -> str:
    """Return the name of the species' error rate in ISO/IEC 30107-3."""
    return "BPCER" if species == BONA_FIDE else "APCER"


def is_error(presentation: Presentation) -> bool:
    """Return whether a presentation was misjudged; no response is not an error."""
    verdict = presentation.verdict
    return verdict.accepts if presentation.is_attack else verdict.refuses


def judgement(presentation: Presentation) -> tuple[str, str]:
    """Return icon and colour of a right, wrong or missing response."""
    if not presentation.verdict.decides:
        return "dash", "muted"
    return ("cross", "bad") if is_error(presentation) else ("check", "good")


def outcome_text(presentation: Presentation) -> str:
    """Describe the outcome of a presentation, and whether it is right."""
    title = species_title(presentation.species)
    judged = "Wrong" if is_error(presentation) else "Right"
    if not presentation.verdict.decides:
        judged = "No response"
    return f"{judged}: {title}{_OUTCOMES.get(presentation.verdict, ', picture too poor')}"


def bound_text(row: Tally) -> str:
    """Describe the upper bound on the error rate of a species."""
    n, n_errors = row.errors.n, row.errors.n_errors
    title, bound = species_title(row.species), percent(row.errors.interval[1])
    if n == 0:
        return f"{title}: no response yet, so every error rate is possible."
    if n_errors == 0:
        return f"{title}: 0 errors in {n} still allow an error rate of up to {bound}."
    errors = counted(n_errors, "error")
    return f"{title}: {errors} in {n}, so the error rate may be as high as {bound}."


def choice_button(text: str, shape: str) -> QToolButton:
    """Return a large checkable button with an icon above its text."""
    result = QToolButton()
    result.setText(text)
    result.setIcon(icon(shape))
    result.setIconSize(QSize(24, 24))
    result.setCheckable(True)
    result.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    result.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
    result.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    set_class(result, "choice")
    return result


class SpeciesPicker(QFrame):
    """A card with a button for each species, and a field for other attacks."""

    changed = Signal()
    """Another species was chosen or typed."""
    confirmed = Signal()
    """Enter was pressed in the field."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_class(self, "card")
        self._buttons = {name: choice_button(*look) for name, look in _SPECIES.items()}
        self._other = choice_button("Other…", "species-own")
        self._field = QLineEdit()
        self._field.setPlaceholderText("What is it? For example: silicone mask")
        self._name = CalmComboBox()
        self._name.setEditable(True)
        self._name.setLineEdit(self._field)
        self._name.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self._name.setAccessibleName("Name of the attack")
        self._name.setToolTip("A short name, which the tally and the report use.")
        self._name.keep_narrow(16)
        self._problem_label = wrapped("", "bad")
        genuine, *attacks = self._buttons.values()
        layout = grid(None, GRID, GRID, *[1] * N_COLUMNS)
        layout.addWidget(genuine, 0, 0, 1, N_COLUMNS)
        layout.addWidget(wrapped("or an attack", "muted"), 1, 0, 1, N_COLUMNS)
        for number, each in enumerate((*attacks, self._other)):
            layout.addWidget(each, 2 + number // N_COLUMNS, number % N_COLUMNS)
        for part in (self._name, self._problem_label):
            layout.addWidget(part, layout.rowCount(), 0, 1, N_COLUMNS)
            part.hide()
        heading = StepHeading(1, "Choose what to present")
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
        """The chosen species; empty if the typed name cannot be used (see `problem`)."""
        return self._chosen()[0]

    @property
    def problem(self) -> str:
        """Why the choice cannot be presented; empty if it can."""
        return self._chosen()[1]

    def suggest_names(self, names: Iterable[str]) -> None:
        """Suggest typed names that were presented before."""
        typed = self._field.text()
        with QSignalBlocker(self._name):
            self._name.clear()
            self._name.addItems([name for name in names if name not in _SPECIES])
            self._name.setEditText(typed)

    def set_possible(self, species: Iterable[str] | None) -> None:
        """Enable only some species, as in the demo; None enables all."""
        possible = None if species is None else {BONA_FIDE, *species}
        why_not = "The demo cannot present this: choose a camera as the source."
        for name, each in self._buttons.items():
            is_possible = possible is None or name in possible
            each.setEnabled(is_possible)
            each.setToolTip(f"Present this: {each.text()}." if is_possible else why_not)
        self._other.setEnabled(possible is None)
        tip = "Present something else, under your own name for it."
        self._other.setToolTip(tip if possible is None else why_not)
        if possible is not None and self.species not in possible:
            self.choose(BONA_FIDE)

    @Slot(str)
    def choose(self, species: str) -> None:
        """Choose a species if it is enabled; one without a button goes into the field."""
        chosen = self._buttons.get(species, self._other)
        if chosen.isEnabledTo(self):
            if chosen is self._other:
                self._field.setText(species)
            chosen.setChecked(True)

    def _chosen(self) -> tuple[str, str]:
        for species, each in self._buttons.items():
            if each.isChecked():
                return species, ""
        own_names = [self._name.itemText(index) for index in range(self._name.count())]
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
        # Complain only about typed text; the empty field has a placeholder.
        problem = self.problem if self._field.text().strip() else ""
        set_text(self._problem_label, problem)
        set_mark(self._name, "wrong", bool(problem))
        self.changed.emit()
