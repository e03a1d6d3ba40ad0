"""Inputs guided by coverage: atheris keeps those that reach new lines and goes on from them.

Needs the extra ``fuzz``. The target's own mutations are mixed with atheris's, because a changed
byte does not get past a digest.
"""

import os
import random
import shutil
import sys
import tempfile
from pathlib import Path

from tests.fuzzing.running import MEMORY, PATIENCE
from tests.fuzzing.targets import target_class

INPUTS = 20_000
OWN_SHARE = 0.7
LARGEST = 1 << 16
"""Bytes of an input."""


def run_guided(name: str, inputs: int | None, seed: int, failures: Path) -> int:
    """Attack one target; ends the process with libFuzzer's own exit code when something failed."""
    try:
        import atheris
    except ImportError:
        print("Coverage-guided fuzzing needs atheris: pip install -e '.[fuzz]'", file=sys.stderr)
        return 2
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = "1"
    with atheris.instrument_imports(include=["lmkl_core", "app"]):
        kind = target_class(name)
    place = Path(tempfile.mkdtemp(prefix="lmkl-fuzzing-"))
    target = kind(place)
    found = place / "found"
    found.mkdir()
    failures.mkdir(parents=True, exist_ok=True)

    def try_one(data: bytes) -> None:
        target.check(data)

    def mutate(data: bytes, most: int, number: int) -> bytes:
        rng = random.Random(number)
        if rng.random() < OWN_SHARE:
            changed = target.structured(data, rng)
            if len(changed) <= most:
                return changed
        return atheris.Mutate(data, most)

    arguments = [
        "tests.fuzzing",
        f"-runs={inputs or INPUTS}",
        f"-seed={seed + 1}",
        f"-max_len={LARGEST}",
        f"-timeout={PATIENCE:.0f}",
        f"-rss_limit_mb={(MEMORY >> 20) + 1024}",
        f"-artifact_prefix={failures}{os.sep}{name}-",
        "-print_final_stats=1",
        str(found),
        *(str(path.parent) for path in target.corpus()[:1]),
    ]
    atheris.Setup(arguments, try_one, custom_mutator=mutate)
    # libFuzzer ends the process by itself, so what is left to say is said on the way out.
    child = os.fork() if hasattr(os, "fork") else 0
    if child == 0:
        atheris.Fuzz()
    _, status = os.waitpid(child, 0)
    shutil.rmtree(place, ignore_errors=True)
    return os.waitstatus_to_exitcode(status)
