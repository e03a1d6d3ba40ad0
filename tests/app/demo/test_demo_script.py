import pytest

from app.demo.renderer.instruments import INSTRUMENTS
from app.demo.script import RATE, script
from app.session.takes import Plan
from app.types import SPECIES
from lmkl_core.errors import InvalidInputError


def recorded(chapter):
    return chapter.truth, chapter.instrument, chapter.light, chapter.seed


def test_that_the_loop_begins_with_the_person_and_ends_with_nobody():
    truths = [chapter.truth for chapter in script().loop]
    assert (truths[0], truths[-1]) == ("bonafide", "nobody")


def test_that_the_loop_shows_the_person_and_attacks_in_turn():
    truths = [chapter.truth for chapter in script().loop[:-1]]
    assert truths == ["bonafide", "attack"] * (len(truths) // 2)


def test_that_every_instrument_is_presented_under_the_name_the_test_offers_it_by():
    attacks = [chapter for chapter in script().presentations if chapter.truth == "attack"]
    assert {chapter.instrument for chapter in attacks} == {*INSTRUMENTS, "monitor"}
    assert {chapter.species for chapter in attacks} == {*SPECIES, "replay"}


def test_that_two_takes_in_each_of_three_lights_can_be_enrolled():
    keys = [chapter.key for chapter in script().enrolment]
    assert keys == [f"{light} {n}" for n in (1, 2) for light in ("window", "lamp", "office")]


def test_that_a_take_to_enrol_is_as_long_as_recording_one():
    plan = Plan()
    lengths = {chapter.n_recorded / RATE for chapter in script().enrolment}
    assert min(lengths) >= plan.frames * plan.every


def test_that_the_loop_shows_no_take_that_is_enrolled():
    parts = script()
    enrolled = {recorded(chapter) for chapter in parts.enrolment}
    assert enrolled.isdisjoint(recorded(chapter) for chapter in parts.loop)


def test_that_another_seed_shares_no_take():
    first, second = (
        {recorded(chapter) for chapter in script(seed=seed).presentations} for seed in (0, 1)
    )
    assert first.isdisjoint(second)


def test_that_presentations_are_told_apart_by_key_and_by_caption():
    everything = script().presentations
    assert len({chapter.key for chapter in everything}) == len(everything)
    assert len({chapter.caption for chapter in everything}) == len(everything)


def test_that_takes_to_enrol_are_longer_than_those_of_the_loop():
    parts = script(n_recorded=10)
    assert {chapter.n_recorded for chapter in parts.enrolment} == {55}
    assert max(chapter.n_recorded for chapter in parts.loop) == 10


def test_that_recorded_pictures_are_shown_to_and_fro():
    chapter = script(n_recorded=4).loop[0]
    assert [chapter.picture_of(k) for k in range(8)] == [0, 1, 2, 3, 2, 1, 0, 1]


@pytest.mark.parametrize("options", [{"seed": -1}, {"n_recorded": 0}])
def test_that_a_demo_without_pictures_is_refused(options):
    with pytest.raises(InvalidInputError, match="at least one picture"):
        script(**options)
