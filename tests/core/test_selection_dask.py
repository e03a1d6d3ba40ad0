"""Selection on a local Dask cluster, through joblib."""

import joblib
import pytest

from lmkl_core import select
from tests.core.recordings import assert_same_selection, make, recording, takes_of

distributed = pytest.importorskip("distributed")


def run():
    return select(
        make(),
        recording(n=24),
        groups=takes_of(24, 3),
        deltas=(0.01, 1.0),
        exponents=(4 / 3, 8.0),
        n_clusters=(1, 2),
        n_jobs=-1,
        progress=lambda done, total: counted.append((done, total)),
    )


counted: list[tuple[int, int]] = []


def test_that_a_dask_cluster_gives_the_same_selection():
    with joblib.parallel_config(backend="threading", n_jobs=1):
        expected = run()
    counted.clear()
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=True, dashboard_address=":0"
    )
    with cluster, distributed.Client(cluster) as client, joblib.parallel_config(backend="dask"):
        assert_same_selection(run(), expected)
        ran = client.run(lambda dask_worker: dask_worker.state.executed_count)
    assert counted[-1] == (16, 16)
    assert sum(ran.values()) > 0
