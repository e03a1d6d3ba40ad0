import numpy as np
import pytest

from app.demo_views import ATTACK_SHIFTS, CONDITIONS, VIEW_SPECS, generate, stack


@pytest.fixture(scope="module")
def data():
    return generate(seed=0)


def test_that_the_same_seed_gives_the_same_numbers(data):
    again = generate(seed=0)
    for one, other in zip(
        data.enrolled + data.attacks, again.enrolled + again.attacks, strict=True
    ):
        for name in VIEW_SPECS:
            np.testing.assert_array_equal(one.views[name], other.views[name])


def test_that_another_seed_gives_other_numbers(data):
    other = generate(seed=1)
    assert not np.array_equal(data.enrolled[0].views["steady"], other.enrolled[0].views["steady"])


def test_that_every_take_has_every_view_with_its_width_and_one_row_per_sample(data):
    for take in data.enrolled + data.held_out + data.attacks:
        shapes = {name: view.shape for name, view in take.views.items()}
        assert shapes == {name: (len(take), spec.dim) for name, spec in VIEW_SPECS.items()}


def test_that_each_condition_is_enrolled_once_and_each_attack_kind_generated_once(data):
    assert tuple(take.name for take in data.enrolled) == CONDITIONS
    assert {take.name for take in data.attacks} == set(ATTACK_SHIFTS)


def test_that_neighbours_in_time_are_closer_than_the_take_is_wide(data):
    for take in data.enrolled:
        view = take.views["steady"]
        step = np.linalg.norm(np.diff(view, axis=0), axis=1).mean()
        assert step < 0.5 * np.linalg.norm(view - view.mean(axis=0), axis=1).mean()


@pytest.mark.parametrize("kind", ATTACK_SHIFTS)
def test_that_an_attack_lies_farther_from_enrolled_samples_than_a_held_out_take(data, kind):
    (attack,) = (take for take in data.attacks if take.name == kind)
    genuine, _ = stack(data.enrolled)
    held_out, _ = stack(data.held_out)
    for name in ATTACK_SHIFTS[kind]:
        usual = nearest_distances(held_out[name], genuine[name])
        unusual = nearest_distances(attack.views[name], genuine[name])
        assert unusual.mean() > usual.mean() + 3 * usual.std() / np.sqrt(len(usual)), name


def test_that_stacking_keeps_order_and_names_each_row(data):
    views, names = stack(data.enrolled)
    assert list(dict.fromkeys(names)) == list(CONDITIONS)
    first = len(data.enrolled[0])
    np.testing.assert_array_equal(views["coarse"][:first], data.enrolled[0].views["coarse"])
    assert len(names) == len(views["coarse"]) == sum(len(take) for take in data.enrolled)


def nearest_distances(samples, references):
    return np.linalg.norm(samples[:, None] - references[None], axis=2).min(axis=1)
