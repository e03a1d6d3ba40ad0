"""The pages of the settings: which fields there are, and what they are called."""

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QMessageBox, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app.qt.icons import icon
from app.qt.theme import GRID, set_class
from app.qt.views.dialogs.settings_fields import (
    Choice,
    ChoiceField,
    Field,
    NumberField,
    SwitchField,
    automatic,
    line,
)
from app.settings import AUTO, CLUSTERS, CLUSTERS_A_PERSON

RESOLUTIONS = ((640, 480), (800, 600), (1280, 720), (1920, 1080))
SIZE = "size"
"""Name of the field that stands for width and height."""

_DETECTORS = {"mtcnn": "MTCNN", "yunet": "YuNet"}


@dataclass(frozen=True)
class SettingsChoices:
    """What there is to choose from on this machine.

    Attributes
    ----------
    cameras : tuple of str
        Names of the cameras that were found.
    presets : tuple of (str, str)
        Names of the presets and what each is, in one sentence.
    detectors : tuple of str
        Names of the face detectors that can be used, without ``"auto"``.
    stored_in : tuple of str
        Folders that hold what the program has stored of the person.
    """

    cameras: tuple[str, ...] = ()
    presets: tuple[tuple[str, str], ...] = ()
    detectors: tuple[str, ...] = ("mtcnn",)
    stored_in: tuple[str, ...] = ()


class Page(QScrollArea):
    """Parts below each other, that scroll where the screen is small."""

    def __init__(self) -> None:
        super().__init__()
        self.fields: list[Field] = []
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def fill(self, *parts: QWidget, note: str = "") -> None:
        """Show fields and texts from top to bottom, and a note below them."""
        self.fields = [part for part in parts if isinstance(part, Field)]
        inside = QWidget()
        layout = QVBoxLayout(inside)
        layout.setContentsMargins(GRID, 2 * GRID, 2 * GRID, GRID)
        layout.setSpacing(GRID)
        for part in parts:
            if part.property("class") == "heading" and layout.count():
                layout.addSpacing(GRID)
            layout.addWidget(part)
            if isinstance(part, QPushButton):
                layout.setAlignment(part, Qt.AlignmentFlag.AlignLeft)
        if note:
            layout.addWidget(line(note, "muted"))
        layout.addStretch(1)
        self.setWidget(inside)
        # A scroll area and what it holds fill their ground by default; here the dialog's shows.
        inside.setAutoFillBackground(False)
        self.viewport().setAutoFillBackground(False)


class CameraPage(Page):
    """Where frames come from."""

    def __init__(self, choices: SettingsChoices) -> None:
        super().__init__()
        sources: list[Choice] = [
            (self.tr("Automatic: the first camera, else the demo"), AUTO),
            *((name, f"camera:{name}") for name in choices.cameras),
            (self.tr("Built-in demo (simulated)"), "demo"),
        ]
        sizes = [
            (f"{width} \N{MULTIPLICATION SIGN} {height}", (width, height))
            for width, height in RESOLUTIONS
        ]
        source = ChoiceField(
            "source",
            self.tr("Source"),
            self.tr(
                "A camera, the demo, a video, a folder of pictures or a network camera's address."
            ),
            sources,
            editable=True,
            browse=self.tr(
                "Videos and pictures (*.mp4 *.avi *.mov *.mkv *.webm *.png *.jpg *.jpeg);;"
                "All files (*)"
            ),
        )
        size = ChoiceField(
            SIZE,
            self.tr("Resolution"),
            self.tr("Asked of a camera, which may give another. More is slower and rarely better."),
            sizes,
        )
        self.fill(source, size)


class ViewsPage(Page):
    """What the networks look at."""

    def __init__(self, choices: SettingsChoices) -> None:
        super().__init__()
        presets = [(name, name) for name, _ in choices.presets]
        about = {name: what for name, what in choices.presets if what}
        detectors: list[Choice] = [
            (automatic(), AUTO),
            *((_DETECTORS.get(name, name), name) for name in choices.detectors),
        ]
        preset = ChoiceField(
            "preset",
            self.tr("Preset"),
            self.tr("Which networks look at which parts of the face; a name or a file of yours."),
            presets,
            editable=True,
            browse=self.tr("Presets (*.toml);;All files (*)"),
            about=about,
        )
        detector = ChoiceField(
            "detector",
            self.tr("Face detector"),
            self.tr("Finds the face in a frame. Automatic takes the best one that is installed."),
            detectors,
        )
        note = self.tr(
            "An open model keeps the views it was fitted with; the next fit takes these."
        )
        self.fill(preset, detector, note=note)


class ModelPage(Page):
    """How a model is fitted."""

    def __init__(self) -> None:
        super().__init__()
        low, high = CLUSTERS
        clusters = [(str(number), number) for number in range(low, high + 1)]
        target = NumberField(
            "target_bpcer",
            self.tr("Genuine frames that may be refused"),
            self.tr(
                "Automatic sets the threshold by the usual score of your own frames. Or type a "
                "share, such as 2 %: the lower, the more attacks may pass."
            ),
            percent=True,
            optional=True,
        )
        n_clusters = ChoiceField(
            "n_clusters",
            self.tr("Clusters (C)"),
            self.tr(
                "Groups of similar frames, each with weights of its own, in a model of one person. "
                "Each further person adds {more}, up to {most}."
            ).format(more=CLUSTERS_A_PERSON, most=high),
            clusters,
        )
        delta = NumberField(
            "delta",
            self.tr("Regulariser (delta)"),
            self.tr("Larger is smoother."),
        )
        p = NumberField(
            "p",
            self.tr("First exponent of the weights' norm (p)"),
            self.tr("At least 1. Near 1 few weights remain, large values make them alike."),
        )
        q = NumberField("q", self.tr("Second exponent (q)"), self.tr("The same; often equal to p."))
        temperature = NumberField(
            "temperature",
            self.tr("Temperature of the clusters"),
            self.tr("Small: a frame belongs to one cluster. Large: clusters share it."),
        )
        note = self.tr(
            "The first counts at once, the others from the next fit. Most people never need to "
            "change them."
        )
        self.fill(target, n_clusters, delta, p, q, temperature, note=note)


class LookPage(Page):
    """What the window shows and how."""

    def __init__(self) -> None:
        super().__init__()
        themes = [
            (self.tr("Like the system"), "system"),
            (self.tr("Light"), "light"),
            (self.tr("Dark"), "dark"),
        ]
        theme = ChoiceField(
            "theme", self.tr("Theme"), self.tr("Takes effect without a restart."), themes
        )
        regions = SwitchField(
            "show_regions",
            self.tr("Show what the networks look at"),
            self.tr("Draws the regions over the face in the preview."),
        )
        reopen = SwitchField(
            "reopen_last",
            self.tr("Open the last model at launch"),
            self.tr("So that nobody has to enrol again."),
        )
        self.fill(theme, regions, reopen)


class PrivacyPage(Page):
    """What is stored, where, and how all of it is deleted."""

    delete_confirmed = Signal()
    """The person wants everything deleted, and has said so twice."""

    def __init__(self, choices: SettingsChoices) -> None:
        super().__init__()
        self.delete = QPushButton(icon("delete", "bad"), self.tr("Delete all my data..."))
        set_class(self.delete, "danger")
        self.delete.setAutoDefault(False)
        parts: list[QWidget] = [
            line(self.tr("What is stored"), "heading"),
            line(
                self.tr(
                    "Pictures of the camera stay in memory and are gone when the program ends. "
                    "Nothing is sent anywhere. Networks are downloaded only when you ask for it."
                ),
                "",
            ),
        ]
        parts.append(
            SwitchField(
                "recover_takes",
                self.tr("Keep takes that are not saved yet"),
                self.tr(
                    "So that none is lost if the program ends unexpectedly: numbers computed from "
                    "the frames, no pictures, until the model is exported or you close the window."
                ),
            )
        )
        if choices.stored_in:
            where = line(
                self.tr("Your settings, and takes that are kept, are in:\n{0}").format(
                    "\n".join(choices.stored_in)
                ),
                "muted",
            )
            where.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            parts.append(where)
        parts += [
            line(self.tr("Delete"), "heading"),
            line(
                self.tr(
                    "Removes the settings and everything else that the program has stored of you. "
                    "Models and reports that you saved elsewhere stay, and so do the networks' "
                    "files, which are the same for everyone."
                ),
                "",
            ),
            self.delete,
        ]
        self.fill(*parts)
        self.delete.clicked.connect(self._ask)

    @Slot()
    def _ask(self) -> None:
        question = QMessageBox(self)
        question.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        question.setWindowTitle(self.tr("Delete all my data"))
        question.setIcon(QMessageBox.Icon.Warning)
        question.setText(self.tr("Delete everything that the program has stored of you?"))
        question.setInformativeText(
            self.tr("It is gone for good. What you saved elsewhere stays where it is.")
        )
        delete = question.addButton(self.tr("Delete"), QMessageBox.ButtonRole.DestructiveRole)
        set_class(delete, "danger")
        cancel = question.addButton(QMessageBox.StandardButton.Cancel)
        question.setDefaultButton(cancel)
        question.setEscapeButton(cancel)
        delete.clicked.connect(self.delete_confirmed)
        question.open()
