"""A picture of the window, taken in a process of its own."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

MODULE = "app.qt.window_picture"
PATIENCE = 300.0
"""Seconds after which there will be no picture; usually it takes twenty."""


def take_window_picture(model: Path, picture: Path) -> str:
    """Save what the window shows with a model at work on the demo; no screen is needed.

    Parameters
    ----------
    model : Path
        The model file.
    picture : Path
        Where the picture goes; it is whole or not there.

    Returns
    -------
    str
        Empty, or one sentence that says why there is no picture.
    """
    # Imported here: --help should not wait for SciPy.
    from lmkl_core.modelfile.storage import write_atomically

    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    with tempfile.TemporaryDirectory() as folder:
        taken = Path(folder, "window.png")
        command = [sys.executable, "-m", MODULE, str(model), str(taken)]
        try:
            run = subprocess.run(
                command, env=environment, capture_output=True, text=True, timeout=PATIENCE
            )
            if run.returncode == 0 and taken.exists():
                write_atomically(picture, taken.read_bytes())
                return ""
            lines = run.stderr.strip().splitlines() or [f"exit code {run.returncode}"]
            reason = lines[-1]
        except subprocess.TimeoutExpired:
            reason = f"it was not ready after {PATIENCE:.0f} seconds"
        except OSError as error:
            reason = error.strerror or str(error)
    return f"There is no picture of the window, because Qt could not make one here ({reason})."
