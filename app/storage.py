"""Where the program keeps what is the person's own, and how all of it is deleted.

Three places: the settings' file in the folder for configuration, the folder ``personal`` in the one
for data (takes that no model holds yet, test sessions, templates of their details), and what
evaluations of recordings leave in the cache, or in a folder that the person
named for it (views of faces, and scores). Nothing else of the person's is stored anywhere unless
they save it themselves. On some systems these folders are one and hold the networks' files too; so
deleting goes by these names and never by whole folders, whatever an environment variable points to.
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
from lmkl_core.system.files import UNFINISHED, write_atomically

PROGRAM = "lmkl-pad"
CONFIG_VARIABLE = "LMKL_PAD_CONFIG"
"""Environment variable that names another folder for the settings."""
DATA_VARIABLE = "LMKL_PAD_DATA"
"""Environment variable that names another folder for the person's data."""

SETTINGS_NAME = "settings.json"
PERSONAL_NAME = "personal"
FEATURES_NAME, OUTCOMES_NAME = "features", "outcomes"
"""Folders in the cache: views of evaluated recordings, and scores of models fitted on them."""

DIGESTS_NAME = "digests.json"
"""File in the first of these: paths and digests of evaluated recordings."""

CACHES_NAME = "caches.json"
"""File in the personal folder: other folders in which evaluations keep views."""

MOST_CACHES = 100

TAKES_NAME = "unsaved"
"""Folder in the personal one: takes that no saved model holds (`app.session.recovery`)."""

TESTS_NAME = "tests"
"""Folder in the personal one: guided test sessions (`app.session.guided_test.keeping`)."""


_ENTRIES = re.compile(r"[0-9a-f]{2}")
_ENTRY = re.compile(r"[0-9a-f]{64}\.safetensors|\.lmkl-.+\.tmp")
_UNDER_WAY = re.compile(r"\.views-.+|\.lmkl-.+\.tmp")
"""What evaluations make: entries in folders by the first digits of their keys, and scratch."""

TRIES_TO_REMOVE = 10
"""How often a folder is emptied into which somebody else is writing."""
TRIES_TO_WRITE = 3
"""How often a file is written whose folder somebody else deletes meanwhile."""


class StorageError(OSError):
    """Something cannot be stored, told in one sentence that names the way out."""


@dataclass(frozen=True)
class Deletion:
    """What `delete_all` removed, and one sentence for each thing that it could not."""

    removed: tuple[Path, ...] = ()
    problems: tuple[str, ...] = ()


def config_folder() -> Path:
    """Return the folder of the settings, which need not exist."""
    named = os.environ.get(CONFIG_VARIABLE)
    return Path(named) if named else Path(platformdirs.user_config_dir(PROGRAM, False))


def settings_file() -> Path:
    """Return the file of the settings, which need not exist."""
    return config_folder() / SETTINGS_NAME


def data_folder() -> Path:
    """Return the folder for what is the person's own, made for its owner only if it is missing."""
    folder = personal_folder()
    make_private(folder)
    # It holds biometric data and is ours alone, so rights given later are taken back.
    with contextlib.suppress(OSError):
        folder.chmod(stat.S_IRWXU)
    return folder


def make_private(folder: Path) -> None:
    """Make a folder that only its owner may enter, and what is missing above it.

    One that exists is left as it is. Raises `StorageError` if it cannot be made.
    """
    try:
        files.make_private(folder)
    except OSError as error:
        raise _cannot_write(folder, error) from error


def write_text(path: Path, text: str) -> None:
    """Replace a file by new text, all of it or nothing, readable by its owner only.

    Its folder is made where it is missing. Raises `StorageError` if it cannot be written; the old
    file is then as it was.
    """
    for left in reversed(range(TRIES_TO_WRITE)):
        try:
            files.make_private(path.parent)
            write_atomically(path, text.encode("utf-8"))
            return
        except OSError as error:
            # Another instance deletes everything, most likely: the folder is made again.
            if not left or not isinstance(error, FileNotFoundError):
                raise _cannot_write(path.parent, error) from error


def read_text(path: Path, max_bytes: int) -> str:
    """Return the text of a regular file of at most ``max_bytes``.

    Raises `OSError` if it cannot be read, and `ValueError` if it is something else than such a
    file, or no UTF-8; the message ends a sentence that begins with the file's name.
    """
    # Without O_NONBLOCK opening a named pipe would wait for a writer.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with open(path, "rb", opener=lambda name, _: os.open(name, flags)) as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise ValueError("is not a file of its own")
        data = stream.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise ValueError(f"is larger than {max_bytes // 1024} KiB")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError("is not text in UTF-8") from None


def stored() -> list[Path]:
    """Return everything of the person's that the program has stored, as `delete_all` removes it."""
    config, personal = config_folder(), personal_folder()
    found = [settings_file(), *sorted(config.glob(UNFINISHED))]
    for cache in (cache_folder(), *remembered_caches()):
        for name in (FEATURES_NAME, OUTCOMES_NAME):
            found += _evaluated(cache / name)
    # A folder that was moved to another disk and linked to is emptied like one that was not.
    with contextlib.suppress(OSError):
        found += sorted(personal.iterdir())
    return [path for path in (*found, personal) if os.path.lexists(path)]


def delete_all() -> Deletion:
    """Remove everything of the person's that the program has stored.

    These are settings, personal data, and what evaluations of recordings left in the cache, or in
    folders that they were told to use instead. Downloaded and exported networks stay: they are
    the same for everyone and say nothing about a person. So does what the person saved elsewhere:
    models, reports.
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
            folder.rmdir()  # only where nothing is left in it
    return Deletion(tuple(removed), tuple(problems))


def remember_cache(folder: Path) -> None:
    """Note that an evaluation keeps views in a folder of the person's choice, to be deleted too."""
    known = remembered_caches()
    if folder.absolute() not in known:
        names = [str(path) for path in (*known, folder.absolute())][-MOST_CACHES:]
        data_folder()
        write_text(personal_folder() / CACHES_NAME, json.dumps(names, indent=1))


def remembered_caches() -> list[Path]:
    """Return the folders that `remember_cache` noted."""
    try:
        # Not by msgspec, which reads no names that are not UTF-8.
        names = json.loads(read_text(personal_folder() / CACHES_NAME, 1 << 20))
    except (OSError, ValueError, RecursionError):
        return []
    if not isinstance(names, list):
        return []
    found = [Path(name) for name in names if isinstance(name, str) and "\0" not in name]
    return [path for path in found if path.is_absolute()][:MOST_CACHES]


def _evaluated(folder: Path) -> list[Path]:
    """Return what evaluations left in a folder, by the names that they give and no others.

    The folder may be one that the person keeps other things in, or a link to another disk.
    """
    ours: list[Path] = []
    try:
        inside = sorted(folder.iterdir())
        for path in inside:
            if path.name == DIGESTS_NAME or _UNDER_WAY.fullmatch(path.name):
                ours.append(path)
            elif _ENTRIES.fullmatch(path.name) and path.is_dir() and not path.is_symlink():
                entries = [one for one in path.iterdir() if _ENTRY.fullmatch(one.name)]
                ours += [path] if len(entries) == len(list(path.iterdir())) else entries
    except OSError:
        return ours
    if ours != inside:
        return ours
    return [*ours, folder] if folder.is_symlink() else [folder]


def personal_folder() -> Path:
    """Return where the person's own data go, which need not exist yet."""
    named = os.environ.get(DATA_VARIABLE)
    base = Path(named) if named else Path(platformdirs.user_data_dir(PROGRAM, False))
    return base / PERSONAL_NAME


def cache_folder() -> Path:
    """Return the folder for what can be made again, which need not exist yet."""
    return files.cache_folder()


def _remove(path: Path) -> Iterator[str]:
    """Remove a file, a link or a folder with all it holds, and tell what could not be removed."""
    problem: OSError | None = None
    for _ in range(TRIES_TO_REMOVE):
        try:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
            return
        except OSError as error:
            # Another instance that is writing there makes and renames files meanwhile.
            problem = error
    assert problem is not None
    yield (
        f"{problem.filename or path} could not be deleted ({problem.strerror or problem}); "
        "close the programs that use it and delete it by hand."
    )


def _cannot_write(folder: Path, error: OSError) -> StorageError:
    return StorageError(
        f"The folder {folder} cannot be written ({error.strerror or error}); make room there, or "
        f"name another folder in the environment variables {CONFIG_VARIABLE} and {DATA_VARIABLE}."
    )
