"""Fixtures of the networks' and engines' tests: real weights, one cache for the whole session."""

import os

import pytest

from lmkl_core.features import weights
from lmkl_core.features.engines.cache import Cache
from lmkl_core.features.extractor import Extractor
from tests.features.small_preset import BOTH, SMALL

# Before anything imports torch, and for child processes: its threads spin while they wait for
# each other, which on a busy machine takes several times as long as one thread alone.
os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.fixture(scope="session")
def lite0():
    """Return the file of EfficientNet-Lite0's weights, from the installed package."""
    return weights.find("efficientnet-lite0").path


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    """Return a cache that all tests share and none spoils."""
    return Cache(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def extractor(cache):
    """Return an extractor on onnxruntime; whatever comes after it finds a warm cache."""
    return Extractor(SMALL, engine="onnxruntime", threads=2, cache=cache)


@pytest.fixture(scope="session")
def both(cache, extractor):
    """Return an extractor of networks and descriptors."""
    return Extractor(BOTH, engine="onnxruntime", threads=2, cache=cache)
