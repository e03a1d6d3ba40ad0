"""What the executable runs: the command line or the window, or one of its own child processes."""

import importlib
import multiprocessing
import os
import sys
from collections.abc import MutableMapping, Sequence

# Before any of our modules that load NumPy: `app` sets how its threads wait.
import app  # noqa: F401
from lmkl_core.system.processes import RUN_MODULE

MODULES = (
    "lmkl_core.features.engines.probe",
    "app.qt.window_picture",
)
"""What the executable may be asked to be; each has a ``main``."""

LIBRARY_PATHS = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LIBPATH")


def give_back_library_paths(environment: MutableMapping[str, str]) -> None:
    """Take the build's libraries out of what other programs inherit.

    PyInstaller's loader names them in a variable, which has done its work when Python runs. The
    browser that opens a report would load them in the place of its own.
    """
    for name in LIBRARY_PATHS:
        environment.pop(name, None)
        if (own := environment.pop(f"{name}_ORIG", None)) is not None:
            environment[name] = own


def run_if_asked(arguments: Sequence[str]) -> bool:
    """Run a module if the program was started for that (`module_command`); return whether it was.

    ``arguments`` are those of `sys.argv`: the program, then what it was given.
    """
    program, *given = arguments
    if given[:1] != [RUN_MODULE]:
        return False
    if len(given) < 2 or given[1] not in MODULES:
        sys.exit(f"{RUN_MODULE} is for the program itself: it runs {', '.join(MODULES)}.")
    sys.argv = [program, *given[2:]]
    importlib.import_module(given[1]).main()
    return True


def main() -> None:
    """Be a child process if that was asked for, otherwise the program."""
    multiprocessing.freeze_support()
    give_back_library_paths(os.environ)
    if not run_if_asked(sys.argv):
        from app.__main__ import main as program

        program()


if __name__ == "__main__":
    main()
