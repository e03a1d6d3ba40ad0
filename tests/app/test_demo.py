"""The headless demo: real pipeline, real model, generated recordings."""

import json
from dataclasses import replace

import pytest

from app import demo
from app.demo_video.instruments import INSTRUMENTS
from lmkl_core import clopper_pearson
from lmkl_core.features.presets import DEFAULT_PRESET, load_preset


def test_that_the_fit_is_certified(demo_result):
    assert demo_result.is_certified
    assert demo_result.model.gap_ <= demo.CERTIFIED_GAP


def test_that_a_gap_above_the_limit_is_not_certified(demo_result):
    class Stopped:
        gap_ = 2 * demo.CERTIFIED_GAP

    stopped = replace(demo_result.pad, estimator=Stopped())
    assert not replace(demo_result, pad=stopped).is_certified


def test_that_no_take_is_both_enrolled_and_tested():
    for seed in range(3):
        enrolled, tested = demo.script(seed)
        assert not set(enrolled.values()) & set(tested.values())
        assert {take.kind for take in enrolled.values()} == {"bonafide"}


def test_that_every_species_of_attack_is_tested(demo_result):
    assert {item.name for item in demo_result.results if item.is_attack} == set(INSTRUMENTS)


def test_that_an_error_is_an_accepted_attack_or_a_refused_genuine_frame(demo_result):
    for item in demo_result.results:
        expected = item.n_accepted if item.is_attack else item.n - item.n_accepted
        assert item.n_errors == expected
        assert item.error_rate == expected / item.n
        assert item.error_interval == clopper_pearson(expected, item.n, confidence=0.95)
        assert item.n_accepted + item.n_unfamiliar <= item.n


def test_that_the_person_passes_and_attacks_do_not(demo_result):
    def accepted(*, attack):
        chosen = [item for item in demo_result.results if item.is_attack == attack]
        chosen = [item for item in chosen if attack or item.name.endswith("again")]
        return sum(item.n_accepted for item in chosen) / sum(item.n for item in chosen)

    assert accepted(attack=False) > 0.75
    assert accepted(attack=True) < 0.05


def test_that_the_views_are_those_of_the_default_preset(demo_result):
    assert tuple(demo_result.model.view_names_) == load_preset(DEFAULT_PRESET).view_names
    assert demo_result.features["preset"]["name"] == DEFAULT_PRESET
    assert all(len(digest) == 64 for digest in demo_result.features["weights"].values())


def test_that_json_says_what_the_data_are_and_survives_a_round_trip(demo_result):
    figures = json.loads(json.dumps(demo.as_json(demo_result), allow_nan=False))
    assert figures["data"] == demo.STATEMENT
    assert [len(row) for row in figures["kernel_weights"]] == [len(figures["views"])] * len(
        figures["kernel_weights"]
    )
    assert figures["threshold"]["value"] == pytest.approx(demo_result.model.offset_)
