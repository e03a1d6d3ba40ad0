"""An evaluation on a real local Dask cluster, reached through joblib and nothing else."""

import shutil

import joblib
import pytest

from app.evaluation.running import run
from tests.app.evaluation.material import DATABASE, assert_equal, each, options

distributed = pytest.importorskip("distributed")


def test_that_a_dask_cluster_finds_the_same(recorded, cache, tmp_path):
    other = shutil.copytree(cache, tmp_path / "other")
    methods = ("md", "gmm", "localised-mkl")
    with joblib.parallel_config(backend="threading", n_jobs=1):
        expected = run(each(recorded), DATABASE, options(cache, methods=methods))
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=True, dashboard_address=None
    )
    with cluster, distributed.Client(cluster) as client, joblib.parallel_config(backend="dask"):
        found = run(each(recorded), DATABASE, options(other, methods=methods, n_jobs=-1))
        ran = client.run(lambda dask_worker: dask_worker.state.executed_count)
    assert_equal(found, expected, exactly=False)
    assert sum(ran.values()) > 0
