"""The rows of a plan as plain arrays: the input of a task, on this machine or another."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from app.evaluation.extraction import FeatureStore
from app.evaluation.protocols.types import Plan, Recording
from app.types import Condition
from app.vision.conditions import condition_groups
from lmkl_core.errors import InvalidInputError
from lmkl_core.metrics import ScoreTable

Views: TypeAlias = Mapping[str, NDArray[np.float32]]

MAPPED = 64 << 20
"""Views of a part that take this many bytes or more are mapped from a file."""

MAX_TRAIN = 2000
"""Most training frames of a plan; more are thinned out evenly."""

FEW_TAKES = 100
"""With more takes than this, all count as sharing conditions, since each has others like it; whole
recordings are then left out for the threshold."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of one part of a plan, one per frame with views.

    ``recordings`` and ``conditions`` number the recording and the conditions of each row.
    ``is_attack`` is known for development rows only.
    """

    views: Views
    recordings: NDArray[np.int64]
    conditions: NDArray[np.int64] | None = None
    is_attack: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return len(self.recordings)

    def of(self, names: tuple[str, ...]) -> "Rows":
        return replace(self, views={name: self.views[name] for name in names})

    def thinned(self, most: int) -> "Rows":
        """Return at most ``most`` rows, spread evenly."""
        if len(self) <= most:
            return self
        kept = np.linspace(0, len(self) - 1, most).astype(int)
        return Rows(
            {name: view[kept] for name, view in self.views.items()},
            self.recordings[kept],
            None if self.conditions is None else self.conditions[kept],
            None if self.is_attack is None else self.is_attack[kept],
        )

    @property
    def has_both_classes(self) -> bool:
        attack = self.is_attack
        return attack is not None and bool(attack.any()) and not bool(attack.all())


Problem: TypeAlias = tuple[Rows, Rows]
"""Training and development rows."""


@dataclass(frozen=True, eq=False)
class PlanData:
    """The rows of one plan; the test has views only. ``others`` are problems of other classes."""

    train: Rows
    development: Rows
    test: Views
    others: tuple[Problem, ...] = ()

    def of(self, names: tuple[str, ...]) -> "PlanData":
        """Return the rows with the named views."""
        return PlanData(
            self.train.of(names),
            self.development.of(names),
            {name: self.test[name] for name in names},
            tuple((train.of(names), development.of(names)) for train, development in self.others),
        )

    @property
    def n_bytes(self) -> int:
        parts = [self.train.views, self.development.views, self.test]
        parts += [rows.views for problem in self.others for rows in problem]
        return sum(view.nbytes for views in parts for view in views.values())

    def __sizeof__(self) -> int:
        # Makes Dask send the data to a worker once instead of with each task.
        return object.__sizeof__(self) + self.n_bytes


@dataclass(frozen=True, eq=False)
class ScoreTemplate:
    """A score table without scores, shared by all methods, and which of its rows have views."""

    empty: ScoreTable
    ready: NDArray[np.bool_]

    @classmethod
    def of(cls, recordings: Sequence[Recording], store: FeatureStore) -> "ScoreTemplate":
        """Make one row per frame, and one non-response for a recording without frames."""
        ready = [store.seen[recording.name].ready for recording in recordings]
        rows = [each if len(each) else np.zeros(1, dtype=bool) for each in ready]
        about = [
            (each.species if each.is_attack else "", each.subject, each.name) for each in recordings
        ]
        columns = np.array(about, dtype=object).reshape(-1, 3).repeat(list(map(len, rows)), axis=0)
        every = np.concatenate([np.zeros(0, dtype=bool), *rows])
        return cls(ScoreTable(np.full(len(every), np.nan), *columns.T), every)

    def filled(self, scores: NDArray[np.float64] | None) -> ScoreTable:
        """Return the table with scores for the frames that have views."""
        if scores is None:
            return self.empty
        column = np.full(len(self.ready), np.nan)
        column[self.ready] = scores
        return self.empty.with_scores(column)


def assemble(plan: Plan, others: Sequence[Plan], store: FeatureStore, folder: Path) -> PlanData:
    """Collect a plan's rows, with the training rows thinned out to `MAX_TRAIN`.

    ``others`` are plans of other classes, used to choose parameters; large arrays are mapped from
    files in ``folder``.
    """
    train, development = _problem(plan, store, folder)
    test, _ = _gathered(plan.test, store, folder, "test")
    problems = tuple(
        _problem(other, store, folder / f"other.{number}") for number, other in enumerate(others)
    )
    return PlanData(train, development, test, problems)


def _problem(plan: Plan, store: FeatureStore, folder: Path) -> Problem:
    train_views, conditions = _gathered(plan.train, store, folder, "train")
    train = Rows(train_views, _numbers(plan.train, store), _shared_conditions(conditions))
    views, _ = _gathered(plan.development, store, folder, "development")
    numbers = _numbers(plan.development, store)
    attacks = np.array([recording.is_attack for recording in plan.development], dtype=bool)
    return train.thinned(MAX_TRAIN), Rows(views, numbers, is_attack=attacks[numbers])


def _gathered(
    recordings: Sequence[Recording], store: FeatureStore, folder: Path, part: str
) -> tuple[dict[str, NDArray[np.float32]], list[NDArray[np.float64]]]:
    """Return the stacked views of recordings, and the conditions by recording."""
    columns = store.pipeline.columns
    n = store.n_ready(recordings)
    is_mapped = 4 * n * sum(columns.values()) >= MAPPED
    with store.cache.writable():
        views = {
            name: _allocate(folder / f"{part}.{number}.npy" if is_mapped else None, (n, width))
            for number, (name, width) in enumerate(columns.items())
        }
    conditions, at = [], 0
    for recording in recordings:
        features = store.features(recording)
        end = at + features.n_ready
        if end <= n:
            for name, view in features.views.items():
                views[name][at:end] = view
        at = end
        conditions.append(features.conditions)
    if at != n:
        raise InvalidInputError(
            "Recordings changed during the evaluation: run it again when they no longer change."
        )
    for view in views.values():
        view.flags.writeable = False
    return views, conditions


def _allocate(path: Path | None, shape: tuple[int, int]) -> NDArray[Any]:
    if path is None:
        return np.empty(shape, np.float32)
    path.parent.mkdir(parents=True, exist_ok=True)
    array = np.lib.format.open_memmap(path, "w+", np.float32, shape)
    if hasattr(os, "posix_fallocate"):
        # On a full disk, writing to a mapped file would kill the process.
        with path.open("r+b") as stream:
            os.posix_fallocate(stream.fileno(), 0, path.stat().st_size)
    return array


def _numbers(recordings: Sequence[Recording], store: FeatureStore) -> NDArray[np.int64]:
    """Number each row's recording."""
    counts = [store.seen[recording.name].n_ready for recording in recordings]
    return np.repeat(np.arange(len(recordings)), counts)


def _shared_conditions(conditions: Sequence[NDArray[np.float64]]) -> NDArray[np.int64] | None:
    """Number the conditions of training rows, if they were measured."""
    known = {number: rows for number, rows in enumerate(conditions) if len(rows)}
    if not known or not all(rows.shape[1] for rows in known.values()):
        return None
    takes = [str(number) for number, rows in known.items() for _ in rows]
    if len(known) > FEW_TAKES:
        return np.zeros(len(takes), dtype=np.int64)
    each = [Condition(*map(float, row)) for rows in known.values() for row in rows]
    return np.array(condition_groups(each, takes), dtype=np.int64)
