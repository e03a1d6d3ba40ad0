"""Read the imports of a Python file without running it."""

import ast
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Import:
    """One imported name; ``module`` is its full dotted path, as far as it is known."""

    path: Path
    line: int
    module: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line} imports {self.module}"


def imports_of(path: Path) -> list[Import]:
    """Return every import in the file, including those in functions and by name."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), filename=str(path))):
        found += [Import(path, node.lineno, module) for module in _modules(node)]
    return found


def is_within(module: str, package: str) -> bool:
    """Return whether ``module`` is the package or lies inside it."""
    return module == package or module.startswith(package + ".")


def _modules(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        if node.level:
            return ["." * node.level + (node.module or "")]
        # The name may be a module itself, as in "from app import qt".
        return [f"{node.module}.{alias.name}" for alias in node.names]
    if isinstance(node, ast.Call) and _is_dynamic_import(node.func) and node.args:
        argument = node.args[0]
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
            return [argument.value]
    return []


def _is_dynamic_import(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in {"import_module", "__import__", "find_spec"}
