"""What an enrolment covers, and the advice for the rest."""

from dataclasses import replace

import pytest

from app.session.takes import DISTANCE, FRAMES, LIGHTS, NOD, TURN, coverage
from app.vision.conditions import DIMENSIONS
from tests.app.vision.test_conditions import HOME

LAMP = replace(HOME, warmth=HOME.warmth + 3 * DIMENSIONS["warmth"].tolerance)


def covered(conditions, takes):
    return {item.name: item for item in coverage(conditions, takes)}


def swept(n=40, **ends):
    """Return frames of one take in which some measures go evenly from one end to the other."""
    changes = (
        {name: low + (high - low) * k / (n - 1) for name, (low, high) in ends.items()}
        for k in range(n)
    )
    return [replace(HOME, **change) for change in changes], ["a"] * n


def test_that_an_empty_enrolment_covers_nothing_and_every_item_has_advice():
    items = coverage([], [])
    assert len(items) == 5
    assert all(item.share == 0.0 and item.advice for item in items)


def test_that_one_frame_covers_a_light_but_no_movement():
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
    # The outermost frames do not count, so the sweep has to be slightly wider.
    items = covered(*swept(**{measure: (middle - 0.6 * enough, middle + 0.6 * enough)}))
    assert (items[name].share, items[name].advice) == (1.0, "")
    others = {"Turn of the head", "Nod", "Distance"} - {name}
    assert all(items[other].share == 0.0 for other in others)
    half = covered(*swept(**{measure: (middle, middle + 0.5 * enough / 0.9)}))
    assert half[name].share == pytest.approx(0.5)
    assert half[name].advice


def test_that_a_single_odd_frame_does_not_count_as_movement():
    conditions = [HOME] * 60 + [replace(HOME, yaw=40.0, pitch=-30.0)]
    items = covered(conditions, ["a"] * 61)
    assert (items["Turn of the head"].share, items["Nod"].share) == (0.0, 0.0)


def test_that_lights_are_counted_by_measurement_and_not_by_name():
    same = covered([HOME, HOME], ["lamp", "window"])
    assert same["Lights"].share == pytest.approx(1 / LIGHTS)
    two = covered([HOME, LAMP], ["lamp", "other lamp"])
    assert (two["Lights"].share, two["Lights"].advice) == (1.0, "")


def test_that_no_share_exceeds_one():
    items = covered(*swept(n=5 * FRAMES, yaw=(-80.0, 80.0), distance=(0.0, 5.0)))
    assert all(0.0 <= item.share <= 1.0 for item in items.values())
    assert items["Frames"].share == 1.0


def test_that_without_conditions_only_frames_are_counted():
    (item,) = coverage([], ["cup"] * (FRAMES // 2))
    assert (item.name, item.share) == ("Frames", 0.5)
    (item,) = coverage([], ["cup"] * FRAMES)
    assert item.advice == ""
    mixed = covered([HOME], ["cup", "face"])
    assert mixed["Frames"].share == pytest.approx(2 / FRAMES)
    assert mixed["Lights"].share == 0.0
