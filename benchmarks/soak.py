"""The whole program for a long time with everything on: whether anything grows or slows down.

    python -m benchmarks soak --minutes 60 [--output soak.json] [--chart soak.svg]

The real window on the demo, with the real scorer, does in every round what a person can do: takes
are recorded, changed and undone, a model is fitted (and a fit cancelled), a quick take is folded
in, the person, attacks and unfamiliar light are watched on every page and tab, a guided test is run
and its report written, the model is exported and opened again, dialogs, menus, themes, sizes and
thresholds are gone through, the networks are made ready anew, and the source changes to a video, a
folder of pictures, a network camera and back. At the end of each round everything is in the same
state again; what is counted there must not have grown.
"""

import argparse
import faulthandler
import gc
import json
import logging
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import soak_analysis as analysis

TEXT = f"""
Fails (exit code 1) if, from checkpoint to checkpoint after the warm-up,
- memory (USS or RSS) grows by more than {analysis.MEMORY_LIMIT:g} MiB an hour, by the lower end of
  the 95 % interval of a Theil-Sen line; Python's objects by more than {analysis.OBJECTS_LIMIT:g};
- threads, QThreads, timers, Qt objects, windows, file descriptors, child processes, temporary files
  or what is stored grow at all: the interval lies above 0, and the last third of the run never has
  as few as the first third had;
- a frame costs the scoring thread over {analysis.SLOWER_LIMIT:g} times as much processor time in
  the last quarter as in the first;
- an error is logged or shown, or a step of a round waits in vain.
With fewer than {analysis.FEWEST} checkpoints after the warm-up the first three are told but not
judged. Gaps of the event loop are counted, beside those of an idle process at the same time.
"""

WARM_UP_SHARE = 6
"""The warm-up is this part of the time: ten minutes of an hour."""

TELL_EVERY = 60_000
"""Milliseconds between lines that tell how far it is."""


class Soak:
    """A run, and what it has found so far."""

    def __init__(self, options, window, scorer, folders, control):
        from PySide6.QtCore import QTimer

        from benchmarks.soak_rounds import Butler, Play, Rounds
        from benchmarks.soak_samples import Checkpoints, Gaps, Messages, Sampler

        self.options = options
        self.seconds = 60 * options.minutes
        self.warm_up = self.seconds / WARM_UP_SHARE
        if options.warm_up is not None:
            self.warm_up = 60 * options.warm_up
        self.window, self.folders = window, folders
        self.butler = Butler()
        self.play = Play(self._steps())
        self.gaps = Gaps(lambda: self.play.activity, control)
        self.messages = Messages()
        self.sampler = Sampler(lambda: self.play.activity)
        self.checkpoints = Checkpoints(window, scorer, folders.person, folders.temporary)
        self.rounds = Rounds(
            window,
            scorer,
            self.butler,
            folders.sources,
            folders.saved,
            (options.preset, options.other_preset),
            options.rests,
            *([options.parts.split(",")] if options.parts else []),
        )
        self.was_interrupted = False
        self._teller = QTimer(interval=TELL_EVERY)
        self._teller.timeout.connect(self._tell_of_progress)
        window.desk.notice.connect(self.messages.on_notice)

    def _steps(self):
        began = self.checkpoints.began
        while not self.was_interrupted:
            for wait in self.rounds.one():
                yield wait
                if self.was_interrupted:
                    return
            self.gaps.excused = True
            self.checkpoints.take()
            self.write()
            n = len(self.checkpoints.all)
            is_over = time.perf_counter() - began >= self.seconds
            if (self.options.rounds is None and is_over) or n == self.options.rounds:
                return

    def run(self):
        """Go through rounds until the time is over, or Ctrl-C."""
        from PySide6.QtCore import QEventLoop

        loop = QEventLoop()
        self.play.over.connect(loop.quit)
        before = signal.signal(signal.SIGINT, self._on_interrupt)
        logging.getLogger().addHandler(self.messages)
        hook, sys.excepthook = sys.excepthook, self.messages.on_exception
        self.sampler.start()
        try:
            with self.gaps:
                self._teller.start()
                self.play.start()
                loop.exec()
        finally:
            signal.signal(signal.SIGINT, before)
            logging.getLogger().removeHandler(self.messages)
            sys.excepthook = hook
            self._teller.stop()
            self.butler.stop()
            self.sampler.end()
        self.write()

    def _on_interrupt(self, _number, _frame):
        print("\nInterrupted: this is what was found so far.", flush=True)
        self.was_interrupted = True
        self.play.stop()

    def _tell_of_progress(self):
        seconds, samples = time.perf_counter() - self.checkpoints.began, self.sampler.samples
        if not samples:
            return
        last, gaps = samples[-1], self.gaps.counts
        print(
            f"{seconds / 60:5.1f} min, round {len(self.checkpoints.all) + 1}: "
            f"RSS {last['rss'] / analysis.MIB:.0f} MiB, USS {last['uss'] / analysis.MIB:.0f} MiB, "
            f"{last['threads']} threads, {last['fds']} descriptors; gaps "
            + ", ".join(f"{count} > {least * 1e3:.0f} ms" for least, count in gaps.items())
            + f"; {self.play.activity}",
            flush=True,
        )

    # ------------------------------------------------------------- results

    @property
    def troubles(self):
        return {
            "errors were logged or not caught": self.messages.n["error"],
            "notices told of an error": self.messages.n["notice"],
            "steps waited in vain": len(self.play.in_vain),
        }

    def results(self):
        """Return everything that was found, as plain values."""
        counted = analysis.after(self.checkpoints.all, self.warm_up)
        sentences = analysis.verdicts(self.checkpoints.all, self.warm_up, self.troubles)
        return {
            "minutes": (time.perf_counter() - self.checkpoints.began) / 60,
            "warm_up_seconds": self.warm_up,
            "preset": self.options.preset,
            "was_interrupted": self.was_interrupted,
            "wrong": sentences,
            "growth": [vars(one) for one in analysis.growths(counted)] if counted else [],
            "pace": [vars(one) | {"ratio": one.ratio} for one in analysis.paces(counted)],
            "growing_types": [vars(one) for one in analysis.growing_types(counted)],
            "gaps": {f"{least * 1e3:.0f} ms": n for least, n in self.gaps.counts.items()},
            "gaps_while_idle_process_was_late_too": self.gaps.n_machine,
            "long_gaps": self.gaps.long,
            "gaps_above_100_ms_during": dict(self.gaps.during.most_common()),
            "gaps_above_100_ms_at": dict(self.gaps.places.most_common(40)),
            "messages": dict(self.messages.counts),
            "in_vain": self.play.in_vain,
            "dialogs_closed": self.butler.n_closed,
            "checkpoints": self.checkpoints.all,
            "samples": self.sampler.samples,
        }

    def write(self):
        """Keep what there is, so that a run that is killed is not lost."""
        if self.options.output is None:
            return
        part = self.options.output.with_name(f"{self.options.output.name}.part")
        part.write_text(json.dumps(self.results(), indent=1))
        part.replace(self.options.output)


class Folders:
    """Where everything of the run lies, away from the person's own."""

    def __init__(self, root):
        self.person, self.temporary = root / "person", root / "temporary"
        self.saved, self.material = root / "saved", root / "material"
        for folder in (self.person, self.temporary, self.saved, self.material):
            folder.mkdir()
        self.sources = []

    def use(self):
        """Have the program keep its things here, temporary files too."""
        os.environ["LMKL_PAD_CONFIG"] = os.environ["LMKL_PAD_DATA"] = str(self.person)
        os.environ["TMPDIR"] = tempfile.tempdir = str(self.temporary)


def make_sources(folder, n_pictures):
    """Record a video, a folder of pictures, and a network camera that shows these."""
    from app.demo.renderer.recordings import write_recordings
    from app.demo.renderer.takes import Take
    from benchmarks.soak_rounds import NetworkCamera

    takes = {
        "avi": Take("P001", n_frames=5 * n_pictures, condition="window"),
        "png": Take("P001", n_frames=2 * n_pictures, condition="lamp"),
    }
    video, pictures = (
        write_recordings(folder, [take], form=form)[0] for form, take in takes.items()
    )
    import cv2

    coded = [
        cv2.imencode(".jpg", cv2.imread(str(path)))[1].tobytes()
        for path in sorted(pictures.glob("*.png"))
    ]
    camera = NetworkCamera(coded)
    return camera, [str(video), str(pictures), camera.address]


def run(options, make_demo=None):
    """Do the whole run and return it."""
    from PySide6.QtCore import QCoreApplication, Qt, qInstallMessageHandler

    from app.malloc_tuning import keep_few_heaps

    keep_few_heaps()  # as the program does as early, before what is loaded here for measuring
    from app.qt.bootstrap import make_application, make_window
    from app.qt.waiting import wait_until
    from app.session.enrolment import Plan
    from app.settings import Settings
    from benchmarks.heartbeat import Control
    from benchmarks.soak_rounds import Demos
    from benchmarks.soak_samples import CountingScorer

    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)
    make_application()
    began = tempfile.tempdir
    with tempfile.TemporaryDirectory(prefix="soak-") as root, Control() as control:
        folders = Folders(Path(root))
        folders.use()
        camera, folders.sources = make_sources(folders.material, options.recorded)
        scorer = CountingScorer()
        window = make_window(
            Settings(source="demo", theme="light", preset=options.preset, reopen_last=False),
            make_demo=make_demo or Demos(options.recorded),
            plan=Plan(frames=18, every=0.1, at_least_every=0.3),
            observe=scorer,
        )
        gc.enable()
        window.resize(1280, 720)
        window.show()
        try:
            if not wait_until(lambda: window.timeline is not None and scorer.n_scored > 0, 300):
                raise SystemExit("Nothing was measured: waited in vain for the networks.")
            soak = Soak(options, window, scorer, folders, control)
            qInstallMessageHandler(soak.messages.on_qt)
            print(
                f"Everything on for {options.minutes:g} minutes; the first "
                f"{soak.warm_up / 60:.1f} are the warm-up.",
                flush=True,
            )
            soak.run()
            return soak
        finally:
            qInstallMessageHandler(None)
            put_away(window)
            camera.close()
            tempfile.tempdir = began
            os.environ.pop("TMPDIR", None)


def put_away(window):
    """Close the window without a question about what would be lost."""
    desk = window.desk
    if desk.session is not None:
        desk.model.discard()
        desk.enrol.clear()
    window.close()
    desk.stop()
    window.deleteLater()


# ---------------------------------------------------------------- telling


def report(soak):
    """Print what was found, and return the sentences of what is wrong."""
    from rich.console import Console

    found = soak.results()
    counted = analysis.after(soak.checkpoints.all, soak.warm_up)
    console = Console(width=118, highlight=False)
    console.print(
        f"\n{len(soak.checkpoints.all)} rounds in {found['minutes']:.1f} minutes, {len(counted)} "
        f"of them after the warm-up of {soak.warm_up / 60:.1f}; preset {soak.options.preset}; "
        f"{sum(one['scored'] for one in soak.checkpoints.all)} frames judged, "
        f"{found['dialogs_closed']} dialogs opened and closed."
    )
    if counted:
        console.print(growth_table(analysis.growths(counted)))
    if paces := analysis.paces(counted):
        console.print(pace_table(paces))
    for one in analysis.growing_types(counted):
        console.print(f"more and more of {one.name}: {one.first:.0f} to {one.last:.0f}")
    bins = ", ".join(f"{n} above {least}" for least, n in found["gaps"].items())
    console.print(
        f"Gaps of the event loop: {bins}; during {soak.gaps.n_machine} of them an idle process was "
        "late too."
    )
    for gap in soak.gaps.long[:8]:
        console.print(
            f"  {gap['seconds'] * 1e3:.0f} ms at {gap['at'] / 60:.1f} min, {gap['during']}: "
            f"{gap['place'] or 'Qt itself'} (idle process {gap['idle_process'] * 1e3:.0f} ms)"
        )
    for words, found_there in (("during", soak.gaps.during), ("at", soak.gaps.places)):
        most = "; ".join(f"{n} {what}" for what, n in found_there.most_common(8))
        console.print(f"  most of those above 100 ms {words}: {most}", markup=False)
    counts = soak.messages.n
    console.print(
        f"Logged: {counts['error']} errors, {counts['warning']} warnings; {counts['qt']} messages "
        f"of Qt; {counts['notice']} notices of an error; {len(soak.play.in_vain)} waits in vain."
    )
    for text, n in soak.messages.counts.most_common(20):
        console.print(f"  {n} x {text}", markup=False)
    for what in dict.fromkeys(soak.play.in_vain):
        console.print(f"  in vain {soak.play.in_vain.count(what)} x: {what}", markup=False)
    for sentence in found["wrong"]:
        console.print(f"WRONG: {sentence}", markup=False)
    if not found["wrong"]:
        enough = len(counted) >= analysis.FEWEST
        console.print(
            "Nothing grows, nothing became slower, nothing failed."
            if enough
            else "Nothing failed; too few rounds after the warm-up to say whether anything grows."
        )
    return found["wrong"]


def growth_table(growths):
    """Make the table of what was counted."""
    from rich import box
    from rich.table import Table

    table = Table(
        box=box.SIMPLE_HEAD, title="At the same point of each round", title_justify="left"
    )
    table.add_column("what")
    for head in ("first", "last", "growth per hour", "95 % interval"):
        table.add_column(head, justify="right")
    table.add_column("verdict")
    for one in growths:
        digits = 1 if "memory" in one.name else 0
        verdict = {None: "not judged", True: "GROWS", False: "flat"}[one.grows]
        table.add_row(
            one.name,
            f"{one.first:,.{digits}f}",
            f"{one.last:,.{digits}f}",
            f"{one.slope:+,.1f}",
            f"{one.low:+,.1f} to {one.high:+,.1f}",
            verdict,
        )
    return table


def pace_table(paces):
    """Make the table of the first and the last quarter."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, title="First and last quarter", title_justify="left")
    table.add_column("what")
    for head in ("first", "last", "ratio"):
        table.add_column(head, justify="right")
    table.add_column("verdict")
    for one in paces:
        verdict = {None: "", True: "SLOWER", False: "no slower"}[one.is_slower]
        table.add_row(one.name, f"{one.first:.2f}", f"{one.last:.2f}", f"{one.ratio:.3f}", verdict)
    return table


STYLE = """<style>svg{background:#fff}text{font:12px sans-serif;fill:#444}line{stroke:#ddd}
polyline{fill:none;stroke-width:1.5}.rss{stroke:#b45309}.uss{stroke:#1d4ed8}
circle.uss{fill:#1d4ed8}text.rss{fill:#b45309;stroke:none}text.uss{fill:#1d4ed8;stroke:none}
line.warm{stroke:#888;stroke-dasharray:4 3}</style>"""


def chart(soak):
    """Draw memory over time."""
    from app.reports.svg import Drawing, Scale, round_ticks

    samples, mib = soak.sampler.samples, analysis.MIB
    minutes = [one["seconds"] / 60 for one in samples]
    values = [one[name] / mib for one in samples for name in ("rss", "uss")]
    low, high = min(values) - 5, max(values) + 5
    x = Scale(0, max(minutes), 60, 780)
    y = Scale(low, high, 300, 20)
    drawing = Drawing(800, 340, "Memory over time", "Resident and unique set size in MiB")
    for tick in round_ticks(low, high):
        drawing.line((60, y(tick)), (780, y(tick)), "grid")
        drawing.text((54, y(tick) + 4), f"{tick:g}", anchor="end")
    for tick in round_ticks(0, max(minutes)):
        drawing.text((x(tick), 318), f"{tick:g}", anchor="middle")
    drawing.text((420, 336), "minutes", anchor="middle")
    if soak.warm_up / 60 < max(minutes):
        drawing.line((x(soak.warm_up / 60), 20), (x(soak.warm_up / 60), 300), "warm")
    for name in ("rss", "uss"):
        drawing.curve(
            [(x(m), y(one[name] / mib)) for m, one in zip(minutes, samples, strict=True)], name
        )
        drawing.text(
            (776, y(samples[-1][name] / mib) - 6), f"{name.upper()}, MiB", name, anchor="end"
        )
    for one in soak.checkpoints.all:
        if one["seconds"] / 60 <= max(minutes):
            drawing.circle((x(one["seconds"] / 60), y(one["uss"] / mib)), 2.5, "uss")
    markup = drawing.markup().replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    head, bracket, rest = markup.partition(">")
    return head + bracket + STYLE + rest


def options_from(arguments=None):
    """Read the options."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks soak",
        description=__doc__,
        epilog=TEXT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--minutes", type=float, default=60.0, help="the round then under way ends")
    parser.add_argument("--rounds", type=int, help="so many in the place of a time")
    parser.add_argument("--warm-up", type=float, help="minutes; a sixth of the time by default")
    parser.add_argument("--preset", default="texture", help="of the views; the program's default")
    parser.add_argument("--other-preset", default="tiny", help="gone to and back in every round")
    parser.add_argument("--recorded", type=int, default=6, help="pictures of a demo chapter")
    parser.add_argument("--rests", type=float, default=1.0, help="factor on pauses; 0 is in haste")
    parser.add_argument("--parts", help="of a round, by name with commas; all by default")
    parser.add_argument("--output", type=Path, help="JSON with all samples, kept up to date")
    parser.add_argument("--chart", type=Path, help="SVG of memory over time")
    return parser.parse_args(arguments)


def main(arguments=None):
    options = options_from(arguments)
    faulthandler.enable()  # a run that dies says where
    if not any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")):
        # Before Qt is loaded, which reads it then.
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    soak = run(options)
    if options.chart is not None and soak.sampler.samples:
        options.chart.write_text(chart(soak))
    if report(soak):
        sys.exit(1)


if __name__ == "__main__":
    main()
