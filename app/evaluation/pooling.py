"""From the outcomes of a fold's plans to what the fold's figures are made of."""

from collections import Counter
from collections.abc import Sequence

from app.evaluation.assembling import Blank
from app.evaluation.options import ThresholdRule
from app.evaluation.protocols.types import Fold
from app.evaluation.result import FoldResult, UsedThreshold
from app.evaluation.task import Outcome
from app.evaluation.thresholds import choose_threshold
from app.names import counted
from lmkl_core.metrics.table import ScoreTable

MOST_NOTES = 5
"""Notes of a fold that are told one by one."""

_NO_MODEL = UsedThreshold(None, "no model")
"""Of those who could not be enrolled: all of theirs is without a score, and needs no threshold."""


def pooled(
    fold: Fold,
    outcomes: Sequence[Outcome],
    rule: ThresholdRule,
    blanks: Sequence[tuple[Blank, Blank]],
) -> FoldResult:
    """Join the test scores of a fold's plans, each with thresholds of its own.

    Parameters
    ----------
    fold : Fold
        The plans.
    outcomes : sequence of Outcome
        One for each plan. Where there was too little to learn from there is no model, and all that
        is tested on it is without a response; no other has failed.
    rule : ThresholdRule
        How thresholds are chosen.
    blanks : sequence of pairs of Blank
        Development and test rows of each plan, which all methods share: of tens of thousands of
        pictures the names alone would fill the memory.
    """
    frames, presentations, of_frames, of_presentations = [], [], [], []
    for (held, tested), outcome in zip(blanks, outcomes, strict=True):
        if not outcome.is_enrolled:
            frames.append(tested.empty())
            presentations.append(tested.empty().by_presentation())
            of_frames.append(_NO_MODEL)
            of_presentations.append(_NO_MODEL)
            continue
        development, test = held.filled(outcome.development), tested.filled(outcome.test)
        frames.append(test)
        presentations.append(test.by_presentation())
        enrolled = outcome.enrolled
        of_frames.append(choose_threshold(rule, development, enrolled, "frame"))
        of_presentations.append(choose_threshold(rule, development, enrolled, "presentation"))
    parameters = {
        plan.name: outcome.parameters
        for plan, outcome in zip(fold.plans, outcomes, strict=True)
        if outcome.parameters
    }
    n_train, notes = sum(outcome.n_train for outcome in outcomes), _notes(outcomes)
    if len(fold.plans) == 1:
        return FoldResult(
            fold.name, frames[0], of_frames[0], of_presentations[0], parameters, n_train, notes
        )
    names = [plan.name for plan in fold.plans]
    own = [outcome.enrolled.threshold for outcome in outcomes]
    frame_table, frame_threshold = _joined(frames, of_frames, own, names)
    table, threshold = _joined(presentations, of_presentations, own, names)
    return FoldResult(
        fold.name, frame_table, frame_threshold, threshold, parameters, n_train, notes, table
    )


def _joined(
    tables: Sequence[ScoreTable],
    thresholds: Sequence[UsedThreshold],
    own: Sequence[float],
    names: Sequence[str],
) -> tuple[ScoreTable, UsedThreshold]:
    """Join tables, their scores shifted by their thresholds.

    Where one has none, all are shifted by the models' own, from enrolment: scores of different
    models have no common zero, and an AUC over them as they are would mean nothing.
    """
    models = [threshold for threshold in thresholds if threshold is not _NO_MODEL]
    # What follows a colon are numbers of one model.
    origins = Counter(threshold.origin.partition(":")[0] for threshold in models)
    told = ", or ".join(
        origin if len(origins) == 1 else f"{origin} ({count} models)"
        for origin, count in origins.items()
    )
    values = [threshold.value for threshold in models if threshold.value is not None]
    if len(values) < len(models):
        return _shifted(tables, own, names), UsedThreshold(None, told)
    said = f"{told}, for each of {counted(len(values), 'model')}; scores are told from it"
    zeros = [0.0 if threshold.value is None else threshold.value for threshold in thresholds]
    return _shifted(tables, zeros, names), UsedThreshold(0.0, said)


def _shifted(
    tables: Sequence[ScoreTable], zeros: Sequence[float], names: Sequence[str]
) -> ScoreTable:
    moved = [table.shifted(-zero) for table, zero in zip(tables, zeros, strict=True)]
    return ScoreTable.joined(moved, names)


def _notes(outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """Return each note once, with how many models it is about."""
    numbers = Counter(note for outcome in outcomes for note in outcome.notes)
    n = sum(outcome.is_enrolled for outcome in outcomes)
    notes = [note if n == 1 else f"{note} ({k} of {n} models)" for note, k in numbers.items()]
    if len(notes) > MOST_NOTES:
        notes[MOST_NOTES:] = [f"There are {len(notes) - MOST_NOTES} more notes of this kind."]
    return tuple(notes)
