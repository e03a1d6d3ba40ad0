"""Read the diagrams of docs/architecture.md and compare them with the imports.

A diagram is a mermaid flowchart. The label of a box names its modules: ``app.models`` includes all
modules in it, ``lmkl_core.*`` only the files of the package itself; the longest matching name wins.
An arrow means "imports".
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.documents import Page
from tests.imports import Import, imports_of

_TITLED = re.compile(r"^#{1,6} ([^\n]+)$|^```mermaid\n(.*?)^```", re.MULTILINE | re.DOTALL)
_BOX = re.compile(r"(\w+)\[\"(.+?)\"\]")
_MODULE = re.compile(r"\b(?:app|lmkl_core)(?:\.\w+)*(?:\.\*)?")
_ARROW = re.compile(r"^\s*(\w+)\s*-->\s*(\w+(?:\s*&\s*\w+)*)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Diagram:
    """Boxes with their modules, and arrows between boxes."""

    title: str
    boxes: dict[str, tuple[str, ...]]
    edges: set[tuple[str, str]]

    @property
    def graph(self) -> dict[str, set[str]]:
        """The boxes that each box imports."""
        return {box: {end for start, end in self.edges if start == box} for box in self.boxes}


def diagrams_of(page: Page) -> list[Diagram]:
    """Return the diagrams whose boxes name modules, each with the heading above it."""
    found, title = [], ""
    for heading, chart in _TITLED.findall(page.text):
        title = heading or title
        boxes = {name: tuple(_MODULE.findall(label)) for name, label in _BOX.findall(chart)}
        if boxes and all(boxes.values()):
            edges = {
                (start, end.strip())
                for start, ends in _ARROW.findall(chart)
                for end in ends.split("&")
            }
            unknown = {name for edge in edges for name in edge} - set(boxes)
            assert not unknown, f"{title}: no box has the names {unknown}"
            found.append(Diagram(title, boxes, edges))
    return found


def boxes_of(diagram: Diagram, module: str) -> list[str]:
    """Return the box that contains a module, as a list of one or none."""
    best, length = [], 0
    for box, names in diagram.boxes.items():
        for name in names:
            package = name.removesuffix(".*")
            inside = module == package or module.startswith(package + ".")
            if name.endswith(".*"):
                inside = module.rpartition(".")[0] == package
            if inside and len(package) > length:
                best, length = [box], len(package)
    return best


def modules_below(package: str, root: Path) -> list[str]:
    """Return the names of all modules of a package."""
    return sorted(_name(path, root) for path in (root / package).rglob("*.py"))


def edges_between(diagram: Diagram, root: Path) -> dict[tuple[str, str], str]:
    """Return the pairs of boxes with imports between them, each with an example."""
    modules = {name for package in ("app", "lmkl_core") for name in modules_below(package, root)}
    found: dict[tuple[str, str], str] = {}
    for package in ("app", "lmkl_core"):
        for path in sorted((root / package).rglob("*.py")):
            for start in boxes_of(diagram, _name(path, root)):
                for item in _imports(path):
                    for end in boxes_of(diagram, _imported(item.module, modules)):
                        if start != end:
                            found.setdefault((start, end), str(item))
    return found


@cache
def _imports(path: Path) -> list[Import]:
    """Return the imports of a file, which is read once for all diagrams."""
    return imports_of(path)


def _name(path: Path, root: Path) -> str:
    return ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


def _imported(name: str, modules: set[str]) -> str:
    """Return the module that contains an imported name, which may be the module itself."""
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name
