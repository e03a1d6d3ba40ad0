import numpy as np
import pytest

from app.demo.renderer.instruments import INSTRUMENTS
from app.demo.renderer.people import CANVAS, PEOPLE, load_person, portrait_path
from app.demo.renderer.setting import CONDITIONS
from app.demo.renderer.takes import Take, frames
from app.demo.script import RATE
from lmkl_core.errors import InvalidInputError
from tests.app.demo.rendered import attack, genuine, images


def test_that_a_take_gives_numbered_rgb_frames_of_one_size():
    take = genuine(n_frames=3)
    got = list(frames(take))
    assert [frame.number for frame in got] == [0, 1, 2]
    assert [frame.time for frame in got] == [0.0, 1 / RATE, 2 / RATE]
    for frame in got:
        assert frame.image.shape == (480, 640, 3)
        assert frame.image.dtype == np.uint8
    # Skin is redder than it is blue: the channels are in order.
    middle = got[0].image[200:280, 280:360].reshape(-1, 3).mean(axis=0)
    assert middle[0] > middle[2]


@pytest.mark.parametrize("take", [genuine(n_frames=2), attack("replay", n_frames=2)])
def test_that_equal_takes_give_equal_frames(take):
    again = [frame.image for frame in frames(take)]
    assert all(np.array_equal(a, b) for a, b in zip(images(take), again, strict=True))


def test_that_another_seed_gives_other_frames():
    first, second = images(genuine(seed=0))[0], images(genuine(seed=1))[0]
    assert np.abs(first.astype(int) - second).mean() > 5


def test_that_the_first_frames_do_not_depend_on_the_length_of_the_take():
    assert np.array_equal(images(genuine(n_frames=3))[1], images(genuine(n_frames=2))[1])


def test_that_a_live_take_moves_and_is_never_twice_the_same_picture():
    first, second, third = images(genuine(n_frames=3))
    assert np.abs(first.astype(int) - second).mean() > 0.3
    assert not np.array_equal(second, third)


@pytest.mark.parametrize("instrument", INSTRUMENTS)
def test_that_every_instrument_presents_another_picture_than_the_person_and_the_others(instrument):
    shown = images(attack(instrument))[0].astype(int)
    others = [images(genuine())[0]]
    others += [images(attack(name))[0] for name in INSTRUMENTS if name != instrument]
    assert all(np.abs(shown - other).mean() > 5 for other in others)


def test_that_conditions_light_the_person_differently():
    def left_over_right(condition):
        picture = images(genuine(condition=condition, seed=3))[0][120:330, 200:440]
        return picture[:, :120].mean() / picture[:, 120:].mean()

    assert left_over_right("window") > 1.05 * left_over_right("lamp")


def test_that_the_lamp_is_warmer_than_an_overcast_day():
    def warmth(condition):
        red, _, blue = images(genuine(condition=condition, seed=4))[0].reshape(-1, 3).mean(axis=0)
        return red / blue

    assert warmth("lamp") > 1.15 * warmth("another day")


def test_that_there_are_ten_people_cut_out_of_their_background():
    assert len(PEOPLE) == 10
    assert all(portrait_path(name).is_file() for name in PEOPLE)
    person = load_person("P002")
    assert person.albedo.shape == (*CANVAS, 3)
    assert person.alpha.shape == CANVAS
    assert person.alpha[500:900, 600:800].min() > 0.99  # the face
    assert person.alpha[:100, :200].max() < 0.05  # beside the head
    assert 0.9 < person.mouth < 1.3


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"person": "P099"}, "P001"),
        ({"person": "P001", "condition": "moonlight"}, "window"),
        ({"person": "P001", "kind": "attack"}, "paper-mask"),
        ({"person": "P001", "kind": "attack", "instrument": "hologram"}, "paper-mask"),
        ({"person": "P001", "instrument": "print"}, "no instrument"),
        ({"person": "P001", "n_frames": 0}, "at least one frame"),
    ],
)
def test_that_a_take_that_cannot_be_is_refused_with_what_can(arguments, told):
    with pytest.raises(InvalidInputError, match=told):
        Take(**arguments)


def test_that_every_condition_has_a_name_a_take_accepts():
    assert [Take("P001", condition=name).condition for name in CONDITIONS] == list(CONDITIONS)
