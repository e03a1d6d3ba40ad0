"""Inputs guided by coverage: atheris keeps those that reach new lines and goes on from them.

Needs the extra ``fuzz``. The target's own mutations are mixed with atheris's, because a changed
byte does not get past a digest.
"""

import os
import random
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from tests.fuzzing.running import MEMORY, PATIENCE
from tests.fuzzing.targets import target_class

INPUTS = 20_000
OWN_SHARE = 0.7
LARGEST = 1 << 16
"""Bytes of an input."""


def run_guided(name: str, inputs: int | None, seed: int, failures: Path) -> int:
    """Attack one target in a process of its own, which libFuzzer ends; return its exit code."""
    if find_spec("atheris") is None:
        print("Coverage-guided fuzzing needs atheris: pip install -e '.[fuzz]'", file=sys.stderr)
        return 2
    failures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="lmkl-fuzzing-") as place:
        arguments = [name, str(inputs or INPUTS), str(seed + 1), str(failures), place]
        return subprocess.run([sys.executable, "-m", __name__, *arguments], check=False).returncode


def main(name: str, inputs: str, seed: str, failures: str, place: str) -> None:
    """Attack one target; never returns."""
    import atheris

    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = "1"
    with atheris.instrument_imports(include=["lmkl_core", "app"]):
        kind = target_class(name)
    target = kind(Path(place))
    found = Path(place, "found")
    found.mkdir()

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
        f"-runs={inputs}",
        f"-seed={seed}",
        f"-max_len={LARGEST}",
        f"-timeout={PATIENCE:.0f}",
        f"-rss_limit_mb={(MEMORY >> 20) + 1024}",
        f"-artifact_prefix={failures}{os.sep}{name}-",
        "-print_final_stats=1",
        str(found),
        *(str(path.parent) for path in target.corpus()[:1]),
    ]
    atheris.Setup(arguments, try_one, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
