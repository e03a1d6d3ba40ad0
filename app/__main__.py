"""Entry point of the ``lmkl-pad`` command and of ``python -m app``."""

from app.cli.main import cli


def main() -> None:
    """Run the command line; the process's exit code is its result."""
    cli(prog_name="lmkl-pad")


if __name__ == "__main__":
    main()
