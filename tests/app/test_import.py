"""Importing the app sets environment variables in time, and loads nothing heavy."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = """
import os, sys
import app
assert not {"numpy", "cv2", "PySide6", "torch"} & set(sys.modules)
print(os.environ["OPENBLAS_THREAD_TIMEOUT"])
"""


@pytest.mark.parametrize(("chosen", "used"), [(None, "4"), ("20", "20")])
def test_that_blas_threads_are_made_to_sleep_before_numpy_is_imported(chosen, used):
    environment = {k: v for k, v in os.environ.items() if k != "OPENBLAS_THREAD_TIMEOUT"}
    if chosen is not None:
        environment["OPENBLAS_THREAD_TIMEOUT"] = chosen
    command = [sys.executable, "-c", SCRIPT]
    assert subprocess.check_output(command, env=environment, cwd=ROOT).split() == [used.encode()]


FIRST_FRAME = """
import sys
# Importing one of these fails; the recorder's thread does so later.
for name in ("scipy", "sklearn", "torch", "PySide6", "app.demo.renderer"):
    sys.modules[name] = None
from app.demo.source import DemoSource
assert "cv2" not in sys.modules
with DemoSource() as source:
    print(source.read().image.shape, source.read().number)
"""


def test_that_the_first_frames_of_the_demo_need_neither_numerics_nor_the_renderer():
    run = subprocess.run(
        [sys.executable, "-c", FIRST_FRAME], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert (run.stdout, run.stderr) == ("(480, 640, 3) 1\n", "")
