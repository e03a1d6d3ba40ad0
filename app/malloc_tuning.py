"""How many heaps the GNU C library keeps.

By default nearly every thread gets a heap of its own, so that memory depends on which threads
happened to allocate at the same time. At the same point of each round of
``python -m benchmarks soak --preset tiny --other-preset texture`` after the first, the program held
1096 to 1206 MiB, and 890 MiB each time with two heaps; what was allocated was the same.
"""

import ctypes
import sys

HEAPS = 2
"""One for the main thread, one for all others: these seldom allocate at the same time."""

_M_ARENA_MAX = -8
"""Of ``malloc.h`` of the GNU C library."""


def keep_few_heaps() -> bool:
    """Let all threads that start from now on share heaps; return whether the C library can.

    Called early, because a heap that exists stays.
    """
    if not sys.platform.startswith("linux"):
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return mallopt is not None and mallopt(_M_ARENA_MAX, HEAPS) == 1
