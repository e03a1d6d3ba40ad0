"""Limit the number of heaps of the GNU C library.

By default nearly every thread gets a heap of its own, so memory use depends on which threads
happened to allocate at the same time. Measured at the same point of each round of
``python -m benchmarks soak --preset tiny --other-preset texture`` after the first, the program held
1096 to 1206 MiB, but 890 MiB each time with two heaps, for the same allocations.
"""

import ctypes
import sys

HEAPS = 2
"""One for the main thread and one for the others, which rarely allocate at the same time."""

_M_ARENA_MAX = -8
"""From the GNU C library's ``malloc.h``."""


def keep_few_heaps() -> bool:
    """Make threads share heaps; return whether the C library supports it.

    Call it before threads start: existing heaps stay.
    """
    if not sys.platform.startswith("linux"):
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return mallopt is not None and mallopt(_M_ARENA_MAX, HEAPS) == 1
