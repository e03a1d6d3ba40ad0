"""Measure the download and the disk space of an installation.

::

    make size
    python -m bundling.size [--lock FILE]

The packages of the lock file and this project are installed with pip, without its cache, into a new
environment in a temporary folder. The exit code is 1 if the environment exceeds `LIMIT`.
"""

import argparse
import subprocess
import sys
import tempfile
import time
import venv
from importlib import metadata
from pathlib import Path

from bundling.collecting import ROOT, files_in
from bundling.pipx_check import copy_of_project

LIMIT = 1_000_000_000
"""Largest allowed size of the environment in bytes."""


def main(arguments: list[str] | None = None) -> int:
    """Install, measure and print; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m bundling.size",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--lock", type=Path, default=ROOT / "requirements.lock")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="lmkl-pad-size-") as name:
        folder = Path(name)
        wheels, environment = folder / "wheels", folder / "environment"
        began = time.monotonic()
        venv.create(environment, with_pip=True)
        (python,) = (*environment.glob("bin/python"), *environment.glob("Scripts/python.exe"))
        _pip(python, "download", "--no-deps", "--dest", wheels, "--requirement", options.lock)
        _pip(python, "wheel", "--no-deps", "--wheel-dir", wheels, copy_of_project(folder))
        fetched = time.monotonic()
        _pip(python, "install", "--no-deps", "--no-index", *wheels.iterdir())
        installed = time.monotonic()
        (site,) = environment.glob("**/site-packages")
        downloaded = sum(path.stat().st_size for path in wheels.iterdir())
        total = sum(path.lstat().st_size for path in files_in(environment))
        parts = by_package(site)
    parts["the environment itself"] = total - sum(parts.values())
    for package, size in sorted(parts.items(), key=lambda item: -item[1]):
        print(f"{package:34}{size / 1e6:8.1f} MB")
    print(
        f"{'installed':34}{total / 1e6:8.1f} MB in {installed - fetched:.0f} s\n"
        f"{'downloaded':34}{downloaded / 1e6:8.1f} MB in {fetched - began:.0f} s"
    )
    return int(total > LIMIT)


def by_package(site: Path) -> dict[str, int]:
    """Return the size in bytes of each package in a ``site-packages`` folder."""
    return {
        found.name: sum(
            Path(str(file.locate())).stat().st_size
            for file in found.files or []
            if Path(str(file.locate())).is_file()
        )
        for found in metadata.distributions(path=[str(site)])
    }


def _pip(python: Path, command: str, *arguments: object) -> None:
    quiet = ["-qq", "--disable-pip-version-check", "--no-cache-dir"]
    subprocess.run([python, "-m", "pip", command, *quiet, *map(str, arguments)], check=True)


if __name__ == "__main__":
    sys.exit(main())
