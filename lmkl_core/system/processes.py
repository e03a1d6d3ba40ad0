"""Processes of our own: a module run beside this one, also where there is no Python to run it.

In a one-folder build (see `bundling`) ``sys.executable`` is the program itself: given ``-m`` it
would start a second window. There, the program is asked by a word of its own to be one of the
modules in `MODULES`, and nothing else. Every place that starts a process asks here for the command.
"""

import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import lmkl_core

RUN_MODULE = "--lmkl-pad-module"
"""First argument by which the program of a one-folder build becomes a module."""

MODULES = (
    "lmkl_core.features.engines.export",
    "lmkl_core.features.engines.probe",
    "app.qt.window_picture",
)
"""What the program of a one-folder build may be asked to be; each has a ``main``."""


def is_frozen() -> bool:
    """Whether this runs from a one-folder build, without an interpreter to call."""
    return bool(getattr(sys, "frozen", False))


def module_command(module: str) -> list[str]:
    """Return the command that runs a module in a process of its own.

    ``-P`` keeps the current folder out of the child's imports: a file ``json.py`` or ``torch.py``
    that lies where the person happens to be must not run. A one-folder build never looks there.

    Parameters
    ----------
    module : str
        One of `MODULES` in a one-folder build, otherwise any that can be imported.
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


def run_if_asked(arguments: Sequence[str]) -> bool:
    """Be a module, if the program was started to be one; the one-folder build asks this first.

    Parameters
    ----------
    arguments : sequence of str
        As `sys.argv`: the program, then what it was given.

    Returns
    -------
    bool
        Whether a module was run, and nothing else is left to do.
    """
    program, *given = arguments
    if given[:1] != [RUN_MODULE]:
        return False
    if len(given) < 2 or given[1] not in MODULES:
        sys.exit(f"{RUN_MODULE} is for the program itself: it runs {', '.join(MODULES)}.")
    sys.argv = [program, *given[2:]]
    importlib.import_module(given[1]).main()
    return True


def preferred_workers() -> Literal["threads"] | None:
    """Return what to tell joblib when no backend is chosen, as its ``prefer``.

    Its processes are started with ``python -m``. Where there is no Python, threads do the work:
    most of it is linear algebra, in which they do not wait for each other.
    """
    return "threads" if is_frozen() else None
