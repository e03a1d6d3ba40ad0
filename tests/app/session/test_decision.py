"""Verdicts on one score, and over a window of frames of one face and one model."""

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
FACE_ONLY = Familiarity(2.5, "window", ("it is darker",), 0.9, 0.0)
OTHER_LIGHT = Familiarity(
    2.5, "window", ("the room is darker", "it is darker", "it is softer"), 2.5, 0.0
)
FURTHER_AWAY = replace(OTHER_LIGHT, place=0.4)
FAR_AWAY = replace(OTHER_LIGHT, place=5.0)


def test_that_the_score_alone_accepts_in_any_light():
    for familiarity in (FAMILIAR, FACE_ONLY, OTHER_LIGHT):
        for liveness in (None, 0.0, 1.0):
            assert judge(0.5, 0.5, familiarity, liveness)[0] is Verdict.GENUINE
            for score in (0.49, -math.inf, math.nan):
                assert judge(score, 0.5, familiarity, liveness)[0].refuses, score


def test_that_a_low_score_is_an_attack_where_the_room_is_lit_as_enrolled():
    for liveness in (None, 1.0):
        for familiarity in (FAMILIAR, FACE_ONLY):
            assert judge(0.49, 0.5, familiarity, liveness)[0] is Verdict.ATTACK


def test_that_a_low_score_in_other_light_is_unfamiliar_if_the_face_looks_live_enough():
    assert judge(0.0, 0.5, OTHER_LIGHT)[0] is Verdict.UNFAMILIAR  # without the networks
    assert judge(0.0, 0.5, OTHER_LIGHT, math.nan)[0] is Verdict.ATTACK
    for familiarity, needed in (
        (OTHER_LIGHT, LEAST_LIVENESS),
        (FURTHER_AWAY, LEAST_LIVENESS + LIVENESS_STEP * FURTHER_AWAY.place),
        (FAR_AWAY, SURELY_LIVE),
    ):
        assert judge(0.49, 0.5, familiarity, needed)[0] is Verdict.UNFAMILIAR, needed
        assert judge(0.49, 0.5, familiarity, needed - 1e-9)[0] is Verdict.ATTACK, needed


def test_that_the_reason_names_the_nearest_take_and_the_two_largest_differences():
    for liveness in (None, 0.0, 1.0):
        reason = judge(0.0, 0.5, OTHER_LIGHT, liveness)[1]
        assert "window, the room is darker and it is darker)" in reason


PICTURE = np.zeros((2, 2, 3), np.uint8)


class Stream:
    """A decider with a clock: frames follow each other at a steady pace."""

    def __init__(self):
        self.decider = Decider()
        self.time = 0.0

    def _update(self, verdict, reason="", *, after=0.1, **fields):
        self.time += after
        frame = Frame(PICTURE, time=self.time)
        return self.decider.update(scored_frame(frame, verdict, reason, **fields))

    def scores(self, *scores, threshold=0.5, **fields):
        """Judge frames by their scores and return the last decision."""
        for score in scores:
            verdict = Verdict.GENUINE if score >= threshold else Verdict.ATTACK
            decision = self._update(verdict, score=score, threshold=threshold, **fields)
        return decision

    def missing(self, verdict=Verdict.NO_FACE, reason="No face.", **fields):
        return self._update(verdict, reason, **fields)


@pytest.fixture
def stream():
    return Stream()


def test_that_too_few_frames_give_no_verdict(stream):
    decision = stream.scores(*[0.9] * (ENOUGH - 1))
    assert (decision.verdict, decision.n_frames) == (Verdict.LOOKING, ENOUGH - 1)
    assert f"{ENOUGH - 1} of {ENOUGH}" in decision.reason
    assert stream.scores(0.9).verdict is Verdict.GENUINE


def test_that_the_mean_over_the_window_is_compared_with_the_threshold(stream):
    decision = stream.scores(0.6, 0.6, 0.6, 0.4, 0.4)
    assert (decision.verdict, decision.threshold) == (Verdict.GENUINE, 0.5)
    assert decision.score == pytest.approx(0.52)
    decision = stream.scores(0.4, 0.4)
    assert decision.verdict is Verdict.ATTACK
    assert decision.score == pytest.approx(3.4 / 7)


def test_that_frames_exactly_at_the_threshold_are_accepted():
    for threshold in (0.1, 0.7, 0.3183098861837907, 1e-300):
        for n_frames in range(ENOUGH, WINDOW + 1):
            decision = Stream().scores(*[threshold] * n_frames, threshold=threshold)
            assert decision.verdict is Verdict.GENUINE, (threshold, n_frames)
            assert decision.score >= decision.threshold


def test_that_a_single_score_that_is_not_a_number_prevents_acceptance():
    for score in (math.nan, -math.inf):
        assert Stream().scores(0.9, 0.9, score, 0.9, 0.9, 0.9).verdict is Verdict.ATTACK


def test_that_a_window_never_mixes_two_faces(stream):
    stream.scores(*[5.0] * WINDOW)
    decision = stream.scores(0.4, face_changed=True)
    assert (decision.verdict, decision.score) == (Verdict.LOOKING, 0.4)
    assert stream.scores(*[0.4] * (ENOUGH - 1)).verdict is Verdict.ATTACK


def test_that_another_face_of_poor_quality_ends_the_verdict_at_once(stream):
    stream.scores(*[0.9] * WINDOW)
    decision = stream.missing(Verdict.POOR_QUALITY, "Too dark.", face_changed=True)
    assert (decision.verdict, decision.reason) == (Verdict.POOR_QUALITY, "Too dark.")
    assert decision.score is None


def test_that_a_window_never_mixes_the_scores_of_two_models(stream):
    stream.scores(*[0.4] * 6, threshold=0.3)
    decision = stream.scores(0.55, threshold=0.5)
    assert decision.verdict is Verdict.LOOKING
    assert (decision.score, decision.threshold, decision.n_frames) == (0.55, 0.5, 1)


def test_that_a_long_gap_or_a_step_back_in_time_begins_a_new_window():
    for after in (LONGEST_GAP - 0.01, 0.0, LONGEST_GAP + 0.01, -0.01, math.nan):
        stream = Stream()
        stream.scores(*[0.9] * 6)
        n_frames = 7 if 0 <= after <= LONGEST_GAP else 1
        assert stream.scores(0.9, after=after).n_frames == n_frames, after


def test_that_a_long_gap_ends_the_verdict_even_if_the_next_frame_shows_no_face(stream):
    stream.scores(*[0.9] * WINDOW)
    assert stream.missing(after=LONGEST_GAP + 1).verdict is Verdict.NO_FACE


def test_that_a_few_frames_without_a_face_are_forgiven_after_every_scored_frame(stream):
    before = stream.scores(*[0.9] * WINDOW)
    for _ in range(3):
        for _ in range(PATIENCE - 1):
            assert stream.missing() == before
        assert stream.scores(0.9) == before
    decision = [stream.missing(reason="No face found.") for _ in range(PATIENCE)][-1]
    assert (decision.verdict, decision.reason) == (Verdict.NO_FACE, "No face found.")
    assert decision.rule == RULE


def test_that_frames_without_a_model_end_the_window(stream):
    stream.scores(*[0.9] * WINDOW)
    decision = stream.missing(Verdict.NO_MODEL, "Enrol first.")
    assert (decision.verdict, decision.reason) == (Verdict.NO_MODEL, "Enrol first.")
    assert decision.score is None
    assert stream.scores(0.9).n_frames == 1


def in_light(room, differences=("the room is darker",)):
    return {"familiarity": Familiarity(room, "window", differences, room, 0.0)}


def test_that_the_mean_light_of_the_window_decides(stream):
    stream.scores(*[0.45] * 3, **in_light(0.0, differences=()))
    decision = stream.scores(*[0.45] * 3, **in_light(1.9))
    assert (decision.verdict, decision.differences) == (Verdict.ATTACK, ())
    stream.scores(0.45, **in_light(1.9))
    decision = stream.scores(0.45, **in_light(1.0, differences=()))
    assert decision.verdict is Verdict.UNFAMILIAR
    assert decision.differences == ("the room is darker",)  # those of the most unfamiliar frame
    assert "the room is darker" in decision.reason


def test_that_mean_liveness_decides_in_unfamiliar_light(stream):
    for liveness, verdict in (
        (0.9, Verdict.UNFAMILIAR),
        (0.0, Verdict.ATTACK),
        (1.0, Verdict.UNFAMILIAR),
    ):
        decision = stream.scores(*[0.1] * 5, liveness=liveness, **in_light(2.0))
        assert decision.verdict is verdict, liveness
    assert decision.liveness == pytest.approx((5 * 0.9 + 5) / 15)
    assert "63 %" in decision.reason


def test_that_a_verdict_near_the_limit_does_not_flicker(stream):
    assert stream.scores(*[0.1] * 5, **in_light(0.95)).verdict is Verdict.ATTACK
    stream.decider.reset()
    assert stream.scores(*[0.1] * 5, **in_light(1.05)).verdict is Verdict.UNFAMILIAR
    assert stream.scores(*[0.1] * 10, **in_light(0.95)).verdict is Verdict.UNFAMILIAR
    assert stream.scores(*[0.1] * 15, **in_light(0.8)).verdict is Verdict.ATTACK


def test_that_a_verdict_held_near_the_limit_keeps_its_reason(stream):
    first = stream.scores(*[0.1] * 5, liveness=0.56, **in_light(2.0))
    held = stream.scores(0.1, liveness=0.49, **in_light(2.0))
    assert held.liveness < LEAST_LIVENESS
    assert (held.verdict, held.reason, held.rule) == (Verdict.UNFAMILIAR, first.reason, RULE)


def test_that_a_reset_forgets_frames_and_patience(stream):
    first = stream.decider.decision
    stream.scores(*[0.9] * 6)
    for _ in range(PATIENCE - 1):
        stream.missing()
    stream.decider.reset()
    assert stream.decider.decision == first
    assert stream.scores(0.9).n_frames == 1
    assert stream.missing().verdict is Verdict.LOOKING
    stream.decider.reset("The camera is gone.")
    assert stream.decider.decision.verdict is Verdict.BAD_FRAME
    assert stream.decider.decision.reason == "The camera is gone."


def test_that_another_scene_with_the_face_in_the_same_place_begins_a_new_window(stream):
    assert stream.scores(*[0.9] * WINDOW).verdict is Verdict.GENUINE
    assert stream.scores(0.1, 0.1).verdict is Verdict.GENUINE
    assert stream.scores(0.1).verdict is Verdict.LOOKING
    decision = stream.scores(0.1, 0.1)
    assert (decision.verdict, decision.n_frames) == (Verdict.ATTACK, ENOUGH)


def test_that_frames_slightly_below_the_threshold_stay_in_the_window(stream):
    stream.scores(*[0.6] * 10)
    decision = stream.scores(*[0.45] * 4)
    assert (decision.verdict, decision.n_frames) == (Verdict.GENUINE, 14)
