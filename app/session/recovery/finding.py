"""What earlier runs have left, read as anybody's: bounded, checked, and never with an exception."""

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass

from app.session.recovery.chunks import LARGEST_CHUNK, Numbers, unpacked
from app.session.recovery.index import Index, read_index
from app.session.recovery.runs import Run, ended_runs
from app.session.takes import Sample
from lmkl_core.model_file.container import Refused, opened

LARGEST_RUN = 4 << 30
"""Bytes of all files of a run that are read."""

_UNUSABLE = (OSError, Refused, ValueError, TypeError, LookupError, MemoryError)


@dataclass(frozen=True, eq=False)
class Found:
    """Takes of a run that ended without saving them; its folder is locked by us.

    Attributes
    ----------
    run : Run
        Where they are.
    index : Index or None
        What they are; None where that cannot be read.
    problem : str
        Why not, to follow "because"; empty where it can.
    """

    run: Run
    index: Index | None = None
    problem: str = ""

    @property
    def n_takes(self) -> int:
        """Number of takes."""
        return 0 if self.index is None else len({row.take for row in self.index.rows})

    @property
    def n_frames(self) -> int:
        """Number of frames."""
        return 0 if self.index is None else len(self.index.rows)


@dataclass(frozen=True, eq=False)
class Recovered:
    """Takes that were read again.

    Attributes
    ----------
    found : Found
        Where they come from.
    samples : tuple of Sample
        Without pictures; numbered in their order.
    n_damaged : int
        Frames that could not be read.
    """

    found: Found
    samples: tuple[Sample, ...]
    n_damaged: int = 0


def find() -> list[Found]:
    """Return what earlier runs have left, newest first, and lock it.

    Folders in which nothing was kept yet, and those whose takes were brought back by a later run
    already, are removed.
    """
    found: list[Found] = []
    empty: list[Run] = []
    for run in ended_runs():
        try:
            index = read_index(run.folder)
        except FileNotFoundError:
            empty.append(run)  # ended before the first frame was kept
        except Refused as error:
            found.append(Found(run, problem=error.reason))
        except _UNUSABLE as error:
            reason = getattr(error, "strerror", None) or type(error).__name__
            found.append(Found(run, problem=f"it cannot be read ({reason})"))
        else:
            found.append(Found(run, index))
    brought_back = {name for one in found if one.index is not None for name in one.index.instead_of}
    remove([*empty, *(one.run for one in found if one.run.name in brought_back)])
    found = [one for one in found if one.run.name not in brought_back]
    found.sort(key=lambda one: one.run.name, reverse=True)
    return found


def load(found: Found) -> Recovered:
    """Read the takes; what is damaged is left out and counted."""
    index, room = found.index, LARGEST_RUN
    if index is None:
        return Recovered(found, ())
    frames: list[list[Numbers]] = []
    for chunk in index.chunks:
        rows: list[Numbers] = []
        with contextlib.suppress(*_UNUSABLE):
            limit = min(LARGEST_CHUNK, room)
            with opened(found.run.folder / chunk.file_name, limit) as (stream, size):
                room -= size
                rows = unpacked(stream.read(size), chunk.digest)
        if rows and frames and not _alike(rows[0], _first(frames)):
            rows = []  # of other views than the rest
        frames.append(rows)
    persons = index.persons or ("",) * len(index.takes)
    samples = tuple(
        Sample(
            number,
            index.takes[row.take],
            *frames[row.chunk][row.row],
            None,
            person=persons[row.take],
        )
        for number, row in enumerate(index.rows)
        if row.row < len(frames[row.chunk])
    )
    return Recovered(found, samples, len(index.rows) - len(samples))


def remove(runs: Iterable[Run]) -> list[str]:
    """Delete runs' folders, and return a sentence for each that could not be deleted."""
    problems = []
    for run in runs:
        try:
            run.remove()
        except OSError as error:
            problems.append(
                f"{error.filename or run.folder} could not be deleted "
                f"({error.strerror or error}); delete it by hand."
            )
    return problems


def _first(frames: list[list[Numbers]]) -> Numbers | None:
    return next((rows[0] for rows in frames if rows), None)


def _alike(one: Numbers, other: Numbers | None) -> bool:
    if other is None:
        return True
    shapes = [{name: row.shape for name, row in each[0].items()} for each in (one, other)]
    return shapes[0] == shapes[1] and (one[1] is None) == (other[1] is None)
