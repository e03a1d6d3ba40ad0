"""A few real recordings of two generated people, laid out as databases are."""

import shutil

import pytest

from app.evaluation.cache import Cache
from app.evaluation.extraction import FeaturePipeline, FeatureStore
from app.vision.pipeline import Pipeline
from lmkl_core.features.presets import load_preset, with_descriptors
from tests.app.evaluation.example_layouts import N_FRAMES, together


@pytest.fixture(scope="session")
def prepared(recorded, tmp_path_factory):
    """Return a cache that holds the views of all recordings, and nothing else."""
    folder = tmp_path_factory.mktemp("prepared")
    pipeline = FeaturePipeline(with_descriptors(load_preset("tiny")), gate=False)
    store = FeatureStore(pipeline, Cache("features", folder), N_FRAMES)
    store.prepare(together(recorded).recordings)
    return folder


@pytest.fixture
def cache(prepared, tmp_path):
    """Return a cache of the test's own that holds the views already."""
    shutil.copytree(prepared, tmp_path / "cache")
    return tmp_path / "cache"


@pytest.fixture
def calls(monkeypatch):
    """Count frames that go through the real pipeline."""
    frames = []
    process = Pipeline.process

    def counted(self, frame):
        frames.append(frame.number)
        return process(self, frame)

    monkeypatch.setattr(Pipeline, "process", counted)
    return frames
