"""Recording takes: which frames are kept, and what a fit and the views get."""

from dataclasses import replace

import numpy as np
import pytest

from app.names import TAKE_NAMES
from app.session.enrolment import FEWEST_SAMPLES, Enrolment
from app.session.takes import Offer, Plan
from app.types import Verdict
from tests.app.enrolments import SHORT, Sitting, unusable, usable
from tests.app.session.test_coverage import LAMP


@pytest.fixture
def sitting():
    return Sitting()


@pytest.fixture
def enrolment():
    """Return an enrolment that records a short take."""
    enrolment = Enrolment(SHORT)
    enrolment.start("a")
    return enrolment


def test_that_a_take_is_recorded_and_ends_by_itself(sitting):
    enrolment = sitting.enrolment
    assert enrolment.start("window light") == enrolment.recording == "window light"
    assert [sitting.offer() for _ in range(6)] == [Offer.KEPT] * 5 + [Offer.FINISHED]
    assert (enrolment.is_recording, enrolment.recording) == (False, "")
    assert [sample.number for sample in enrolment.samples] == list(range(6))


def test_that_the_state_shows_the_progress_of_a_take(sitting):
    def progress():
        state = sitting.enrolment.state
        return state.collecting, state.n_wanted, state.n_collected

    sitting.enrolment.start("a")
    assert progress() == ("a", 6, 0)
    sitting.offer()
    assert progress() == ("a", 6, 1)
    sitting.enrolment.stop()
    assert progress() == ("", 0, 0)


def test_that_the_hint_gives_the_reason_for_an_unusable_frame_until_a_usable_one_comes(enrolment):
    enrolment.offer(usable(0.0, 1.0, 0.0))
    assert enrolment.offer(unusable(5.0, "Too dark.")) is Offer.UNUSABLE
    assert enrolment.state.hint == "Too dark."
    assert enrolment.offer(usable(5.1, 1.0, 0.0)) is Offer.ALIKE
    assert enrolment.state.hint not in ("", "Too dark.")


def test_that_frames_close_in_time_are_not_kept(enrolment):
    assert enrolment.offer(usable(0.0, 0.0, 0.0)) is Offer.KEPT
    assert enrolment.offer(usable(0.09, 50.0, 0.0)) is Offer.ALIKE
    assert enrolment.offer(usable(0.1, 50.0, 0.0)) is Offer.KEPT


@pytest.mark.fault("Numbers", "identical frames for a take", keeps="takes")
def test_that_an_exact_duplicate_is_never_kept_however_long_it_lasts(enrolment):
    assert enrolment.offer(usable(0.0, 1.0, 2.0)) is Offer.KEPT
    offers = {enrolment.offer(usable(float(time), 1.0, 2.0)) for time in range(1, 60)}
    assert offers == {Offer.ALIKE}


@pytest.mark.parametrize("n_repeated", [1, 3])  # a slow camera delivers every picture three times
def test_that_a_frame_has_to_differ_by_the_cameras_noise_or_later_by_half_of_it(
    enrolment, n_repeated
):
    for k in range(60):  # faster than frames are kept
        enrolment.offer(usable(k * 0.001, float(k // n_repeated % 2), 0.0))
    assert len(enrolment.samples) == 1
    assert enrolment.offer(usable(0.2, 0.0, 0.9)) is Offer.ALIKE
    assert enrolment.offer(usable(0.2, 0.0, 1.1)) is Offer.KEPT
    later = 0.3 + SHORT.at_least_every
    assert enrolment.offer(usable(later, 0.0, -0.45)) is Offer.ALIKE
    assert enrolment.offer(usable(later, 0.0, -0.55)) is Offer.KEPT


def test_that_a_jump_over_lost_frames_does_not_count_as_noise(enrolment):
    for k in range(30):
        enrolment.offer(unusable(k * 0.002))
        enrolment.offer(usable(k * 0.002 + 0.001, 9.0 * (k % 2), 0.0))
    enrolment.offer(unusable(0.1))
    assert enrolment.offer(usable(0.2, 0.0, 0.5)) is Offer.KEPT


@pytest.mark.fault("Camera", "one frame a second", keeps="models")
def test_that_movement_between_frames_a_second_apart_does_not_count_as_noise():
    enrolment = Enrolment(Plan(frames=20))
    enrolment.start("a")
    rng = np.random.default_rng(0)
    # The same six poses in turn: a small difference counts, although the steps are large.
    offers = [enrolment.offer(usable(float(k), 9.0 * (k % 6), rng.normal())) for k in range(20)]
    assert offers == [Offer.KEPT] * 19 + [Offer.FINISHED]


def test_that_samples_keep_conditions_but_not_the_frame(sitting):
    sitting.enrolment.start("a")
    offered = sitting.frame(caption="Simulated: a person")
    sitting.enrolment.offer(offered)
    (sample,) = sitting.enrolment.samples
    assert sample.condition is offered.result.condition
    assert sample.is_simulated
    assert not any(value is offered.frame for value in vars(sample).values())


def test_that_stopping_keeps_the_frames_so_far_and_can_be_undone(sitting):
    sitting.record("a", n_frames=4)
    assert sitting.takes == {"a": 4}
    assert sitting.enrolment.state.hint == ""
    sitting.enrolment.undo()
    assert sitting.takes == {}


def test_that_stopping_before_the_first_frame_leaves_nothing_to_undo(enrolment):
    enrolment.offer(unusable(0.0))
    enrolment.stop()
    assert (enrolment.state.can_undo, enrolment.state.hint) == (False, "")


def test_that_a_fit_needs_enough_frames_and_no_recording(sitting):
    assert f"{FEWEST_SAMPLES} more" in sitting.enrolment.why_not()
    sitting.record("a")
    assert not sitting.enrolment.state.can_fit
    sitting.record("b")
    assert len(sitting.enrolment.samples) == FEWEST_SAMPLES
    assert (sitting.enrolment.state.can_fit, sitting.enrolment.why_not()) == (True, "")
    sitting.enrolment.start("c")
    assert not sitting.enrolment.state.can_fit
    assert "being recorded" in sitting.enrolment.state.why_not


def test_that_a_take_is_in_the_model_if_all_of_it_is(sitting):
    sitting.record("a")
    sitting.record("b")
    sitting.enrolment.modelled = frozenset(range(11))
    assert [take.is_in_model for take in sitting.enrolment.state.takes] == [True, False]
    assert [sample.number for sample in sitting.enrolment.unmodelled] == [11]
    sitting.enrolment.rename_take("a", "c")
    assert sitting.enrolment.state.takes[0].is_in_model


def test_that_takes_under_the_same_conditions_share_a_light(sitting):
    sitting.record("lamp", condition=LAMP)
    sitting.record("window")
    sitting.record("lamp again", condition=LAMP)
    assert [take.light for take in sitting.enrolment.state.takes] == [1, 2, 1]


def test_that_frames_without_conditions_have_no_light_and_count_as_frames(sitting):
    sitting.record("cup", condition=None)
    state = sitting.enrolment.state
    assert [take.light for take in state.takes] == [0]
    assert [(item.name, item.share) for item in state.coverage] == [("Frames", 0.1)]


def test_that_coverage_follows_every_change(sitting):
    def n_frames():
        return round(sitting.enrolment.state.coverage[0].share * 60)

    sitting.record("a")
    assert n_frames() == 6
    sitting.enrolment.remove_samples([2])
    assert n_frames() == 5
    sitting.enrolment.undo()
    assert n_frames() == 6
    sitting.enrolment.clear()
    assert n_frames() == 0


def test_that_one_take_of_the_default_plan_is_enough_for_a_fit():
    sitting = Sitting(Plan())
    sitting.record("")
    assert sitting.takes == {TAKE_NAMES[0]: Plan().frames}
    assert sitting.enrolment.state.can_fit


def test_that_a_quick_take_belongs_to_the_only_person():
    for people, person in ((("Ann",), "Ann"), (("Ann", "Ben"), "")):
        sitting = Sitting()
        for name in people:
            sitting.enrolment.set_person(name)
            sitting.record(f"desk of {name}")
        sitting.enrolment.start("quick", is_quick=True)
        while sitting.offer() is not Offer.KEPT:
            pass
        sample = sitting.enrolment.samples[-1]
        assert (sample.take, sample.person) == ("quick", person)


@pytest.mark.parametrize("is_quick", [True, False])
def test_that_only_a_quick_take_drops_what_the_model_calls_an_attack(is_quick):
    enrolment = Enrolment(Plan(frames=4))
    enrolment.start("a", is_quick=is_quick)
    attack = replace(usable(1.0, 100.0, 0.0), verdict=Verdict.ATTACK)
    assert enrolment.offer(attack) is (Offer.REFUSED if is_quick else Offer.KEPT)
    assert len(enrolment.samples) == (not is_quick)
    assert ("attack" in enrolment.state.hint) is is_quick
