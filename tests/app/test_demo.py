import json
from dataclasses import replace

import pytest

from app import demo
from app.demo_views import ATTACK_SHIFTS, CONDITIONS, VIEW_SPECS
from lmkl_core import clopper_pearson


@pytest.fixture(scope="module")
def result():
    return demo.run(seed=0)


def test_that_the_fit_is_certified(result):
    assert result.is_certified
    assert result.model.gap_ <= demo.CERTIFIED_GAP


def test_that_a_gap_above_the_limit_is_not_certified(result):
    class Stopped:
        gap_ = 2 * demo.CERTIFIED_GAP

    assert not replace(result, model=Stopped()).is_certified


def test_that_every_held_out_take_and_every_attack_kind_is_judged(result):
    judged = {(item.name, item.is_attack) for item in result.results}
    genuine = {(f"{name}, again", False) for name in CONDITIONS}
    assert judged == genuine | {(name, True) for name in ATTACK_SHIFTS}


def test_that_an_error_is_an_accepted_attack_or_a_refused_genuine_sample(result):
    for item in result.results:
        expected = item.n_accepted if item.is_attack else item.n - item.n_accepted
        assert item.n_errors == expected
        assert item.error_rate == expected / item.n
        assert item.error_interval == clopper_pearson(expected, item.n, confidence=0.95)


def test_that_most_genuine_samples_pass_and_far_attacks_do_not(result):
    rates = {item.name: item.n_accepted / item.n for item in result.results}
    assert min(rates[f"{name}, again"] for name in CONDITIONS) > 0.75
    assert rates["far in every view"] == 0


def test_that_the_same_seed_gives_the_same_figures(result):
    assert demo.as_json(demo.run(seed=0)) == demo.as_json(result)


def test_that_json_says_what_the_data_are_and_survives_a_round_trip(result):
    figures = json.loads(json.dumps(demo.as_json(result), allow_nan=False))
    assert figures["data"] == "generated vectors, no faces"
    assert figures["views"] == list(VIEW_SPECS)
    assert [len(row) for row in figures["kernel_weights"]] == [len(VIEW_SPECS)] * len(
        figures["kernel_weights"]
    )
    assert figures["threshold"]["value"] == result.model.offset_
