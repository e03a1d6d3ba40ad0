"""Fixtures of the core's tests."""

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Keep BLAS and OpenMP to one thread: on small data and a busy machine two cost ten times."""
    with threadpool_limits(1):
        yield
