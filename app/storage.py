"""Where personal data is stored, and how all of it is deleted.

There are three places: the settings file in the configuration folder, the folder ``personal`` in
the data folder (unsaved takes, test sessions, templates), and the views and scores that evaluations
leave in the cache or in another folder. They may all be one folder that also holds networks, so
files are deleted by name, never a whole folder.
"""

import contextlib
import json
import os
import re
import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from lmkl_core.system import files
from lmkl_core.system.files import UNFINISHED, cache_folder, write_atomically

PROGRAM = "lmkl-pad"
CONFIG_VARIABLE, DATA_VARIABLE = "LMKL_PAD_CONFIG", "LMKL_PAD_DATA"
"""Environment variables that name other folders for settings and for personal data."""

SETTINGS_NAME = "settings.json"
PERSONAL_NAME = "personal"
TAKES_NAME, TESTS_NAME = "unsaved", "tests"
"""Folders in ``personal`` (`app.session.recovery`, `app.session.guided_test.keeping`)."""

CACHES_NAME = "caches.json"
"""File in ``personal`` that lists the other folders in which evaluations keep views."""
MOST_CACHES = 100

FEATURES_NAME, OUTCOMES_NAME = "features", "outcomes"
"""Folders in the cache: views of evaluated recordings, scores of models fitted on them."""
DIGESTS_NAME = "digests.json"
"""File in ``features``: paths and digests of evaluated recordings."""

_ENTRIES = re.compile(r"[0-9a-f]{2}")
_ENTRY = re.compile(r"[0-9a-f]{64}\.safetensors|\.lmkl-.+\.tmp")
_UNDER_WAY = re.compile(r"\.views-.+|\.lmkl-.+\.tmp")
"""What evaluations write: entries in folders named by their first digits, and scratch files."""

TRIES_TO_REMOVE, TRIES_TO_WRITE = 10, 3
"""Another instance may be writing to or deleting the same folder."""


class StorageError(OSError):
    """Data cannot be stored; the message says what to do about it."""


@dataclass(frozen=True)
class Deletion:
    """What `delete_all` removed, and a message for each failure."""

    removed: tuple[Path, ...] = ()
    problems: tuple[str, ...] = ()


def config_folder() -> Path:
    named = os.environ.get(CONFIG_VARIABLE)
    return Path(named) if named else Path(platformdirs.user_config_dir(PROGRAM, False))


def settings_file() -> Path:
    return config_folder() / SETTINGS_NAME


def data_folder() -> Path:
    """Return the folder for personal data; make it, for its owner only, if it is missing."""
    folder = personal_folder()
    make_private(folder)
    # It holds biometric data, so revoke permissions granted to others meanwhile.
    with contextlib.suppress(OSError):
        folder.chmod(stat.S_IRWXU)
    return folder


def make_private(folder: Path) -> None:
    """Make a folder and its parents, for their owner only, unless it exists."""
    try:
        files.make_private(folder)
    except OSError as error:
        raise _cannot_write(folder, error) from error


def write_text(path: Path, text: str) -> None:
    """Write a file atomically, for its owner only, making its folder; or raise `StorageError`."""
    for left in reversed(range(TRIES_TO_WRITE)):
        try:
            files.make_private(path.parent)
            write_atomically(path, text.encode("utf-8"))
            return
        except OSError as error:
            # Most likely another instance is deleting everything: make the folder again.
            if not left or not isinstance(error, FileNotFoundError):
                raise _cannot_write(path.parent, error) from error


def read_text(path: Path, max_bytes: int) -> str:
    """Return the text of a regular file of at most ``max_bytes``, in UTF-8.

    Raises `OSError` if it cannot be read, and `ValueError` if it is anything else, with a message
    that completes a sentence beginning with the file's name.
    """
    # Without O_NONBLOCK, opening a named pipe would wait for a writer.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with open(path, "rb", opener=lambda name, _: os.open(name, flags)) as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise ValueError("is not a regular file")
        data = stream.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise ValueError(f"is larger than {max_bytes // 1024} KiB")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError("is not text in UTF-8") from None


def stored() -> list[Path]:
    """Return the paths of all stored personal data, in the order `delete_all` removes them."""
    config, personal = config_folder(), personal_folder()
    found = [settings_file(), *sorted(config.glob(UNFINISHED))]
    for cache in (cache_folder(), *remembered_caches()):
        for name in (FEATURES_NAME, OUTCOMES_NAME):
            found += _evaluated(cache / name)
    # List its contents too, for a folder that is a link to another disk.
    with contextlib.suppress(OSError):
        found += sorted(personal.iterdir())
    return [path for path in (*found, personal) if os.path.lexists(path)]


def delete_all() -> Deletion:
    """Remove settings, personal data, and what evaluations left in any cache.

    Networks stay, as they are not personal; so do models and reports saved elsewhere.
    """
    caches = [cache_folder(), *remembered_caches()]
    removed: list[Path] = []
    problems: list[str] = []
    for target in stored():
        problems += _remove(target)
        if not os.path.lexists(target):
            removed.append(target)
    left = [cache / name for cache in caches for name in (FEATURES_NAME, OUTCOMES_NAME)]
    for folder in (*left, *caches, config_folder(), personal_folder().parent):
        with contextlib.suppress(OSError):
            folder.rmdir()  # fails unless it is empty
    return Deletion(tuple(removed), tuple(problems))


def remember_cache(folder: Path) -> None:
    """Remember another folder in which evaluations keep views, so that these are deleted too."""
    known = remembered_caches()
    if folder.absolute() not in known:
        names = [str(path) for path in (*known, folder.absolute())][-MOST_CACHES:]
        data_folder()
        write_text(personal_folder() / CACHES_NAME, json.dumps(names, indent=1))


def remembered_caches() -> list[Path]:
    try:
        # Not with msgspec, which cannot read names that are not UTF-8.
        names = json.loads(read_text(personal_folder() / CACHES_NAME, 1 << 20))
    except (OSError, ValueError, RecursionError):
        return []
    if not isinstance(names, list):
        return []
    paths = [Path(name) for name in names if isinstance(name, str) and "\0" not in name]
    return [path for path in paths if path.is_absolute()][:MOST_CACHES]


def _evaluated(folder: Path) -> list[Path]:
    """Return what evaluations left in a folder, which may hold other files or be a link."""
    ours: list[Path] = []
    try:
        inside = sorted(folder.iterdir())
        for path in inside:
            if path.name == DIGESTS_NAME or _UNDER_WAY.fullmatch(path.name):
                ours.append(path)
            elif _ENTRIES.fullmatch(path.name) and path.is_dir() and not path.is_symlink():
                entries = [entry for entry in path.iterdir() if _ENTRY.fullmatch(entry.name)]
                ours += [path] if len(entries) == len(list(path.iterdir())) else entries
    except OSError:
        return ours
    if ours != inside:
        return ours
    return [*ours, folder] if folder.is_symlink() else [folder]


def personal_folder() -> Path:
    named = os.environ.get(DATA_VARIABLE)
    base = Path(named) if named else Path(platformdirs.user_data_dir(PROGRAM, False))
    return base / PERSONAL_NAME


def _remove(path: Path) -> Iterator[str]:
    """Remove a file, link or folder; yield a message if that fails."""
    problem: OSError | None = None
    for _ in range(TRIES_TO_REMOVE):
        try:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
            return
        except OSError as error:
            problem = error  # another instance may be writing there
    assert problem is not None
    yield (
        f"{problem.filename or path} could not be deleted ({problem.strerror or problem}); "
        "close the programs that use it and delete it by hand."
    )


def _cannot_write(folder: Path, error: OSError) -> StorageError:
    return StorageError(
        f"The folder {folder} cannot be written ({error.strerror or error}); free some space, or "
        f"name another folder in the environment variables {CONFIG_VARIABLE} and {DATA_VARIABLE}."
    )
