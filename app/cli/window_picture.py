"""A picture of the window, taken in a process of its own."""

import subprocess
import tempfile
from pathlib import Path

from lmkl_core.system.processes import module_command, module_environment

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
    from lmkl_core.system.atomic import write_atomically

    with tempfile.TemporaryDirectory() as folder:
        # What it puts aside lies in the same folder: where it is killed, at Ctrl-C or because it
        # takes too long, it cannot tidy up itself.
        scratch = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), folder)
        environment = {**module_environment(), **scratch, "QT_QPA_PLATFORM": "offscreen"}
        taken = Path(folder, "window.png")
        command = [*module_command(MODULE), str(model), str(taken)]
        try:
            code, errors = _run(command, environment)
            if code == 0 and taken.exists():
                write_atomically(picture, taken.read_bytes())
                return ""
            lines = errors.strip().splitlines() or [f"exit code {code}"]
            reason = lines[-1]
        except subprocess.TimeoutExpired:
            reason = f"it was not ready after {PATIENCE:.0f} seconds"
        except OSError as error:
            reason = error.strerror or str(error)
    return f"There is no picture of the window, because Qt could not make one here ({reason})."


def _run(command: list[str], environment: dict[str, str]) -> tuple[int, str]:
    """Return a command's exit code and standard error; however this ends, its process has too.

    `subprocess.run` would not wait for a process that it kills at Ctrl-C, which could then still
    write to a folder that is being removed.
    """
    process = subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )
    try:
        _, errors = process.communicate(timeout=PATIENCE)
    except BaseException:
        process.kill()
        process.communicate()
        raise
    return process.returncode, errors
