"""Fixtures for tests of networks and engines: real weights, and one cache for all tests."""

import os

import pytest

from lmkl_core.features import weights
from lmkl_core.features.engines.cache import Cache
from lmkl_core.features.extractor import Extractor
from tests.features.small_preset import BOTH, SMALL

# Before anything imports torch, and for child processes: torch's threads spin while they wait for
# each other, which on a busy machine is several times as slow as one thread.
os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.fixture(scope="session")
def lite0():
    """Return the file of EfficientNet-Lite0's weights, from the installed package."""
    return weights.find("efficientnet-lite0").path


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    """Return a cache that all tests share and none damages."""
    return Cache(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def extractor(cache):
    """Return an extractor that runs in onnxruntime; later ones find a warm cache."""
    return Extractor(SMALL, engine="onnxruntime", threads=2, cache=cache)


@pytest.fixture(scope="session")
def both(cache, extractor):
    """Return an extractor with networks and descriptors."""
    return Extractor(BOTH, engine="onnxruntime", threads=2, cache=cache)
