"""Thresholds of a plan, by rule and by the level at which they are used."""

import numpy as np
import pytest

from app.evaluation.options import ThresholdRule
from app.evaluation.runner import choose_threshold
from app.evaluation.task import Enrolled
from lmkl_core.metrics import ScoreTable
from lmkl_core.metrics import choose_threshold as at_equal_errors

ENROLLED = Enrolled(0.125, "left-out blocks")


def development():
    """Return frames that scatter so widely that frames and presentations differ."""
    return ScoreTable.of(
        scores=[0.0, 1.0, 0.6, 0.8, 0.55, 0.05, 0.3, 0.2, None],
        species=["", "", "", "", "print", "print", "phone", "phone", "phone"],
        presentations=["a", "a", "b", "b", "c", "c", "d", "d", "e"],
    )


def chosen(rule, level, table=None):
    table = development() if table is None else table
    return choose_threshold(ThresholdRule.parse(rule), table, ENROLLED, level)


def test_that_every_level_has_its_own_threshold():
    frames, presentations = development(), development().by_presentation()
    for level, table in (("frame", frames), ("presentation", presentations)):
        expected = at_equal_errors(table.bona_fide, table.attacks, by="eer")
        assert chosen("eer", level).value == expected
        assert chosen("auto", level).value == expected
    # Means are 0.5 and 0.7 against 0.3 and 0.25: half way between is free of errors.
    assert chosen("eer", "presentation").value == pytest.approx(0.4)
    assert chosen("eer", "frame").value != chosen("eer", "presentation").value


def test_that_a_bpcer_is_counted_at_its_level():
    # Half of two presentations, or of four frames, may be refused.
    assert chosen("bpcer:0.5", "presentation").value == pytest.approx(0.7)
    assert chosen("bpcer:0.5", "frame").value == pytest.approx(0.8)


@pytest.mark.parametrize("level", ["frame", "presentation"])
def test_that_the_models_own_threshold_replaces_a_missing_class(level):
    table = development()
    for part in (table.rows(~table.is_attack), table.rows(table.is_attack)):
        found = chosen("auto", level, part)
        assert found.value == 0.125
        assert "left-out blocks" in found.origin
        assert chosen("eer", level, part).value is None
    # Attacks without a score are missing too.
    scores = np.where(table.is_attack, np.nan, table.scores)
    assert chosen("auto", level, table.with_scores(scores)).value == 0.125


def test_that_given_and_enrolled_thresholds_are_used_unchanged():
    assert chosen("given:-3", "frame").value == -3
    assert chosen("enrolment", "presentation").value == 0.125
