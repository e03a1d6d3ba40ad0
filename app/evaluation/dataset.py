"""Rows of a plan as plain arrays: all that a task is given, on this machine or another."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Views: TypeAlias = Mapping[str, NDArray[np.float32]]


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of one part of a plan, as plain arrays that can be sent to another machine.

    Attributes
    ----------
    views : mapping of str to ndarray
        One row a frame that has views.
    recordings : ndarray of int
        Number of each row's recording.
    conditions : ndarray of int, optional
        Circumstances of each row, the same number where recordings share them.
    is_attack : ndarray of bool, optional
        Of each row; only development rows tell.
    """

    views: Views
    recordings: NDArray[np.int64]
    conditions: NDArray[np.int64] | None = None
    is_attack: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return len(self.recordings)

    def of(self, names: tuple[str, ...]) -> "Rows":
        """Return the rows with some of the views."""
        views = {name: self.views[name] for name in names}
        return Rows(views, self.recordings, self.conditions, self.is_attack)

    def thinned(self, most: int) -> "Rows":
        """Return at most so many rows, spread evenly over all."""
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
        """Whether there are bona fide rows and attacks."""
        attack = self.is_attack
        return attack is not None and bool(attack.any()) and not bool(attack.all())


Problem: TypeAlias = tuple[Rows, Rows]
"""Training and development rows."""


@dataclass(frozen=True, eq=False)
class Material:
    """All that the models of one plan need.

    Attributes
    ----------
    train, development : Rows
        What they learn from, and what parameters and thresholds are chosen by.
    test : mapping of str to ndarray
        Views of the test frames.
    others : tuple of Problem
        Training and development rows of other classes.
    """

    train: Rows
    development: Rows
    test: Views
    others: tuple[Problem, ...] = ()

    def of(self, names: tuple[str, ...]) -> "Material":
        """Return the rows with some of the views."""
        return Material(
            self.train.of(names),
            self.development.of(names),
            {name: self.test[name] for name in names},
            tuple((train.of(names), held.of(names)) for train, held in self.others),
        )

    @property
    def n_bytes(self) -> int:
        """Size of the views."""
        parts = [self.train.views, self.development.views, self.test]
        parts += [rows.views for problem in self.others for rows in problem]
        return sum(view.nbytes for views in parts for view in views.values())

    def __sizeof__(self) -> int:
        # Dask sends what is large once to a worker, and not with each task; it asks here.
        return object.__sizeof__(self) + self.n_bytes
