"""What a person is told: only a score that reaches the threshold lets anyone in."""

import math
from dataclasses import replace

import pytest

from app.session.decision import LEAST_LIVENESS, LIVENESS_STEP, SURELY_LIVE, judge
from app.types import Familiarity, Verdict

FAMILIAR = Familiarity(0.4, "window", (), 0.4, 0.0)
FACE_ALONE = Familiarity(2.5, "window", ("it is darker",), 0.9, 0.0)
STRANGE = Familiarity(
    2.5, "window", ("the room is darker", "it is darker", "it is softer"), 2.5, 0.0
)
FURTHER = Familiarity(2.5, "window", ("the room is darker",), 2.5, 0.4)


@pytest.mark.parametrize("familiarity", [FAMILIAR, FACE_ALONE, STRANGE])
@pytest.mark.parametrize("liveness", [None, 0.0, 1.0])
def test_that_the_score_alone_accepts_in_any_light(familiarity, liveness):
    assert judge(0.5, 0.5, familiarity, liveness)[0] is Verdict.GENUINE
    assert not judge(0.49, 0.5, familiarity, liveness)[0].accepts


@pytest.mark.parametrize("liveness", [None, 1.0])
@pytest.mark.parametrize("familiarity", [FAMILIAR, FACE_ALONE])
def test_that_a_low_score_is_an_attack_where_the_room_is_lit_as_enrolled(familiarity, liveness):
    assert judge(0.49, 0.5, familiarity, liveness)[0] is Verdict.ATTACK


@pytest.mark.parametrize("score", [0.49, 0.0])
def test_that_a_low_score_in_another_light_is_unfamiliar_without_the_networks(score):
    verdict, reason = judge(score, 0.5, STRANGE)
    assert verdict is Verdict.UNFAMILIAR
    assert "window" in reason
    assert "the room is darker and it is darker" in reason
    assert "only if this is the live person" in reason


def test_that_liveness_tells_the_person_in_another_light_from_an_attack():
    assert judge(0.0, 0.5, STRANGE, LEAST_LIVENESS)[0] is Verdict.UNFAMILIAR
    verdict, reason = judge(0.4, 0.5, STRANGE, LEAST_LIVENESS - 1e-9)
    assert verdict is Verdict.ATTACK
    assert "the room is darker" in reason


def test_that_more_liveness_is_needed_where_distance_and_pose_differ_too():
    needed = LEAST_LIVENESS + LIVENESS_STEP * FURTHER.place
    assert judge(0.0, 0.5, FURTHER, needed - 1e-9)[0] is Verdict.ATTACK
    assert judge(0.0, 0.5, FURTHER, needed)[0] is Verdict.UNFAMILIAR
    far = replace(FURTHER, place=5.0)
    assert judge(0.0, 0.5, far, SURELY_LIVE)[0] is Verdict.UNFAMILIAR
    assert judge(0.0, 0.5, far, SURELY_LIVE - 1e-9)[0] is Verdict.ATTACK


@pytest.mark.parametrize("score", [-math.inf, math.nan])
@pytest.mark.parametrize("familiarity", [FAMILIAR, STRANGE])
def test_that_a_score_that_is_not_a_number_is_refused(score, familiarity):
    assert judge(score, 0.5, familiarity, 1.0)[0].refuses


def test_that_liveness_that_is_not_a_number_is_an_attack():
    assert judge(0.0, 0.5, STRANGE, math.nan)[0] is Verdict.ATTACK


def test_that_only_genuine_accepts():
    assert [verdict for verdict in Verdict if verdict.accepts] == [Verdict.GENUINE]
