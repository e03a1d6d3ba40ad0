"""Check that ``pipx install`` works, from the built wheel and from this folder.

The wheel and the source archive must contain all modules and data files, and nothing personal.

::

    python -m bundling.pipx_check [--only wheel|folder]

Everything happens in a temporary folder, which is removed.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
import zipfile
from collections.abc import Iterable
from pathlib import Path

from bundling.collecting import NAME, PACKAGES, ROOT, package_data

NEEDED = 4e9
"""Free disk space in bytes that is required."""


def main(arguments: list[str] | None = None) -> int:
    """Build, inspect the archives, install and run; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bundling.pipx_check", description=__doc__)
    parser.add_argument("--only", choices=("wheel", "folder"), help="install from one of the two")
    parser.add_argument(
        "--contents", action="store_true", help="inspect the archives and install nothing"
    )
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="lmkl-pad-pipx-") as name:
        folder = Path(name)
        if shutil.disk_usage(folder).free < NEEDED:
            print(f"{folder} has less than {NEEDED / 1e9:.0f} GB free: make room.", file=sys.stderr)
            return 1
        wheel = build(folder)
        found = inspect_archives(folder / "dist")
        print("\n".join(found) or "ok  the archives contain everything and nothing else")
        if found or options.contents:
            return bool(found)
        sources = {"wheel": str(wheel), "folder": str(copy_of_project(folder))}
        for kind, source in sources.items():
            if options.only in (None, kind):
                install_and_run(folder, kind, source)
    return 0


def build(folder: Path) -> Path:
    """Build the source archive, and from it the wheel; return the wheel."""
    venv.create(folder / "tools", with_pip=True)
    run(
        "install pipx",
        [str(_tool(folder, "python")), "-m", "pip", "install", "-q", "pipx", "build"],
    )
    # From a copy: a build leaves folders behind, which the next one would include.
    copy = copy_of_project(folder)
    command = [str(_tool(folder, "python")), "-m", "build", "--outdir", str(folder / "dist")]
    run("build the source archive, and the wheel from it", [*command, str(copy)])
    (wheel,) = (folder / "dist").glob("*.whl")
    return wheel


def expected(root: Path = ROOT) -> set[str]:
    """Return the files that an installation must have: our modules and data files."""
    modules = {
        path.relative_to(root).as_posix()
        for package in PACKAGES
        for path in (root / package).rglob("*.py")
    }
    return modules | {Path(path).relative_to(root).as_posix() for path, _ in package_data(root)}


def members(archive: Path) -> dict[str, bytes]:
    """Return the files of a wheel, or of a source archive without its top folder."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return {name: wheel.read(name) for name in wheel.namelist() if not name.endswith("/")}
    found = {}
    with tarfile.open(archive) as packed:
        for member in packed:
            if member.isfile() and (stream := packed.extractfile(member)) is not None:
                found[member.name.partition("/")[2]] = stream.read()
    return found


def problems(
    found: dict[str, bytes], wanted: Iterable[str], personal: Iterable[str], *, only: bool
) -> list[str]:
    """Describe missing files and personal texts of an archive.

    With ``only``, for a wheel, it may contain no other files except metadata.
    """
    wanted = set(wanted)
    sentences = [f"{name} is missing" for name in sorted(wanted - set(found))]
    if only:
        others = {name for name in found if ".dist-info/" not in name}
        sentences += [f"{name} does not belong there" for name in sorted(others - wanted)]
    for name, content in sorted(found.items()):
        sentences += [f"{name} contains {text!r}" for text in personal if text.encode() in content]
    return sentences


def copy_of_project(folder: Path) -> Path:
    """Copy the project into a folder, unless that was done before."""
    copy = folder / "project"
    if not copy.exists():
        ignore = shutil.ignore_patterns(
            ".venv*", ".git", "build", "dist", "*.egg-info", "__pycache__", ".*_cache"
        )
        shutil.copytree(ROOT, copy, ignore=ignore)
    return copy


def inspect_archives(folder: Path) -> list[str]:
    """Return what is wrong with the archives in a folder."""
    personal = {str(ROOT), str(Path.home()), os.environ.get("USER", ""), "/root/", "/home/"}
    personal -= {"", "/", "/root", "root"}
    sentences = []
    for archive in sorted(folder.iterdir()):
        found = members(archive)
        is_wheel = archive.suffix == ".whl"
        wrong = problems(found, expected(), personal, only=is_wheel)
        size = archive.stat().st_size / 1e6
        print(f"{archive.name}: {len(found)} files, {size:.1f} MB")
        sentences += [f"{archive.name}: {sentence}" for sentence in wrong]
    return sentences


def install_and_run(folder: Path, kind: str, source: str) -> None:
    """Install with pipx into an empty folder, run the program there, and remove it."""
    place = folder / kind
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("LMKL_PAD")},
        "PIPX_HOME": str(place / "pipx"),
        "PIPX_BIN_DIR": str(place / "bin"),
        "PIPX_MAN_DIR": str(place / "man"),
        "HOME": str(place / "home"),
        "QT_QPA_PLATFORM": "offscreen",
    }
    (place / "home").mkdir(parents=True)
    pipx = [str(_tool(folder, "python")), "-m", "pipx"]
    install = [*pipx, "install", "--python", sys.executable, source]
    run(f"pipx install, from the {kind}", install, environment)
    size = sum(path.lstat().st_size for path in (place / "pipx").rglob("*") if path.is_file())
    print(f"    {size / 1e6:.0f} MB installed")
    program = str(place / "bin" / (f"{NAME}.exe" if sys.platform == "win32" else NAME))
    commands = (["--version"], ["doctor"], ["demo", "--output", str(place / "demo")])
    for arguments in commands:
        run(" ".join([NAME, *arguments]), [program, *arguments], environment)
    shutil.rmtree(place)


def run(what: str, command: list[str], environment: dict[str, str] | None = None) -> None:
    """Run a command outside the project; print its duration, or its output if it failed."""
    began = time.monotonic()
    done = subprocess.run(
        command,
        env=environment,
        cwd=tempfile.gettempdir(),
        capture_output=True,
        text=True,
        errors="replace",
    )
    if done.returncode:
        print(done.stdout, done.stderr, sep="\n", file=sys.stderr)
        sys.exit(f"FAILED: {what} ended with {done.returncode}.")
    print(f"ok  {what} ({time.monotonic() - began:.0f} s)", flush=True)


def _tool(folder: Path, name: str) -> Path:
    place = "Scripts" if sys.platform == "win32" else "bin"
    return folder / "tools" / place / name


if __name__ == "__main__":
    sys.exit(main())
