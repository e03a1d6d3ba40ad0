"""Verdicts: on one score, and over a window of frames of one face and one model."""

import math
from dataclasses import replace

import numpy as np
import pytest

from app.session.decision import ENOUGH_FRAMES as ENOUGH
from app.session.decision import (
    LEAST_LIVENESS,
    LIVENESS_STEP,
    LONGEST_GAP,
    PATIENCE,
    RULE,
    SURELY_LIVE,
    WINDOW,
    Decider,
    judge,
)
from app.types import Familiarity, Frame, Verdict
from tests.scored_frames import scored_frame

FAMILIAR = Familiarity(0.4, "window", (), 0.4, 0.0)
FACE_ALONE = Familiarity(2.5, "window", ("it is darker",), 0.9, 0.0)
STRANGE = Familiarity(
    2.5, "window", ("the room is darker", "it is darker", "it is softer"), 2.5, 0.0
)
FURTHER = Familiarity(2.5, "window", ("the room is darker",), 2.5, 0.4)


def test_that_the_score_alone_accepts_in_any_light():
    for familiarity in (FAMILIAR, FACE_ALONE, STRANGE):
        for liveness in (None, 0.0, 1.0):
            assert judge(0.5, 0.5, familiarity, liveness)[0] is Verdict.GENUINE
            assert not judge(0.49, 0.5, familiarity, liveness)[0].accepts


def test_that_a_low_score_is_an_attack_where_the_room_is_lit_as_enrolled():
    for liveness in (None, 1.0):
        for familiarity in (FAMILIAR, FACE_ALONE):
            assert judge(0.49, 0.5, familiarity, liveness)[0] is Verdict.ATTACK


def test_that_a_low_score_in_another_light_is_unfamiliar_without_the_networks():
    for score in (0.49, 0.0):
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


def test_that_a_score_that_is_not_a_number_is_refused():
    for score in (-math.inf, math.nan):
        for familiarity in (FAMILIAR, STRANGE):
            assert judge(score, 0.5, familiarity, 1.0)[0].refuses


def test_that_liveness_that_is_not_a_number_is_an_attack():
    assert judge(0.0, 0.5, STRANGE, math.nan)[0] is Verdict.ATTACK


PICTURE = np.zeros((2, 2, 3), np.uint8)
STEP = 0.1


class Stream:
    """A decider with a clock: frames follow each other at a steady pace."""

    def __init__(self):
        self.decider = Decider()
        self.time = 0.0

    def scored(self, score, *, threshold=0.5, verdict=None, after=STEP, **more):
        """Judge one frame by its score, as the program does."""
        if verdict is None:
            verdict = Verdict.GENUINE if score >= threshold else Verdict.ATTACK
        self.time += after
        frame = Frame(PICTURE, time=self.time)
        return self.decider.update(
            scored_frame(frame, verdict, score=score, threshold=threshold, **more)
        )

    def scores(self, *scores, **more):
        return [self.scored(score, **more) for score in scores][-1]

    def missing(self, verdict=Verdict.NO_FACE, reason="No face.", after=STEP, **more):
        self.time += after
        frame = Frame(PICTURE, time=self.time)
        return self.decider.update(scored_frame(frame, verdict, reason, **more))


@pytest.fixture
def stream():
    return Stream()


def test_that_only_accepting_and_refusing_decide():
    assert [verdict for verdict in Verdict if verdict.accepts] == [Verdict.GENUINE]
    deciding = {Verdict.GENUINE, Verdict.ATTACK, Verdict.UNFAMILIAR}
    assert {verdict for verdict in Verdict if verdict.decides} == deciding
    assert {verdict for verdict in Verdict if verdict.refuses} == deciding - {Verdict.GENUINE}


def test_that_no_verdict_is_given_on_too_few_frames(stream):
    decision = stream.scores(*[0.9] * (ENOUGH - 1))
    assert decision.verdict is Verdict.LOOKING
    assert f"{ENOUGH - 1} of {ENOUGH}" in decision.reason
    assert decision.n_frames == ENOUGH - 1
    assert stream.scored(0.9).verdict is Verdict.GENUINE


def test_that_the_mean_of_the_window_is_held_against_the_threshold(stream):
    decision = stream.scores(0.6, 0.6, 0.6, 0.4, 0.4)
    assert decision.verdict is Verdict.GENUINE
    assert decision.score == pytest.approx(0.52)
    assert decision.threshold == 0.5
    decision = stream.scores(0.4, 0.4)
    assert decision.verdict is Verdict.ATTACK
    assert decision.score == pytest.approx(3.4 / 7)


def test_that_frames_exactly_at_the_threshold_are_accepted():
    for threshold in (0.1, 0.7, 0.3183098861837907, 1e-300):
        for n_frames in range(ENOUGH, WINDOW + 1):
            stream = Stream()
            decision = stream.scores(*[threshold] * n_frames, threshold=threshold)
            assert decision.verdict is Verdict.GENUINE
            assert decision.score >= decision.threshold


def test_that_one_score_that_is_no_number_lets_nobody_in():
    for score in (float("nan"), float("-inf")):
        stream = Stream()
        decision = stream.scores(0.9, 0.9, score, 0.9, 0.9, 0.9)
        assert decision.verdict is Verdict.ATTACK


def test_that_a_window_never_mixes_two_faces(stream):
    stream.scores(*[5.0] * WINDOW)
    decision = stream.scored(0.4, face_changed=True)
    assert decision.verdict is Verdict.LOOKING
    assert decision.score == 0.4
    assert stream.scores(*[0.4] * (ENOUGH - 1)).verdict is Verdict.ATTACK


def test_that_another_face_of_poor_quality_ends_the_verdict_of_the_first_at_once(stream):
    stream.scores(*[0.9] * WINDOW)
    decision = stream.missing(Verdict.POOR_QUALITY, "Too dark.", face_changed=True)
    assert decision.verdict is Verdict.POOR_QUALITY
    assert decision.reason == "Too dark."
    assert decision.score is None


def test_that_a_window_never_mixes_the_scores_of_two_models(stream):
    stream.scores(*[0.4] * 6, threshold=0.3)
    decision = stream.scored(0.55, threshold=0.5)
    assert decision.verdict is Verdict.LOOKING
    assert (decision.score, decision.threshold, decision.n_frames) == (0.55, 0.5, 1)


def test_that_frames_far_apart_do_not_belong_together():
    for after, n_frames in (
        (LONGEST_GAP - 0.01, 7),
        (LONGEST_GAP + 0.01, 1),
        (-0.01, 1),
        (float("nan"), 1),
        (0.0, 7),
    ):
        stream = Stream()
        stream.scores(*[0.9] * 6)
        assert stream.scored(0.9, after=after).n_frames == n_frames


def test_that_a_long_gap_ends_the_verdict_also_when_the_next_frame_shows_nobody(stream):
    stream.scores(*[0.9] * WINDOW)
    assert stream.missing(after=LONGEST_GAP + 1).verdict is Verdict.NO_FACE


def test_that_some_frames_without_a_face_are_forgiven(stream):
    before = stream.scores(*[0.9] * 6)
    for _ in range(PATIENCE - 1):
        assert stream.missing() == before
    decision = stream.missing(reason="No face found.")
    assert decision.verdict is Verdict.NO_FACE
    assert decision.reason == "No face found."
    assert decision.rule == RULE


def test_that_patience_begins_anew_with_every_scored_frame(stream):
    stream.scores(*[0.9] * 6)
    for _ in range(3):
        for _ in range(PATIENCE - 1):
            assert stream.missing().verdict is Verdict.GENUINE
        stream.scored(0.9)


def test_that_without_a_model_that_is_told_and_nothing_is_kept(stream):
    stream.scores(*[0.9] * WINDOW)
    decision = stream.missing(Verdict.NO_MODEL, "There is no model yet.")
    assert decision.verdict is Verdict.NO_MODEL
    assert decision.reason == "There is no model yet."
    assert decision.score is None
    assert stream.scored(0.9).n_frames == 1


def in_light(room, place=0.0, differences=("the room is darker",)):
    return Familiarity(room, "window", differences, room, place)


def test_that_a_refusal_in_unfamiliar_light_says_what_differs(stream):
    stream.scores(*[0.45] * 4, familiarity=in_light(2.0))
    decision = stream.scored(0.45, familiarity=in_light(0.0, differences=()))
    assert decision.verdict is Verdict.UNFAMILIAR
    assert "the room is darker" in decision.reason
    assert decision.differences == ("the room is darker",)


def test_that_the_mean_light_of_the_window_decides(stream):
    stream.scores(*[0.45] * 3, familiarity=in_light(0.0, differences=()))
    decision = stream.scores(*[0.45] * 3, familiarity=in_light(1.9))
    assert decision.verdict is Verdict.ATTACK
    assert decision.differences == ()
    assert stream.scored(0.45, familiarity=in_light(1.9)).verdict is Verdict.UNFAMILIAR


def test_that_mean_liveness_decides_in_unfamiliar_light(stream):
    strange = {"familiarity": in_light(2.0)}
    assert stream.scores(*[0.1] * 5, liveness=0.9, **strange).verdict is Verdict.UNFAMILIAR
    assert stream.scores(*[0.1] * 5, liveness=0.0, **strange).verdict is Verdict.ATTACK
    assert stream.scores(*[0.1] * 5, liveness=1.0, **strange).verdict is Verdict.UNFAMILIAR
    assert stream.decider.decision.liveness == pytest.approx((5 * 0.9 + 5) / 15)
    assert "looks live (63 %)" in stream.decider.decision.reason


def test_that_a_verdict_near_the_limit_does_not_flicker(stream):
    assert stream.scores(*[0.1] * 5, familiarity=in_light(0.95)).verdict is Verdict.ATTACK
    stream.decider.reset()
    assert stream.scores(*[0.1] * 5, familiarity=in_light(1.05)).verdict is Verdict.UNFAMILIAR
    assert stream.scores(*[0.1] * 10, familiarity=in_light(0.95)).verdict is Verdict.UNFAMILIAR
    assert stream.scores(*[0.1] * 15, familiarity=in_light(0.8)).verdict is Verdict.ATTACK


def test_that_a_reset_forgets_frames_and_patience(stream):
    first = stream.decider.decision
    stream.scores(*[0.9] * 6)
    for _ in range(PATIENCE - 1):
        stream.missing()
    stream.decider.reset()
    assert stream.decider.decision == first
    assert stream.scored(0.9).n_frames == 1
    assert stream.missing().verdict is Verdict.LOOKING


def test_that_another_scene_with_the_face_in_the_same_place_begins_a_new_window(stream):
    assert stream.scores(*[0.9] * WINDOW).verdict is Verdict.GENUINE
    assert stream.scores(0.1, 0.1).verdict is Verdict.GENUINE
    assert stream.scored(0.1).verdict is Verdict.LOOKING
    decision = stream.scores(0.1, 0.1)
    assert (decision.verdict, decision.n_frames) == (Verdict.ATTACK, ENOUGH)


def test_that_frames_a_little_below_the_threshold_stay_in_the_window(stream):
    stream.scores(*[0.6] * 10)
    decision = stream.scores(*[0.45] * 4)
    assert (decision.verdict, decision.n_frames) == (Verdict.GENUINE, 14)


def test_that_a_reason_why_nothing_can_be_seen_takes_the_place_of_the_verdict():
    decider = Decider()
    decider.reset("The camera is gone.")
    assert decider.decision.verdict is Verdict.BAD_FRAME
    assert decider.decision.reason == "The camera is gone."
