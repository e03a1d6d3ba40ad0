"""Responsiveness: neither preview nor window may wait for the model.

    python -m benchmarks responsiveness [--seconds 15]

The real window on the demo, with the real scorer and with one slowed to a frame a second, while
every page is opened for the first time, takes are recorded, a model is fitted, the theme changes
and tabs are clicked. Pages are built when they are first opened. Columns: frames painted over
frames delivered (30 a second); frames judged a second; the longest gap of the event loop, from a
timer of 5 ms, and gaps above 50 ms; the most processor time of the main thread between two ticks;
the longest gap of an idle process, which shows how busy the machine was; what the main thread ran
during the longest gap.

The demo is recorded beforehand, because its recorder stands in for a camera.
"""

import argparse
import os
import tempfile
import time
from functools import partial

LIMIT = 0.05
CLICK_EVERY = 0.4
PAGES = ("model", "why", "test", "enrol")


class SlowedScorer:
    """The real scorer, slowed down to at least ``seconds`` per frame."""

    def __init__(self):
        self.seconds = 0.0
        self.n_scored = 0

    def __call__(self, pipeline, model, frame):
        from app.session.scoring import score_frame

        began = time.perf_counter()
        seen = score_frame(pipeline, model, frame)
        time.sleep(max(0.0, self.seconds - (time.perf_counter() - began)))
        self.n_scored += 1
        return seen


class Bench:
    """Measures the window, stage by stage."""

    def __init__(self, window, scorer, control):
        self.window, self.controller, self.scorer = window, window.controller, scorer
        self._control = control

    def measure(self, name, wait):
        """Print a row of the table, measured while ``wait`` runs the event loop."""
        from benchmarks.heartbeat import Heartbeat

        capture, preview = self.controller.source.capture.capture, self.window.live.preview
        painted, delivered, judged = preview.n_painted, capture.state.n_frames, self.scorer.n_scored
        self._control.longest()
        began = time.perf_counter()
        with Heartbeat() as heart:
            wait()
        took = time.perf_counter() - began
        longest, place = heart.longest
        cells = (
            name,
            f"{preview.n_painted - painted} / {capture.state.n_frames - delivered}",
            f"{(self.scorer.n_scored - judged) / took:.1f}",
            f"{longest * 1e3:.0f}",
            heart.over(LIMIT),
            f"{heart.most_work * 1e3:.0f}",
            f"{self._control.longest() * 1e3:.0f}",
            place.partition(" < ")[0],
        )
        print("|", *(f"{cell} |" for cell in cells), flush=True)


HEAD = """\
| stage | painted / delivered | judged a second | longest gap, ms | above 50 ms | most work, ms \
| idle process, ms | during the longest gap |
|---|---|---|---|---|---|---|---|"""


def clicking(window, seconds):
    """Click from page to page without pause."""
    from PySide6.QtCore import QPoint, Qt
    from PySide6.QtTest import QTest

    from app.qt.window_picture import rest

    tabs = window.tabs.tabBar()
    ends = time.perf_counter() + seconds
    number = 0
    while time.perf_counter() < ends:
        number = (number + 1) % tabs.count()
        place = tabs.tabRect(number).center()
        QTest.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=QPoint(place))
        rest(CLICK_EVERY)


def run(seconds, n_recorded, control):
    from app.demo.source import DemoSource
    from app.qt.app import make_application, make_window
    from app.qt.window_picture import rest, wait_until
    from app.session.takes import Plan
    from app.settings import Settings

    make_application()
    scorer = SlowedScorer()
    window = make_window(
        Settings(source="demo", theme="light"),
        make_demo=lambda: DemoSource(n_recorded=n_recorded),
        plan=Plan(frames=18),
        observe=scorer,
    )
    window.show()
    controller = window.controller
    try:
        bench = Bench(window, scorer, control)
        need(wait_until(lambda: window.live.preview.n_painted > 0, 60), "a first frame")
        bench.measure(
            "getting ready (imports, pages, networks)",
            lambda: need(wait_until(lambda: scorer.n_scored > 0, 300), "the networks"),
        )
        session, demo = controller.session, controller.source.demo
        record_everything(demo)
        bench.measure("real scorer, no model", lambda: rest(seconds))
        for page in PAGES:
            bench.measure(f"opening the {page} page", lambda page=page: open_page(window, page))
        for number in (1, 2):
            controller.enrol.start("")
            bench.measure(
                f"recording take {number}",
                lambda: need(wait_until(lambda: not session.enrolment.is_recording, 120), "a take"),
            )
        rest(1.0)
        controller.model.fit()
        bench.measure(
            "fitting, until the model is shown",
            lambda: wait_for_model(session),
        )
        for page in PAGES:
            window.turn_to(getattr(window.pages, page))
            rest(1.0)
            for name in ("dark", "light"):
                bench.measure(
                    f"changing the theme to {name}, {page} page",
                    lambda name=name: change_theme(controller, name),
                )
        bench.measure("real scorer, with clicks", lambda: clicking(window, seconds))
        scorer.seconds = 1.0
        rest(1.5)
        bench.measure("one frame a second, at rest", lambda: rest(seconds))
        bench.measure("one frame a second, with clicks", lambda: clicking(window, seconds))
    finally:
        window.hide()
        controller.stop()


def open_page(window, page):
    from app.qt.window_picture import rest

    window.turn_to(getattr(window.pages, page))
    rest(1.0)


def wait_for_model(session):
    from app.qt.window_picture import rest, wait_until

    need(wait_until(lambda: session.model is not None, 120), "the model")
    rest(1.0)  # its page opens, and charts are drawn


def change_theme(controller, name):
    from app.qt.window_picture import rest

    controller.change_settings(theme=name)
    rest(1.0)


def need(holds, what):
    if not holds:
        raise SystemExit(f"Timed out while waiting for {what}.")


def record_everything(demo):
    """Record every take now, so that the demo's recorder does not disturb the measurement."""
    from app.qt.window_picture import wait_until

    for chapter in demo.script.enrolment:
        if chapter.take.condition in ("window", "lamp"):
            demo.present(chapter.key)
            recorded = partial(demo._reel.progress, [chapter])
            need(wait_until(lambda share=recorded: share() == 1.0, 120), chapter.key)
    demo.present(None)
    need(wait_until(lambda: demo.progress == 1.0, 300), "the demo's recordings")


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks responsiveness")
    parser.add_argument("--seconds", type=float, default=15.0, help="length of the longer stages")
    parser.add_argument("--recorded", type=int, default=12, help="pictures per demo chapter")
    options = parser.parse_args(arguments)
    # Qt reads this when it is loaded.
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from benchmarks.heartbeat import Control

    with tempfile.TemporaryDirectory() as folder, Control() as control:
        os.environ["LMKL_PAD_CONFIG"] = os.environ["LMKL_PAD_DATA"] = folder
        print(HEAD)
        run(options.seconds, options.recorded, control)


if __name__ == "__main__":
    main()
