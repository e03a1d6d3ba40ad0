"""Entry point of the ``lmkl-pad`` command and of ``python -m app``."""

import sys


def main() -> None:
    """Run the command line; the process's exit code is its result."""
    try:
        from app.launch import open_window, why_no_screen

        if len(sys.argv) == 1 and not why_no_screen():
            # The usual start: open the window without loading the command line's libraries.
            sys.exit(open_window())
        from app.cli.main import cli

        cli(prog_name="lmkl-pad")
    except KeyboardInterrupt:
        # Only while libraries load; later the commands handle it (`app.cli.main`).
        print("Stopped.", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
