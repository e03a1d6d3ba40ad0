"""What an enrolment covers, and the advice for the rest."""

from dataclasses import replace

import pytest

from app.session.takes import DISTANCE, FRAMES, LIGHTS, NOD, TURN, coverage
from app.vision.conditions import DIMENSIONS
from tests.app.vision.test_conditions import HOME

ANOTHER_LIGHT = {"warmth": HOME.warmth + 3 * DIMENSIONS["warmth"].tolerance}


def covered(conditions, takes):
    return {item.name: item for item in coverage(conditions, takes)}


def swept(take, n=40, **ends):
    """Frames of one take in which some measures go evenly from one end to the other."""
    conditions = []
    for k in range(n):
        change = {name: low + (high - low) * k / (n - 1) for name, (low, high) in ends.items()}
        conditions.append(replace(HOME, **change))
    return conditions, [take] * n


def test_that_nothing_enrolled_covers_nothing_and_every_item_has_advice():
    items = coverage([], [])
    assert len(items) == 5
    assert all(item.share == 0.0 and item.advice.endswith(".") for item in items)


def test_that_one_frame_has_a_light_but_no_variety():
    items = covered([HOME], ["window"])
    assert items["Frames"].share == pytest.approx(1 / FRAMES)
    assert items["Lights"].share == pytest.approx(1 / LIGHTS)
    for name in ("Turn of the head", "Nod", "Distance"):
        assert items[name].share == 0.0


@pytest.mark.parametrize(
    ("name", "measure", "enough"),
    [("Turn of the head", "yaw", TURN), ("Nod", "pitch", NOD), ("Distance", "distance", DISTANCE)],
)
def test_that_movement_fills_its_own_item_only(name, measure, enough):
    middle = getattr(HOME, measure)
    # The outermost frames are not counted, so that the sweep has to be a little wider.
    items = covered(*swept("a", **{measure: (middle - 0.6 * enough, middle + 0.6 * enough)}))
    assert items[name].share == 1.0
    assert items[name].advice == ""
    others = {"Turn of the head", "Nod", "Distance"} - {name}
    assert all(items[other].share == 0.0 for other in others)
    half = covered(*swept("a", **{measure: (middle, middle + 0.5 * enough / 0.9)}))
    assert half[name].share == pytest.approx(0.5)
    assert half[name].advice


def test_that_a_single_odd_frame_is_no_variety():
    conditions = [HOME] * 60 + [replace(HOME, yaw=40.0, pitch=-30.0)]
    items = covered(conditions, ["a"] * 61)
    assert items["Turn of the head"].share == 0.0
    assert items["Nod"].share == 0.0


def test_that_lights_are_told_by_what_was_measured_and_not_by_names():
    same = covered([HOME, HOME], ["lamp", "window"])
    assert same["Lights"].share == pytest.approx(1 / LIGHTS)
    two = covered([HOME, replace(HOME, **ANOTHER_LIGHT)], ["lamp", "other lamp"])
    assert two["Lights"].share == 1.0
    assert two["Lights"].advice == ""


def test_that_no_share_exceeds_one():
    items = coverage(*swept("a", n=5 * FRAMES, yaw=(-80.0, 80.0), distance=(0.0, 5.0)))
    assert all(0.0 <= item.share <= 1.0 for item in items)
    assert {item.share for item in items if item.name == "Frames"} == {1.0}


def test_that_without_circumstances_only_the_number_of_frames_is_told():
    (item,) = coverage([], ["cup"] * (FRAMES // 2))
    assert item.name == "Frames"
    assert item.share == 0.5
    (item,) = coverage([], ["cup"] * FRAMES)
    assert item.advice == ""


def test_that_frames_with_and_without_circumstances_do_not_break_it():
    items = covered([HOME], ["cup", "face"])
    assert items["Frames"].share == pytest.approx(2 / FRAMES)
    assert items["Lights"].share == 0.0
