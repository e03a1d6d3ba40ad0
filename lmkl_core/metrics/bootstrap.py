r"""Intervals from resampling subjects: frames of one person are not independent.

A resample is a vector of counts ``w``, one per subject (`lmkl_core.metrics.resampling`). If ``w_i``
is the count of the subject of row ``i``, the AUC of the resample is

``sum_b w_b (A(< s_b) + A(= s_b) / 2) / (sum_b w_b sum_a w_a)``

over bona fide rows ``b`` of score ``s_b`` and attacks ``a``, where ``A`` sums ``w_a`` over attacks
with lower, or equal, scores: two entries of one cumulative sum. With few subjects and many rows the
numerator is the bilinear form ``w' P w`` with ``P_st`` the pairs that bona fide rows of subject
``s`` win against attacks of ``t``. Rates are ratios of two linear forms of ``w``.

Special cases:

- If a single subject presented a class, or a species of an ACER, the interval is ``(0, 1)``.
- Resamples without one of the species have no maximum over species and are dropped.
- If all resamples are equal, for example with perfect separation, subjects count as trials. Their
  means are independent values in ``[0, 1]``, for which Chernoff's bound holds
  (`lmkl_core.metrics.rates`). For AUC the trials are disjoint pairs of subjects,
  ``min(S // 2, subjects with bona fide, subjects with attacks)`` of them.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Literal, TypeAlias, Unpack

import numpy as np
from numpy.typing import NDArray

from lmkl_core.metrics.rates import Interval, check_threshold, mean_interval
from lmkl_core.metrics.resampling import Drawing, Evaluation, Options, Resampled, Subjects
from lmkl_core.metrics.table import ScoreTable
from lmkl_core.metrics.thresholds import Scores

Figure: TypeAlias = Literal["AUC", "BPCER", "APCER", "HTER", "ACER"]
"""Figures supported by `bootstrap_difference`."""


def bootstrap_figure(
    table: ScoreTable,
    statistic: Callable[[ScoreTable], float | None],
    **options: Unpack[Options],
) -> Resampled:
    """Return any figure of a table with its interval over subjects.

    ``statistic`` takes a table and returns a share or None. It is called for every resample, so
    `bootstrap_auc` and `bootstrap_acer` are much faster. `lmkl_core.metrics.resampling.Options`
    describes the options.
    """
    subjects = Subjects(table)

    def evaluate(weights: Scores) -> Scores:
        values = []
        for counts in weights.astype(np.int64):
            value = statistic(table.rows(np.repeat(np.arange(len(table)), counts[subjects.member])))
            values.append(np.nan if value is None else float(value))
        return np.array(values)

    obstacle = "There is only one subject." if subjects.n == 1 else ""
    return Drawing(subjects, **options).estimate(evaluate, obstacle)


def bootstrap_auc(table: ScoreTable, **options: Unpack[Options]) -> Resampled:
    """Return the area under the ROC curve with its interval over subjects; ties count half."""
    subjects = Subjects(table.rows(table.is_answered))
    counts = _subject_counts(subjects, "AUC")
    drawing = Drawing(subjects, **options)

    def when_equal(value: float) -> Interval:
        n_pairs = min(subjects.n // 2, *counts.values())
        return mean_interval(value, n_pairs, drawing.confidence)

    return drawing.estimate(_Auc(subjects), _obstacle(counts), when_equal)


def bootstrap_acer(table: ScoreTable, threshold: float, **options: Unpack[Options]) -> Resampled:
    """Return ACER, the mean of the largest APCER and BPCER, with its interval over subjects.

    The threshold is fixed: its variation with the development data is not included.
    """
    check_threshold(threshold)
    subjects = Subjects(table.rows(table.is_answered))
    counts = _subject_counts(subjects, "ACER")
    acer = _Acer(subjects, subjects.table.rows_by_species(), threshold)
    drawing = Drawing(subjects, **options)

    def when_equal(value: float) -> Interval:
        each = 1 - (1 - drawing.confidence) / len(counts)
        rates = acer.rates(np.ones((1, subjects.n)))[0]
        ends = [
            mean_interval(rate, n, each) for rate, n in zip(rates, counts.values(), strict=True)
        ]
        low, high = ((ends[0][end] + max(pair[end] for pair in ends[1:])) / 2 for end in (0, 1))
        return low, high

    return drawing.estimate(acer, _obstacle(counts), when_equal)


def bootstrap_difference(
    first: ScoreTable,
    second: ScoreTable,
    figure: Figure,
    thresholds: tuple[float | None, float | None] = (None, None),
    *,
    is_paired: bool = True,
    **options: Unpack[Options],
) -> Resampled:
    """Return the difference of a figure, second minus first, with its interval over subjects.

    Parameters
    ----------
    first, second : ScoreTable
    figure : {"AUC", "BPCER", "APCER", "HTER", "ACER"}
        APCER is that of the worst species.
    thresholds : tuple of float or None
        Fixed thresholds of the first and the second table; AUC needs none.
    is_paired : bool
        Whether equal names mean the same subject. Subjects are then resampled for both tables
        together, so that effects of a subject on both cancel.
    options
        As in `bootstrap_figure`.
    """
    tables = [table.rows(table.is_answered) for table in (first, second)]
    if not is_paired:
        tables = [
            replace(table, subjects=np.strings.add(f"{number}: ", table.subjects))
            for number, table in enumerate(tables)
        ]
    subjects = Subjects(ScoreTable.joined(tables))
    if not is_paired:
        ends = len(np.unique(tables[0].subjects))
        strata = [Subjects(table).strata for table in tables]
        subjects.strata = [*strata[0], *(ends + stratum for stratum in strata[1])]
    is_first = np.arange(len(subjects.table)) < len(tables[0])
    values = [
        _evaluation(subjects.part(rows), figure, threshold)
        for rows, threshold in zip((is_first, ~is_first), thresholds, strict=True)
    ]
    obstacles = [_obstacle(_subject_counts(Subjects(table), figure)) for table in tables]
    found = Drawing(subjects, **options).estimate(
        lambda w: values[1](w) - values[0](w), obstacles[0] or obstacles[1]
    )
    return found if found.n_resamples else replace(found, interval=(-1.0, 1.0))


def _subject_counts(subjects: Subjects, figure: Figure) -> dict[str, int]:
    """Count the subjects of every class or species that a figure depends on."""
    table = subjects.table
    groups = {} if figure == "APCER" else {"bona fide": ~table.is_attack}
    if figure in ("APCER", "ACER"):
        groups |= table.rows_by_species()
    elif figure != "BPCER":
        groups["attacks"] = table.is_attack
    return subjects.count(groups)


def _evaluation(subjects: Subjects, figure: Figure, threshold: float | None) -> Evaluation:
    """Return the function that computes a figure for resamples."""
    if figure == "AUC":
        return _Auc(subjects)
    if threshold is None or np.isnan(threshold):
        return lambda weights: np.full(len(weights), np.nan)
    table = subjects.table
    attacks = {"attacks": table.is_attack} if figure == "HTER" else table.rows_by_species()
    errors = _Acer(subjects, attacks, threshold)
    if figure == "BPCER":
        return lambda weights: errors.rates(weights)[:, 0]
    return errors.worst if figure == "APCER" else errors


def _obstacle(counts: dict[str, int]) -> str:
    """Return why subjects cannot be resampled, or an empty text."""
    single = [name for name, count in counts.items() if count == 1]
    return f"Only one subject presented {', '.join(single)}." if single else ""


class _Auc:
    """AUC of every resample."""

    def __init__(self, subjects: Subjects):
        table, member = subjects.table, subjects.member
        genuine = np.flatnonzero(~table.is_attack)
        self.genuine = genuine[np.argsort(table.scores[genuine])]
        attacks = np.flatnonzero(table.is_attack)
        self.attacks = attacks[np.argsort(table.scores[attacks])]
        self.scores, self.member, self.n = table.scores, member, subjects.n
        self.n_genuine = np.bincount(member[genuine], minlength=self.n).astype(float)
        self.n_attacks = np.bincount(member[attacks], minlength=self.n).astype(float)
        # With pairs the cost is subjects x rows once, without them resamples x rows.
        self.pairs = self.won_pairs() if self.n**2 <= len(table) else None

    def __call__(self, weights: Scores) -> Scores:
        if self.pairs is None:
            won = self.won(weights)
        else:
            won = np.einsum("ij,ij->i", weights @ self.pairs, weights)
        return _ratio(won, (weights @ self.n_genuine) * (weights @ self.n_attacks))

    def won_pairs(self) -> Scores:
        """Return ``P_st``: pairs that bona fide rows of ``s`` win against attacks of ``t``."""
        pairs = np.empty((self.n, self.n))
        attackers = self.member[self.attacks]
        for subject in range(self.n):
            below, not_above = self._ranks(self.attacks[attackers == subject])
            pairs[:, subject] = np.bincount(
                self.member[self.genuine], (below + not_above) / 2, minlength=self.n
            )
        return pairs

    def won(self, weights: Scores) -> Scores:
        """Return the weight of the pairs that bona fide rows win, in every resample."""
        sums = np.zeros((len(weights), len(self.attacks) + 1))
        np.cumsum(weights[:, self.member[self.attacks]], axis=1, out=sums[:, 1:])
        below, not_above = self._ranks(self.attacks)
        wins = sums[:, below] + sums[:, not_above]
        return np.einsum("ij,ij->i", wins, weights[:, self.member[self.genuine]]) / 2

    def _ranks(self, attacks: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        ordered, scores = self.scores[attacks], self.scores[self.genuine]
        below = np.searchsorted(ordered, scores, side="left")
        return below, np.searchsorted(ordered, scores, side="right")


class _Acer:
    """ACER of every resample, for attacks in groups."""

    def __init__(self, subjects: Subjects, attacks: dict[str, NDArray[np.bool_]], threshold: float):
        table, member = subjects.table, subjects.member
        is_error = (table.scores >= threshold) == table.is_attack
        groups = [~table.is_attack, *attacks.values()]

        def counts(rows: NDArray[np.bool_]) -> NDArray[np.intp]:
            return np.bincount(member[rows], minlength=subjects.n)

        self.n_errors = np.column_stack([counts(rows & is_error) for rows in groups])
        self.n_rows = np.column_stack([counts(rows) for rows in groups])

    def rates(self, weights: Scores) -> Scores:
        """Return BPCER and the APCER of every species."""
        return _ratio(weights @ self.n_errors, weights @ self.n_rows)

    def worst(self, weights: Scores) -> Scores:
        """Return the largest APCER."""
        rates = self.rates(weights)[:, 1:]
        if not rates.shape[1]:
            return np.full(len(weights), np.nan)
        return np.asarray(np.max(rates, axis=1))  # NaN where a species has no rows

    def __call__(self, weights: Scores) -> Scores:
        return np.asarray((self.rates(weights)[:, 0] + self.worst(weights)) / 2)


def _ratio(parts: Scores, wholes: Scores) -> Scores:
    return np.divide(parts, wholes, out=np.full(np.shape(parts), np.nan), where=wholes > 0)
