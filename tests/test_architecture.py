"""Rules on the direction of imports and on the length of files."""

import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.imports import Import, imports_of, is_within

ROOT = Path(__file__).resolve().parents[1]
MAX_LINES = 400


@dataclass(frozen=True)
class Rule:
    """Files under ``folder``, but not under ``except_in``, import none of ``banned``."""

    folder: str
    banned: tuple[str, ...]
    except_in: tuple[str, ...] = ()

    def __str__(self) -> str:
        exception = f" outside {', '.join(self.except_in)}" if self.except_in else ""
        return f"{self.folder}{exception} without {', '.join(self.banned)}"

    def broken(self) -> list[Import]:
        return [
            found
            for path in python_files(self.folder)
            if not any(path.relative_to(ROOT).is_relative_to(folder) for folder in self.except_in)
            for found in imports_of(path)
            if any(is_within(found.module, banned) for banned in self.banned)
        ]


# The only file above app.qt that may start the window, and only through app.qt.app.
WINDOW_ENTRY_POINT = "app/launch.py"

ENGINES = ("torch", "torchvision", "timm", "onnx", "onnxruntime")

VIEWS = ("app/qt/pages", "app/qt/charts", "app/qt/dialogs", "app/qt/widgets")

RULES = [
    Rule("lmkl_core", ("PySide6", "cv2", "app")),
    Rule("lmkl_core", ENGINES, except_in=("lmkl_core/features",)),
    Rule("app", ENGINES),
    Rule("app", ("PySide6",), except_in=("app/qt",)),
    Rule("app", ("app.qt",), except_in=("app/qt", WINDOW_ENTRY_POINT)),
    *(Rule(folder, ("lmkl_core", "scipy", "sklearn", "torch", "cv2")) for folder in VIEWS),
]


def python_files(folder: str) -> list[Path]:
    found = sorted((ROOT / folder).rglob("*.py"))
    assert found, f"there are no files under {folder}"
    return found


def modules_loaded_by(statement: str) -> set[str]:
    """Return the top-level modules that a fresh interpreter has loaded after the statement."""
    script = f"{statement}\nimport sys\nprint(*{{name.split('.')[0] for name in sys.modules}})"
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return set(run.stdout.split())


def describe(found: Iterable[Import]) -> str:
    return "\n".join(str(item) for item in found)


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_that_imports_point_downwards(rule):
    broken = rule.broken()
    assert not broken, describe(broken)


# What a view may import of the app: values and widgets, nothing that acts.
ALLOWED_IN_VIEWS = (
    *("app.types", "app.settings", "app.names", "app.qt", "app.models.summary"),
    *("app.session.takes", "app.session.decision"),
    *("app.session.explanation", "app.session.guided_test", "app.reports.guided_test"),
)


def test_that_views_import_only_values_and_widgets_of_the_app():
    foreign = [
        found
        for folder in VIEWS
        for path in python_files(folder)
        for found in imports_of(path)
        if is_within(found.module, "app")
        and not any(is_within(found.module, allowed) for allowed in ALLOWED_IN_VIEWS)
    ]
    assert not foreign, describe(foreign)


ABOVE_VIEWS = (
    *("app.qt.controllers", "app.qt.workers"),
    *("app.qt.main_window", "app.qt.menus", "app.qt.model_dialogs", "app.qt.app"),
)
# A page has a controller; the widgets on it are driven by the page.
PAGES = (
    "enrol/enrol_page",
    "live/live_panel",
    "model/model_page",
    "guided_test/test_page",
    "why_page",
)


def test_that_views_other_than_pages_do_not_import_controllers():
    pages = tuple(f"app/qt/pages/{name}.py" for name in PAGES)
    rules = [Rule(folder, ABOVE_VIEWS, except_in=pages) for folder in VIEWS]
    upward = [found for rule in rules for found in rule.broken()]
    assert not upward, describe(upward)


def test_that_the_entry_point_reaches_the_window_only_through_its_start():
    reached = [
        item for item in imports_of(ROOT / WINDOW_ENTRY_POINT) if is_within(item.module, "app.qt")
    ]
    assert all(is_within(item.module, "app.qt.app") for item in reached), describe(reached)


def test_that_no_file_exceeds_the_line_limit():
    files = [path for folder in ("app", "lmkl_core") for path in python_files(folder)]
    lengths = {str(path): len(path.read_text(encoding="utf-8").splitlines()) for path in files}
    assert {name: n for name, n in lengths.items() if n > MAX_LINES} == {}


HEAVY = {"torch", "torchvision", "onnx", "onnxruntime", "timm", "PySide6"}


@pytest.mark.parametrize(
    ("statement", "banned"),
    [
        ("import lmkl_core, lmkl_core.features.presets", HEAVY | {"cv2"}),
        ("import app.cli.main", HEAVY | {"cv2"}),
        ("import app.reports.guided_test, app.reports.notices", HEAVY | {"cv2"}),
        ("import app.vision.pipeline, app.demo.run, lmkl_core.features.extractor", HEAVY),
    ],
    ids=["library", "commands", "reports", "pipeline"],
)
def test_that_imports_load_no_engine_and_no_qt(statement, banned):
    assert modules_loaded_by(statement).isdisjoint(banned)
