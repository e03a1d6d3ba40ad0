"""From entries of recordings to the arrays of a plan, and from scores back to frames."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.evaluation.dataset import Material, Problem, Rows
from app.evaluation.extracting import Library
from app.evaluation.protocols.types import Plan, Recording
from app.types import Condition
from app.vision.conditions import shared_circumstances
from lmkl_core.errors import InvalidInputError
from lmkl_core.metrics.table import ScoreTable

MAPPED = 64 << 20
"""Bytes from which views of a part of a plan are kept in a file and mapped, not held in memory."""

FEW_TAKES = 100
"""Up to this many takes are compared for shared circumstances. With more, each has others like it,
and all are taken to share them: whole recordings are then left out for the threshold."""


@dataclass(frozen=True, eq=False)
class Blank:
    """A table of scores that waits for its scores."""

    ready: NDArray[np.bool_]
    species: NDArray[np.str_]
    subjects: NDArray[np.str_]
    presentations: NDArray[np.str_]

    @classmethod
    def of(cls, recordings: Sequence[Recording], library: Library) -> "Blank":
        """Return a table with a row for every frame.

        A recording without any frame has one row, without a score: it was presented, and there
        was no response.
        """
        ready = [library.seen[recording.name].ready for recording in recordings]
        rows = [each if len(each) else np.zeros(1, dtype=bool) for each in ready]
        counts = [len(each) for each in rows]

        def column(values: list[str]) -> NDArray[np.str_]:
            return np.repeat(np.array(values, dtype=np.str_), counts)

        return cls(
            np.concatenate([np.zeros(0, dtype=bool), *rows]),
            column([each.species if each.is_attack else "" for each in recordings]),
            column([each.subject for each in recordings]),
            column([each.name for each in recordings]),
        )

    def empty(self) -> ScoreTable:
        """Return the table without any score."""
        nothing = np.full(len(self.ready), np.nan)
        return ScoreTable(nothing, self.species, self.subjects, self.presentations)

    def filled(self, scores: NDArray[np.float64]) -> ScoreTable:
        """Return the table with the scores of the frames that have one."""
        column = np.full(len(self.ready), np.nan)
        column[self.ready] = scores
        return ScoreTable(column, self.species, self.subjects, self.presentations)


def assemble(
    plan: Plan, others: Sequence[Plan], library: Library, max_train: int, folder: Path
) -> Material:
    """Gather a plan's rows.

    Parameters
    ----------
    plan : Plan
        Which recordings.
    others : sequence of Plan
        Plans of other classes, by which parameters are chosen.
    library : Library
        Where their views are.
    max_train : int
        Training rows are thinned out evenly to this many.
    folder : path
        Where large arrays are put while they are needed.
    """
    train, development = _problem(plan, library, max_train, folder)
    test, _ = _gathered(plan.test, library, folder, "test")
    problems = tuple(
        _problem(other, library, max_train, folder / f"other.{number}")
        for number, other in enumerate(others)
    )
    return Material(train, development, test, problems)


def _problem(plan: Plan, library: Library, max_train: int, folder: Path) -> Problem:
    train_views, conditions = _gathered(plan.train, library, folder, "train")
    train = Rows(train_views, _numbers(plan.train, library), _circumstances(conditions))
    views, _ = _gathered(plan.development, library, folder, "development")
    numbers = _numbers(plan.development, library)
    attacks = np.array([recording.is_attack for recording in plan.development], dtype=bool)
    return train.thinned(max_train), Rows(views, numbers, is_attack=attacks[numbers])


def _gathered(
    recordings: Sequence[Recording], library: Library, folder: Path, part: str
) -> tuple[dict[str, NDArray[np.float32]], list[NDArray[np.float64]]]:
    """Return the views of recordings one below the other, and circumstances by recording."""
    columns = library.eyes.columns
    n = library.n_ready(recordings)
    mapped = 4 * n * sum(columns.values()) >= MAPPED
    try:
        views = {
            name: _room(folder / f"{part}.{number}.npy" if mapped else None, (n, width))
            for number, (name, width) in enumerate(columns.items())
        }
    except OSError as error:
        raise library.cache.cannot_write(error) from error
    conditions, at = [], 0
    for recording in recordings:
        entry = library.entry(recording)
        if at + entry.n_ready > n:
            raise _changed()
        for name, view in entry.views.items():
            views[name][at : at + entry.n_ready] = view
        at += entry.n_ready
        conditions.append(entry.conditions)
    if at != n:
        raise _changed()
    for view in views.values():
        view.flags.writeable = False
    return views, conditions


def _changed() -> InvalidInputError:
    return InvalidInputError(
        "Recordings changed while they were evaluated: run it again when they stay as they are."
    )


def _room(path: Path | None, shape: tuple[int, int]) -> NDArray[Any]:
    if path is None:
        return np.empty(shape, np.float32)
    path.parent.mkdir(parents=True, exist_ok=True)
    room = np.lib.format.open_memmap(path, "w+", np.float32, shape)
    if hasattr(os, "posix_fallocate"):
        # Where a disk is full, writing to a mapped file would kill the process without a word.
        with path.open("r+b") as stream:
            os.posix_fallocate(stream.fileno(), 0, path.stat().st_size)
    return room


def _numbers(recordings: Sequence[Recording], library: Library) -> NDArray[np.int64]:
    """Return the number of the recording that each row is of."""
    counts = [library.seen[recording.name].n_ready for recording in recordings]
    return np.repeat(np.arange(len(recordings)), counts)


def _circumstances(conditions: Sequence[NDArray[np.float64]]) -> NDArray[np.int64] | None:
    """Return which training rows share circumstances, as far as these were measured."""
    known = {number: rows for number, rows in enumerate(conditions) if len(rows)}
    if not known or not all(rows.shape[1] for rows in known.values()):
        return None
    takes = [str(number) for number, rows in known.items() for _ in rows]
    if len(known) > FEW_TAKES:
        return np.zeros(len(takes), dtype=np.int64)
    each = [Condition(*map(float, row)) for rows in known.values() for row in rows]
    return np.array(shared_circumstances(each, takes), dtype=np.int64)
