"""Child processes that run a module, also from a one-folder build, which has no interpreter.

In such a build ``sys.executable`` is the program itself: given ``-m`` it would start a second
window. There, the program is asked by a word of its own to be one of some modules. Every place that
starts a process asks here for the command.
"""

import os
import sys
from pathlib import Path
from typing import Literal

import lmkl_core

RUN_MODULE = "--lmkl-pad-module"
"""First argument by which the program of a one-folder build becomes a module."""


def is_frozen() -> bool:
    """Whether this runs from a one-folder build, without an interpreter to call."""
    return bool(getattr(sys, "frozen", False))


def module_command(module: str) -> list[str]:
    """Return the command that runs a module in a process of its own.

    ``-P`` keeps the current folder out of the child's imports: a file ``json.py`` or ``torch.py``
    that happens to lie there must not run. A one-folder build never looks there.
    """
    if is_frozen():
        return [sys.executable, RUN_MODULE, module]
    return [sys.executable, "-P", "-m", module]


def module_environment() -> dict[str, str]:
    """Return ours, with this very lmkl_core first: the child must not find another one.

    A build's child has no other to find; it is told to set itself up as if it were the first.
    """
    if is_frozen():
        return os.environ | {"PYINSTALLER_RESET_ENVIRONMENT": "1"}
    root = str(Path(lmkl_core.__file__).resolve().parents[1])
    inherited = os.environ.get("PYTHONPATH")
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, (root, inherited)))}


def preferred_workers() -> Literal["threads"] | None:
    """Return what to tell joblib when no backend is chosen, as its ``prefer``.

    Its processes are started with ``python -m``. Where there is no Python, threads do the work:
    most of it is linear algebra, in which they do not wait for each other.
    """
    return "threads" if is_frozen() else None
