"""The demo without a window: real pipeline, real model, generated recordings."""

import json

import pytest

from app.cli.demo import STATEMENT, as_document
from app.demo import run
from app.demo.renderer.instruments import INSTRUMENTS
from app.demo.run import GroupResult
from app.types import BONA_FIDE, SPECIES, Verdict
from lmkl_core import clopper_pearson
from lmkl_core.features.presets import DEFAULT_PRESET, load_preset
from tests.app.guided_tests import present, session


def test_that_the_fit_is_certified(demo_result, monkeypatch):
    assert demo_result.is_certified
    monkeypatch.setattr(run, "CERTIFIED_GAP", demo_result.model.gap_ / 2 - 1e-12)
    assert not demo_result.is_certified


def test_that_no_take_is_both_enrolled_and_tested_and_none_is_tested_twice():
    for seed in range(3):
        enrolled, tested = run.script(seed)
        takes = [take for _, take in tested]
        assert not set(enrolled.values()) & set(takes)
        assert len(set(takes)) == len(takes)
        assert {take.instrument for take in enrolled.values()} == {None}


def test_that_every_species_of_attack_is_tested_under_its_name_in_the_window(demo_result):
    attacks = [item.name for item in demo_result.results if item.is_attack]
    assert len(attacks) == len(INSTRUMENTS)
    assert set(attacks) < set(SPECIES)


def test_that_every_presentation_is_long_enough_for_a_verdict(demo_result):
    presentations = demo_result.guided_test.presentations
    assert len(presentations) == len(demo_result.presented)
    assert all(len(item.frames) >= 9 and item.is_simulated for item in presentations)
    assert "1 × new light" in demo_result.conditions


def test_that_an_error_is_an_accepted_attack_or_a_refused_genuine_presentation():
    guided_test = session(0, 0, ())
    for score in (0.9, 0.9, 0.1, None):
        present(guided_test, "print", [score] * 6)
    present(guided_test, BONA_FIDE, [0.4] * 6, verdict=Verdict.UNFAMILIAR)
    for is_attack, n_errors in ((True, 2), (False, 2)):
        item = GroupResult("any", is_attack, guided_test.presentations).tally
        assert (item.n, item.n_no_response, item.n_unfamiliar) == (5, 1, 1)
        assert item.errors.value == n_errors / 4
        assert item.errors.interval == clopper_pearson(n_errors, 4, confidence=0.95)


def test_that_the_person_passes_and_attacks_do_not(demo_result):
    def accepted(*, attack):
        chosen = [item for item in demo_result.results if item.is_attack == attack]
        chosen = [item for item in chosen if attack or item.name.endswith("again")]
        names = {item.name for item in chosen}
        rows = [row for row in as_document(demo_result)["results"] if row["name"] in names]
        return sum(row["n_frames_accepted"] for row in rows) / sum(row["n_frames"] for row in rows)

    assert accepted(attack=False) > 0.75
    assert accepted(attack=True) < 0.05


def test_that_the_views_are_those_of_the_default_preset(demo_result):
    assert tuple(demo_result.model.view_names_) == load_preset(DEFAULT_PRESET).view_names
    assert demo_result.pad.features["preset"]["name"] == DEFAULT_PRESET
    assert all(len(digest) == 64 for digest in demo_result.pad.features["weights"].values())


def test_that_the_json_describes_the_data_and_the_model(demo_result):
    figures = json.loads(json.dumps(as_document(demo_result), allow_nan=False))
    assert figures["data"] == STATEMENT
    assert {len(row) for row in figures["kernel_weights"]} == {len(figures["views"])}
    assert figures["threshold"]["value"] == pytest.approx(demo_result.model.offset_)
