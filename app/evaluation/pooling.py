"""From the outcomes of a fold's plans to the fold's scores and thresholds.

Thresholds are chosen at the level at which they are used, never on test scores.
"""

from collections import Counter
from collections.abc import Sequence

from app.evaluation.dataset import ScoreTemplate
from app.evaluation.options import ThresholdRule
from app.evaluation.protocols.types import Fold
from app.evaluation.result import FoldResult, Level
from app.evaluation.task import Enrolled, Outcome
from app.names import counted
from lmkl_core.metrics import ScoreTable, Threshold, threshold_from

MOST_NOTES = 5
"""Notes of a fold that are named one by one."""

_NO_MODEL = Threshold(None, "no model")
"""Of those who could not be enrolled: all of theirs is without a score, and needs no threshold."""


def pooled(
    fold: Fold,
    outcomes: Sequence[Outcome],
    rule: ThresholdRule,
    templates: Sequence[tuple[ScoreTemplate, ScoreTemplate]],
) -> FoldResult:
    """Join the test scores of a fold's plans, each with thresholds of its own.

    There is an outcome for each plan, and a pair of templates: its development and test rows. Where
    there was too little to learn from there is no model, and everything tested on it is without a
    response; no other outcome has failed.
    """
    frames, presentations, of_frames, of_presentations = [], [], [], []
    for (held, tested), outcome in zip(templates, outcomes, strict=True):
        if not outcome.is_enrolled:
            frames.append(tested.filled(None))
            presentations.append(tested.filled(None).by_presentation())
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
    thresholds: Sequence[Threshold],
    own: Sequence[float],
    names: Sequence[str],
) -> tuple[ScoreTable, Threshold]:
    """Join tables, their scores shifted by their thresholds.

    Where one has none, all are shifted by the models' own, from enrolment: scores of different
    models have no common zero, and an AUC over them as they are would mean nothing.
    """
    models = [threshold for threshold in thresholds if threshold is not _NO_MODEL]
    # What follows a colon are numbers of one model.
    origins = Counter(threshold.origin.partition(":")[0] for threshold in models)
    origin_text = ", or ".join(
        origin if len(origins) == 1 else f"{origin} ({count} models)"
        for origin, count in origins.items()
    )
    values = [threshold.value for threshold in models if threshold.value is not None]
    if len(values) < len(models):
        return _shifted(tables, own, names), Threshold(None, origin_text)
    said = f"{origin_text}, for each of {counted(len(values), 'model')}; scores are told from it"
    zeros = [0.0 if threshold.value is None else threshold.value for threshold in thresholds]
    return _shifted(tables, zeros, names), Threshold(0.0, said)


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


def choose_threshold(
    rule: ThresholdRule, development: ScoreTable, enrolled: Enrolled, level: Level
) -> Threshold:
    """Return a plan's threshold for one level, from development scores frame by frame.

    The model's own threshold is of frames; the mean of a presentation's frames varies less than
    one of them, so that it is a cautious threshold for presentations too.
    """
    table = development if level == "frame" else development.by_presentation()
    by = rule.by
    if by == "auto":
        has_both = len(table.bona_fide) and any(map(len, table.attacks.values()))
        by = "eer" if has_both else "enrolment"
    found = threshold_from(
        by,
        table.bona_fide,
        table.attacks,
        target=rule.value if by == "bpcer" else None,
        given=rule.value if by == "given" else None,
        calibration=enrolled,
    )
    return Threshold(found.value, found.origin)
