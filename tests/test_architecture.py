"""Rules on the direction of imports and on the length of files."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.imports import Import, imports_of, is_within

ROOT = Path(__file__).resolve().parents[1]
MAX_LINES = 400


@dataclass(frozen=True)
class Rule:
    """Files in ``folder``, except in ``except_in``, import only ``allowed`` parts of ``banned``."""

    folder: str
    banned: tuple[str, ...]
    except_in: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.folder} without {', '.join(self.banned)}"

    def broken(self) -> list[Import]:
        return [
            found
            for path in python_files(self.folder)
            if not any(path.relative_to(ROOT).is_relative_to(folder) for folder in self.except_in)
            for found in imports_of(path)
            if any(is_within(found.module, banned) for banned in self.banned)
            and not any(is_within(found.module, allowed) for allowed in self.allowed)
        ]


# The only file above app.qt that may start the window, and only through app.qt.app.
WINDOW_ENTRY_POINT = "app/launch.py"

ENGINES = ("torch", "torchvision", "timm", "onnx", "onnxruntime")

VIEWS = ("app/qt/pages", "app/qt/charts", "app/qt/dialogs", "app/qt/widgets")

# What a view may import of the app: values and widgets, nothing that acts.
ALLOWED_IN_VIEWS = (
    *("app.types", "app.settings", "app.names", "app.qt", "app.models.summary"),
    *("app.session.takes", "app.session.decision"),
    *("app.session.explanation", "app.session.guided_test", "app.reports.guided_test"),
)
ABOVE_VIEWS = (
    *("app.qt.controllers", "app.qt.workers"),
    *("app.qt.main_window", "app.qt.menus", "app.qt.model_dialogs", "app.qt.app"),
)
# A page has a controller; the widgets on it are driven by the page.
PAGES = (
    *("app/qt/pages/enrol/enrol_page.py", "app/qt/pages/live/live_panel.py"),
    *("app/qt/pages/model/model_page.py", "app/qt/pages/guided_test/test_page.py"),
    "app/qt/pages/why_page.py",
)

RULES = [
    Rule("lmkl_core", ("PySide6", "cv2", "app")),
    Rule("lmkl_core", ENGINES, except_in=("lmkl_core/features",)),
    Rule("app", ENGINES),
    Rule("app", ("PySide6",), except_in=("app/qt",)),
    Rule("app", ("app.qt",), except_in=("app/qt", WINDOW_ENTRY_POINT)),
    Rule(WINDOW_ENTRY_POINT, ("app.qt",), allowed=("app.qt.app",)),
    *(Rule(folder, ("lmkl_core", "scipy", "sklearn", "torch", "cv2")) for folder in VIEWS),
    *(Rule(folder, ("app",), allowed=ALLOWED_IN_VIEWS) for folder in VIEWS),
    *(Rule(folder, ABOVE_VIEWS, except_in=PAGES) for folder in VIEWS),
]


def python_files(folder: str) -> list[Path]:
    """Return the files under a folder, or the file itself."""
    found = sorted((ROOT / folder).rglob("*.py")) or [ROOT / folder]
    assert all(path.is_file() for path in found), f"there are no files under {folder}"
    return found


def modules_loaded_by(statement: str) -> set[str]:
    """Return the top-level modules that a fresh interpreter has loaded after the statement."""
    script = f"{statement}\nimport sys\nprint(*{{name.split('.')[0] for name in sys.modules}})"
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return set(run.stdout.split())


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_that_imports_point_downwards(rule):
    assert [str(found) for found in rule.broken()] == []


def test_that_no_file_exceeds_the_line_limit():
    files = [path for folder in ("app", "lmkl_core") for path in python_files(folder)]
    lengths = {str(path): len(path.read_text(encoding="utf-8").splitlines()) for path in files}
    assert {name: n for name, n in lengths.items() if n > MAX_LINES} == {}


HEAVY = {"torch", "torchvision", "onnx", "onnxruntime", "timm", "PySide6"}


@pytest.mark.parametrize(
    ("statement", "banned"),
    [
        ("import lmkl_core.errors", HEAVY | {"cv2", "numpy", "scipy", "sklearn"}),
        ("import lmkl_core, lmkl_core.features.presets", HEAVY | {"cv2"}),
        ("import app.cli.main", HEAVY | {"cv2"}),
        ("import app.reports.guided_test, app.reports.notices", HEAVY | {"cv2"}),
        ("import app.vision.pipeline, app.demo.run, lmkl_core.features.extractor", HEAVY),
    ],
    ids=["errors", "library", "commands", "reports", "pipeline"],
)
def test_that_imports_load_no_engine_and_no_qt(statement, banned):
    assert modules_loaded_by(statement).isdisjoint(banned)
