"""Logging without private data.

Logs end up in bug reports, so they name types and places in the code only: no path or address of a
source, recording, model or report, no typed name, no view, score or passphrase. An error's message
often names a file, so its type and traceback are logged without it (`trace_of`).
``LMKL_PAD_DEBUG=1`` prints the rest.
"""

import traceback
from types import TracebackType

DEBUG_VARIABLE = "LMKL_PAD_DEBUG"
"""Environment variable that adds the traceback of an unexpected error."""

_LONGEST_CHAIN = 5


def trace_of(error: BaseException | None) -> str:
    """Return an error's type and the places it passed through, then those of its causes.

    The message is left out.

    Examples
    --------
    >>> try:
    ...     int("anna.png")
    ... except ValueError as error:
    ...     trace_of(error).partition(" (")[0]
    'ValueError'
    """
    chain: list[str] = []
    seen: set[int] = set()
    while error is not None and id(error) not in seen and len(chain) < _LONGEST_CHAIN:
        seen.add(id(error))
        chain.append(f"{type(error).__name__}{_places(error.__traceback__)}")
        hidden = None if error.__suppress_context__ else error.__context__
        error = error.__cause__ or hidden
    return ", from ".join(chain)


def kind_of(thing: object) -> str:
    """Return the type of an object whose name may be a path or an address."""
    return type(thing).__name__


def _places(trace: TracebackType | None) -> str:
    steps = traceback.walk_tb(trace)
    places = [f"{frame.f_globals.get('__name__', '?')}:{line}" for frame, line in steps]
    # The middle of a deep recursion adds nothing.
    places = [*places[:8], "...", *places[-8:]] if len(places) > 16 else places
    return f" ({' > '.join(places)})" if places else ""
