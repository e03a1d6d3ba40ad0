"""Rows of a plan: whose they are, and what is told of them."""

import numpy as np
import pytest

from app.evaluation.cache import Cache
from app.evaluation.dataset import ScoreTemplate, assemble
from app.evaluation.extraction import FeaturePipeline, FeatureStore
from lmkl_core.errors import InvalidInputError
from lmkl_core.features.presets import load_preset, with_descriptors
from tests.app.evaluation.example_layouts import N_FRAMES, together


@pytest.fixture(scope="module")
def library(recorded, prepared):
    eyes = FeaturePipeline(with_descriptors(load_preset("tiny")), gate=False)
    made = FeatureStore(eyes, Cache("features", prepared), N_FRAMES)
    made.prepare(together(recorded).recordings)
    return made


@pytest.fixture
def plan(recorded):
    return together(recorded).folds[0].plans[0]


def test_that_rows_are_those_of_their_recordings_in_the_order_of_the_plan(library, plan, tmp_path):
    material = assemble(plan, (), library, tmp_path)
    parts = {
        "train": material.train.views,
        "development": material.development.views,
        "test": material.test,
    }
    for part, views in parts.items():
        entries = [library.features(recording) for recording in getattr(plan, part)]
        for name, rows in views.items():
            assert np.array_equal(rows, np.concatenate([each.views[name] for each in entries]))
    numbers = np.repeat(np.arange(len(plan.train)), N_FRAMES)
    assert material.train.recordings.tolist() == numbers.tolist()


def test_that_development_rows_know_attacks_and_no_others_tell_them(library, plan, tmp_path):
    material = assemble(plan, (plan,), library, tmp_path)
    told = np.repeat([recording.is_attack for recording in plan.development], N_FRAMES)
    assert 0 < np.count_nonzero(told) < len(told)
    assert material.development.is_attack.tolist() == told.tolist()
    ((_, held),) = material.others
    assert held.is_attack.tolist() == told.tolist()
    assert material.train.is_attack is None


def test_that_scores_return_to_the_frames_that_they_are_of(library, plan, monkeypatch):
    first, second = plan.test[:2]
    seen = library.seen[first.name]
    ready = np.array([True, False, False, True])
    monkeypatch.setitem(library.seen, first.name, type(seen)(seen.key, ready))
    table = ScoreTemplate.of((first, second), library).filled(np.arange(2.0 + N_FRAMES))
    assert table.scores[:4].tolist() == pytest.approx([0, np.nan, np.nan, 1], nan_ok=True)
    assert table.scores[4:].tolist() == [2, 3, 4, 5]
    assert table.presentations.tolist() == [first.name] * 4 + [second.name] * N_FRAMES
    assert table.species.tolist() == [
        each.species if each.is_attack else "" for each in (first, second) for _ in range(4)
    ]


def test_that_recordings_that_change_meanwhile_are_told(library, plan, tmp_path, monkeypatch):
    seen = library.seen[plan.test[0].name]
    monkeypatch.setitem(library.seen, plan.test[0].name, type(seen)(seen.key, seen.ready[:-1]))
    with pytest.raises(InvalidInputError, match="changed while they were evaluated"):
        assemble(plan, (), library, tmp_path)
