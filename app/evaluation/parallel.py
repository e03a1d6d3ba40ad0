"""Progress, cancellation, results as they arrive, and warnings of long parallel runs."""

import threading
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any, TypeAlias

from joblib import Parallel

from lmkl_core.errors import raise_if_cancelled

Progress: TypeAlias = Callable[[int, int, str], None]
"""Called with steps done, total steps and a text; each part of a run counts from 0 to its total."""

Cancel: TypeAlias = Callable[[], bool]

CANCELLED = "The evaluation was cancelled; finished parts are kept: run it again to resume."


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
    """Yield results of delayed tasks as they finish; call ``cancel`` between them.

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
            # Cancelling abandons running tasks.
            warnings.filterwarnings("ignore", ".*still being processed by the workers")
            results.close()


# ------------------------------------------------------------------ warnings

_thread_local = threading.local()
_lock = threading.Lock()
_handler = ExitStack()
_captures: list[list[str]] = []


@contextmanager
def captured_warnings() -> Iterator[list[str]]:
    """Collect this thread's warnings instead of printing them.

    `warnings.catch_warnings` is not thread-safe: overlapping blocks leave each other's filters
    behind, and a Dask worker runs several tasks at once. So one handler serves all threads and
    passes each warning to the thread that caused it.
    """
    messages: list[str] = []
    before = getattr(_thread_local, "messages", None)
    _thread_local.messages = messages
    with _lock:
        if not _captures:
            _handler.enter_context(warnings.catch_warnings())
            warnings.simplefilter("always")
            warnings.showwarning = partial(_show, warnings.showwarning)
        _captures.append(messages)
    try:
        yield messages
    finally:
        _thread_local.messages = before
        with _lock:
            _captures.pop()
            if not _captures:
                _handler.close()


def _show(previous: Any, message: Warning | str, *arguments: Any, **named: Any) -> None:
    """Add a warning to the list of its thread; without one, call the previous handler."""
    messages: list[str] | None = getattr(_thread_local, "messages", None)
    if messages is None:
        previous(message, *arguments, **named)
    else:
        messages.append(str(message))
