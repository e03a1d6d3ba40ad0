"""Everything works without a network: no address is looked up, nothing connects."""

import sys

import pytest

from tests.faults.watching import Watch

pytestmark = pytest.mark.light

SCRIPT = """
from app.cli.main import cli
from app.vision.pipeline import make_pipeline
from app.models.fitting import collect
from app.capture.opening import source_from
from itertools import islice
from lmkl_core import LocalisedMKL
from lmkl_core.features.presets import Branch, Crop, Preset

branch = Branch("efficientnet-lite0", ("face",), ("block0",))
small = Preset("small", "", (Crop("face", 64),), (branch,))
pipeline = make_pipeline(small)
with source_from("demo", paced=False) as source:
    samples = collect(pipeline, {"take": islice(source, 48)})
model = LocalisedMKL(n_clusters=1, delta=0.1).fit(samples.views)
print("frames", len(samples), "engine", *pipeline.extractor.engine_names)
try:
    cli(["weights", "list"])
except SystemExit as stop:
    print("exit", stop.code)
"""


@pytest.mark.fault("Privacy", "networks exported, probed and run with sockets forbidden")
def test_that_frames_are_scored_without_using_the_network(tmp_path):
    watch = Watch(tmp_path)
    done = watch.run(
        [sys.executable, "-c", SCRIPT],
        cwd=tmp_path,
        HOME=tmp_path,
        LMKL_PAD_CACHE=tmp_path / "cache",
        OMP_NUM_THREADS=1,
    )
    assert done.returncode == 0, done.stderr
    frames, engine = done.stdout.splitlines()[0].split(" engine ")
    assert int(frames.removeprefix("frames ")) > 5
    assert engine == "onnxruntime"
    assert "efficientnet-lite0" in done.stdout
    assert watch.in_python() == ""
    if watch.sees_all:  # includes torch and onnxruntime in child processes
        assert watch.in_the_kernel() == []
