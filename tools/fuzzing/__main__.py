"""``python -m tools.fuzzing``: attack the loaders.

Each target runs in its own process, guided by coverage if atheris is installed (the extra
``fuzz``), otherwise with hypothesis. If an input is neither loaded nor refused, the exit code is
nonzero and the input is kept in ``fuzzing-failures``; ``--target NAME --file INPUT`` repeats it.
"""

import argparse
import faulthandler
import os
import random
import subprocess
import sys
import tempfile
import warnings
from importlib.util import find_spec
from pathlib import Path

from hypothesis import HealthCheck, given, seed, settings

from tools.fuzzing.target import LOADED, Target
from tools.fuzzing.targets import NAMES, make_target

FAILURES = Path("fuzzing-failures")
TIMEOUT = 60
"""Seconds after which an input counts as hanging; most take a millisecond."""

MEMORY = 1 << 30
"""Bytes that an input may allocate beyond what the libraries use."""

BATCH = 2000
"""Inputs per run of hypothesis, which remembers all of them."""

OWN_SHARE = 0.7
"""Share of atheris's inputs made by the target: a changed byte does not pass a digest."""

MAX_BYTES = 1 << 16
"""Size limit of atheris's inputs."""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.fuzzing", description=__doc__)
    parser.add_argument("--target", choices=NAMES, help="default: all, in turn")
    parser.add_argument("--inputs", type=int, help="per target; the default depends on it")
    parser.add_argument("--file", type=Path, help="try this file alone")
    options = parser.parse_args(arguments)
    if options.target is None:
        more = [] if options.inputs is None else ["--inputs", str(options.inputs)]
        commands = [[sys.executable, "-m", "tools.fuzzing", "--target", n, *more] for n in NAMES]
        return max(subprocess.run(command, check=False).returncode != 0 for command in commands)
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = "1"
    with tempfile.TemporaryDirectory(prefix="lmkl-fuzzing-") as folder:
        if options.file:
            reason = make_target(options.target, Path(folder)).check(options.file.read_bytes())
            print(f"refused: {reason}" if reason else "loaded")
            return 0
        FAILURES.mkdir(exist_ok=True)
        attack = with_atheris if find_spec("atheris") else with_hypothesis
        attack(options.target, Path(folder), options.inputs)
    return 0


def with_hypothesis(name: str, folder: Path, inputs: int | None) -> None:
    """Attack one target; the current input is on disk, so that it survives a crash."""
    warnings.simplefilter("ignore")  # deprecations in torch
    target = make_target(name, folder)
    for data in target.seeds:  # load lazy imports first, which do not count as an input's memory
        target.check(data)
    current = FAILURES / f"{name}-current"
    n_loaded = n_inputs = 0
    _limit_memory()

    def attempt(data: bytes) -> None:
        nonlocal n_loaded, n_inputs
        current.write_bytes(data)
        faulthandler.dump_traceback_later(TIMEOUT, exit=True)
        n_loaded += target.check(data) == LOADED
        n_inputs += 1

    total = inputs or target.inputs
    for number in range(0, total, BATCH):
        chosen = settings(
            max_examples=min(BATCH, total - number),
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        chosen(seed(number)(given(data=target.mutants())(attempt)))()
    faulthandler.cancel_dump_traceback_later()
    current.unlink()
    print(f"{name}: {n_inputs} inputs, {n_loaded} loaded, the others refused")


def with_atheris(name: str, folder: Path, inputs: int | None) -> None:
    """Attack one target, guided by inputs that reach new lines; libFuzzer ends the process."""
    import atheris  # an extra

    with atheris.instrument_imports(include=["lmkl_core", "app"]):
        target: Target = make_target(name, folder)
    found = folder / "found"
    found.mkdir()

    def mutate(data: bytes, max_size: int, number: int) -> bytes:
        rng = random.Random(number)
        if rng.random() < OWN_SHARE:
            changed = target.structured(data, rng)
            if len(changed) <= max_size:
                return changed
        return atheris.Mutate(data, max_size)

    arguments = [
        "tools.fuzzing",
        f"-runs={inputs or target.inputs}",
        f"-max_len={MAX_BYTES}",
        f"-timeout={TIMEOUT}",
        f"-rss_limit_mb={(MEMORY >> 20) + 1024}",
        f"-artifact_prefix={FAILURES}{os.sep}{name}-",
        "-print_final_stats=1",
        str(found),
        *{str(path.parent) for path in target.corpus()},
    ]
    atheris.Setup(arguments, target.check, custom_mutator=mutate)
    atheris.Fuzz()


def _limit_memory() -> None:
    """Limit this process to `MEMORY` more than it has now, where the system can."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (ImportError, OSError):
        return
    limit = pages * os.sysconf("SC_PAGE_SIZE") + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


if __name__ == "__main__":
    sys.exit(main())
