"""``python -m tests.fuzzing``: attack the loaders and print what became of it.

The exit code is 1 when an input was neither loaded nor refused; the input is kept in a folder
and is tried again by ``python -m tests.fuzzing --target NAME --file INPUT``.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.fuzzing.running import MEMORY, PATIENCE, Failure, Tally, attempt, reproducer, run
from tests.fuzzing.target import CORPUS, Target, kind_of
from tests.fuzzing.targets import NAMES, target_class

SHOWN_REASONS = 10
SHOWN_FAILURES = 3
TELL_EVERY = 10_000
"""Inputs after which a log that is no screen says how far it is."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    options = _parser().parse_args(arguments)
    if options.write_corpus:
        return _write_corpus(options.target or NAMES)
    if options.file:
        return _try_file(options)
    if options.atheris:
        from tests.fuzzing.guided import run_guided

        name = (options.target or ["model"])[0]
        return run_guided(name, options.inputs, options.seed, options.failures)
    n_failures = 0
    rows = []
    for name in options.target or NAMES:
        started = time.monotonic()
        inputs = options.inputs or target_class(name).inputs
        tally = run(name, inputs, options.seed, options.workers, _progress(name, inputs))
        _clear_progress()
        _tell(name, options.seed, tally, options.failures)
        seconds = time.monotonic() - started
        rows.append(_row(name, tally, seconds))
        n_failures += len(tally.failures)
    head = "| target | inputs | loaded | refused | failures | peak MiB | seconds |"
    print(f"\n{head}\n| --- |{' ---: |' * 6}", *rows, sep="\n")
    print(f"\nAn input may take {MEMORY >> 20} MiB and {PATIENCE:g} seconds; seed {options.seed}.")
    return 1 if n_failures else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzzing", description=__doc__)
    parser.add_argument(
        "--target", action="append", choices=(*NAMES, "fragile"), help="default: all loaders"
    )
    parser.add_argument("--inputs", type=int, help="for each target; each has a number of its own")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--failures", type=Path, default=Path("fuzzing-failures"), help="folder for what failed"
    )
    parser.add_argument("--file", type=Path, help="try this file alone, in this process")
    parser.add_argument("--atheris", action="store_true", help="guided by coverage (extra: fuzz)")
    parser.add_argument("--write-corpus", action="store_true", help="make the good files again")
    return parser


def _write_corpus(names: tuple[str, ...] | list[str]) -> int:
    for name in names:
        folder = CORPUS / name
        folder.mkdir(parents=True, exist_ok=True)
        for file, data in target_class(name).good_files().items():
            (folder / file).write_bytes(data)
            print(f"{folder / file}: {len(data)} bytes")
    return 0


def _try_file(options: argparse.Namespace) -> int:
    if not options.target or len(options.target) != 1:
        sys.exit("--file needs one --target.")
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        target = target_class(options.target[0])(Path(folder))
        attempt(target, options.file.read_bytes(), 0, tally)
    print(*(f.what for f in tally.failures), *tally.reasons, sep="\n")
    print("failed" if tally.failures else "loaded" if tally.loaded else "refused")
    return 1 if tally.failures else 0


def _tell(name: str, seed: int, tally: Tally, folder: Path) -> None:
    print(f"\n{name}: {tally.inputs} inputs, {tally.loaded} loaded, {tally.refused} refused:")
    for reason, count in tally.reasons.most_common(SHOWN_REASONS):
        print(f"  {count:7d}  {reason}")
    if (others := len(tally.reasons) - SHOWN_REASONS) > 0:
        rest = sum(sorted(tally.reasons.values(), reverse=True)[SHOWN_REASONS:])
        print(f"  {rest:7d}  {others} other reasons")
    if tally.failures:
        with tempfile.TemporaryDirectory() as place:
            _tell_failures(target_class(name)(Path(place)), seed, tally, folder)


def _tell_failures(target: Target, seed: int, tally: Tally, folder: Path) -> None:
    kinds: dict[str, list[Failure]] = {}
    for failure in tally.failures:
        kinds.setdefault(kind_of(failure.what), []).append(failure)
    for same in kinds.values():
        print(f"  FAILED: {len(same)} times: {same[0].what}")
        for failure in same[:SHOWN_FAILURES]:
            kept = reproducer(folder, target.name, target.mutant(seed, failure.number))
            print(f"          input {failure.number}, kept as {kept}")


def _row(name: str, tally: Tally, seconds: float) -> str:
    figures = [tally.inputs, tally.loaded, tally.refused, len(tally.failures), tally.peak >> 20]
    return f"| {name} | {' | '.join(f'{figure:,}' for figure in figures)} | {seconds:.0f} |"


def _progress(name: str, inputs: int) -> Callable[[Tally], None]:
    said = 0

    def report(tally: Tally) -> None:
        nonlocal said
        is_screen = sys.stderr.isatty()
        if is_screen or tally.inputs >= said + TELL_EVERY:
            said = tally.inputs
            line = f"{name}: {tally.inputs} of {inputs}, {len(tally.failures)} failed"
            begin, end = ("\r", "") if is_screen else ("", "\n")
            print(f"{begin}{line}", end=end, file=sys.stderr, flush=True)

    return report


def _clear_progress() -> None:
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
