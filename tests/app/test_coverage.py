"""What an enrolment covers, and the advice for the rest."""

from dataclasses import replace

import pytest

from app.conditions import DIMENSIONS
from app.coverage import DISTANCE, FRAMES, LIGHTS, NOD, TAKES_A_LIGHT, TURN, coverage
from tests.app.test_conditions import HOME

ANOTHER_LIGHT = {"warmth": HOME.warmth + 3 * DIMENSIONS["warmth"].tolerance}


def covered(conditions, parts):
    return {item.name: item for item in coverage(conditions, parts)}


def swept(part, n=40, **ends):
    """Frames of one part in which some measures go evenly from one end to the other."""
    conditions = []
    for k in range(n):
        change = {name: low + (high - low) * k / (n - 1) for name, (low, high) in ends.items()}
        conditions.append(replace(HOME, **change))
    return conditions, [part] * n


def test_that_nothing_enrolled_covers_nothing_and_every_item_has_advice():
    items = coverage([], [])
    assert len(items) == 6
    assert all(item.share == 0.0 and item.advice.endswith(".") for item in items)


def test_that_one_frame_has_a_light_but_no_variety():
    items = covered([HOME], ["window #1"])
    assert items["Frames"].share == pytest.approx(1 / FRAMES)
    assert items["Lights"].share == pytest.approx(1 / LIGHTS)
    assert items["Parts of each light"].share == pytest.approx(1 / TAKES_A_LIGHT)
    for name in ("Turn of the head", "Nod", "Distance"):
        assert items[name].share == 0.0


@pytest.mark.parametrize(
    ("name", "measure", "enough"),
    [("Turn of the head", "yaw", TURN), ("Nod", "pitch", NOD), ("Distance", "distance", DISTANCE)],
)
def test_that_movement_fills_its_own_item_only(name, measure, enough):
    middle = getattr(HOME, measure)
    # The outermost frames are not counted, so that the sweep has to be a little wider.
    items = covered(*swept("a #1", **{measure: (middle - 0.6 * enough, middle + 0.6 * enough)}))
    assert items[name].share == 1.0
    assert items[name].advice == ""
    others = {"Turn of the head", "Nod", "Distance"} - {name}
    assert all(items[other].share == 0.0 for other in others)
    half = covered(*swept("a #1", **{measure: (middle, middle + 0.5 * enough / 0.9)}))
    assert half[name].share == pytest.approx(0.5)
    assert half[name].advice


def test_that_a_single_odd_frame_is_no_variety():
    conditions = [HOME] * 60 + [replace(HOME, yaw=40.0, pitch=-30.0)]
    items = covered(conditions, ["a #1"] * 61)
    assert items["Turn of the head"].share == 0.0
    assert items["Nod"].share == 0.0


def test_that_lights_are_told_by_what_was_measured_and_not_by_names():
    same = covered([HOME, HOME], ["lamp #1", "window #1"])
    assert same["Lights"].share == pytest.approx(1 / LIGHTS)
    two = covered([HOME, replace(HOME, **ANOTHER_LIGHT)], ["lamp #1", "lamp #2"])
    assert two["Lights"].share == 1.0
    assert two["Lights"].advice == ""


def test_that_each_light_has_to_be_recorded_in_some_parts():
    parts = [f"a #{k}" for k in range(TAKES_A_LIGHT)]
    items = covered([HOME] * TAKES_A_LIGHT, parts)
    assert items["Parts of each light"].share == 1.0
    lamp = replace(HOME, **ANOTHER_LIGHT)
    items = covered([HOME] * TAKES_A_LIGHT + [lamp], [*parts, "b #1"])
    assert items["Parts of each light"].share == pytest.approx((1 + 1 / TAKES_A_LIGHT) / 2)
    assert items["Parts of each light"].advice


def test_that_more_parts_of_one_light_do_not_make_up_for_another():
    parts = [f"a #{k}" for k in range(3 * TAKES_A_LIGHT)]
    lamp = replace(HOME, **ANOTHER_LIGHT)
    items = covered([HOME] * len(parts) + [lamp], [*parts, "b #1"])
    assert items["Parts of each light"].share < 1.0


def test_that_no_share_exceeds_one():
    items = coverage(*swept("a #1", n=5 * FRAMES, yaw=(-80.0, 80.0), distance=(0.0, 5.0)))
    assert all(0.0 <= item.share <= 1.0 for item in items)
    assert {item.share for item in items if item.name == "Frames"} == {1.0}


def test_that_without_circumstances_only_the_number_of_frames_is_told():
    (item,) = coverage([], ["cup #1"] * (FRAMES // 2))
    assert item.name == "Frames"
    assert item.share == 0.5
    (item,) = coverage([], ["cup #1"] * FRAMES)
    assert item.advice == ""


def test_that_frames_with_and_without_circumstances_do_not_break_it():
    items = covered([HOME], ["cup #1", "face #1"])
    assert items["Frames"].share == pytest.approx(2 / FRAMES)
    assert items["Lights"].share == 0.0
