"""Evaluations on a real local Dask cluster, whose workers make views and models."""

import json

import cv2
import joblib
import numpy as np
import pytest
from typer.testing import CliRunner

from app.cli.console import ExitCode
from app.cli.main import cli
from app.evaluation import extraction
from app.evaluation.runner import run
from tests.app.evaluation.example_layouts import DATABASE, assert_equal, each, options

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=True, dashboard_address=":0"
    ) as made:
        yield made


def test_that_a_dask_cluster_gives_the_same_result(recorded, cache, tmp_path, cluster, calls):
    methods = ("md", "gmm", "localised-mkl")
    with joblib.parallel_config(backend="threading", n_jobs=1):
        expected = run(each(recorded), DATABASE, options(cache, methods=methods))
    with distributed.Client(cluster) as client, joblib.parallel_config(backend="dask"):
        # An empty cache, so that the cluster makes the views too.
        found = run(each(recorded), DATABASE, options(tmp_path / "new", methods=methods, n_jobs=-1))
        ran = client.run(lambda dask_worker: dask_worker.state.executed_count)
    assert_equal(found, expected, exactly=False)
    assert sum(ran.values()) > 0
    assert not calls


def test_that_the_command_runs_caltech_256_on_a_cluster(tmp_path, cluster, calls, monkeypatch):
    # Workers get the preset from the command, whatever their own default is.
    monkeypatch.setattr(extraction, "DEFAULT_PRESET", "tiny")
    rng = np.random.default_rng(0)
    root = tmp_path / "256_ObjectCategories"
    for folder in ("001.ak47", "002.flag", "256.toad"):
        (root / folder).mkdir(parents=True)
        for number in range(12):
            noise = rng.integers(0, 255, (64, 64, 3), dtype=np.uint8)
            cv2.imwrite(str(root / folder / f"{number}.png"), noise)
    places = ["--root", tmp_path, "--cache", tmp_path / "cache", "--output", tmp_path / "out"]
    arguments = ["caltech-256", *places, "--allow-missing", "--methods", "md,localised-mkl"]
    arguments += ["--selection", "none", "--json", "--cluster", cluster.scheduler_address]
    result = CliRunner().invoke(cli, ["evaluate", *map(str, arguments)])
    assert result.exit_code == ExitCode.OK, result.output
    document = json.loads(result.stdout)
    measured = [row for row in document["rows"] if row["measured"]]
    assert {row["method"] for row in measured} == {"md", "localised-mkl"}
    assert len(document["folds"]) == 2
    assert not calls
