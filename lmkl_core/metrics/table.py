"""Scores of a test with what each is a score of."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lmkl_core.errors import InvalidInputError
from lmkl_core.metrics.scores import Scores


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """One row a frame or a presentation; a row without a score is a non-response.

    Attributes
    ----------
    scores : ndarray of float
        NaN where there was no response.
    species : ndarray of str
        Attack instrument species; empty for bona fide.
    subjects : ndarray of str
        Whose: what bootstraps draw.
    presentations : ndarray of str
        The presentation that a row belongs to.
    """

    scores: Scores
    species: NDArray[np.str_]
    subjects: NDArray[np.str_]
    presentations: NDArray[np.str_]

    def __post_init__(self) -> None:
        lengths = {len(self.scores), len(self.species), len(self.subjects), len(self.presentations)}
        if len(lengths) > 1:
            raise InvalidInputError("The columns of a table of scores must have equal lengths.")
        if np.isinf(self.scores).any():
            raise InvalidInputError("Scores must be finite, or NaN for a non-response.")

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def bona_fide(self) -> Scores:
        """Scores of the bona fide rows that have one."""
        return self.scores[(self.species == "") & ~np.isnan(self.scores)]

    @property
    def attacks(self) -> dict[str, Scores]:
        """Scores of the attacks that have one, by species in order of first appearance."""
        answered = ~np.isnan(self.scores)
        return {
            name: self.scores[(self.species == name) & answered]
            for name in dict.fromkeys(self.species.tolist())
            if name
        }

    @property
    def n_bona_fide_without(self) -> int:
        """Bona fide rows without a score."""
        return int(np.sum((self.species == "") & np.isnan(self.scores)))

    @property
    def n_attacks_without(self) -> dict[str, int]:
        """Attacks without a score, by species."""
        missing = np.isnan(self.scores)
        return {name: int(np.sum((self.species == name) & missing)) for name in self.attacks}

    def by_presentation(self) -> "ScoreTable":
        """Return one row a presentation: the mean of its frames that have a score.

        A presentation none of whose frames has a score is a non-response.
        """
        names, first, member = np.unique(
            self.presentations, return_index=True, return_inverse=True
        )
        answered = ~np.isnan(self.scores)
        counts = np.bincount(member[answered], minlength=len(names))
        sums = np.bincount(member[answered], self.scores[answered], minlength=len(names))
        means = np.divide(sums, counts, out=np.full(len(names), np.nan), where=counts > 0)
        order = np.argsort(first)
        rows = first[order]
        return ScoreTable(
            means[order], self.species[rows], self.subjects[rows], self.presentations[rows]
        )

    def rows(self, index: NDArray[np.int_] | NDArray[np.bool_]) -> "ScoreTable":
        """Return a table of some rows."""
        return replace(
            self,
            scores=self.scores[index],
            species=self.species[index],
            subjects=self.subjects[index],
            presentations=self.presentations[index],
        )

    @classmethod
    def joined(cls, tables: Iterable["ScoreTable"]) -> "ScoreTable":
        """Return the rows of several tables, in their order."""
        parts = list(tables)
        if not parts:
            nothing = np.empty(0, dtype=str)
            return cls(np.empty(0), nothing, nothing, nothing)
        return cls(
            np.concatenate([part.scores for part in parts]),
            np.concatenate([part.species for part in parts]),
            np.concatenate([part.subjects for part in parts]),
            np.concatenate([part.presentations for part in parts]),
        )
