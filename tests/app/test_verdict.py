"""What a person is told: only a score that reaches the threshold lets anyone in."""

import math

import numpy as np
import pytest

from app.conditions import Familiarity
from app.types import Frame, FrameResult, Status
from app.verdict import EXPLAINED_BY_CIRCUMSTANCES, Verdict, judge, unscored

FAMILIAR = Familiarity(0.4, "window", ())
STRANGE = Familiarity(2.5, "window", ("it is darker", "the light is warmer", "the face is closer"))


@pytest.mark.parametrize("familiarity", [FAMILIAR, STRANGE])
def test_that_a_score_at_the_threshold_is_genuine_in_any_light(familiarity):
    assert judge(0.5, 0.5, familiarity).verdict is Verdict.GENUINE


def test_that_a_low_score_is_an_attack_where_the_conditions_were_enrolled():
    assert judge(0.49, 0.5, FAMILIAR).verdict is Verdict.ATTACK


def test_that_a_low_score_elsewhere_is_called_unfamiliar_and_says_what_differs():
    judgement = judge(0.49, 0.5, STRANGE)
    assert judgement.verdict is Verdict.UNFAMILIAR
    assert "window" in judgement.reason
    assert "it is darker and the light is warmer" in judgement.reason
    assert "only if this is the live person" in judgement.reason


def test_that_a_very_low_score_is_an_attack_in_any_conditions():
    at_the_limit = EXPLAINED_BY_CIRCUMSTANCES * 0.5
    assert judge(at_the_limit, 0.5, STRANGE).verdict is Verdict.UNFAMILIAR
    judgement = judge(at_the_limit - 1e-9, 0.5, STRANGE)
    assert judgement.verdict is Verdict.ATTACK
    assert "Far below the threshold" in judgement.reason
    assert "it is darker" in judgement.reason


def test_that_with_a_threshold_below_zero_nothing_is_put_down_to_the_conditions():
    assert judge(-0.3, -0.2, STRANGE).verdict is Verdict.ATTACK


@pytest.mark.parametrize("score", [-math.inf, math.nan])
def test_that_a_score_that_is_no_number_lets_nobody_in(score):
    assert judge(score, 0.5, FAMILIAR).verdict is Verdict.ATTACK
    assert judge(score, 0.5, STRANGE).verdict is Verdict.ATTACK


def test_that_only_genuine_accepts():
    assert [verdict for verdict in Verdict if verdict.accepts] == [Verdict.GENUINE]


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.READY])
def test_that_a_frame_without_a_score_keeps_its_reason(status):
    result = FrameResult(Frame(np.zeros((2, 2, 3), np.uint8)), status, "Come closer.")
    judgement = unscored(result)
    assert judgement.verdict.value == status.value
    assert judgement.reason == "Come closer."
