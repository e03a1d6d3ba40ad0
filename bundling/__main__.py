"""Build ``dist/lmkl-pad``, the program with everything it needs in one folder, and test it.

::

    make bundle
    python -m bundling [--no-smoke] [--output DIR] [--work DIR]

PyInstaller builds for the system it runs on: run it on Windows for Windows, on macOS for macOS.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from bundling import collecting

SPEC = Path(__file__).with_name("lmkl-pad.spec")
LICENCES = "licences"


def main(arguments: list[str] | None = None) -> int:
    """Build, print a summary, and test the build; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m bundling",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--output", type=Path, default=collecting.ROOT / "dist")
    parser.add_argument("--work", type=Path, default=collecting.ROOT / "build" / "bundle")
    parser.add_argument("--no-smoke", action="store_true", help="do not test the build")
    options = parser.parse_args(arguments)
    began = time.monotonic()
    built = build(options.output.resolve(), options.work.resolve())
    print(summary(built, time.monotonic() - began))
    if options.no_smoke:
        return 0
    from bundling import smoke

    return smoke.main([str(built)])


def build(output: Path, work: Path) -> Path:
    """Make the folder ``lmkl-pad`` in ``output``, replacing an older one, and return it."""
    work.mkdir(parents=True, exist_ok=True)
    environment = {
        **os.environ,
        "LMKL_PAD_LICENCES": str(work / LICENCES),
        "PYTHONHASHSEED": "0",  # the same order of modules every time
    }
    command = [sys.executable, "-m", "PyInstaller", str(SPEC), "--noconfirm", "--log-level", "WARN"]
    command += ["--distpath", str(output), "--workpath", str(work / "pyinstaller")]
    subprocess.run(command, env=environment, check=True)
    built = output / collecting.NAME
    shutil.copytree(work / LICENCES, built / LICENCES)
    if sys.platform == "linux":
        _add_desktop_files(built)
    return built


def _add_desktop_files(built: Path) -> None:
    """Add the desktop entry and its icon where an installer would look for them."""
    share = built / "share"
    entry, icon = share / "applications", share / "icons/hicolor/256x256/apps"
    for folder in (entry, icon):
        folder.mkdir(parents=True)
    shutil.copy(collecting.ROOT / "assets" / "lmkl-pad.desktop", entry)
    shutil.copy(collecting.ROOT / "app/qt/assets/icon-256.png", icon / "lmkl-pad.png")


def summary(built: Path, seconds: float) -> str:
    """Describe a build: its path, size, number of files and largest parts."""
    parts = collecting.sizes(built)
    count = sum(1 for _ in collecting.files_in(built))
    lines = [f"{name:32} {size / 1e6:8.1f} MB" for name, size in list(parts.items())[:12]]
    total = sum(parts.values()) / 1e6
    head = f"{built}: {total:.0f} MB in {count} files, built in {seconds:.0f} seconds."
    return "\n".join([head, *lines])


if __name__ == "__main__":
    sys.exit(main())
