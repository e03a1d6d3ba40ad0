"""The entry point of the executable: the command line, the window, or a child process."""

import importlib
import multiprocessing
import os
import sys
from collections.abc import MutableMapping, Sequence

# Before any of our modules that load NumPy: `app` configures NumPy's threads.
import app  # noqa: F401
from lmkl_core.system.processes import RUN_MODULE

MODULES = (
    "lmkl_core.features.engines.probe",
    "app.qt.window_picture",
)
"""Modules that the executable can run as child processes; each has a ``main``."""

LIBRARY_PATHS = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LIBPATH")


def restore_library_paths(environment: MutableMapping[str, str]) -> None:
    """Restore the library paths that were set before PyInstaller's loader changed them.

    Python no longer needs the changed ones, and the browser that opens a report would load the
    build's libraries instead of its own.
    """
    for name in LIBRARY_PATHS:
        environment.pop(name, None)
        if (original := environment.pop(f"{name}_ORIG", None)) is not None:
            environment[name] = original


def run_if_asked(arguments: Sequence[str]) -> bool:
    """Run a module if the program was started for that (`module_command`); return whether it was.

    ``arguments`` are those of `sys.argv`.
    """
    program, *options = arguments
    if options[:1] != [RUN_MODULE]:
        return False
    if len(options) < 2 or options[1] not in MODULES:
        sys.exit(f"{RUN_MODULE} is for internal use only: it runs {', '.join(MODULES)}.")
    sys.argv = [program, *options[2:]]
    importlib.import_module(options[1]).main()
    return True


def main() -> None:
    """Run a child process if asked to, otherwise the program."""
    multiprocessing.freeze_support()
    restore_library_paths(os.environ)
    if not run_if_asked(sys.argv):
        from app.__main__ import main as program

        program()


if __name__ == "__main__":
    main()
