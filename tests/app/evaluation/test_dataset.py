"""Rows of a plan: their recordings, classes and scores."""

import numpy as np
import pytest

from app.evaluation.cache import Cache
from app.evaluation.dataset import ScoreTemplate, assemble
from app.evaluation.extraction import FeaturePipeline, FeatureStore
from lmkl_core.errors import InvalidInputError
from lmkl_core.features.presets import load_preset, with_descriptors
from tests.app.evaluation.example_layouts import N_FRAMES, together


@pytest.fixture(scope="module")
def store(recorded, prepared):
    pipeline = FeaturePipeline(with_descriptors(load_preset("tiny")), gate=False)
    made = FeatureStore(pipeline, Cache("features", prepared), N_FRAMES)
    made.prepare(together(recorded).recordings)
    return made


@pytest.fixture
def plan(recorded):
    return together(recorded).folds[0].plans[0]


def test_that_rows_follow_the_recordings_of_the_plan(store, plan, tmp_path):
    data = assemble(plan, (), store, tmp_path)
    parts = {
        "train": data.train.views,
        "development": data.development.views,
        "test": data.test,
    }
    for part, views in parts.items():
        entries = [store.features(recording) for recording in getattr(plan, part)]
        for name, rows in views.items():
            assert np.array_equal(rows, np.concatenate([each.views[name] for each in entries]))
    numbers = np.repeat(np.arange(len(plan.train)), N_FRAMES)
    assert data.train.recordings.tolist() == numbers.tolist()


def test_that_only_development_rows_say_which_are_attacks(store, plan, tmp_path):
    data = assemble(plan, (plan,), store, tmp_path)
    is_attack = np.repeat([recording.is_attack for recording in plan.development], N_FRAMES)
    assert 0 < np.count_nonzero(is_attack) < len(is_attack)
    assert data.development.is_attack.tolist() == is_attack.tolist()
    ((_, development),) = data.others
    assert development.is_attack.tolist() == is_attack.tolist()
    assert data.train.is_attack is None


def test_that_scores_are_assigned_to_their_frames(store, plan, monkeypatch):
    first, second = plan.test[:2]
    seen = store.seen[first.name]
    ready = np.array([True, False, False, True])
    monkeypatch.setitem(store.seen, first.name, type(seen)(seen.key, ready))
    table = ScoreTemplate.of((first, second), store).filled(np.arange(2.0 + N_FRAMES))
    assert table.scores[:4].tolist() == pytest.approx([0, np.nan, np.nan, 1], nan_ok=True)
    assert table.scores[4:].tolist() == [2, 3, 4, 5]
    assert table.presentations.tolist() == [first.name] * 4 + [second.name] * N_FRAMES
    assert table.species.tolist() == [
        each.species if each.is_attack else "" for each in (first, second) for _ in range(4)
    ]


def test_that_recordings_that_change_during_the_run_are_refused(store, plan, tmp_path, monkeypatch):
    seen = store.seen[plan.test[0].name]
    monkeypatch.setitem(store.seen, plan.test[0].name, type(seen)(seen.key, seen.ready[:-1]))
    with pytest.raises(InvalidInputError, match="changed"):
        assemble(plan, (), store, tmp_path)
