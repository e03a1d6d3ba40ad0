"""What the executable runs: the command line or the window, or one of its own child processes."""

import multiprocessing
import sys

# Before any of our modules that load NumPy: `app` sets how its threads wait.
import app  # noqa: F401
from lmkl_core.processes import run_if_asked

if __name__ == "__main__":
    multiprocessing.freeze_support()
    if not run_if_asked(sys.argv):
        from app.__main__ import main

        main()
