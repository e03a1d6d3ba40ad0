"""Fixtures of the core's tests."""

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Keep BLAS and OpenMP to one thread.

    On small data and a busy machine two threads take ten times as long.
    """
    with threadpool_limits(1):
        yield
