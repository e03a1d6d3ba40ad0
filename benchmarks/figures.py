"""Run the benchmarks and write their output into docs/measurements.md.

    python -m benchmarks figures [--only NAME ...] [--data FOLDER]

A section of the page is the text between two comments with its name; the rest is written by hand.
A section has the benchmark's explanation, command, date, commit and machine. Sections that are not
run keep their figures and date: ``soak`` unless it is named, because it takes an hour, and ``real``
without ``--data``, a folder made by ``python -m benchmarks real_views``. The liveness networks'
weights must be installed for the last lines of ``real``.
"""

import argparse
import importlib
import os
import platform
import subprocess
import sys
import tempfile
from datetime import date
from functools import cache
from pathlib import Path

import psutil

from app.session.guided_test.presentation import processor

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "measurements.md"

SECTIONS = {
    "real": "benchmarks real --preset texture --only summary --only methods",
    "grid": "benchmarks grid",
    "hostile": "benchmarks grid --hostile",
    "families": "benchmarks grid --families",
    "scoring": "benchmarks scoring",
    "growth": "benchmarks growth",
    "views": "benchmarks views",
    "sweep": "benchmarks sweep",
    "memory": "benchmarks memory",
    "launch": "benchmarks launch",
    "responsiveness": "benchmarks responsiveness",
    "evaluation": "benchmarks evaluation",
    "demo": "app evaluate demo",
    "soak": "benchmarks soak --minutes 60",
}
"""The module and the arguments behind every section of the page."""


def marks(name):
    return f"<!-- figures: {name} -->", f"<!-- end: {name} -->"


def explanation(module):
    """The title and the first paragraph of a benchmark's docstring."""
    paragraphs = importlib.import_module(module).__doc__.split("\n\n")
    prose = [text for text in paragraphs if not text.lstrip().startswith("python -m")]
    return "\n\n".join(text.strip() for text in prose[:2]).replace("``", "`")


def machine():
    """Processor, cores, memory, system and Python, and how busy the machine is."""
    gib = psutil.virtual_memory().total / 2**30
    return (
        f"{processor()}, {gib:.0f} GiB, "
        f"{platform.system()}, Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}"
    )


@cache  # writing the page changes the working tree
def commit():
    command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.strip()


def measured(name, data):
    """Run one benchmark; return its section."""
    module, *arguments = SECTIONS[name].split()
    shown = f"python -m {SECTIONS[name]}"
    if name == "real":
        arguments += ["--views", str(data)]
        shown += " --views DIR"
    where = machine()  # before the benchmark adds to the load
    environment = {**os.environ, "COLUMNS": "140", "QT_QPA_PLATFORM": "offscreen"}
    with tempfile.TemporaryDirectory() as empty:
        # Ignore the user's settings and results cached by older code.
        environment |= {f"LMKL_PAD_{kind}": empty for kind in ("CONFIG", "DATA", "CACHE")}
        if name == "demo":
            arguments += ["--output", empty]
        run = subprocess.run(
            [sys.executable, "-m", module, *arguments],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
    if run.returncode and name != "soak":  # soak fails if it finds growth
        sys.exit(f"{shown} failed with code {run.returncode}; {PAGE.name} keeps its figures.")
    output = "\n".join(line.rstrip() for line in run.stdout.strip().splitlines())
    if name == "demo":  # without the tables of single kernels and of further figures
        first, table, *_, notes = output.split("\n\n")
        output = f"{first}\n\n{table}\n\n{notes}"
    if "\n|---" not in output:  # no Markdown
        output = f"```text\n{output}\n```"
    about = f"{explanation(f'benchmarks.{name}')}\n\n" if name == arguments[0] else ""
    head = f"`{shown}`, {date.today()}, commit {commit()}; {where}"
    return f"{about}{head}\n\n{output}"


def replaced(page, name, section):
    """The page with a new section of this name."""
    begin, end = marks(name)
    before, found, rest = page.partition(begin)
    if not found or end not in rest:
        sys.exit(f"{PAGE.name} lacks the section {name}: add {begin} and {end}.")
    return f"{before}{begin}\n{section}\n{end}{rest.partition(end)[2]}"


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks figures")
    parser.add_argument("--only", action="append", choices=SECTIONS, help="update this section")
    parser.add_argument("--data", type=Path, help="views of real recordings, from real_views")
    options = parser.parse_args(arguments)
    for name in options.only or [name for name in SECTIONS if name != "soak"]:
        if name == "real" and options.data is None:
            print("real: no --data, so its figures stay as they are.")
            continue
        print(f"{name}: {SECTIONS[name]}", flush=True)
        section = measured(name, options.data and options.data.absolute())
        # Write every section at once, so that an interrupted run keeps the finished ones.
        page = replaced(PAGE.read_text(encoding="utf-8"), name, section)
        PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
