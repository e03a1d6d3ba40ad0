"""What the executable runs: the command line or the window, or one of its own child processes."""

import multiprocessing
import os
import sys
from collections.abc import MutableMapping

# Before any of our modules that load NumPy: `app` sets how its threads wait.
import app  # noqa: F401
from lmkl_core.system.processes import run_if_asked

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


def main() -> None:
    """Be a child process if that was asked for, otherwise the program."""
    multiprocessing.freeze_support()
    give_back_library_paths(os.environ)
    if not run_if_asked(sys.argv):
        from app.__main__ import main as program

        program()


if __name__ == "__main__":
    main()
