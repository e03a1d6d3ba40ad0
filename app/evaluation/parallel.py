"""What long parallel runs share: progress, cancellation, results as they arrive, warnings."""

import threading
import warnings
from collections.abc import Callable, Generator, Sequence
from types import TracebackType
from typing import Any, TypeAlias

from joblib import Parallel

from lmkl_core.errors import raise_if_cancelled

Progress: TypeAlias = Callable[[int, int, str], None]
"""Called with steps done, total steps and a text; each part of a run goes from 0 to its total."""

Cancel: TypeAlias = Callable[[], bool]

CANCELLED = "The evaluation was cancelled; what was finished is kept: run it again to go on there."


class Part:
    """A part of a run that reports its steps."""

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
    """Yield results of delayed tasks as they finish; ask ``cancel`` between them.

    ``parallel`` must return them as ``"generator_unordered"``.
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


# ------------------------------------------------------------------ warnings

_local = threading.local()
_lock = threading.Lock()


class WarningCapture:
    """Collect this thread's warnings instead of printing them.

    `warnings.catch_warnings` is not thread-safe: two that overlap leave each other's filters
    behind, and a Dask worker runs several tasks at once. So one router serves all threads and
    hands each warning to the thread that caused it.
    """

    _inside = 0
    _context: warnings.catch_warnings | None = None

    def __init__(self) -> None:
        self.messages: list[str] = []

    def __enter__(self) -> "WarningCapture":
        self._before: list[str] | None = getattr(_local, "messages", None)
        _local.messages = self.messages
        with _lock:
            if WarningCapture._inside == 0:
                WarningCapture._context = warnings.catch_warnings()
                WarningCapture._context.__enter__()
                warnings.simplefilter("always")
                _route(warnings.showwarning)
            WarningCapture._inside += 1
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _local.messages = self._before
        with _lock:
            WarningCapture._inside -= 1
            if WarningCapture._inside == 0 and WarningCapture._context is not None:
                WarningCapture._context.__exit__(kind, error, trace)
                WarningCapture._context = None


def _route(others: Any) -> None:
    """Send warnings to the list of their thread; without one, to the previous handler."""

    def show(message: Warning | str, *arguments: Any, **named: Any) -> None:
        messages: list[str] | None = getattr(_local, "messages", None)
        if messages is None:
            others(message, *arguments, **named)
        else:
            messages.append(str(message))

    warnings.showwarning = show
