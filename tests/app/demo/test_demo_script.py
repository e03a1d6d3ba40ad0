"""What the demo presents in its loop, for takes and in a test."""

from app.demo.renderer.instruments import INSTRUMENTS
from app.demo.script import ENROLLED_LIGHTS, RATE, light_of, script
from app.session.takes import Plan
from app.types import BONA_FIDE, SPECIES

PARTS = script()


def test_that_the_loop_alternates_person_and_attacks_and_ends_with_the_empty_room():
    *labels, last = [chapter.take.label.partition("-")[0] for chapter in PARTS.loop]
    assert labels == ["bonafide", "attack"] * (len(labels) // 2)
    assert last == "nobody"


def test_that_every_instrument_is_presented_under_its_name_in_the_test():
    assert {chapter.take.instrument for chapter in PARTS.attacks} == {*INSTRUMENTS, "monitor"}
    assert {chapter.key for chapter in PARTS.attacks} == {*SPECIES, "replay"}


def test_that_presentations_have_distinct_keys_and_captions():
    everything = PARTS.presentations
    assert len({chapter.key for chapter in everything}) == len(everything)
    assert len({chapter.frame_caption for chapter in everything}) == len(everything)
    assert all(chapter.frame_caption.startswith("Simulated: ") for chapter in everything)


def test_that_takes_to_enrol_are_long_enough_and_not_in_the_loop():
    plan = Plan()
    lengths = {chapter.take.n_frames / RATE for chapter in PARTS.enrolment}
    assert min(lengths) >= plan.frames * plan.every
    assert {chapter.take.n_frames for chapter in script(n_recorded=10).enrolment} == {55}
    assert set(PARTS.enrolment).isdisjoint(PARTS.loop)


def test_that_takes_are_requested_in_the_order_in_which_they_are_recorded():
    lights = [light_of("", n_takes) for n_takes in range(6)]
    assert lights == [*ENROLLED_LIGHTS] * 2
    assert [light_of(name, 7) for name in ("lamp light", "ceiling light")] == ["lamp", "office"]
    chapters = [PARTS.enrolment_take(light, n) for n, light in enumerate(lights)]
    assert [chapter.take.condition for chapter in chapters] == lights
    assert tuple(chapters) == PARTS.enrolment
    assert all(chapter.is_genuine for chapter in chapters)


def test_that_a_test_presents_takes_of_the_person_that_were_not_enrolled():
    keys = [PARTS.presentation_of(BONA_FIDE, n).key for n in range(5)]
    assert keys == ["window 6", "lamp 6", "window 7", "lamp 7", "window 6"]


def test_that_a_complete_test_presents_the_person_before_every_attack():
    plan = PARTS.test_plan
    assert plan[::2] == (BONA_FIDE,) * (len(plan) // 2)
    assert sorted(plan[1::2]) == sorted({*SPECIES, "replay"})
    assert all(PARTS.presentation_of(species).key == species for species in plan[1::2])
