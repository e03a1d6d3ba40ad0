"""Entry point of the ``lmkl-pad`` command and of ``python -m app``."""

import atexit
import os
import sys
from typing import NoReturn

INTERRUPTED, TERMINATED = 130, 143


def main() -> None:
    """Run the command line; the process's exit code is its result."""
    try:
        _run()
    except KeyboardInterrupt:
        # Commands end by themselves (`app.cli.main`): this is while their libraries load.
        print("Stopped.", file=sys.stderr)
        _end(INTERRUPTED)
    except SystemExit as ended:
        if ended.code in (INTERRUPTED, TERMINATED):
            _end(int(ended.code))
        raise


def _end(code: int) -> NoReturn:
    """Exit with this code also where CPython would exit by SIGINT.

    It does so when an interrupt came while `exec` ran a text, as dataclasses do when modules load,
    however well the interrupt was handled.
    """
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _run() -> None:
    if len(sys.argv) == 1:
        # The usual start: the window should not wait for the command line's libraries.
        from app.launch import launch

        sys.exit(launch())
    from app.cli.main import cli

    cli(prog_name="lmkl-pad")


if __name__ == "__main__":
    main()
