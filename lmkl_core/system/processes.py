"""Child processes that run a module, and locks between processes.

A one-folder build has no interpreter: ``sys.executable`` is the program itself, and with ``-m`` it
would start a second window. `RUN_MODULE` as its first argument makes it run a module.
"""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

from filelock import FileLock, Timeout

import lmkl_core

Locked = Timeout
"""Raised when another process or thread holds a lock."""

RUN_MODULE = "--lmkl-pad-module"
"""First argument that makes a one-folder build run a module."""


def is_frozen() -> bool:
    """Whether this is a one-folder build, without a Python interpreter."""
    return bool(getattr(sys, "frozen", False))


def module_command(module: str) -> list[str]:
    """Return the command that runs a module in its own process.

    ``-P`` keeps the current folder out of the child's imports.
    """
    if is_frozen():
        return [sys.executable, RUN_MODULE, module]
    return [sys.executable, "-P", "-m", module]


def module_environment() -> dict[str, str]:
    """Return the environment for child processes, which must import this copy of lmkl_core.

    In a one-folder build, PyInstaller's loader is reset in the child.
    """
    if is_frozen():
        return os.environ | {"PYINSTALLER_RESET_ENVIRONMENT": "1"}
    root = str(Path(lmkl_core.__file__).resolve().parents[1])
    inherited = os.environ.get("PYTHONPATH")
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, (root, inherited)))}


def preferred_workers() -> Literal["threads"] | None:
    """Return joblib's ``prefer``: threads in a one-folder build, which cannot run ``python -m``."""
    return "threads" if is_frozen() else None


@contextmanager
def only_one(path: Path) -> Iterator[None]:
    """Hold a lock: a file that is created here and removed again.

    Raises `Locked` immediately if another process or thread holds it.
    """
    lock = FileLock(path, mode=0o600, thread_local=False)
    try:
        lock.acquire(blocking=False)
    except NotImplementedError as error:
        raise OSError(errno.ENOLCK, str(error), str(path)) from error
    try:
        yield
    finally:
        # Windows cannot remove an open file; the empty file does no harm.
        with suppress(OSError):
            path.unlink()
        lock.release()
