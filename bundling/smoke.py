"""Start a build where there is no Python, and use it: commands, and the window under Xvfb.

::

    python -m bundling.smoke dist/lmkl-pad [--pictures DIR]

The build is copied to a path with a space and a letter that is not ASCII, and run with an empty
environment, in a new home, in a folder elsewhere. On Linux every Python of this machine, this
project and the network are out of its reach (`bundling.sandbox`).
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
    mapped_files,
    n_colours,
    pythons,
    strangers,
    take_picture,
    virtual_screen,
)

PATIENCE = 1800.0
"""Seconds that a command may take on a machine that is busy with something else."""

PHOTOGRAPH = 4000
"""Colours without which a picture of the window holds no frame of a camera."""


FILLED = 0.03
"""Part of the right half that has something in it once the pages are there."""


class SmokeError(AssertionError):
    """The build does not do what it should."""


def main(arguments: list[str] | None = None) -> int:
    """Try a build; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bundling.smoke", description=__doc__)
    parser.add_argument("build", type=Path, help="the folder that was built")
    parser.add_argument("--pictures", type=Path, help="where pictures of the window are kept")
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
    """One try of a build in an empty scratch folder; pictures of the window are kept if asked."""

    def __init__(self, build: Path, scratch: Path, pictures: Path | None) -> None:
        moved = scratch / "a folder für builds" / NAME
        shutil.copytree(build, moved, symlinks=True)
        self.program = moved / (f"{NAME}.exe" if sys.platform == "win32" else NAME)
        self.sandbox = Sandbox.make(scratch / "sandbox", (ROOT, build, *pythons()))
        self.scratch, self.pictures = scratch, pictures
        self.work = self.sandbox.folder / "work"

    def run(self) -> None:
        """Do everything, one after the other; raise `SmokeError` at the first thing wrong."""
        self.nothing_else()
        self.command("--version")
        report = self.command("doctor", "--json")
        bad = [item for item in json.loads(report)["checks"] if item["state"] == "not ok"]
        _check(not bad, f"the doctor found {bad}")
        self.command("demo", "--output", "demo result")
        written = sorted(path.name for path in (self.work / "demo result").iterdir())
        for name in ("demo-model.safetensors", "demo-report.html", "demo-window.png"):
            _check(name in written, f"the demo wrote no {name}, only {written}")
        self.scores()
        self.refusals()
        if sys.platform == "linux":
            self.window()
        else:
            print("The window is tried on Linux alone: start it by hand.")

    def nothing_else(self) -> None:
        """Make sure that no Python can be started."""
        if not self.sandbox.hides:
            print("This system does not let Python be hidden: only the environment is empty.")
            return
        names = [path for path in pythons() if path.is_file()] + [Path(sys.executable)]
        for path in names:
            command = [*self.sandbox.prefix, str(path), "-c", "print('a Python')"]
            answer = subprocess.run(command, capture_output=True, text=True)
            _check("a Python" not in answer.stdout, f"{path} can still be started")
        hidden = ", ".join(str(path) for path in self.sandbox.hidden)
        print(f"ok  no Python here: {hidden} are hidden, and there is no network")

    def command(self, *arguments: str, code: int = 0) -> str:
        """Run a command of the build and return what it printed."""
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

    def scores(self) -> None:
        """Score a video of the person and one of a print with the demo's model."""
        from app.demo.script import Take
        from tools.recordings import write_recordings

        takes = [Take("P001", n_frames=12), Take("P001", "print", n_frames=12)]
        videos = write_recordings(self.work, takes)
        model = "demo result/demo-model.safetensors"
        said = self.command("score", model, *map(str, videos), "--json")
        (self.scratch / "scores.json").write_text(said, encoding="utf-8")
        means = [item["mean_score"] for item in json.loads(said)["inputs"]]
        _check(len(means) == 2 and all(map(math.isfinite, means)), f"the scores are {means}")
        print(f"ok  scores: the person {means[0]:.3f}, a print {means[1]:.3f}")

    def refusals(self) -> None:
        """See that what needs torch says so; and that scorers are exported without it."""
        said = self.command("weights", "fetch", "resnet50", code=8)
        _check("needs torch" in said and said.count("\n") == 1, f"weights fetch said {said!r}")
        model = "demo result/demo-model.safetensors"
        self.command("export", model, "--to", "scorer.onnx")

    def window(self) -> None:
        """Show the window twice: close it as a click does, and by asking the process to end."""
        with virtual_screen() as display:
            self.shown(display, "click", lambda process: _close(display))
            self.shown(display, "SIGTERM", lambda process: process.send_signal(signal.SIGTERM))

    def shown(self, display: str, how: str, end: Callable[["subprocess.Popen[str]"], None]) -> None:
        """Show the window, wait for a camera's picture in it, and end it."""
        picture = self.scratch / f"window-{how}.png"
        process = self.sandbox.start(self.program, DISPLAY=display)
        try:
            self.seen(process, display, picture, "a camera's picture", _has_photograph)
            self.seen(process, display, picture, "its pages", _has_pages)
            self.only_own_files(process.pid)
            end(process)
            _, errors = process.communicate(timeout=PATIENCE)
        finally:
            if process.poll() is None:
                process.kill()
                process.communicate()
        _check(process.returncode == 0, f"after {how} it ended with {process.returncode}: {errors}")
        _check("Traceback" not in errors, errors)
        print(f"ok  closed by {how} with exit code 0; it said {errors.strip()!r}")

    def seen(
        self,
        process: "subprocess.Popen[str]",
        display: str,
        picture: Path,
        what: str,
        is_there: Callable[[Path], bool],
    ) -> None:
        """Wait until a picture of the window shows something."""
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

    def only_own_files(self, pid: int) -> None:
        """See in the process's memory that nothing of a Python elsewhere is in it."""
        mapped = mapped_files(pid)
        foreign = strangers(mapped, (self.program.parent, self.sandbox.folder))
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
