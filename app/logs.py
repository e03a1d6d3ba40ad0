"""Logging without private data.

Logs end up in bug reports, so they hold kinds of things and errors and places in the code: no path
or address of a source, recording, model or report, no typed name, no view, score or passphrase.
An error's message often names a file, so only its kind and way through the code are logged
(`way_of`). ``LMKL_PAD_DEBUG=1`` prints the rest.
"""

import traceback
from types import TracebackType

DEBUG_VARIABLE = "LMKL_PAD_DEBUG"
"""Environment variable that adds the traceback of an unexpected error."""

_LONGEST_CHAIN = 5


def way_of(error: BaseException | None) -> str:
    """Return an error's kind and way through the code, without its message; then its causes.

    Examples
    --------
    >>> try:
    ...     int("anna.png")
    ... except ValueError as error:
    ...     way_of(error).partition(" (")[0]
    'ValueError'
    """
    told: list[str] = []
    seen: set[int] = set()
    while error is not None and id(error) not in seen and len(told) < _LONGEST_CHAIN:
        seen.add(id(error))
        told.append(f"{type(error).__name__}{_places(error.__traceback__)}")
        hidden = None if error.__suppress_context__ else error.__context__
        error = error.__cause__ or hidden
    return ", from ".join(told)


def kind_of(thing: object) -> str:
    """Return the kind of a thing whose name may be a path or an address."""
    return type(thing).__name__


def _places(trace: TracebackType | None) -> str:
    passed = traceback.walk_tb(trace)
    places = [f"{frame.f_globals.get('__name__', '?')}:{line}" for frame, line in passed]
    # The middle of a deep recursion says nothing new.
    shown = [*places[:8], "...", *places[-8:]] if len(places) > 16 else places
    return f" ({' > '.join(shown)})" if shown else ""
