"""Progress of a long run, its cancellation, and the results of joblib's tasks as they arrive."""

import warnings
from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeAlias

from joblib import Parallel

from lmkl_core.errors import raise_if_cancelled

Progress: TypeAlias = Callable[[int, int, str], None]
"""Called with the number of steps done, their total, and what is being done.

A run has several parts; each begins with nothing done and ends with all done.
"""

Cancel: TypeAlias = Callable[[], bool]

CANCELLED = "The evaluation was cancelled; what was finished is kept: run it again to go on there."


class Part:
    """One part of a run, which reports its steps."""

    def __init__(self, progress: Progress | None, total: int, text: str) -> None:
        self._progress, self.total, self.text = progress, total, text
        self.done = 0
        self.step(0)

    def step(self, count: int = 1, text: str = "") -> None:
        self.done = min(self.done + count, self.total)
        if self._progress is not None and self.total:
            self._progress(self.done, self.total, text or self.text)


def arriving(
    parallel: Parallel, tasks: Sequence[Any], cancel: Cancel | None
) -> Generator[Any, None, None]:
    """Yield the results of delayed tasks in the order in which they are done.

    ``parallel`` returns them as ``"generator_unordered"``. ``cancel`` is asked after each result
    but the last.
    """
    results = parallel(iter(tasks))
    try:
        for done, result in enumerate(results, start=1):
            yield result
            if done < len(tasks):
                raise_if_cancelled(cancel, CANCELLED)
    finally:
        with warnings.catch_warnings():
            # Cancelling abandons tasks.
            warnings.filterwarnings("ignore", ".*still being processed by the workers")
            results.close()
