"""Time from process start to the first moving picture, against an empty Qt window.

    python -m benchmarks launch [--rounds 15]

Every start is a fresh process, and the two kinds alternate, so that other load affects both. The
parent process measures from spawning the child to reading the line that the child prints at the end
of its first paint.

- The baseline imports ``PySide6.QtWidgets`` and shows an empty window.
- The app starts as ``lmkl-pad`` does, on the demo with empty settings, until the first frame from
  the capture thread is painted on the loading page, and until the window replaces that page.

Both use compiled modules, kept in a folder of this run. Ratios are of neighbouring starts. If Xvfb
is installed, the measurement is repeated on its screen.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from bundling.sandbox import virtual_screen

TARGET = 2.5

BASELINE = """
from PySide6.QtWidgets import QApplication, QWidget

class Window(QWidget):
    def paintEvent(self, event):
        print("shown", flush=True)
        QApplication.exit(0)

app = QApplication([])
window = Window()
window.resize(1280, 720)
window.show()
app.exec()
"""

APP = """
from app import launch

def shown():
    print("shown", flush=True)
    look()

def look():
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication, QMainWindow
    if any(isinstance(one, QMainWindow) and one.isVisible() for one in QApplication.allWidgets()):
        print("window", flush=True)
        QApplication.quit()
    else:
        QTimer.singleShot(5, look)

launch.launch("demo", on_shown=shown)
"""


def start(code, environment):
    """Run a child and return the seconds until each of the lines that it prints."""
    began = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        text=True,
    ) as child:
        times = {}
        for line in child.stdout:
            times.setdefault(line.strip(), time.perf_counter() - began)
        _, errors = child.communicate(timeout=30)
    if "shown" not in times or child.returncode:
        raise SystemExit(f"A window did not start (code {child.returncode}): {errors[-800:]}")
    return times


def pairs(n_rounds, platform):
    """Seconds to the baseline's window, to the app's first frame and to its window, by round.

    The first round is left out, because it compiles modules. The order alternates between rounds.
    """
    kinds = (BASELINE, APP)
    rows = []
    with tempfile.TemporaryDirectory() as compiled:
        environment = {**os.environ, **platform, "PYTHONPYCACHEPREFIX": compiled}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for number in range(-1, n_rounds):
            times = {}
            for code in kinds if number % 2 else reversed(kinds):
                with tempfile.TemporaryDirectory() as empty:
                    folders = {"LMKL_PAD_CONFIG": empty, "LMKL_PAD_DATA": empty}
                    times[code] = start(code, {**environment, **folders})
            app = times[APP]
            rows.append((times[BASELINE]["shown"], app["shown"], app["window"]))
    return rows[1:]


def report(name, rows):
    """Print the times and their ratio, and return the median ratio."""
    ratios = sorted(app / base for base, app, _ in rows)
    base, app, window = (statistics.median(times) for times in zip(*rows, strict=True))
    low, high = ratios[len(ratios) // 4], ratios[(3 * len(ratios)) // 4]
    ratio = statistics.median(ratios)
    print(
        f"{name}: empty window {base * 1e3:.0f} ms, moving picture {app * 1e3:.0f} ms, the whole "
        f"window {window * 1e3:.0f} ms (medians)\n  moving picture / empty window: "
        f"{ratio:.2f} (middle half {low:.2f} to {high:.2f}, all {ratios[0]:.2f} to "
        f"{ratios[-1]:.2f}, n = {len(ratios)} pairs), at most {TARGET:g}: "
        f"{'yes' if ratio <= TARGET else 'NO'}",
        flush=True,
    )
    return ratio


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks launch")
    parser.add_argument("--rounds", type=int, default=15, help="pairs of starts")
    options = parser.parse_args(arguments)
    report("offscreen", pairs(options.rounds, {"QT_QPA_PLATFORM": "offscreen"}))
    if shutil.which("Xvfb") is None:
        print("Xvfb is not installed, so nothing was measured on a screen.")
        return
    with virtual_screen((1920, 1080)) as display:
        report("Xvfb", pairs(options.rounds, {"QT_QPA_PLATFORM": "xcb", "DISPLAY": display}))


if __name__ == "__main__":
    main()
