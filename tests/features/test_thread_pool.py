"""The thread pool that runs several engines on one frame."""

import threading

import numpy as np
import pytest

from lmkl_core.features.engines.engine import LARGEST_PART, EnginePool


class Sums:
    """An engine that sums pixels and records its calls."""

    name = "sums"

    def __init__(self, weight=1, brings_threads=False):
        self.weight = weight
        self.brings_threads = brings_threads
        self.sizes = []
        self.threads = set()

    def run(self, crops):
        self.sizes.append(len(crops))
        self.threads.add(threading.current_thread().name)
        totals = crops.reshape(len(crops), -1).sum(1, dtype=np.float32)
        return [totals[:, None], np.repeat(totals[:, None], 3, axis=1)]


def numbered(n):
    return np.arange(n, dtype=np.uint8).reshape(n, 1, 1, 1)


@pytest.mark.parametrize("threads", [1, 2, 3, 5])
def test_that_rows_come_back_in_the_order_of_the_crops(threads):
    for n in (1, 2, 4, 7, 40):
        engines = [Sums(), Sums(weight=9), Sums(brings_threads=True)]
        results = EnginePool(threads).run([(engine, numbered(n)) for engine in engines])
        for narrow, wide in results:
            assert narrow[:, 0].tolist() == list(range(n))
            assert wide.shape == (n, 3)


def test_that_an_engine_with_its_own_threads_gets_the_whole_batch_on_the_callers_thread():
    engine = Sums(brings_threads=True)
    EnginePool(3).run([(engine, numbered(5))])
    assert engine.sizes == [5]
    assert engine.threads == {threading.current_thread().name}


def test_that_large_batches_are_split_to_limit_memory():
    engines = [Sums(), Sums(brings_threads=True)]
    EnginePool(2).run([(engine, numbered(100)) for engine in engines])
    for engine in engines:
        assert max(engine.sizes) <= LARGEST_PART
        assert sum(engine.sizes) == 100


def test_that_an_engines_error_reaches_the_caller():
    class Broken(Sums):
        def run(self, crops):
            raise RuntimeError("no memory left")

    with pytest.raises(RuntimeError, match="no memory left"):
        EnginePool(2).run([(Sums(), numbered(3)), (Broken(), numbered(3))])
