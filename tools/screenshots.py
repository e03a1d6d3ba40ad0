"""Take screenshots of every view in both themes, from the real program running its demo.

::

    python -m tools.screenshots FOLDER
    python -m tools.screenshots --guide assets/screenshots
    python -m tools.screenshots --film assets/screenshots

The tool enrols two takes, fits, shows genuine frames and attacks, runs a test session, writes its
report, and saves what the window shows; a few views also at twice the size. ``--film`` records the
same session as an animation, ``demo.webp``. It needs no screen and uses its own settings and data.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from PySide6.QtCore import QCoreApplication, QPoint, QRect, Qt, QTimer, qInstallMessageHandler
from PySide6.QtGui import QColor, QFont, QImage, QImageWriter, QPainter
from PySide6.QtWidgets import QApplication, QScrollArea, QTabWidget

from app.qt.app import make_application, make_window
from app.qt.dialogs.details_dialog import DetailsDialog
from app.qt.dialogs.help_dialogs import AboutDialog, ShortcutsDialog
from app.qt.dialogs.settings_dialog import SettingsDialog
from app.qt.menus import settings_choices
from app.qt.model_dialogs import ExportDialog, UnlockDialog
from app.qt.pages.guided_test.cards import PlanCard, ReportPanel
from app.qt.pages.guided_test.tally import TallyCard
from app.qt.state import PassphraseRequest, Working
from app.qt.window_picture import rest, wait_until
from app.session.guided_test.details import Details
from app.settings import Settings

THEMES = ("light", "dark")
MARGIN = 12
MAX_BYTES = 150_000
"""A larger PNG becomes a JPEG; at twice the scale the limit is twice as high."""
JPEG_QUALITIES = (90, 85, 80, 75, 70, 65)

SETTLE = 0.6
"""Seconds to wait before taking a view, so that its charts are drawn."""

SIZE = (1280, 720)

SPECIES = (
    *("bona fide", "print", "phone"),
    *("bona fide", "tablet", "paper mask"),
    *("bona fide", "monitor"),
)
"""What the test session presents, in this order."""

GUIDE = (
    *("first-run", "recording", "takes", "model-weights", "model-threshold", "settings-model"),
    *("live-attack", "why-attack", "why-genuine", "test-tally", "report", "export"),
    *("settings-privacy", "about"),
)
"""Views in docs/guide.md."""

NO_INTERNET = (
    "The networks could not be downloaded: the server's name is not known here, as happens without "
    "internet."
)

FILM = "demo.webp"
FILM_SIZE = (1000, 640)
CAPTION_HEIGHT = 40
FRAME_MILLISECONDS = 333
FILM_QUALITIES = (60, 50, 40, 30)
MAX_FILM_BYTES = 3_000_000

REPORT_SIZE = "1100,1500"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tools.screenshots", description=__doc__)
    parser.add_argument("folder", type=Path, help="folder for the pictures; created if missing")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--guide", action="store_true", help="only the views in the guide")
    which.add_argument("--film", action="store_true", help="only the animation")
    parser.add_argument("--scale", type=float, default=2.0, help="scale of the few larger pictures")
    parser.add_argument("--model", default="", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    options.folder.mkdir(parents=True, exist_ok=True)
    # Qt reads this when it is loaded.
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as own:
        # Without installed weights, so that pictures are the same everywhere.
        for name in ("CONFIG", "DATA", "WEIGHTS"):
            os.environ[f"LMKL_PAD_{name}"] = own
        if options.model:
            _with_window(options.folder, _model_scenes, options.model, f"@{options.scale:g}x")
            return
        model = str(Path(own) / "face.safetensors")
        if options.film:
            _with_window(options.folder, _film_scenes, model, only=(FILM,), size=FILM_SIZE)
            return
        only = GUIDE if options.guide else ()
        _with_window(options.folder, _all_scenes, model, only=only)
        if options.guide:
            return
        # The scale is fixed per process.
        larger = {**os.environ, "QT_SCALE_FACTOR": f"{options.scale:g}"}
        command = [sys.executable, "-m", "tools.screenshots", str(options.folder)]
        command += ["--model", model, "--scale", f"{options.scale:g}"]
        subprocess.run(command, env=larger, check=True)


def _print_qt_message(_kind, _context, message):
    """Print Qt's messages, except the one about every window without a screen."""
    if not message.startswith("This plugin does not support"):
        print(message, file=sys.stderr)


def _with_window(folder, scenes, model, suffix="", only=(), size=SIZE):
    qInstallMessageHandler(_print_qt_message)
    make_application()
    window = make_window(Settings(source="demo", theme=THEMES[0]))
    window.resize(*size)
    window.show()
    at = Photographer(window, folder, suffix, only)
    try:
        at.wait("the networks", lambda: window.controller.session.scored is not None, 300.0)
        scenes(at, model)
    finally:
        window.hide()
        window.controller.stop()


class Photographer:
    """Drives the window and saves the views in ``only``, or all, with a suffix in their names."""

    def __init__(self, window, folder, suffix="", only=()):
        self.window, self.controller = window, window.controller
        self.folder, self._suffix, self._only = folder, suffix, only

    def wait(self, what, condition, seconds=120.0):
        """Run the program until a condition holds; exit with a message if it never does."""
        if not wait_until(condition, seconds):
            raise SystemExit(f"The pictures are incomplete: timed out waiting for {what}.")

    def take(self, name, widget=None):
        """Save a view in both themes: the whole window, or a given widget."""
        if not self.wants(name):
            return
        for theme in THEMES:
            self.controller.change_settings(theme=theme)
            rest(SETTLE)
            QCoreApplication.processEvents()  # pending layout changes
            picture = (widget or self.window).grab().toImage()
            self.save(picture, f"{name}-{theme}{self._suffix}")

    def wants(self, name):
        return not self._only or name in self._only

    def scroll_to(self, widget):
        """Scroll the page until a part of it is at the top."""
        area = widget.parentWidget()
        while area is not None and not isinstance(area, QScrollArea):
            area = area.parentWidget()
        if area is not None:
            rest(0.2)
            top = widget.mapTo(area.widget(), QPoint(0, 0)).y()
            area.verticalScrollBar().setValue(top - MARGIN)

    def save(self, picture, name):
        """Save a picture, as JPEG if PNG would be too large, and print its path."""
        path = self.folder / f"{name}.png"
        limit = MAX_BYTES * picture.devicePixelRatio()
        picture.save(str(path))
        if path.stat().st_size > limit:
            path.unlink()
            path = path.with_suffix(".jpg")
            for quality in JPEG_QUALITIES:
                writer = QImageWriter(str(path), b"jpg")
                writer.setQuality(quality)
                writer.setOptimizedWrite(True)
                writer.setProgressiveScanWrite(True)
                writer.write(picture)
                if path.stat().st_size <= limit:
                    break
        print(f"{path} ({path.stat().st_size // 1000} kB)", flush=True)


class Film:
    """Frames of the window with a caption below, as an animation."""

    def __init__(self, at: Photographer):
        self._at, self._frames = at, []

    def shoot(self, caption, seconds):
        for _ in range(round(1000 * seconds / FRAME_MILLISECONDS)):
            rest(FRAME_MILLISECONDS / 1000)
            self._add(caption, self._at.window.grab().toImage())

    def shoot_until(self, caption, seconds, what, condition):
        """Film until a condition holds, and shorten the film to these seconds."""
        grabs = []
        while not wait_until(condition, FRAME_MILLISECONDS / 1000):
            grabs.append(self._at.window.grab().toImage())
            if len(grabs) > 400:
                raise SystemExit(f"The film is incomplete: timed out waiting for {what}.")
        grabs.append(self._at.window.grab().toImage())
        n = min(len(grabs), round(1000 * seconds / FRAME_MILLISECONDS))
        for place in np.linspace(0, len(grabs) - 1, n).astype(int):
            self._add(caption, grabs[place])

    def hold(self, caption, picture, seconds):
        """Show a still picture."""
        size = self._at.window.size()
        top = picture.scaledToWidth(size.width(), Qt.TransformationMode.SmoothTransformation).copy(
            QRect(QPoint(0, 0), size)
        )
        for _ in range(round(1000 * seconds / FRAME_MILLISECONDS)):
            self._add(caption, top)

    def _add(self, caption, picture):
        width, height = picture.width(), picture.height()
        frame = QImage(width, height + CAPTION_HEIGHT, QImage.Format.Format_BGR888)
        frame.fill(QColor("#16323f"))
        with QPainter(frame) as painter:
            painter.drawImage(0, 0, picture)
            font = QFont(painter.font())
            font.setPixelSize(20)
            painter.setFont(font)
            painter.setPen(QColor("white"))
            line = QRect(16, height, width - 32, CAPTION_HEIGHT)
            painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, caption)
        rows = np.frombuffer(frame.constBits(), np.uint8).reshape(frame.height(), -1)
        self._frames.append(rows[:, : 3 * width].reshape(frame.height(), width, 3).copy())

    def save(self, path):
        """Write the film in the best quality that fits the size limit."""
        animation = cv2.Animation()
        animation.frames = self._frames
        animation.durations = np.full(len(self._frames), FRAME_MILLISECONDS)
        for quality in FILM_QUALITIES:
            cv2.imwriteanimation(str(path), animation, [cv2.IMWRITE_WEBP_QUALITY, quality])
            if path.stat().st_size <= MAX_FILM_BYTES:
                break
        kilobytes = path.stat().st_size // 1000
        print(f"{path} ({len(self._frames)} frames, quality {quality}, {kilobytes} kB)")


# ---------------------------------------------------------------- scenes


def _film_scenes(at, model):
    """The whole workflow: enrol, fit, accept, refuse, explain, test, report."""
    session, controller, pages = at.controller.session, at.controller, at.window.pages
    film, banner = Film(at), at.window.live.banner
    _first_run(at)
    film.shoot("1. Enrol: two takes in different light, of the person alone", 0.7)
    for number in (1, 2):
        controller.enrol.start("")
        film.shoot_until(
            f"1. Enrol: take {number} of 2, of the person alone",
            1.7,
            "a take",
            lambda: not session.enrolment.is_recording,
        )
    _fit(at)
    controller.source.present("window 6")
    at.window.turn_to(pages.model)
    film.shoot("2. Fit: weights with a certified optimum, threshold without attacks", 2.0)
    at.window.turn_to(pages.enrol)
    at.wait("the person", lambda: banner.verdict.value == "genuine")
    film.shoot("3. Live: the person is accepted", 2.0)
    controller.source.present("phone")
    at.wait("the attack", lambda: banner.verdict.value == "attack")
    film.shoot("4. Attack: a photo on a phone, never seen before, is refused", 2.3)
    at.window.turn_to(pages.why)
    rest(2.0)  # until a frame is explained
    film.shoot("5. Why: the score is the exact sum of these terms", 2.0)
    _show(at, "", "window 6", "genuine", page="test")
    controller.guided_test.choose_plan("Quick look")
    at.scroll_to(pages.test.findChild(TallyCard))
    for species in SPECIES[:3]:
        controller.guided_test.start(species)
        film.shoot_until(
            f"6. Test: {species}",
            1.3,
            f"the test of {species}",
            lambda: not session.guided_test.is_presenting,
        )
    film.shoot("6. Test: error rates with exact intervals", 1.0)
    report = Path(model).with_name("report.html")
    _save_report(at, report)
    if page := _browsed(report, THEMES[0]):
        film.hold("7. Report: ISO/IEC 30107-3, as one page", page, 2.3)
    film.save(at.folder / FILM)


def _all_scenes(at, model):
    _first_run(at)
    _enrol(at)
    _fit(at)
    _export(at, model)
    _model_pages(at)
    _verdicts(at)
    _test(at, Path(model).with_name("report.html"))
    _dialogs(at)


def _model_scenes(at, model):
    """Take a few views again at another scale, with the model fitted before."""
    _first_run(at)
    at.controller.model.open(model)
    at.wait("the model", lambda: at.controller.session.model is not None)
    _show(at, "model-weights", "window 6", "genuine", page="model")
    _networks(at)
    _show(at, "why-attack", "print", "attack")


def _first_run(at):
    demo = at.controller.source.demo
    # The demo begins with the person, but may have reached an attack while the networks loaded.
    at.controller.source.present("window 7")
    at.wait("the person", lambda: demo.chapter.key == "window 7")
    at.controller.source.present("")
    at.wait("the person", lambda: demo.chapter.key == "window 6")
    rest(1.0)
    at.take("first-run")


def _enrol(at):
    session, control = at.controller.session, at.controller.enrol
    for number in range(2):
        control.start("")
        if number == 1 and at.wants("recording"):
            at.wait("half a take", lambda: session.enrolment.state.n_collected >= 16)
            at.take("recording")
        at.wait("a take", lambda: not session.enrolment.is_recording)
    at.take("enrolled")
    pages = at.window.pages
    at.scroll_to(pages.enrol.takes)
    at.take("takes")
    at.scroll_to(pages.enrol.gallery)
    at.take("gallery")
    at.scroll_to(pages.enrol.record)


def _fit(at):
    at.controller.model.fit()
    at.wait("the model", lambda: at.controller.session.model is not None)


def _export(at, path):
    at.controller.model.export(path)
    at.wait("the export", lambda: not at.controller.session.has_unsaved_model)


def _model_pages(at):
    _show(at, "", "window 6", "genuine", page="model")
    pages = at.window.pages
    tabs = pages.model.tabs
    at.take("model")
    for number, name in enumerate(("weights", "threshold", "convergence", "details")):
        tabs.setCurrentIndex(number)
        at.scroll_to(tabs)
        at.take(f"model-{name}")
    tabs.setCurrentIndex(0)
    _networks(at)


def _networks(at):
    """Take the card of the liveness networks: offered, being fetched, and without internet."""
    card, offered = at.window.pages.model.networks, at.controller.networks.state
    failed = replace(offered, problem=NO_INTERNET, is_by_hand=True)
    progress = Working("Downloading the liveness networks", 1_200_000, offered.size)
    fetching = replace(offered, working=progress)
    for name, state in (("", offered), ("-fetching", fetching), ("-by-hand", failed)):
        card.show_networks(state)
        at.scroll_to(card)
        at.take(f"networks{name}")
    card.show_networks(offered)


def _verdicts(at):
    _show(at, "why-genuine", "window 6", "genuine")
    _show(at, "why-attack", "print", "attack")
    _show(at, "live-attack", "phone", "attack", page="enrol")
    _show(at, "another-light", "office 6", "attack", page="enrol")
    at.controller.source.present("")


def _show(at, name, key, verdict, page="why"):
    """Present something and take the view; print a warning if the verdict is another."""
    at.window.turn_to(getattr(at.window.pages, page))
    at.controller.source.present(key)
    banner = at.window.live.banner
    demo = at.controller.source.demo
    at.wait(key, lambda: demo.chapter.key == key)
    if not wait_until(lambda: banner.verdict.value == verdict, 40.0):
        print(f"{name or page}: the verdict on {key} is {banner.verdict.value!r}, not {verdict!r}.")
        return
    if name:
        rest(2.0)
        at.take(name)


def _test(at, report):
    session, control = at.controller.session, at.controller.guided_test
    at.window.turn_to(at.window.pages.test)
    control.choose_plan("Quick look")
    for number, species in enumerate(SPECIES):
        control.start(species)
        if number == len(SPECIES) - 1:
            wait_until(lambda: at.window.live.banner.verdict.value == "attack", 10.0)
            at.take("presenting")
        at.wait(f"the test of {species}", lambda: not session.guided_test.is_presenting)
    _show(at, "", "window 6", "genuine", page="test")
    pages = at.window.pages
    cards = (("test-plan", PlanCard), ("test-tally", TallyCard), ("test-report", ReportPanel))
    for name, kind in cards:
        at.scroll_to(pages.test.findChild(kind))
        at.take(name)
    _save_report(at, report)
    for theme in THEMES if at.wants("report") else ():
        if picture := _browsed(report, theme):
            at.save(picture, f"report-{theme}")


def _save_report(at, path):
    control, saved = at.controller.guided_test, []
    control.report_saved.connect(saved.append)
    control.save_report(str(path))
    at.wait("the report", lambda: bool(saved))


def _browsed(page, theme):
    """Return a picture of the report in Chromium; None if it is not installed."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        print("report: skipped, because Chromium is not installed.")
        return None
    taken = page.with_suffix(".png")
    command = [browser, "--headless=new", "--no-sandbox", "--hide-scrollbars", "--disable-gpu"]
    command += [f"--window-size={REPORT_SIZE}", f"--screenshot={taken}"]
    command.append(f"--blink-settings=preferredColorScheme={int(theme == 'light')}")
    subprocess.run([*command, page.as_uri()], check=True, capture_output=True, timeout=120)
    return QImage(str(taken))


def _dialogs(at):
    window = at.window
    settings = SettingsDialog(at.controller.settings, settings_choices(()), window)
    settings.show()
    (tabs,) = settings.findChildren(QTabWidget)
    for number, name in enumerate(("camera", "views", "model", "appearance", "privacy")):
        tabs.setCurrentIndex(number)
        at.take(f"settings-{name}", settings)
    settings.close()
    _take_export(at)
    unlock = UnlockDialog(window)
    unlock.ask(PassphraseRequest("me.lmkl", "me.lmkl", was_wrong=True))
    at.take("unlock", unlock)
    unlock.close()
    for name, dialog in (
        ("about", AboutDialog(window)),
        ("details", DetailsDialog(Details(), ("print", "phone", "paper mask"), {}, window)),
        ("shortcuts", ShortcutsDialog(window.menus.all, window)),
    ):
        dialog.show()
        at.take(name, dialog)
        dialog.close()


def _take_export(at):
    """Open the export dialog from the menu, tick the passphrase, and cancel."""

    def answer():
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, ExportDialog)
        dialog.protect.setChecked(True)
        for edit in (dialog.first, dialog.second):
            edit.line.setText("four words make one")
        dialog.accept_button.setFocus()
        at.take("export", dialog)
        dialog.reject()

    QTimer.singleShot(0, answer)
    at.window.models.export()


if __name__ == "__main__":
    main()
