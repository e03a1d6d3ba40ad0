"""Distances of conditions from the enrolled ones, and the names of differences."""

import math
from dataclasses import asdict, replace

import numpy as np
import pytest

from app.types import Condition, Pose
from app.vision.conditions import DIMENSIONS, EnrolledConditions, condition_groups
from app.vision.quality import ALIGNED_SIZE, condition_of
from tests.app.pictures import skin

HOME = Condition(
    brightness=130.0,
    contrast=40.0,
    warmth=0.3,
    tint=0.0,
    side_light=0.0,
    sharpness=-1.0,
    room_brightness=100.0,
    room_warmth=0.0,
    room_tint=0.0,
    distance=1.2,
    yaw=0.0,
    pitch=0.0,
    roll=0.0,
)


WINDOW = ("window", {})


def enrolled(*frames, function=EnrolledConditions.of):
    """Enrol frames given by the name of their take and what differs from `HOME`."""
    return function([replace(HOME, **change) for _, change in frames], [name for name, _ in frames])


def condition(aligned, *, size=200.0, height=480, room=(100.0, 100.0, 100.0)):
    straight = Pose(0.0, 0.0, 0.0)
    return condition_of(aligned, room=room, size=size, frame_height=height, pose=straight)


def test_that_a_condition_inside_a_take_has_distance_zero():
    ranges = enrolled(WINDOW, ("window", {"brightness": 150.0}))
    familiarity = ranges.familiarity(replace(HOME, brightness=140.0))
    assert (familiarity.distance, familiarity.differences) == (0.0, ())


@pytest.mark.parametrize("sign", [-1, 1])
def test_that_each_dimension_alone_makes_a_condition_unfamiliar_and_names_it(sign):
    ranges = enrolled(WINDOW)
    for name, value in asdict(HOME).items():
        tolerance, below, above = DIMENSIONS[name]
        near = replace(HOME, **{name: value + 0.9 * sign * tolerance})
        far = replace(HOME, **{name: value + 1.5 * sign * tolerance})
        assert ranges.familiarity(near).distance <= 1
        familiarity = ranges.familiarity(far)
        assert familiarity.distance == pytest.approx(1.5)
        assert familiarity.differences == (above if sign > 0 else below,)


def test_that_the_nearest_take_counts():
    lamp = {"warmth": 0.9, "brightness": 90.0, "room_brightness": 110.0}
    ranges = enrolled(WINDOW, ("lamp", lamp))
    familiarity = ranges.familiarity(replace(HOME, warmth=0.95, brightness=92.0))
    assert familiarity.nearest_take == "lamp"
    assert familiarity.distance <= 1


def test_that_a_take_in_the_same_light_is_nearer_than_any_other():
    ranges = enrolled(WINDOW, ("lamp", {"room_brightness": 60.0, "brightness": 60.0}))
    familiarity = ranges.familiarity(replace(HOME, brightness=60.0))
    assert familiarity.nearest_take == "window"
    assert familiarity.differences == (DIMENSIONS["brightness"].below,)


def test_that_the_brightness_of_one_take_with_the_warmth_of_another_is_unfamiliar():
    ranges = enrolled(WINDOW, ("lamp", {"warmth": 0.9, "brightness": 60.0}))
    assert ranges.familiarity(replace(HOME, warmth=0.9)).distance > 1


def test_that_the_worst_difference_is_named_first():
    familiarity = enrolled(WINDOW).familiarity(replace(HOME, brightness=10.0, yaw=15.0))
    assert familiarity.differences == (DIMENSIONS["brightness"].below, DIMENSIONS["yaw"].above)


def test_that_the_light_of_the_room_and_the_position_of_the_face_are_measured_separately():
    ranges = enrolled(WINDOW, ("lamp", {"room_brightness": 60.0, "yaw": 30.0}))
    face = ranges.familiarity(replace(HOME, brightness=10.0))
    assert (face.room, face.place) == (0.0, 0.0)
    assert face.knows_light
    step = DIMENSIONS["room_brightness"].tolerance
    room = ranges.familiarity(replace(HOME, room_brightness=HOME.room_brightness + 2 * step))
    assert room.room == pytest.approx(2.0)
    assert not room.knows_light
    turned = ranges.familiarity(replace(HOME, yaw=30.0 + 1.5 * DIMENSIONS["yaw"].tolerance))
    assert (turned.room, turned.place) == (0.0, pytest.approx(1.5))


def test_that_a_stray_frame_does_not_widen_a_take():
    steady = [("window", {"yaw": float(k % 3)}) for k in range(200)]
    familiarity = enrolled(*steady, ("window", {"yaw": 40.0})).familiarity(replace(HOME, yaw=39.0))
    assert familiarity.distance > 1


def test_that_a_value_that_cannot_be_measured_is_unfamiliar():
    ranges = enrolled(WINDOW)
    for value in (math.nan, -math.inf):
        assert ranges.familiarity(replace(HOME, sharpness=value)).distance == math.inf


def test_that_enrolling_no_frames_or_non_finite_values_is_refused():
    with pytest.raises(ValueError, match="need frames"):
        enrolled()
    with pytest.raises(ValueError, match="not finite"):
        enrolled(("window", {"yaw": math.nan}))


def groups(*frames):
    return enrolled(*frames, function=condition_groups)


def test_that_takes_within_each_others_tolerances_share_a_group():
    near, far = {"brightness": 140.0}, {"brightness": 190.0}
    first, second, third = groups(("morning", {}), ("evening", near), ("noon", far))
    assert first == second != third


def test_that_a_take_of_many_distances_does_not_share_a_group_with_one_of_them():
    wide = [("walk", {"distance": 1.0 + 0.1 * k}) for k in range(30)]
    numbers = groups(*wide, ("desk", {"distance": 1.2}))
    assert numbers[0] != numbers[-1]


def test_that_takes_share_a_group_through_others():
    step = 0.8 * DIMENSIONS["warmth"].tolerance
    chain = [(f"take {k}", {"warmth": k * step}) for k in range(4)]
    assert len(set(groups(*chain))) == 1
    assert len(set(groups(*chain, ("apart", {"warmth": 9.0})))) == 2


def test_that_light_and_colour_are_measured_in_their_own_dimensions():
    face = skin(mean=120, spread=25).astype(np.float32)
    base = condition(face.astype(np.uint8))
    darker = condition((face * 0.5).astype(np.uint8))
    warm = condition(np.clip(face * [1.2, 1.0, 0.8], 0, 255).astype(np.uint8))
    green = condition(np.clip(face * [0.9, 1.1, 0.9], 0, 255).astype(np.uint8))
    shade = np.linspace(1.3, 0.7, ALIGNED_SIZE)[np.newaxis, :, np.newaxis]
    left = condition(np.clip(face * shade, 0, 255).astype(np.uint8))
    assert darker.brightness == pytest.approx(base.brightness / 2, rel=0.02)
    assert darker.warmth == pytest.approx(base.warmth, abs=0.01)
    assert warm.warmth == pytest.approx(base.warmth + math.log(1.2 / 0.8), abs=0.02)
    assert warm.tint == pytest.approx(base.tint - math.log(0.96) / 2, abs=0.02)
    assert green.tint == pytest.approx(base.tint + math.log(1.1 / 0.9), abs=0.02)
    assert green.warmth == pytest.approx(base.warmth, abs=0.02)
    assert left.side_light > base.side_light + 0.2
    assert left.brightness == pytest.approx(base.brightness, rel=0.05)


def test_that_distance_is_measured_by_the_share_of_the_frame_at_any_resolution():
    face = skin()
    near = condition(face, size=200).distance
    assert condition(face, size=100).distance == pytest.approx(near + 1)
    assert condition(face, size=400, height=960).distance == pytest.approx(near)


def test_that_the_light_of_the_room_is_measured_apart_from_the_face():
    base, changed = condition(skin()), condition(skin(), room=(180.0, 120.0, 60.0))
    assert changed.room_brightness == pytest.approx(120.0)
    assert changed.room_warmth == pytest.approx(math.log(181 / 61))
    assert (changed.brightness, changed.warmth) == (base.brightness, base.warmth)
