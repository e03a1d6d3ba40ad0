"""The user actions of a soak round, and the code that performs them.

A round is a generator that acts and yields a condition to wait for. A timer in the window's event
loop polls the condition and resumes the round, so the window works as it does for a user.
"""

import threading
import time
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication, QDialog, QTabWidget

POLL_EVERY = 20
"""Milliseconds."""
TIMEOUT = 300.0
"""Seconds, for a machine that is busy with other things."""

GENUINE, ATTACK, UNFAMILIAR = "window 6", "print", "office 6"
SIZES = ((1000, 640), (1600, 900), (1280, 720))
TESTED = ("bona fide", "phone")
STREAM_FRAMES = 3
"""Frames to judge from a source before the next one is opened."""


PARTS = (
    *("other_views", "enrol", "change_takes", "fit", "look_around", "set_threshold", "fold_in"),
    *("test", "export_and_open", "open_dialogs", "change_look", "other_sources", "come_to_rest"),
)
"""The parts of a round, in order."""

DIALOGS = ("Settings…", "Keyboard shortcuts", "About lmkl-pad", "Open model…", "Export model…")
SOURCE_DIALOGS = ("Open video or picture…", "Open folder of pictures…", "Network camera…")
"""Menu entries that open a dialog."""

PASSPHRASE = "correct horse battery staple"


@dataclass(frozen=True)
class Wait:
    """What a round waits for.

    Attributes
    ----------
    what : str
        Description of the present activity.
    until : callable or None
        The condition; None to pause.
    seconds : float
        Length of the pause, or timeout of the condition.
    """

    what: str
    until: object = None
    seconds: float = TIMEOUT


class Runner(QObject):
    """Runs a generator of `Wait` and resumes it when the condition holds or times out."""

    finished = Signal()

    def __init__(self, steps):
        super().__init__()
        self.activity = "beginning"
        self.timed_out = []
        self._steps, self._wait, self._deadline = steps, None, 0.0
        self._is_acting = False
        self._timer = QTimer(self, interval=POLL_EVERY)
        self._timer.timeout.connect(self._poll)

    def start(self):
        """Start at the next timer event."""
        self._timer.start()

    def stop(self):
        """Stop for good."""
        self._timer.stop()
        self.finished.emit()

    def _poll(self):
        if self._is_acting:
            return  # a dialog is open, whose own loop runs this timer
        wait = self._wait
        if wait is not None:
            if wait.until is not None and wait.until():
                pass
            elif time.monotonic() < self._deadline:
                return
            elif wait.until is not None:
                self.timed_out.append(wait.what)
        self._is_acting = True
        try:
            self._wait = next(self._steps)
        except StopIteration:
            self.stop()
            return
        finally:
            self._is_acting = False
        self.activity = self._wait.what
        self._deadline = time.monotonic() + self._wait.seconds


class DialogCloser(QObject):
    """Looks through every modal dialog that opens, then closes it."""

    def __init__(self):
        super().__init__()
        self.accepts = False
        """Whether the next dialog is accepted instead of cancelled."""
        self.n_closed = 0
        self._timer = QTimer(self, interval=60)
        self._timer.timeout.connect(self._look)
        self._timer.start()
        self._pages = None

    def stop(self):
        """Stop closing dialogs."""
        self._timer.stop()

    def _look(self):
        dialog = QApplication.activeModalWidget()
        if dialog is None:
            self._pages = None
            return
        if self._pages is None:
            tabs = dialog.findChild(QTabWidget)
            self._pages = iter(() if tabs is None else range(tabs.count()))
        number = next(self._pages, None)
        if number is not None:
            dialog.findChild(QTabWidget).setCurrentIndex(number)
            return
        self.n_closed += 1
        if not isinstance(dialog, QDialog):
            dialog.close()
        elif self.accepts:
            self.accepts = False
            dialog.accept()
        else:
            dialog.reject()


class Rounds:
    """All actions of a user, once per round.

    Parameters
    ----------
    window : MainWindow
        A visible window whose networks are ready.
    scorer : CountingScorer
        Counts the frames that are judged.
    closer : DialogCloser
        Closes the dialogs that a round opens.
    sources : list of str
        Opened in turn in every round, before the demo is opened again.
    folder : Path
        Folder for models and reports.
    presets : tuple of str
        Two presets; a round goes to the second one and back.
    rests : float
        Factor on all pauses.
    parts : tuple of str
        The parts of a round, from `PARTS`.
    """

    def __init__(self, window, scorer, closer, sources, folder, presets, rests=1.0, parts=PARTS):
        self._rests, self._parts = rests, parts
        self._window, self._controller, self._scorer = window, window.controller, scorer
        self._closer, self._sources, self._presets = closer, sources, presets
        self._model, self._report = folder / "face.safetensors", folder / "report.html"
        self._sealed = folder / "sealed.safetensors"
        self.n_prepared = 0
        self._reports = []
        self._controller.prepared.connect(self._on_prepared)
        self._controller.guided_test.report_saved.connect(self._reports.append)
        self._working = False
        self._controller.working.connect(self._on_working)

    def _on_prepared(self):
        self.n_prepared += 1

    def _on_working(self, working):
        self._working = bool(working.text)

    @property
    def _session(self):
        return self._controller.session

    # ------------------------------------------------------------- one round

    def one(self):
        """Run all parts once, ending in the same state every time."""
        for wait in self._everything():
            brief = wait.until is None and self._rests != 1.0
            yield replace(wait, seconds=wait.seconds * self._rests) if brief else wait

    def _everything(self):
        for name in self._parts:
            yield from getattr(self, f"_{name}")()

    # ------------------------------------------------------------- parts

    def _frames(self, what, n=STREAM_FRAMES):
        """Wait until ``n`` more frames are judged or the source has ended."""
        wanted = self._scorer.n_scored + n
        yield Wait(what, lambda: self._scorer.n_scored >= wanted or self._has_ended())

    def _has_ended(self):
        """Whether a recording has ended, perhaps before a busy machine judged enough frames."""
        from app.capture.capture import Phase

        capture = self._controller.source.capture.capture
        return capture is not None and capture.state.phase is Phase.ENDED

    def _idle(self, what):
        yield Wait(what, lambda: not self._working)

    def _other_views(self):
        """Switch to the other preset and back, which discards model and takes."""
        for preset in reversed(self._presets):
            wanted = self.n_prepared + 1
            self._controller.change_settings(preset=preset)
            yield Wait(
                f"preparing the preset {preset}", lambda wanted=wanted: self.n_prepared >= wanted
            )
            yield from self._frames(f"judging with the preset {preset}")

    def _enrol(self):
        window, session = self._window, self._session
        self._controller.enrol.clear()
        self._controller.model.discard()
        window.turn_to(window.pages.enrol)
        yield Wait("at rest on the enrol page", seconds=0.5)
        window.pages.enrol.record.button.click()
        yield Wait("recording a take", lambda: not session.enrolment.is_recording)
        window.menus.toggle_take()
        yield Wait("recording another take", lambda: not session.enrolment.is_recording)
        window.menus.toggle_take()
        yield Wait("recording a take that is stopped", seconds=1.0)
        window.menus.toggle_take()
        yield Wait("after a stopped take", seconds=0.2)

    def _change_takes(self):
        control, enrolment = self._controller.enrol, self._session.enrolment
        if not enrolment.samples:
            return  # recording timed out, which is reported
        last = enrolment.samples[-1]
        for change in (
            lambda: control.remove_samples([last.number]),
            control.undo,
            lambda: control.rename_take(last.take, "another name"),
            control.undo,
            lambda: control.remove_take(last.take),
            control.undo,
        ):
            change()
            yield Wait("changing takes", seconds=0.15)

    def _fit(self):
        controller, session = self._controller, self._session
        controller.model.fit()
        controller.cancel()
        yield Wait("fitting, cancelled", seconds=0.2)
        yield from self._idle("fitting, cancelled")
        if session.model is None:
            controller.model.fit()
        yield Wait("fitting", lambda: session.model is not None)
        yield from self._frames("judging with a new model")

    def _look_around(self):
        """Show the person, an attack and unfamiliar light on every page and tab."""
        window, pages = self._window, self._window.pages
        for key in (GENUINE, ATTACK, UNFAMILIAR):
            self._controller.source.present(key)
            yield from self._frames(f"watching {key}", 8)
            for page in ("why", "model", "test", "enrol", "why"):
                window.turn_to(getattr(window.pages, page))
                yield Wait(f"watching {key} on the {page} page", seconds=0.4)
        pages.why.hold.click()
        yield Wait("holding an explanation", seconds=0.4)
        pages.why.hold.click()
        window.turn_to(window.pages.model)
        for number in (*range(pages.model.tabs.count()), 0):
            pages.model.tabs.setCurrentIndex(number)
            yield Wait("turning the tabs of the model", seconds=0.3)
        for chart in (pages.why.chart, pages.model.weights):
            chart.copy_image()
            chart.copy_csv()
            yield Wait("copying charts", seconds=0.2)
        QApplication.clipboard().clear()

    def _set_threshold(self):
        for target in (0.1, 0.05):
            self._controller.change_settings(target_bpcer=target)
            yield Wait("setting the threshold", seconds=0.3)
            yield from self._idle("setting the threshold")

    def _fold_in(self):
        """Record a quick take of the person, which is added to the model at once."""
        session = self._session
        self._controller.source.present(GENUINE)
        yield from self._frames("watching the person", 5)
        before = None if session.model is None else session.model.digest
        self._controller.enrol.start_quick(session.decision)
        yield Wait("recording a quick take", lambda: not session.enrolment.is_recording, 30.0)
        if session.enrolment.unmodelled:
            yield Wait(
                "folding a take in",
                lambda: session.model is not None and session.model.digest != before,
            )
        yield from self._idle("folding a take in")

    def _test(self):
        """Test two species by hand and two automatically, save the report and clear the test."""
        window, session, control = self._window, self._session, self._controller.guided_test
        window.turn_to(window.pages.test)
        for species in TESTED:
            control.start(species)
            yield Wait(f"testing {species}", lambda: not session.guided_test.is_presenting)
        control.run_all()
        wanted = len(session.guided_test.presentations) + 2
        yield Wait("testing everything", lambda: len(session.guided_test.presentations) >= wanted)
        control.stop()
        yield Wait("making the report", seconds=0.5)
        yield from self._idle("making the report")
        n_reports = len(self._reports) + 1
        control.save_report(str(self._report))
        yield Wait("saving the report", lambda: len(self._reports) >= n_reports)
        self._reports.clear()
        control.clear()
        yield Wait("clearing the test", seconds=0.3)

    def _export_and_open(self):
        """Export and open the model with a passphrase and without; then drop it on the window."""
        controller, session = self._controller, self._session
        if session.model is None:
            return  # fitting timed out, which is reported
        for path, passphrase in ((self._sealed, PASSPHRASE), (self._model, None)):
            controller.model.export(str(path), passphrase)
            yield Wait(
                "exporting the model",
                lambda path=path: session.model_summary.path == str(path) and not self._working,
            )
            controller.model.discard()
            controller.enrol.clear()
            yield from self._frames("judging without a model")
            controller.model.open(str(path), passphrase)
            yield Wait("opening the model", lambda: session.model is not None)
            yield from self._frames("judging with an opened model")
        self._window.open_path(str(self._model))
        yield from self._frames("opening the model again")
        yield from self._idle("opening the model again")

    def _open_dialogs(self):
        menus, bar = self._window.menus, self._window.live.source_bar
        for name in (*DIALOGS, *SOURCE_DIALOGS):
            yield Wait(f"before the dialog {name}", seconds=0.1)
            self._action(name).trigger()  # returns when the dialog is closed
        self._closer.accepts = True
        self._action(DIALOGS[0]).trigger()
        bar._choice.showPopup()
        yield Wait("looking through the sources", seconds=0.4)
        bar._choice.hidePopup()
        for action in self._window.menuBar().actions():
            action.menu().popup(self._window.mapToGlobal(self._window.rect().center()))
            menus.fill_recent()
            yield Wait("looking through the menus", seconds=0.15)
            action.menu().close()

    def _action(self, text):
        actions = self._window.menus.all
        return next(one for one in actions if one.text().replace("&", "") == text)

    def _change_look(self):
        window = self._window
        for settings in (
            {"theme": "dark"},
            {"show_regions": False},
            {"theme": "light"},
            {"show_regions": True},
        ):
            self._controller.change_settings(**settings)
            yield Wait("changing the look", seconds=0.4)
        for page, size in zip(("enrol", "model", "why"), SIZES, strict=True):
            window.turn_to(getattr(window.pages, page))
            window.resize(*size)
            yield Wait("resizing the window", seconds=0.4)
        window.showMinimized()
        yield Wait("minimised", seconds=0.4)
        window.showNormal()
        yield Wait("back on the screen", seconds=0.2)

    def _other_sources(self):
        source = self._controller.source
        for text in (*self._sources, "demo"):
            source.open(text)
            kind = text.partition(":")[0] if "://" in text else Path(text).suffix or "folder"
            kind = "the demo" if text == "demo" else kind
            yield Wait(f"opening {kind}", lambda text=text: source._text == text)
            yield from self._frames(f"judging frames of {kind}")

    def _come_to_rest(self):
        """Wait until the demo has recorded everything, and remove all notices."""
        self._window.turn_to(self._window.pages.why)
        self._controller.source.present("")
        yield Wait("waiting for the demo's recordings", lambda: self._recorded())
        self._controller.source.present(GENUINE)
        notices = self._window.live.notices
        for banner in list(notices._banners):
            notices.remove(banner)
        yield from self._frames("coming to rest", 8)
        yield Wait("coming to rest", seconds=1.5)

    def _recorded(self):
        demo = self._controller.source.demo
        return demo is not None and demo.progress == 1.0 and not _recorders()


def _recorders():
    return [one for one in threading.enumerate() if one.name == "demo recorder"]


class Demos:
    """Makes a new demo whenever it is opened, as the program does, with earlier recordings.

    Rendering all of them again would take longer than the rest of a round. One attack is rendered
    again, so that every demo has something to record.

    Parameters
    ----------
    n_recorded : int
        Pictures per chapter.
    """

    RECORDED_ANEW = "phone"

    def __init__(self, n_recorded):
        self._n_recorded, self._last = n_recorded, None

    def __call__(self):
        from app.demo.source import DemoSource

        demo, last = DemoSource(n_recorded=self._n_recorded), self._last
        for chapter in () if last is None else demo.script.presentations:
            if chapter.key != self.RECORDED_ANEW:
                demo._reel.insert(chapter, last._reel._pictures[chapter])
        self._last = demo
        return demo


def make_sources(folder, n_pictures):
    """Record a video and a folder of pictures; start a network camera that shows the pictures."""
    import cv2

    from app.demo.script import Take
    from tools.recordings import write_recordings

    takes = {
        "avi": Take("P001", n_frames=5 * n_pictures, condition="window"),
        "png": Take("P001", n_frames=2 * n_pictures, condition="lamp"),
    }
    video, pictures = (
        write_recordings(folder, [take], form=form)[0] for form, take in takes.items()
    )
    coded = [
        cv2.imencode(".jpg", cv2.imread(str(path)))[1].tobytes()
        for path in sorted(pictures.glob("*.png"))
    ]
    camera = NetworkCamera(coded)
    return camera, [str(video), str(pictures), camera.address]


class NetworkCamera:
    """A camera that speaks MJPEG on the loopback interface.

    Parameters
    ----------
    pictures : list of bytes
        JPEG files, sent in a loop.
    """

    def __init__(self, pictures):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
                self.end_headers()
                number = 0
                try:
                    while not over.wait(1 / 30):
                        body = pictures[number % len(pictures)]
                        head = f"Content-Type: image/jpeg\r\nContent-Length: {len(body)}\r\n\r\n"
                        self.wfile.write(b"--frame\r\n" + head.encode() + body + b"\r\n")
                        number += 1
                except OSError:
                    return  # the client has disconnected

            def log_message(self, *_):
                pass

        over = self._over = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(
            target=self._server.serve_forever, name="network camera", daemon=True
        ).start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self._server.server_address[1]}/video"

    def close(self):
        """Stop the server."""
        self._over.set()
        self._server.shutdown()
        self._server.server_close()
