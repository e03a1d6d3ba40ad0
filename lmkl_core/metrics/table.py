"""Scores of a test with their species, subjects and presentations."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lmkl_core.errors import InvalidInputError
from lmkl_core.metrics.rates import CONFIDENCE, Errors, Rate, measure
from lmkl_core.metrics.thresholds import Scores, Threshold, as_scores

LARGEST_SCORE = 1e300
"""The score of a presentation is a mean, and sums of larger scores may overflow."""


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """One row per frame or presentation; a row without a score is a non-response.

    Parameters
    ----------
    scores : array-like of float
        NaN where there was no response.
    species : array-like of str
        Presentation attack instrument species; empty for bona fide.
    subjects, presentations : array-like of str
        Subject of every row, which the bootstrap resamples, and its presentation.
    """

    scores: Scores
    species: NDArray[np.str_]
    subjects: NDArray[np.str_]
    presentations: NDArray[np.str_]

    def __post_init__(self) -> None:
        columns = {
            "scores": as_scores(self.scores, "a table", LARGEST_SCORE, allow_nan=True),
            "species": _names(self.species, "species"),
            "subjects": _names(self.subjects, "subjects"),
            "presentations": _names(self.presentations, "presentations"),
        }
        if len({len(column) for column in columns.values()}) > 1:
            lengths = ", ".join(f"{len(column)} {name}" for name, column in columns.items())
            raise InvalidInputError(
                f"The columns of a table of scores must have equal lengths, not {lengths}."
            )
        for name in set(columns["species"].tolist()):
            if "".join(filter(str.isalpha, name.casefold())) == "bonafide":
                raise InvalidInputError(
                    f"The species {name!r} would count as an attack: leave the species of bona "
                    "fide rows empty."
                )
        for name, column in columns.items():
            object.__setattr__(self, name, column)

    @classmethod
    def of(
        cls,
        scores: Iterable[float | None],
        species: Iterable[str | None],
        subjects: Iterable[Any] | None = None,
        presentations: Iterable[Any] | None = None,
    ) -> "ScoreTable":
        """Return a table from plain sequences, in which scores and species may be None.

        By default all rows have the same subject, and every row is a presentation.
        """
        values = [np.nan if score is None else score for score in scores]
        names = ["" if name is None else name for name in species]
        count = len(values)
        return cls(
            np.array(values) if values else np.empty(0),
            np.array(names, dtype=object),
            np.array([""] * count if subjects is None else list(subjects), dtype=object),
            np.array(range(count) if presentations is None else list(presentations), dtype=object),
        )

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def is_answered(self) -> NDArray[np.bool_]:
        """Whether a row has a score."""
        return np.asarray(~np.isnan(self.scores))

    @property
    def is_attack(self) -> NDArray[np.bool_]:
        """Whether accepting a row is an error."""
        return np.asarray(self.species != "")

    @property
    def bona_fide(self) -> Scores:
        """Scores of the bona fide rows that have one."""
        return self.scores[~self.is_attack & self.is_answered]

    @property
    def attacks(self) -> dict[str, Scores]:
        """Scores of the attacks that have one, by species in order of first appearance."""
        answered = self.is_answered
        return {name: self.scores[rows & answered] for name, rows in self.rows_by_species().items()}

    @property
    def n_bona_fide_without(self) -> int:
        """Number of bona fide rows without a score."""
        return int(np.sum(~self.is_attack & ~self.is_answered))

    @property
    def n_attacks_without(self) -> dict[str, int]:
        """Number of attacks without a score, by species in order of first appearance."""
        missing = ~self.is_answered
        return {name: int(np.sum(rows & missing)) for name, rows in self.rows_by_species().items()}

    @property
    def n_subjects(self) -> int:
        """Number of subjects, with or without a score."""
        return len(np.unique(self.subjects))

    def by_presentation(self, least: int = 1) -> "ScoreTable":
        """Return one row per presentation, with the mean score of its scored frames.

        The mean does not depend on the order of frames and stays within the range of the scores, so
        rounding cannot push a score on the threshold below it. A presentation with fewer than
        ``least`` scored frames is a non-response.
        """
        if least < 1:
            raise InvalidInputError(f"least={least} must be at least 1 frame.")
        _, first, member = np.unique(self.presentations, return_index=True, return_inverse=True)
        if len(first) == len(self) and least == 1:
            return self
        mixed = (self.species != self.species[first][member]) | (
            self.subjects != self.subjects[first][member]
        )
        if mixed.any():
            name = str(self.presentations[np.argmax(mixed)])
            raise InvalidInputError(
                f"Presentation {name!r} has rows of more than one species or subject: give every "
                "presentation a unique name."
            )
        answered = np.flatnonzero(self.is_answered)
        ordered = answered[np.argsort(member[answered], kind="stable")]
        ends = np.cumsum(np.bincount(member[ordered], minlength=len(first)))
        means = np.array([_mean(run, least) for run in np.split(self.scores[ordered], ends)[:-1]])
        order = np.argsort(first)
        rows = first[order]
        return self.rows(rows).with_scores(means[order] if len(rows) else np.empty(0))

    def rows(self, index: NDArray[np.int_] | NDArray[np.bool_]) -> "ScoreTable":
        """Return a table of the given rows."""
        return ScoreTable(*(column[index] for column in self._columns))

    def shifted(self, by: float) -> "ScoreTable":
        """Return the table with ``by`` added to every score."""
        return replace(self, scores=np.asarray(self.scores + by))

    def with_scores(self, scores: Scores) -> "ScoreTable":
        """Return the same rows with other scores."""
        return replace(self, scores=scores)

    @classmethod
    def joined(
        cls, tables: Iterable["ScoreTable"], names: Sequence[str] | None = None
    ) -> "ScoreTable":
        """Return the rows of several tables, in their order.

        ``names``, one per table, are prefixed to the names of presentations, to keep scores of the
        same presentation by different models apart.
        """
        parts = list(tables)
        if names is not None:
            if len(names) != len(parts):
                raise InvalidInputError(
                    f"There are {len(names)} names for {len(parts)} tables: pass one per table."
                )
            parts = [
                replace(part, presentations=np.strings.add(f"{name}: ", part.presentations))
                for name, part in zip(names, parts, strict=True)
            ]
        if not parts:
            return cls.of((), ())
        columns = zip(*(part._columns for part in parts), strict=True)
        return cls(*(np.concatenate(column) for column in columns))

    def rows_by_species(self) -> dict[str, NDArray[np.bool_]]:
        """Return the rows of every species of attack, in order of first appearance."""
        names, first = np.unique(self.species, return_index=True)
        ordered = [str(name) for name in names[np.argsort(first)] if name]
        return {name: self.species == name for name in ordered}

    @property
    def _columns(self) -> tuple[NDArray[Any], ...]:
        return self.scores, self.species, self.subjects, self.presentations


def _names(values: Any, what: str) -> NDArray[np.str_]:
    column = np.asarray(values)
    if column.ndim != 1:
        raise InvalidInputError(f"The {what} of a table must be a flat list of names.")
    if column.dtype.kind == "O" and any(value is None for value in column):
        raise InvalidInputError(f"The {what} of a table must be names, not None.")
    return column.astype(np.str_, copy=False)


def _mean(scores: Scores, least: int) -> float:
    if len(scores) < least:
        return np.nan
    values = scores.tolist()
    return min(max(fsum(values) / len(values), min(values)), max(values))


def measure_table(
    threshold: Threshold | float | None, table: ScoreTable, confidence: float = CONFIDENCE
) -> Errors:
    """Count the errors of a table at a threshold; without one, only the non-responses."""
    value = threshold.value if isinstance(threshold, Threshold) else threshold
    errors = measure(
        # Non-response is the same at any threshold.
        0.0 if value is None else value,
        table.bona_fide,
        table.attacks,
        n_bona_fide_without=table.n_bona_fide_without,
        n_attacks_without=table.n_attacks_without,
        confidence=confidence,
    )
    if value is not None:
        return errors
    nothing = Rate(0, 0, confidence)
    return replace(errors, bpcer=nothing, apcers=dict.fromkeys(errors.apcers, nothing))
