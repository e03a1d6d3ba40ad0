"""Test a build without access to Python: its commands, and its window in Xvfb.

::

    python -m bundling.smoke dist/lmkl-pad [--pictures DIR]

The build is copied to a path with a space and a non-ASCII letter, and run with an empty environment
and a new home, in another folder. On Linux it has no access to any Python of this machine, to this
project or to the network (`bundling.sandbox`).
"""

import argparse
import json
import math
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bundling.collecting import NAME, ROOT
from bundling.sandbox import (
    Sandbox,
    close_windows,
    content,
    foreign_files,
    mapped_files,
    n_colours,
    pythons,
    take_picture,
    virtual_screen,
)

PATIENCE = 1800.0
"""Seconds that a command may take on a busy machine."""

PHOTOGRAPH = 4000
"""Least number of colours in a screenshot that shows a camera's picture."""

FILLED = 0.03
"""Least `content` of a screenshot that shows the pages."""


class SmokeError(AssertionError):
    """The build does not work; the message says why."""


def main(arguments: list[str] | None = None) -> int:
    """Test a build; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bundling.smoke", description=__doc__)
    parser.add_argument("build", type=Path, help="the folder that was built")
    parser.add_argument("--pictures", type=Path, help="where to keep screenshots of the window")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="lmkl-pad-smoke-") as scratch:
        try:
            Smoke(options.build.resolve(), Path(scratch).resolve(), options.pictures).run()
        except SmokeError as error:
            print(f"FAILED: {error}", file=sys.stderr)
            return 1
    print("The build works.")
    return 0


class Smoke:
    """A test of a build in an empty scratch folder; ``pictures`` is a folder for screenshots."""

    def __init__(self, build: Path, scratch: Path, pictures: Path | None) -> None:
        moved = scratch / "a folder für builds" / NAME
        shutil.copytree(build, moved, symlinks=True)
        self.program = moved / (f"{NAME}.exe" if sys.platform == "win32" else NAME)
        self.sandbox = Sandbox.make(scratch / "sandbox", (ROOT, build, *pythons()))
        self.scratch, self.pictures = scratch, pictures
        self.work = self.sandbox.folder / "work"

    def run(self) -> None:
        """Run all tests; raise `SmokeError` at the first failure."""
        self.check_python_hidden()
        self.command("--version")
        report = self.command("doctor", "--json")
        bad = [item for item in json.loads(report)["checks"] if item["state"] == "not ok"]
        _check(not bad, f"the doctor found {bad}")
        self.command("demo", "--output", "demo result")
        written = sorted(path.name for path in (self.work / "demo result").iterdir())
        for name in ("demo-model.safetensors", "demo-report.html", "demo-window.png"):
            _check(name in written, f"the demo wrote no {name}, only {written}")
        self.score_videos()
        self.check_without_torch()
        if sys.platform == "linux":
            self.window()
        else:
            print("The window is only tested on Linux: start it by hand.")

    def check_python_hidden(self) -> None:
        """Make sure that no Python can be started."""
        if not self.sandbox.hides:
            print("Python cannot be hidden on this system: only the environment is empty.")
            return
        names = [path for path in pythons() if path.is_file()] + [Path(sys.executable)]
        for path in names:
            command = [*self.sandbox.prefix, str(path), "-c", "print('a Python')"]
            answer = subprocess.run(command, capture_output=True, text=True)
            _check("a Python" not in answer.stdout, f"{path} can still be started")
        hidden = ", ".join(str(path) for path in self.sandbox.hidden)
        print(f"ok  no Python here: {hidden} are hidden, and there is no network")

    def command(self, *arguments: str, code: int = 0) -> str:
        """Run a command of the build; return its output, or its errors if ``code`` is not 0."""
        began = time.monotonic()
        process = self.sandbox.start(self.program, *arguments)
        try:
            output, errors = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise SmokeError(f"{' '.join(arguments)} took more than {PATIENCE:.0f} s") from None
        _check(
            process.returncode == code and "Traceback" not in errors,
            f"{' '.join(arguments)} ended with {process.returncode}: {errors[-2000:]}",
        )
        print(f"ok  {' '.join(arguments)} ({time.monotonic() - began:.1f} s)", flush=True)
        return output if code == 0 else errors

    def score_videos(self) -> None:
        """Score a video of the person and one of a print with the demo's model."""
        from app.demo.script import Take
        from tools.recordings import write_recordings

        takes = [Take("P001", n_frames=12), Take("P001", "print", n_frames=12)]
        videos = write_recordings(self.work, takes)
        model = "demo result/demo-model.safetensors"
        output = self.command("score", model, *map(str, videos), "--json")
        means = [item["mean_score"] for item in json.loads(output)["inputs"]]
        _check(len(means) == 2 and all(map(math.isfinite, means)), f"the scores are {means}")
        print(f"ok  scores: the person {means[0]:.3f}, a print {means[1]:.3f}")

    def check_without_torch(self) -> None:
        """Check that fetching a torch network names torch, and that scorers are exported."""
        errors = self.command("weights", "fetch", "resnet50", code=8)
        is_right = "needs torch" in errors and errors.count("\n") == 1
        _check(is_right, f"weights fetch printed {errors!r}")
        model = "demo result/demo-model.safetensors"
        self.command("export", model, "--to", "scorer.onnx")

    def window(self) -> None:
        """Show the window twice; close it by its close button, then by SIGTERM."""
        with virtual_screen() as display:
            self.show_window(display, "click", lambda process: _close(display))
            self.show_window(
                display, "SIGTERM", lambda process: process.send_signal(signal.SIGTERM)
            )

    def show_window(
        self, display: str, how: str, end: Callable[["subprocess.Popen[str]"], None]
    ) -> None:
        """Show the window, wait for a camera's picture and the pages, and close it."""
        picture = self.scratch / f"window-{how}.png"
        process = self.sandbox.start(self.program, DISPLAY=display)
        try:
            self.wait_for(process, display, picture, "a camera's picture", _has_photograph)
            self.wait_for(process, display, picture, "its pages", _has_pages)
            self.check_mapped_files(process.pid)
            end(process)
            _, errors = process.communicate(timeout=PATIENCE)
        finally:
            if process.poll() is None:
                process.kill()
                process.communicate()
        _check(process.returncode == 0, f"after {how} it ended with {process.returncode}: {errors}")
        _check("Traceback" not in errors, errors)
        print(f"ok  closed by {how} with exit code 0; it printed {errors.strip()!r}")

    def wait_for(
        self,
        process: "subprocess.Popen[str]",
        display: str,
        picture: Path,
        what: str,
        is_there: Callable[[Path], bool],
    ) -> None:
        """Wait until a screenshot shows something."""
        began = time.monotonic()
        while True:
            take_picture(display, picture)
            if self.pictures is not None:
                self.pictures.mkdir(parents=True, exist_ok=True)
                shutil.copy(picture, self.pictures)
            if is_there(picture):
                break
            _check(process.poll() is None, f"the window ended before it showed {what}")
            _check(time.monotonic() - began < PATIENCE, f"the window does not show {what}")
        print(f"ok  the window shows {what} after {time.monotonic() - began:.1f} s", flush=True)

    def check_mapped_files(self, pid: int) -> None:
        """Check that the process has not loaded files of another Python."""
        mapped = mapped_files(pid)
        foreign = foreign_files(mapped, (self.program.parent, self.sandbox.folder))
        _check(not foreign, f"files from elsewhere are loaded: {foreign}")
        own = sum(path.startswith(str(self.program.parent)) for path in mapped)
        print(f"ok  {own} of {len(mapped)} mapped files are the build's, the rest the system's")


def _has_photograph(picture: Path) -> bool:
    return n_colours(picture) >= PHOTOGRAPH


def _has_pages(picture: Path) -> bool:
    return content(picture) >= FILLED


def _close(display: str) -> None:
    _check(close_windows(display) > 0, "there is no window to close")


def _check(holds: bool, sentence: str) -> None:
    if not holds:
        raise SmokeError(sentence)


if __name__ == "__main__":
    sys.exit(main())
