"""Inputs by the hundred thousand, in processes that may crash, hang or run out of memory.

A worker says which input it is at before it tries it. When it dies, or is at the same input for
too long, that input is the reproducer: it is made again from its number, the worker is started
anew, and goes on with the next.
"""

import hashlib
import multiprocessing
import os
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from tests.fuzzing.target import LOADED, Target, kind_of
from tests.fuzzing.targets import target_class

PATIENCE = 60.0
"""Seconds after which an input counts as one that never ends; most take a millisecond."""

MEMORY = 1 << 30
"""Bytes that a worker may take beyond what it has after loading its libraries."""

MOST_GROWTH = 640 << 20
"""Bytes by which one input may raise the most memory ever used: a picture of the most pixels that
are allowed has 192 MiB, and decoders need it more than once."""

MOST_FAILURES = 100
"""A target that fails so often is given up."""

_POLL = 0.05
_BATCH = 200


@dataclass
class Tally:
    """What became of a target's inputs."""

    inputs: int = 0
    loaded: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    failures: list["Failure"] = field(default_factory=list)
    peak: int = 0

    @property
    def refused(self) -> int:
        """Inputs that were refused as documented."""
        return sum(self.reasons.values())

    def add(self, reason: str) -> None:
        """Count an input that went as it should."""
        self.inputs += 1
        if reason == LOADED:
            self.loaded += 1
        else:
            self.reasons[kind_of(reason)] += 1


@dataclass(frozen=True)
class Failure:
    """An input that was neither loaded nor refused."""

    number: int
    what: str


def attempt(target: Target, data: bytes, number: int, tally: Tally) -> None:
    """Try one input in this process."""
    try:
        tally.add(target.check(data))
    except Exception as error:
        tally.inputs += 1
        place = traceback.extract_tb(error.__traceback__)[-1]
        what = f"{type(error).__name__} in {Path(place.filename).name}:{place.lineno}: {error}"
        tally.failures.append(Failure(number, what[:300]))


def run(
    name: str,
    inputs: int,
    seed: int,
    workers: int,
    report: Callable[[Tally], None],
    patience: float = PATIENCE,
) -> Tally:
    """Try inputs in worker processes, and count what became of them."""
    shares = [range(first, inputs, workers) for first in range(workers)]
    tally = Tally()
    # Made here, because a worker that is killed cannot remove it.
    with tempfile.TemporaryDirectory(prefix="lmkl-fuzzing-") as folder:
        crew = [_Worker(name, seed, share, patience, folder) for share in shares]
        try:
            while crew:
                time.sleep(_POLL)
                for worker in list(crew):
                    worker.advance(tally)
                    if worker.is_done or len(tally.failures) >= MOST_FAILURES:
                        worker.stop()
                        crew.remove(worker)
                report(tally)
        finally:
            for worker in crew:
                worker.stop()
    return tally


class _Worker:
    """A process that tries a share of the inputs, and is replaced when it dies."""

    def __init__(self, name: str, seed: int, numbers: range, patience: float, folder: str) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._name, self._seed, self._folder = name, seed, folder
        self._left, self._patience = list(numbers), patience
        self._process: BaseProcess | None = None
        self.is_done = not numbers
        if numbers:
            self._start()

    def _start(self) -> None:
        self._at = self._context.Value("q", -1)
        self._ours, theirs = self._context.Pipe(duplex=False)
        folder = Path(tempfile.mkdtemp(dir=self._folder))
        arguments = (self._name, self._seed, self._left, folder, self._at, theirs)
        self._process = self._context.Process(target=_work, args=arguments, daemon=True)
        self._process.start()
        theirs.close()
        self._seen, self._since = -1, time.monotonic()

    def advance(self, tally: Tally) -> None:
        """Take what the process has counted, and see whether it lives and moves."""
        assert self._process is not None
        has_ended = not self._process.is_alive()
        for part in self._received():
            _join(tally, part)
            del self._left[: part.inputs]
        number = self._at.value
        if number != self._seen:
            self._seen, self._since = number, time.monotonic()
        if has_ended and self._process.exitcode == 0:
            self.is_done = True
        elif has_ended:
            self._replace(tally, f"the process died with exit code {self._process.exitcode}")
        elif number >= 0 and time.monotonic() - self._since > self._patience:
            self.stop()
            self._replace(tally, f"no end after {self._patience:g} seconds")

    def stop(self) -> None:
        """End the process."""
        if self._process is not None and self._process.is_alive():
            self._process.kill()
            self._process.join()

    def _received(self) -> Iterator[Tally]:
        try:
            while self._ours.poll():
                yield self._ours.recv()
        except EOFError:
            return

    def _replace(self, tally: Tally, what: str) -> None:
        number = self._at.value
        if number < 0:
            raise RuntimeError(f"The workers of the target {self._name} cannot start: {what}.")
        tally.inputs += 1
        tally.failures.append(Failure(number, what))
        # What it had not told of yet is tried again, but for the one that ended it.
        self._left.remove(number)
        self.is_done = not self._left
        if self._left:
            self._start()


def _join(total: Tally, part: Tally) -> None:
    total.inputs += part.inputs
    total.loaded += part.loaded
    total.reasons += part.reasons
    total.failures += part.failures
    total.peak = max(total.peak, part.peak)


def _work(name: str, seed: int, numbers: list[int], folder: Path, at: Any, pipe: Any) -> None:
    """Try inputs in a process of their own."""
    # Before the numerical libraries are loaded: each worker's would otherwise take all cores.
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = "1"
    warnings.simplefilter("ignore")  # torch tells of its own future
    target = target_class(name)(folder)
    # The first use loads what is loaded late; that is not an input's memory.
    for data in target.seeds:
        attempt(target, data, -1, Tally())
    if target.is_noisy:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    before = _bound_memory()
    tally = Tally()
    for count, number in enumerate(numbers, start=1):
        data = target.mutant(seed, number)
        at.value, peak = number, _peak()
        attempt(target, data, number, tally)
        if (growth := _peak() - peak) > MOST_GROWTH:
            # Before the limit is reached, and where what reached it was told as something else.
            tally.failures.append(Failure(number, f"it took {growth >> 20} MiB"))
        if count % _BATCH == 0 or count == len(numbers) or tally.failures:
            tally.peak = max(0, _peak() - before)
            pipe.send(tally)
            tally = Tally()


def _peak() -> int:
    """Return the most memory in bytes that this process ever had."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _bound_memory() -> int:
    """Let this process take `MEMORY` more than it has, where systems can; return its peak."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        limit = pages * os.sysconf("SC_PAGE_SIZE") + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    except (ImportError, OSError):
        return 0
    return _peak()


def reproducer(folder: Path, name: str, data: bytes) -> Path:
    """Keep an input that failed."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{hashlib.sha256(data).hexdigest()[:16]}"
    path.write_bytes(data)
    return path
