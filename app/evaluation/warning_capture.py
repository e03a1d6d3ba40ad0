"""Warnings of a piece of work, kept for its notes instead of printed.

`warnings.catch_warnings` is not for threads: two that overlap leave each other's filters behind,
and a Dask worker runs several pieces of work at once. So one router stands in for all of them; it
gives each warning to the thread that caused it.
"""

import threading
import warnings
from types import TracebackType
from typing import Any

_local = threading.local()
_lock = threading.Lock()


class Hearing:
    """A context in which this thread's warnings are collected into `said`."""

    _inside = 0
    _context: warnings.catch_warnings | None = None

    def __init__(self) -> None:
        self.said: list[str] = []

    def __enter__(self) -> "Hearing":
        self._before: list[str] | None = getattr(_local, "said", None)
        _local.said = self.said
        with _lock:
            if Hearing._inside == 0:
                Hearing._context = warnings.catch_warnings()
                Hearing._context.__enter__()
                warnings.simplefilter("always")
                _route(warnings.showwarning)
            Hearing._inside += 1
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _local.said = self._before
        with _lock:
            Hearing._inside -= 1
            if Hearing._inside == 0 and Hearing._context is not None:
                Hearing._context.__exit__(kind, error, trace)
                Hearing._context = None


def _route(others: Any) -> None:
    """Send warnings to the list of the thread they arise in, and all others where they went."""

    def show(message: Warning | str, *arguments: Any, **named: Any) -> None:
        said: list[str] | None = getattr(_local, "said", None)
        if said is None:
            others(message, *arguments, **named)
        else:
            said.append(str(message))

    warnings.showwarning = show
