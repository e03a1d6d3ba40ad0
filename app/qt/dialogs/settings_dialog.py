"""The settings dialog."""

import dataclasses
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPushButton, QTabWidget, QWidget

from app.qt.dialogs.settings_fields import (
    AUTOMATIC,
    ChoiceField,
    Field,
    NumberField,
    SwitchField,
)
from app.qt.theme import GRID, set_class
from app.qt.theme.icons import icon
from app.qt.widgets.inputs import CalmTabBar
from app.qt.widgets.layout import Part, ask, button, scroll_area, vbox
from app.qt.widgets.texts import wrapped
from app.settings import AUTO, CLUSTERS, CLUSTERS_A_PERSON, Settings, check

RESOLUTIONS = ((640, 480), (800, 600), (1280, 720), (1920, 1080))
SIZE = "size"
"""Name of the field for width and height."""

_DETECTORS = {"mtcnn": "MTCNN", "yunet": "YuNet"}


@dataclass(frozen=True)
class SettingsChoices:
    """What can be chosen on this machine."""

    cameras: tuple[str, ...]
    presets: tuple[tuple[str, str], ...]
    """Names and descriptions."""
    detectors: tuple[str, ...]
    """Names of the available face detectors, without ``"auto"``."""
    stored_in: tuple[str, ...]
    """Folders with personal data."""


def _pages(choices: SettingsChoices, delete: QPushButton) -> dict[str, list[Part]]:
    """Return the parts of the pages, by title."""
    sources = [
        ("Automatic: the first camera, else the demo", AUTO),
        *((name, f"camera:{name}") for name in choices.cameras),
        ("Built-in demo (simulated)", "demo"),
    ]
    files = "Videos and pictures (*.mp4 *.avi *.mov *.mkv *.webm *.png *.jpg *.jpeg);;All files (*)"
    detectors = [(_DETECTORS.get(name, name), name) for name in choices.detectors]
    folders = "\n".join(choices.stored_in)
    return {
        "&Camera": [
            ChoiceField(
                "source",
                "Source",
                "A camera, the demo, a video, a folder of pictures or a network camera's address.",
                sources,
                editable=True,
                browse=files,
            ),
            ChoiceField(
                SIZE,
                "Resolution",
                "Requested from the camera. A higher one is slower and rarely better.",
                [(f"{w} \N{MULTIPLICATION SIGN} {h}", (w, h)) for w, h in RESOLUTIONS],
            ),
        ],
        "&Views": [
            ChoiceField(
                "preset",
                "Preset",
                "Which networks look at which parts of the face: a name, or your own file.",
                [(name, name) for name, _ in choices.presets],
                editable=True,
                browse="Presets (*.toml);;All files (*)",
                about={name: what for name, what in choices.presets if what},
            ),
            ChoiceField(
                "detector",
                "Face detector",
                "Finds the face in a frame. Automatic uses the best one installed.",
                [(AUTOMATIC, AUTO), *detectors],
            ),
            wrapped(
                "Changing the preset closes the model and deletes all takes.",
                "muted",
            ),
        ],
        "&Model": [
            NumberField(
                "target_bpcer",
                "Genuine frames that may be refused",
                "Automatic derives the threshold from the usual score of your own frames. Or type "
                "a share, such as 2 %: the lower it is, the more attacks may pass.",
                percent=True,
                optional=True,
            ),
            ChoiceField(
                "n_clusters",
                "Clusters (C)",
                "Groups of similar frames, each with its own weights, in a model of one person. "
                f"Each further person adds {CLUSTERS_A_PERSON}, up to {CLUSTERS[1]}.",
                [(str(number), number) for number in range(CLUSTERS[0], CLUSTERS[1] + 1)],
            ),
            NumberField("delta", "Regulariser (delta)", "Larger values make the model smoother."),
            NumberField(
                "p",
                "First exponent of the weights' norm (p)",
                "At least 1. Near 1, few weights remain; large values make the weights equal.",
            ),
            NumberField("q", "Second exponent (q)", "As above; often equal to p."),
            NumberField(
                "temperature",
                "Temperature of the clusters",
                "Small: each frame belongs to one cluster. Large: clusters share frames.",
            ),
            wrapped(
                "The first setting takes effect at once, the others at the next fit. Most people "
                "never need to change them.",
                "muted",
            ),
        ],
        "&Appearance": [
            ChoiceField(
                "theme",
                "Theme",
                "Takes effect without a restart.",
                [("Same as system", "system"), ("Light", "light"), ("Dark", "dark")],
            ),
            SwitchField(
                "show_regions",
                "Show regions",
                "Outlines the regions that the networks look at.",
            ),
            SwitchField("reopen_last", "Open the last model at launch", "No need to enrol again."),
        ],
        "&Privacy": [
            wrapped("What is stored", "heading"),
            wrapped(
                "Camera pictures stay in memory and are gone when the program ends. Nothing is "
                "sent anywhere. Networks are downloaded only at your request."
            ),
            SwitchField(
                "recover_takes",
                "Keep takes that are not saved yet",
                "Protects them against a crash. Stores numbers computed from the frames, no "
                "pictures, until you export the model or close the window.",
            ),
            wrapped(f"Settings and kept takes are stored in:\n{folders}", "muted"),
            wrapped("Delete", "heading"),
            wrapped(
                "Deletes the settings and everything else the program has stored about you. Models "
                "and reports that you saved elsewhere stay, as do the networks' files, which are "
                "the same for everyone."
            ),
            (delete, 0, Qt.AlignmentFlag.AlignLeft),
        ],
    }


class SettingsDialog(QDialog):
    """Edits settings."""

    accepted_settings = Signal(object)
    """Changed and valid `Settings`, on "OK" and on "Apply"."""
    delete_requested = Signal()
    """The user confirmed that all personal data be deleted; emitted after the dialog closed."""

    def __init__(
        self, settings: Settings, choices: SettingsChoices, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Settings")
        self._settings = settings
        self.delete = button("Delete all my data…", slot=self._ask, kind="danger")
        self.delete.setIcon(icon("delete", "bad"))
        self.delete.setAutoDefault(False)
        self._tabs = QTabWidget()
        self._tabs.setTabBar(CalmTabBar())
        self._tabs.setDocumentMode(True)
        self._pages: list[list[Field]] = []
        for title, parts in _pages(choices, self.delete).items():
            inside = QWidget()
            vbox(inside, *parts, 1, margins=(GRID, 2 * GRID, 2 * GRID, GRID))
            self._tabs.addTab(scroll_area(inside), title)
            self._pages.append([part for part in parts if isinstance(part, Field)])
        self._fields = {field.name: field for fields in self._pages for field in fields}
        self._hint = wrapped("Correct the marked values, or reset to defaults.", "bad")
        buttons = self._make_buttons()
        margins = (2 * GRID, GRID, 2 * GRID, 2 * GRID)
        vbox(self, (self._tabs, 1), self._hint, buttons, margins=margins)
        self._show(settings)
        for field in self._fields.values():
            field.changed.connect(self._on_changed)
        self._on_changed()
        metrics = self.fontMetrics()
        width = max(96 * metrics.averageCharWidth(), self.sizeHint().width())
        self.resize(width, 40 * metrics.height())

    def chosen(self) -> Settings:
        """Return the values of the fields, valid or not."""
        values: dict[str, Any] = {name: field.value() for name, field in self._fields.items()}
        values["width"], values["height"] = values.pop(SIZE)
        return dataclasses.replace(self._settings, **values)

    def field(self, name: str) -> Field:
        """Return the field of a setting; "size" is the field of width and height."""
        return self._fields[name]

    def accept(self) -> None:
        """Apply and close, unless a value is invalid."""
        if not check(self.chosen()):
            self._on_apply()
            super().accept()

    def _make_buttons(self) -> QDialogButtonBox:
        kind = QDialogButtonBox.StandardButton
        box = QDialogButtonBox(kind.Ok | kind.Cancel | kind.Apply | kind.RestoreDefaults)
        self._ok, self._apply = box.button(kind.Ok), box.button(kind.Apply)
        reset = box.button(kind.RestoreDefaults)
        reset.setText("Reset to defaults")
        set_class(reset, "quiet")
        set_class(self._ok, "primary")
        box.accepted.connect(self.accept)
        box.rejected.connect(self.reject)
        self._apply.clicked.connect(self._on_apply)
        reset.clicked.connect(self._on_reset)
        return box

    def _show(self, settings: Settings) -> None:
        for name, field in self._fields.items():
            size = (settings.width, settings.height)
            field.set_value(size if name == SIZE else getattr(settings, name))

    @Slot()
    def _on_changed(self) -> None:
        chosen = self.chosen()
        problems = check(chosen)
        for name, field in self._fields.items():
            field.show_problem(problems.get(name, ""))
        for number, fields in enumerate(self._pages):
            is_invalid = any(field.name in problems for field in fields)
            self._tabs.setTabIcon(number, icon("warning", "bad") if is_invalid else QIcon())
        self._hint.setVisible(bool(problems))
        self._ok.setEnabled(not problems)
        self._apply.setEnabled(not problems and chosen != self._settings)

    @Slot()
    def _on_apply(self) -> None:
        chosen = self.chosen()
        if chosen != self._settings:
            self._settings = chosen
            self.accepted_settings.emit(chosen)
        self._on_changed()

    @Slot()
    def _on_reset(self) -> None:
        self._show(self._settings.reset())
        self._on_changed()

    @Slot()
    def _ask(self) -> None:
        ask(
            self,
            "Delete all my data",
            "Delete everything the program has stored about you?",
            information="This cannot be undone. Files that you saved elsewhere stay.",
            action="Delete",
            slot=self._on_delete_confirmed,
        )

    @Slot()
    def _on_delete_confirmed(self) -> None:
        self.reject()
        self.delete_requested.emit()
