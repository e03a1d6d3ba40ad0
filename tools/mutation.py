"""Mutation check: how many mutants of a fixed sample the tests catch.

    pip install mutmut                     # into the development environment
    python -m tools.mutation [--sample 100] [--jobs 2] [--output mutation.json]

mutmut (configured in pyproject.toml) creates the mutants. Each one in the sample is tested in its
own process by the test files of the folder that mirrors its module. The sample is drawn by a hash
of the mutants' names, so unchanged functions keep theirs.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

MUTANTS = Path("mutants")
SLOW = ("test_selection_dask.py",)
"""Tests that start processes, in which the mutant is not active."""
TIMEOUT = 900.0
OUTCOMES = {0: "survived", 1: "noticed"}


def make_mutants():
    """Write a copy of the project whose functions contain all their mutants."""
    from mutmut import __main__ as mutmut

    MUTANTS.mkdir(exist_ok=True)
    mutmut.copy_src_dir()
    mutmut.copy_also_copy_files()
    mutmut.setup_source_paths()
    mutmut.create_mutants(os.cpu_count())


def mutant_names():
    """Return the names of all mutants, such as lmkl_core.solver.newton.x_step__mutmut_3."""
    files = (json.loads(path.read_text()) for path in sorted(MUTANTS.rglob("*.meta")))
    return [name for file in files for name in file["exit_code_by_key"]]


def tests_of(name):
    """Return the test folder that mirrors the module of a mutant, or its package."""
    package = name.rpartition(".")[0].split(".")
    module = Path("tests", *(["core", *package[1:]] if package[0] == "lmkl_core" else package))
    return module if (MUTANTS / module).is_dir() else module.parent


def outcome_of(folder, name=""):
    """Run the tests of a folder on a mutant, or on the unchanged code."""
    tests = [path for path in sorted((MUTANTS / folder).glob("test_*.py")) if path.name not in SLOW]
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    one_thread = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS")}
    environment = {**os.environ, **one_thread, "MUTANT_UNDER_TEST": name}
    try:
        code = subprocess.run(
            [*command, *(path.relative_to(MUTANTS) for path in tests)],
            cwd=MUTANTS,
            env=environment,
            stdout=subprocess.DEVNULL,
            timeout=TIMEOUT,
        ).returncode
    except subprocess.TimeoutExpired:
        return "noticed: timed out"
    return OUTCOMES.get(code, "noticed: crashed" if code < 0 else f"undecided (code {code})")


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tools.mutation")
    parser.add_argument("--sample", type=int, default=100, help="number of mutants to try")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at a time")
    parser.add_argument("--output", type=Path, default=Path("mutation.json"))
    options = parser.parse_args(arguments)
    make_mutants()
    drawn = sorted(mutant_names(), key=lambda name: hashlib.sha256(name.encode()).digest())
    sample = sorted(drawn[: options.sample])
    folders = [tests_of(name) for name in sample]
    with ThreadPoolExecutor(options.jobs) as pool:
        distinct = sorted(set(folders))
        for folder, outcome in zip(distinct, pool.map(outcome_of, distinct), strict=True):
            if outcome != "survived":
                sys.exit(f"The tests in {folder} fail on the unchanged code: {outcome}.")
        found = {}
        for name, outcome in zip(sample, pool.map(outcome_of, folders, sample), strict=True):
            found[name] = outcome
            print(f"{outcome}: {name}", flush=True)
            options.output.write_text(json.dumps(found, indent=1))
    counts = Counter(found.values())
    caught = sum(n for outcome, n in counts.items() if outcome.startswith("noticed"))
    print(f"{caught} of {len(found)} noticed ({caught / len(found):.1%}): {dict(counts)}")


if __name__ == "__main__":
    main()
