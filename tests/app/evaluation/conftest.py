"""A few real recordings of two generated people, laid out as databases are."""

import pytest

from tests.app.evaluation.material import record


@pytest.fixture(scope="session")
def recorded(tmp_path_factory):
    """Return a folder with videos of two people in the plain layout, recorded once."""
    folder = tmp_path_factory.mktemp("recorded")
    record(folder)
    return folder


@pytest.fixture
def calls(monkeypatch):
    """Count frames that go through the real pipeline."""
    from app.pipeline import Pipeline

    frames = []
    process = Pipeline.process

    def counted(self, frame):
        frames.append(frame.number)
        return process(self, frame)

    monkeypatch.setattr(Pipeline, "process", counted)
    return frames
