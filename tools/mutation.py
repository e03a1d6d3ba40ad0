"""Mutation check: how many of a fixed sample of changed lines the tests notice.

    pip install mutmut                     # into the development environment
    python -m tools.mutation [--sample 200] [--output mutation.json]

mutmut (configured in pyproject.toml) makes the mutants and runs the tests, each in a fork. The
sample is drawn by a hash of the mutant's name, so functions that did not change keep theirs. A
mutant is judged by those test files of the mirrored folder that reach its function: mutmut itself
names only the first test that uses a fixture of a module.
"""

import argparse
import hashlib
import json
import os
import subprocess
from collections import Counter
from pathlib import Path

MUTANTS = Path("mutants")
STATS = MUTANTS / "mutmut-stats.json"


def mutmut(*names):
    one_thread = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS")}
    environment = {**os.environ, **one_thread, "QT_QPA_PLATFORM": "offscreen"}
    subprocess.run(["mutmut", "run", "--max-children", "1", *names], env=environment)


def mirrored(function):
    """The folder of tests for a function such as lmkl_core.solver.newton.x_step."""
    package = function.split(".")[:-2] or ["lmkl_core"]  # a function of the package itself
    return "/".join(["tests", *(["core", *package[1:]] if package[0] == "lmkl_core" else package)])


def widen():
    """Let whole files judge, of the mirrored folder where it has any."""
    stats = json.loads(STATS.read_text())
    by_file = {}
    for test in stats["duration_by_test"]:
        by_file.setdefault(test.partition("::")[0], []).append(test)
    for function, tests in stats["tests_by_mangled_function_name"].items():
        files = {test.partition("::")[0] for test in tests}
        near = {file for file in files if file.rpartition("/")[0] == mirrored(function)}
        chosen = [test for file in sorted(near or files) for test in by_file.get(file, ())]
        stats["tests_by_mangled_function_name"][function] = chosen
    STATS.write_text(json.dumps(stats))


def outcomes():
    """The exit code of pytest for every mutant; None for those not run."""
    found = {}
    for path in sorted(MUTANTS.rglob("*.meta")):
        found |= json.loads(path.read_text())["exit_code_by_key"]
    return found


def named(code):
    known = {0: "survived", 1: "killed", 3: "killed", 5: "no tests", 33: "no tests"}
    return known.get(code, "not run" if code is None else "timeout or crash")


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tools.mutation")
    parser.add_argument("--sample", type=int, default=200, help="mutants that are tried")
    parser.add_argument("--output", type=Path, default=Path("mutation.json"))
    options = parser.parse_args(arguments)
    mutmut("-")  # matches none: mutants are made, and which test reaches which function is found
    widen()
    drawn = sorted(outcomes(), key=lambda name: hashlib.sha256(name.encode()).digest())
    sample = sorted(drawn[: options.sample])
    mutmut(*sample)
    found = {name: named(code) for name, code in outcomes().items() if name in set(sample)}
    options.output.write_text(json.dumps(found, indent=1))
    counts = Counter(found.values())
    caught = counts["killed"] + counts["timeout or crash"]
    print(f"{caught} of {len(found)} noticed ({caught / len(found):.1%}): {dict(counts)}")


if __name__ == "__main__":
    main()
