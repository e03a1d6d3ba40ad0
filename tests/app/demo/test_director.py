"""What the demo presents for a take and for a test."""

import pytest

from app.demo import director
from app.demo.source import DemoSource
from app.types import BONA_FIDE, SPECIES


@pytest.fixture(scope="module")
def demo():
    """Return a demo that is never opened: nothing is recorded."""
    return DemoSource(n_recorded=1)


def test_that_another_round_through_the_lights_presents_other_recordings(demo):
    taken = [director.light_of("", n_takes) for n_takes in range(6)]
    assert taken == [*director.ENROLLED_LIGHTS] * 2
    chapters = [director.enrolment_take(demo, light, n) for n, light in enumerate(taken)]
    assert [chapter.light for chapter in chapters] == taken
    assert {chapter.truth for chapter in chapters} == {"bonafide"}
    assert len(set(chapters)) == 6


def test_that_takes_are_recorded_ahead_in_the_order_they_are_asked_for(demo):
    asked = [director.enrolment_take(demo, director.light_of("", n), n) for n in range(6)]
    assert list(demo.enrolment) == asked


def test_that_rounds_beyond_the_recordings_begin_again(demo):
    n_takes = len(demo.enrolment)
    first = director.enrolment_take(demo, "lamp", 0)
    assert director.enrolment_take(demo, "lamp", n_takes) is first
    assert director.enrolment_take(demo, "lamp", 1000 * n_takes) is first


@pytest.mark.parametrize("light", ["", "candle"])
def test_that_a_light_the_demo_does_not_have_is_any_light(demo, light):
    chapters = [director.enrolment_take(demo, light, n_takes) for n_takes in range(40)]
    assert set(chapters) == set(demo.enrolment)


def test_that_the_caption_is_the_one_that_frames_carry_and_tells_takes_apart(demo):
    captions = {chapter.frame_caption for chapter in demo.presentations}
    assert len(captions) == len(demo.presentations)
    assert all(caption.startswith("Simulated: ") for caption in captions)


def test_that_frames_of_the_demo_carry_that_caption():
    with DemoSource(paced=False, n_recorded=1) as source:
        frame = source.read()
        assert frame.caption == source.chapter.frame_caption


@pytest.mark.parametrize("n_before", range(6))
def test_that_a_test_presents_the_person_in_takes_that_were_not_enrolled(demo, n_before):
    chapter = director.presentation_of(demo, BONA_FIDE, n_before)
    assert chapter.truth == "bonafide"
    assert chapter not in demo.enrolment
    assert chapter.light in director.TESTED_LIGHTS


def test_that_a_test_goes_through_the_persons_takes_in_turn(demo):
    shown = [director.presentation_of(demo, BONA_FIDE, n) for n in range(20)]
    n_takes = len(set(shown))
    assert n_takes > 1
    assert len(set(shown[:n_takes])) == n_takes
    assert shown[n_takes] is shown[0]
    assert {chapter.light for chapter in shown} == set(director.TESTED_LIGHTS)


@pytest.mark.parametrize("species", SPECIES)
def test_that_every_offered_species_is_an_attack_of_that_kind(demo, species):
    chapter = director.presentation_of(demo, species)
    assert chapter.truth == "attack"
    assert chapter.species == species


@pytest.mark.parametrize("species", ["", "latex mask", "nobody", "window 6", "bonafide"])
def test_that_what_the_demo_does_not_have_is_nothing(demo, species):
    assert director.presentation_of(demo, species) is None


def test_that_a_whole_test_presents_the_person_before_every_attack(demo):
    plan = director.test_plan(demo)
    assert plan[::2] == (BONA_FIDE,) * (len(plan) // 2)
    attacks = plan[1::2]
    assert len(set(attacks)) == len(attacks) >= len(SPECIES)
    assert set(SPECIES) <= set(attacks)
    assert all(director.presentation_of(demo, species) is not None for species in plan)
