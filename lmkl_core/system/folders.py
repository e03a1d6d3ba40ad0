"""Folders: the cache, and folders that only their owner may enter.

Importing this loads nothing but the standard library and platformdirs.
"""

import os
import stat
from pathlib import Path

import platformdirs

PROGRAM = "lmkl-pad"

CACHE_VARIABLE = "LMKL_PAD_CACHE"
"""Environment variable that names another cache folder."""


def cache_folder() -> Path:
    """Return the folder for what can be made again, which need not exist yet."""
    named = os.environ.get(CACHE_VARIABLE)
    return Path(named) if named else Path(platformdirs.user_cache_dir(PROGRAM, False))


def make_private(folder: Path) -> None:
    """Make a folder that only its owner may enter, and those above it that are missing.

    One that exists is left as it is. `Path.mkdir` gives the rights it is asked for to the last
    folder alone: others could rename what lies in those above it, if the ``umask`` lets them.
    """
    if folder.is_dir():
        return
    if folder.parent != folder:
        make_private(folder.parent)
    folder.mkdir(mode=stat.S_IRWXU, exist_ok=True)
