"""Everything works with the network switched off: no address is looked up, nothing connects."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Every interpreter that starts with this file on its path refuses the network, also the children
# in which graphs are exported and engines tried.
NO_NETWORK = """
import sys

def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.bind"):
        raise RuntimeError(f"network used: {event} {arguments!r}")

sys.addaudithook(refuse)
"""

WHOLE_WAY = """
from app.cli.main import cli
from app.faces.detector import make_detector
from app.faces.tracking import FaceTracker
from app.pipeline import Pipeline
from app.samples import collect
from app.sources.opening import source_from
from itertools import islice
from lmkl_core import LocalisedMKL
from lmkl_core.features.extractor import Extractor
from lmkl_core.features.presets import Branch, Crop, Preset

branch = Branch("efficientnet-lite0", ("face",), ("block0",))
small = Preset("small", "", (Crop("face", 64),), (branch,))
pipeline = Pipeline(Extractor(small), FaceTracker(make_detector()))
with source_from("demo", paced=False) as source:
    samples = collect(pipeline, {"take": islice(source, 48)})
model = LocalisedMKL(n_clusters=1, delta=0.1).fit(samples.views)
print("frames", len(samples), "engine", *pipeline.extractor.engine_names)
try:
    cli(["weights", "list"])
except SystemExit as stop:
    print("exit", stop.code)
"""


def run(code, folder):
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([str(folder), str(ROOT)]))
    environment["LMKL_PAD_CACHE"] = str(folder / "cache")
    (folder / "sitecustomize.py").write_text(NO_NETWORK)
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=folder,
        env=environment,
    )


def test_that_frames_become_scores_without_any_use_of_the_network(tmp_path):
    done = run(WHOLE_WAY, tmp_path)
    assert done.returncode == 0, done.stderr
    frames, engine = done.stdout.splitlines()[0].split(" engine ")
    assert int(frames.removeprefix("frames ")) > 5
    assert engine == "onnxruntime"
    assert "efficientnet-lite0" in done.stdout
    assert "network used" not in done.stderr


def test_that_a_use_of_the_network_would_be_noticed(tmp_path):
    code = "import urllib.request; urllib.request.urlopen('http://127.0.0.1:9/')"
    done = run(code, tmp_path)
    assert "network used" in done.stderr
