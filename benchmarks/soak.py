"""Everything the program can do, round after round: does anything grow, slow down or fail?

    python -m benchmarks soak --minutes 60 [--output soak.json]

The real window on the demo with the real scorer repeats a round of user actions
(`benchmarks.soak_rounds`). Each round ends in the same state, so counts taken there must not grow.
Exit code 1 if, after the warm-up,
- memory grows by more than 16 MiB an hour or Python objects by more than 1000 (lower end of the
  95 % interval of a Theil-Sen line), or threads, descriptors, processes, files, Qt objects at all;
- a frame costs the scoring thread over 1.25 times as much processor time at the end as at first;
- an error is logged or shown, or a step of a round times out.
"""

import argparse
import faulthandler
import json
import logging
import os
import re
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from statistics import median

SLOWER_LIMIT = 1.25
WARM_UP = 600.0
"""Seconds of warm-up, at most half of the run, in which caches of Qt and the C library fill."""
BINS = (0.05, 0.1, 0.25, 1.0)
"""Seconds above which gaps of the event loop are counted."""


class CountingScorer:
    """The real scorer, with the processor time of each frame."""

    def __init__(self):
        self.n_scored = 0
        self._seconds = []

    def __call__(self, pipeline, model, frame):
        from app.session.scoring import score_frame

        began = time.thread_time()
        seen = score_frame(pipeline, model, frame)
        self._seconds.append(time.thread_time() - began)
        self.n_scored += 1
        return seen

    def cost(self):
        """Return the median milliseconds a frame since the last call."""
        seconds, self._seconds = self._seconds, []
        return 1e3 * median(seconds) if seconds else float("nan")


class Messages(logging.Handler):
    """Counts logged warnings and errors, Qt's messages and the window's error notices."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.errors, self.warnings = Counter(), Counter()

    def emit(self, record):
        kind = self.errors if record.levelno >= logging.ERROR else self.warnings
        self._add(kind, f"{record.name}: {record.getMessage()}")

    def on_qt(self, _kind, _context, message):
        if "This plugin does not support" not in message:  # logged if there is no screen
            self._add(self.warnings, f"Qt: {message}")

    def on_notice(self, notice):
        if notice.level == "error":
            self._add(self.errors, f"notice: {notice.text}")

    def on_exception(self, kind, error, _trace):
        self._add(self.errors, f"uncaught {kind.__name__}: {error}")

    def _add(self, counter, text):
        counter[re.sub(r"0x[0-9a-f]+|\d+", "#", text)[:300]] += 1


class Soak:
    """A run with its results so far."""

    def __init__(self, options, window, scorer, folders, sources):
        from benchmarks.heartbeat import Heartbeat
        from benchmarks.soak_rounds import DialogCloser, Rounds, Runner

        self.options, self.window, self.scorer, self.folders = options, window, scorer, folders
        self.warm_up = min(WARM_UP, 30 * options.minutes)
        self.closer, self.heart, self.messages = DialogCloser(), Heartbeat(), Messages()
        self.gaps, self.longest = dict.fromkeys(BINS, 0), []
        self.rounds = Rounds(
            window,
            scorer,
            self.closer,
            sources,
            folders["saved"],
            (options.preset, options.other_preset),
            options.rests,
        )
        self.runner = Runner(self._steps())
        self.checkpoints = []
        self.began = time.perf_counter()
        window.controller.notice.connect(self.messages.on_notice)

    def _steps(self):
        from benchmarks.soak_counts import count_everything

        while True:
            for wait in self.rounds.one():
                yield wait
                self._note_gaps()
            seconds = time.perf_counter() - self.began
            roots = [self.window.controller]
            counts = count_everything(roots, self.folders["person"], self.folders["temporary"])
            self.heart.gaps.clear()  # counting takes a while
            cost = self.scorer.cost()
            row = {"seconds": seconds, "milliseconds_a_frame": cost, "counts": counts}
            self.checkpoints.append(row)
            self.write()
            print(
                f"{seconds / 60:5.1f} min, round {len(self.checkpoints)}: "
                f"USS {counts['memory: USS, MiB']:.0f} MiB, {counts['threads']} threads, "
                f"{counts['descriptors']} descriptors, {cost:.1f} ms a frame",
                file=sys.stderr,
            )
            n_wanted = self.options.rounds
            if len(self.checkpoints) == n_wanted:
                return
            if n_wanted is None and seconds >= 60 * self.options.minutes:
                return

    def _note_gaps(self):
        for gap, place in self.heart.gaps:
            for least in BINS:
                self.gaps[least] += gap > least
            if gap > BINS[1]:
                self.longest.append((round(gap, 3), self.runner.activity, place))
        self.heart.gaps.clear()
        self.longest = sorted(self.longest, reverse=True)[:20]

    def run(self):
        """Run rounds until the time is up or Ctrl-C."""
        from PySide6.QtCore import QEventLoop

        loop = QEventLoop()
        self.runner.finished.connect(loop.quit)
        before = signal.signal(signal.SIGINT, lambda *_: self.runner.stop())
        logging.getLogger().addHandler(self.messages)
        hook, sys.excepthook = sys.excepthook, self.messages.on_exception
        try:
            with self.heart:
                self.runner.start()
                loop.exec()
        finally:
            signal.signal(signal.SIGINT, before)
            logging.getLogger().removeHandler(self.messages)
            sys.excepthook = hook
            self.closer.stop()
        self.write()

    def results(self):
        """Return the results so far as plain values."""
        from benchmarks.soak_counts import growths

        counted = [one for one in self.checkpoints if one["seconds"] >= self.warm_up]
        return {
            "minutes": (time.perf_counter() - self.began) / 60,
            "rounds": len(self.checkpoints),
            "rounds_after_warm_up": len(counted),
            "dialogs_closed": self.closer.n_closed,
            "growth": [vars(one) for one in growths(counted)],
            "end_over_start": end_over_start(counted),
            "gaps": {f"{least * 1e3:.0f} ms": n for least, n in self.gaps.items()},
            "longest_gaps": self.longest,
            "errors": dict(self.messages.errors),
            "warnings": dict(self.messages.warnings),
            "timed_out": self.runner.timed_out,
            "checkpoints": self.checkpoints,
        }

    def write(self):
        """Write the results so far, in case the run is killed."""
        if self.options.output is not None:
            part = self.options.output.with_name(f"{self.options.output.name}.part")
            part.write_text(json.dumps(self.results(), indent=1))
            part.replace(self.options.output)


def end_over_start(checkpoints):
    """Return the ratio of the processor time of a frame, last to first quarter of the rounds."""
    costs = [one["milliseconds_a_frame"] for one in checkpoints]
    quarter = max(1, len(costs) // 4)
    return median(costs[-quarter:]) / median(costs[:quarter]) if len(costs) > 1 else None


def run(options, make_demo=None):
    """Open the window, run the soak and return it."""
    from PySide6.QtCore import QCoreApplication, Qt, qInstallMessageHandler

    from app.malloc_tuning import keep_few_heaps

    keep_few_heaps()  # as early as the program does
    from app.qt.app import make_application, make_window
    from app.qt.window_picture import wait_until
    from app.session.takes import Plan
    from app.settings import Settings
    from benchmarks.soak_rounds import Demos, make_sources

    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)
    make_application()
    with tempfile.TemporaryDirectory(prefix="soak-") as root:
        folders = {name: Path(root) / name for name in ("person", "temporary", "saved", "material")}
        for folder in folders.values():
            folder.mkdir()
        os.environ["LMKL_PAD_CONFIG"] = os.environ["LMKL_PAD_DATA"] = str(folders["person"])
        before, tempfile.tempdir = tempfile.tempdir, str(folders["temporary"])
        camera, sources = make_sources(folders["material"], options.recorded)
        scorer = CountingScorer()
        window = make_window(
            Settings(source="demo", theme="light", preset=options.preset, reopen_last=False),
            make_demo=make_demo or Demos(options.recorded),
            plan=Plan(frames=18, every=0.1, at_least_every=0.3),
            observe=scorer,
        )
        window.resize(1280, 720)
        window.show()
        try:
            if not wait_until(lambda: scorer.n_scored > 0, 300):
                raise SystemExit("Timed out while waiting for the networks.")
            soak = Soak(options, window, scorer, folders, sources)
            qInstallMessageHandler(soak.messages.on_qt)
            soak.run()
            return soak
        finally:
            qInstallMessageHandler(None)
            close(window)
            camera.close()
            tempfile.tempdir = before


def close(window):
    """Close the window without asking about unsaved work."""
    controller = window.controller
    controller.model.discard()
    controller.enrol.clear()
    window.close()
    controller.stop()
    window.deleteLater()


def report(found):
    """Print the results; return what is wrong, one sentence each."""
    print(
        f"\n{found['rounds']} rounds in {found['minutes']:.1f} minutes, "
        f"{found['rounds_after_warm_up']} after the warm-up; {found['dialogs_closed']} dialogs."
    )
    for one in found["growth"]:
        if one["first"] != one["last"] or one["name"].startswith("memory"):
            print(
                f"  {one['name']}: {one['first']:,.1f} to {one['last']:,.1f}, {one['slope']:+,.1f} "
                f"an hour ({one['low']:+,.1f} to {one['high']:+,.1f})"
            )
    print("Gaps of the event loop: " + ", ".join(f"{n} > {t}" for t, n in found["gaps"].items()))
    for seconds, during, place in found["longest_gaps"][:8]:
        print(f"  {1e3 * seconds:.0f} ms, {during}: {place or 'Qt itself'}")
    for kind in ("errors", "warnings"):
        for text, n in found[kind].items():
            print(f"  {kind[:-1]}, {n} x {text}")
    wrong = [f"{one['name']} grows." for one in found["growth"] if one["grows"]]
    ratio = found["end_over_start"]
    if ratio is not None:
        print(f"Processor time of a frame, end over start: {ratio:.2f}")
        if ratio > SLOWER_LIMIT and found["rounds_after_warm_up"] >= 6:
            wrong.append(f"A frame costs {ratio:.2f} times as much as at the start.")
    wrong += [f"{sum(found['errors'].values())} errors."] if found["errors"] else []
    wrong += [f"Timed out: {what}." for what in dict.fromkeys(found["timed_out"])]
    for sentence in wrong:
        print(f"WRONG: {sentence}")
    return wrong


def options_from(arguments=None):
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks soak",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--minutes", type=float, default=60.0, help="the last round is completed")
    parser.add_argument("--rounds", type=int, help="number of rounds, instead of a time")
    parser.add_argument("--preset", default="texture", help="preset of the views")
    parser.add_argument("--other-preset", default="tiny", help="second preset of every round")
    parser.add_argument("--recorded", type=int, default=6, help="pictures per demo chapter")
    parser.add_argument("--rests", type=float, default=1.0, help="factor on pauses")
    parser.add_argument("--output", type=Path, help="JSON file, written after every round")
    return parser.parse_args(arguments)


def main(arguments=None):
    options = options_from(arguments)
    faulthandler.enable()  # print a traceback if the process crashes
    if not any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")):
        # Qt reads this when it is loaded.
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    if report(run(options).results()):
        sys.exit(1)


if __name__ == "__main__":
    main()
