"""Fixtures of the core's tests."""

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(scope="module")
def one_blas_thread():
    """Keep BLAS to one thread: on small matrices and a busy machine two cost four times as much."""
    with threadpool_limits(1, user_api="blas"):
        yield
