"""What kind of machine this is: how many threads to use, and when a probe counts no more."""

import hashlib
import os
import platform
from pathlib import Path

MOST_THREADS = 4
"""More are not started by default: the camera, the window and the detector want cores too."""


def default_threads() -> int:
    """Return the number of physical cores that this process may use, at most `MOST_THREADS`."""
    return max(1, min(_physical_cores(), MOST_THREADS))


def machine_id() -> str:
    """Return a hash that changes when other processor instructions could be used."""
    facts = [platform.system(), platform.machine(), platform.processor(), *_processor_lines()]
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:16]


def _physical_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        ours = os.sched_getaffinity(0)
        return len({_siblings(cpu) for cpu in ours})
    # Most machines without that call run two threads a core.
    return (os.cpu_count() or 2) // 2


def _siblings(cpu: int) -> str:
    """Return what is the same for all hardware threads of one core."""
    path = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return str(cpu)


def _processor_lines() -> list[str]:
    """Return model and instruction sets of the first processor, where the system tells them."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    first = text.partition("\n\n")[0]
    kept = ("model name", "flags", "Features", "CPU implementer", "CPU part")
    return [line for line in first.splitlines() if line.startswith(kept)]
