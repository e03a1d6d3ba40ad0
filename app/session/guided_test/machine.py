"""The computer that a test runs on, in a few words."""

import os
import platform
from functools import cache
from pathlib import Path


@cache
def operating_system() -> str:
    """Return name and version of the operating system."""
    try:
        name = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return platform.platform(terse=True)
    return f"{name}, {platform.system()} {platform.release()}"


@cache
def processor() -> str:
    """Return model and number of cores of the processor."""
    name = _model_name() or platform.processor() or platform.machine()
    n_cores = os.cpu_count()
    return f"{name}, {n_cores} cores" if n_cores else name


def _model_name() -> str:
    """Return what Linux calls the processor; empty elsewhere."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    rows = (line.partition(":") for line in text.splitlines())
    found = (value for name, _, value in rows if name.strip() in ("model name", "Hardware"))
    return " ".join(next(found, "").split())
