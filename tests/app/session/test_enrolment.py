"""Takes that are recorded, and what a model and views get of them."""

from dataclasses import replace

import numpy as np
import pytest

from app.names import TAKE_NAMES
from app.session.enrolment import FEWEST_SAMPLES, Enrolment
from app.session.takes import Offer, Plan
from app.types import Verdict
from app.vision.conditions import DIMENSIONS
from tests.app.enrolments import SHORT, Sitting, unusable, usable
from tests.app.vision.test_conditions import HOME

LAMP = replace(HOME, warmth=HOME.warmth + 3 * DIMENSIONS["warmth"].tolerance)


@pytest.fixture
def sitting():
    return Sitting()


def test_that_a_take_is_recorded_without_a_pause_and_then_ends(sitting):
    enrolment = sitting.enrolment
    assert enrolment.start("window light") == "window light"
    assert enrolment.recording == "window light"
    assert [sitting.offer() for _ in range(6)] == [Offer.KEPT] * 5 + [Offer.FINISHED]
    assert not enrolment.is_recording
    assert enrolment.recording == ""
    assert [sample.number for sample in enrolment.samples] == list(range(6))


def test_that_progress_tells_frames_wanted_and_there(sitting):
    sitting.enrolment.start("a")
    shown = sitting.enrolment.state
    assert (shown.collecting, shown.n_wanted, shown.n_collected) == ("a", 6, 0)
    sitting.offer()
    assert sitting.enrolment.state.n_collected == 1
    sitting.enrolment.stop()
    shown = sitting.enrolment.state
    assert (shown.collecting, shown.n_wanted, shown.n_collected) == ("", 0, 0)


def test_that_an_unusable_frame_says_why_until_a_usable_one_comes(sitting):
    sitting.enrolment.start("a")
    sitting.offer()
    assert sitting.enrolment.offer(unusable(5.0, "Too dark.")) is Offer.UNUSABLE
    assert sitting.enrolment.state.hint == "Too dark."
    place = float(sitting.enrolment.samples[0].views["eyes"][0, 0])
    assert sitting.enrolment.offer(usable(5.1, place, 0.0)) is Offer.ALIKE
    assert "Turn" in sitting.enrolment.state.hint


def test_that_frames_close_in_time_are_not_kept():
    enrolment = Enrolment(SHORT)
    enrolment.start("a")
    assert enrolment.offer(usable(0.0, 0.0, 0.0)) is Offer.KEPT
    assert enrolment.offer(usable(0.09, 50.0, 0.0)) is Offer.ALIKE
    assert enrolment.offer(usable(0.1, 50.0, 0.0)) is Offer.KEPT


@pytest.mark.fault("Numbers", "identical frames for a take", keeps="takes")
def test_that_an_exact_duplicate_is_never_kept_however_long_it_lasts():
    enrolment = Enrolment(SHORT)
    enrolment.start("a")
    assert enrolment.offer(usable(0.0, 1.0, 2.0)) is Offer.KEPT
    offers = {enrolment.offer(usable(float(time), 1.0, 2.0)) for time in range(1, 60)}
    assert offers == {Offer.ALIKE}


def noisy(enrolment, n=30, step=1.0, gap=0.001):
    """Offer frames that jump to and fro by a step, faster than any is kept."""
    for k in range(n):
        enrolment.offer(usable(k * gap, step * (k % 2), 0.0))


def test_that_a_frame_within_the_cameras_noise_is_not_kept_at_once():
    enrolment = Enrolment(SHORT)
    enrolment.start("a")
    noisy(enrolment)
    assert len(enrolment.samples) == 1
    assert enrolment.offer(usable(0.2, 0.0, 0.9)) is Offer.ALIKE
    assert enrolment.offer(usable(0.2, 0.0, 1.1)) is Offer.KEPT


def test_that_after_a_while_half_the_noise_is_enough():
    enrolment = Enrolment(SHORT)
    enrolment.start("a")
    noisy(enrolment)
    assert enrolment.offer(usable(SHORT.at_least_every + 0.1, 0.0, 0.45)) is Offer.ALIKE
    assert enrolment.offer(usable(SHORT.at_least_every + 0.1, 0.0, 0.55)) is Offer.KEPT


def test_that_repeated_pictures_do_not_make_a_camera_look_free_of_noise():
    enrolment = Enrolment(SHORT)
    enrolment.start("a")
    for k in range(60):  # every picture comes three times, as from a slow camera
        enrolment.offer(usable(k * 0.001, float(k // 3 % 2), 0.0))
    assert enrolment.offer(usable(0.2, 0.0, 0.9)) is Offer.ALIKE


def test_that_a_jump_over_lost_frames_is_no_noise():
    enrolment = Enrolment(SHORT)
    enrolment.start("a")
    for k in range(30):
        enrolment.offer(unusable(k * 0.002))
        enrolment.offer(usable(k * 0.002 + 0.001, 9.0 * (k % 2), 0.0))
    enrolment.offer(unusable(0.1))
    assert enrolment.offer(usable(0.2, 0.0, 0.5)) is Offer.KEPT


@pytest.mark.fault("Camera", "one frame a second", keeps="models")
def test_that_the_movement_between_two_frames_a_second_apart_is_no_noise():
    enrolment = Enrolment(Plan(frames=20))
    enrolment.start("a")
    rng = np.random.default_rng(0)
    # Six poses over and over: a small difference counts, although the steps are large.
    offers = [enrolment.offer(usable(float(k), 9.0 * (k % 6), rng.normal())) for k in range(20)]
    assert offers == [Offer.KEPT] * 19 + [Offer.FINISHED]


def test_that_samples_keep_circumstances_but_not_the_frame(sitting):
    sitting.enrolment.start("a")
    offered = sitting.frame(caption="Simulated: a person")
    sitting.enrolment.offer(offered)
    (sample,) = sitting.enrolment.samples
    assert sample.condition is offered.result.condition
    assert sample.is_simulated
    assert not any(value is offered.frame for value in vars(sample).values())


def test_that_stopping_keeps_what_is_there_and_lets_it_be_undone(sitting):
    sitting.record("a", n_frames=4)
    assert sitting.takes == {"a": 4}
    assert sitting.enrolment.state.hint == ""
    sitting.enrolment.undo()
    assert sitting.takes == {}


def test_that_stopping_with_nothing_kept_leaves_nothing_to_undo(sitting):
    sitting.enrolment.start("a")
    sitting.enrolment.offer(unusable(0.0))
    sitting.enrolment.stop()
    assert not sitting.enrolment.state.can_undo
    assert sitting.enrolment.state.hint == ""


def test_that_a_fit_needs_enough_frames_and_no_recording(sitting):
    assert f"{FEWEST_SAMPLES} more" in sitting.enrolment.why_not()
    sitting.record("a")
    assert not sitting.enrolment.state.can_fit
    sitting.record("b")
    assert len(sitting.enrolment.samples) == FEWEST_SAMPLES
    shown = sitting.enrolment.state
    assert (shown.can_fit, shown.why_not) == (True, "")
    sitting.enrolment.start("c")
    shown = sitting.enrolment.state
    assert not shown.can_fit
    assert "being recorded" in shown.why_not


def test_that_a_take_is_in_the_model_when_all_of_it_is(sitting):
    sitting.record("a")
    sitting.record("b")
    sitting.enrolment.modelled = frozenset(range(11))
    assert [take.is_in_model for take in sitting.enrolment.state.takes] == [True, False]
    assert [sample.number for sample in sitting.enrolment.unmodelled] == [11]
    sitting.enrolment.rename_take("a", "c")
    assert sitting.enrolment.state.takes[0].is_in_model


def test_that_takes_in_the_same_circumstances_share_a_light(sitting):
    sitting.record("lamp", condition=LAMP)
    sitting.record("window")
    sitting.record("lamp again", condition=LAMP)
    assert [take.light for take in sitting.enrolment.state.takes] == [1, 2, 1]


def test_that_frames_without_circumstances_are_shown_and_counted(sitting):
    sitting.record("cup", condition=None)
    shown = sitting.enrolment.state
    assert [take.light for take in shown.takes] == [0]
    assert [(item.name, item.share) for item in shown.coverage] == [("Frames", 0.1)]


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


def test_that_the_plan_as_shipped_gives_enough_frames_for_a_fit_in_one_take():
    plan = Plan()
    assert plan.frames >= FEWEST_SAMPLES
    sitting = Sitting(plan)
    sitting.record("")
    assert sitting.takes == {TAKE_NAMES[0]: plan.frames}
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
        assert sitting.enrolment.samples[-1].take == "quick"
        assert sitting.enrolment.samples[-1].person == person


def test_that_only_a_quick_take_leaves_out_what_the_model_calls_an_attack():
    for is_quick in (True, False):
        enrolment = Enrolment(Plan(frames=4))
        enrolment.start("a", is_quick=is_quick)
        frame = usable(1.0, 100.0, 0.0)
        attack = replace(frame, verdict=Verdict.ATTACK)
        assert enrolment.offer(attack) is (Offer.REFUSED if is_quick else Offer.KEPT)
        assert len(enrolment.samples) == (not is_quick)
        if is_quick:
            assert "attack" in enrolment.state.hint
