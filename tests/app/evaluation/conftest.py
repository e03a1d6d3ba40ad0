"""Caches that already hold the views of the recordings of two generated people."""

import shutil

import pytest

from app.evaluation.cache import Cache
from app.evaluation.extraction import FeaturePipeline, FeatureStore
from app.vision.pipeline import Pipeline
from lmkl_core.features.presets import load_preset, with_descriptors
from tests.app.evaluation.example_layouts import N_FRAMES, together


@pytest.fixture(scope="session")
def prepared(recorded, tmp_path_factory):
    """Return a cache with the views of all recordings and nothing else."""
    folder = tmp_path_factory.mktemp("prepared")
    pipeline = FeaturePipeline(with_descriptors(load_preset("tiny")), gate=False)
    store = FeatureStore(pipeline, Cache("features", folder), N_FRAMES)
    store.prepare(together(recorded).recordings)
    return folder


@pytest.fixture
def cache(prepared, tmp_path):
    """Return a copy of the prepared cache for one test."""
    shutil.copytree(prepared, tmp_path / "cache")
    return tmp_path / "cache"


@pytest.fixture
def calls(monkeypatch):
    """Return the numbers of frames that go through the real pipeline."""
    frames = []
    process = Pipeline.process

    def counted(self, frame):
        frames.append(frame.number)
        return process(self, frame)

    monkeypatch.setattr(Pipeline, "process", counted)
    return frames
