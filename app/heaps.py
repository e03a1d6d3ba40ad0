"""How many heaps the C library keeps.

By default it gives nearly every thread a heap of its own and returns little of one to the system,
so that a day with many threads holds some hundred megabytes that nobody uses
(``python -m benchmarks soak`` tells what is allocated beside what is held). Importing this loads
nothing heavy.
"""

import sys

HEAPS = 2
"""One for the main thread, one for all others: these seldom allocate at the same time."""

_M_ARENA_MAX = -8
"""Of ``malloc.h`` of the GNU C library."""


def keep_few_heaps() -> bool:
    """Let all threads that start from now on share heaps; return whether the C library can.

    Only that of GNU needs it. Called early, because a heap that exists stays.
    """
    if not sys.platform.startswith("linux"):
        return False
    import ctypes  # takes milliseconds, and not on the main thread's way to the first picture

    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return mallopt is not None and mallopt(_M_ARENA_MAX, HEAPS) == 1
