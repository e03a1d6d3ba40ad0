"""The thresholds of one plan, each chosen at the level it is used at, never on test scores."""

from app.evaluation.options import ThresholdRule
from app.evaluation.result import Level, UsedThreshold
from app.evaluation.task import Enrolled
from lmkl_core.metrics import threshold_from
from lmkl_core.metrics.table import ScoreTable


def choose_threshold(
    rule: ThresholdRule, development: ScoreTable, enrolled: Enrolled, level: Level
) -> UsedThreshold:
    """Return a plan's threshold for one level.

    Parameters
    ----------
    rule : ThresholdRule
        How it is chosen.
    development : ScoreTable
        Development scores, frame by frame.
    enrolled : Enrolled
        The model's own threshold. It is of frames; the mean of a presentation's frames varies
        less than one of them, so that it is a cautious threshold for presentations too.
    level : {"frame", "presentation"}
        What is held against it.
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
    return UsedThreshold(found.value, found.origin)
