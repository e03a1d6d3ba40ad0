"""Pictures of every view in both themes, taken from the real program at work on its demo.

::

    python -m app.qt.screenshots FOLDER
    python -m app.qt.screenshots --readme assets/screenshots

enrols two takes, fits, looks at genuine frames and attacks, runs a test session, writes its report,
and saves what the window shows meanwhile; a few views again at twice the size. Works without a
screen, and away from the person's own settings and data.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.shown import Working
from lmkl_core.system.processes import module_command, module_environment

if TYPE_CHECKING:
    from PySide6.QtWidgets import QDialog

    from app.qt.main_window import MainWindow
    from app.qt.photographer import Photographer

SIZE = (1280, 720)

SPECIES = (
    "bona fide",
    "print",
    "phone",
    "bona fide",
    "tablet",
    "paper mask",
    "bona fide",
    "monitor",
)
"""What the test session presents, in turn."""

README = (
    *("first-run", "recording", "model-weights", "model-threshold", "why-attack", "live-attack"),
    *("test-tally", "report", "settings-model"),
)
"""What the README shows."""

GUIDE = ("takes", "why-genuine", "export", "settings-privacy", "about")
"""What docs/guide.md shows beside that."""

NO_INTERNET = (
    "The networks could not be fetched: the server's name is not known here, as happens without "
    "internet."
)

REPORT_SIZE = "1100,1500"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


def main(arguments: list[str] | None = None) -> None:
    """Take all pictures."""
    parser = argparse.ArgumentParser(prog="python -m app.qt.screenshots", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the pictures go; made if missing")
    parser.add_argument("--readme", action="store_true", help="only what README and guide show")
    parser.add_argument("--scale", type=float, default=2.0, help="of the few larger pictures")
    parser.add_argument("--model", default="", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    options.folder.mkdir(parents=True, exist_ok=True)
    # Before Qt is loaded: it reads the first one then.
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as own:
        # Without weights that happen to be here: pictures are to be the same everywhere.
        for name in ("CONFIG", "DATA", "WEIGHTS"):
            os.environ[f"LMKL_PAD_{name}"] = own
        if options.model:
            _with_window(options.folder, _model_scenes, options.model, f"@{options.scale:g}x")
            return
        model = str(Path(own) / "face.safetensors")
        only = (*README, *GUIDE) if options.readme else ()
        _with_window(options.folder, _all_scenes, model, only=only)
        if options.readme:
            return
        # A window's scale is that of its process.
        larger = {**module_environment(), "QT_SCALE_FACTOR": f"{options.scale:g}"}
        command = [*module_command("app.qt.screenshots"), str(options.folder)]
        command += ["--model", model, "--scale", f"{options.scale:g}"]
        subprocess.run(command, env=larger, check=True)


def _complain(_kind: object, _context: object, message: str) -> None:
    """Print what Qt says, but for what it says of every window where there is no screen."""
    if not message.startswith("This plugin does not support"):
        print(message, file=sys.stderr)


def _with_window(
    folder: Path,
    scenes: Callable[[Photographer, str], None],
    model: str,
    suffix: str = "",
    only: tuple[str, ...] = (),
) -> None:
    from PySide6.QtCore import qInstallMessageHandler

    from app.qt.bootstrap import make_application, make_window
    from app.qt.photographer import THEMES, Photographer
    from app.settings import Settings

    qInstallMessageHandler(_complain)
    make_application()
    window = make_window(Settings(source="demo", theme=THEMES[0]))
    window.resize(*SIZE)
    window.show()
    photographer = Photographer(window, folder, suffix, only)
    desk = window.desk
    try:
        photographer.wait("the window", lambda: window.pages is not None)
        photographer.wait("the networks", lambda: _is_scored(window), 300.0)
        scenes(photographer, model)
    finally:
        window.hide()
        desk.stop()


def _is_scored(window: MainWindow) -> bool:
    return window.desk.session is not None and window.desk.session.scored is not None


# ---------------------------------------------------------------- scenes


def _all_scenes(at: Photographer, model: str) -> None:
    _first_run(at)
    _enrol(at)
    _fit(at)
    _export(at, model)
    _model_pages(at)
    _verdicts(at)
    _test(at, Path(model).with_name("report.html"))
    _dialogs(at)


def _model_scenes(at: Photographer, model: str) -> None:
    """The few that are taken again at another size, with the model that was fitted before."""
    session, control = at.desk.session, at.desk.model
    assert session is not None
    assert control is not None
    _first_run(at)
    control.open(model)
    at.wait("the model", lambda: session.model is not None)
    _show(at, "model-weights", "window 6", "genuine", page="model")
    _networks(at)
    _show(at, "why-attack", "print", "attack")


def _first_run(at: Photographer) -> None:
    demo = at.desk.source.demo
    assert demo is not None
    # It begins with the person; where the networks took long it may be at an attack by now.
    at.desk.source.present("window 7")
    at.wait("the person", lambda: demo.chapter.key == "window 7")
    at.desk.source.present("")
    at.wait("the person", lambda: demo.chapter.key == "window 6")
    at.rest(1.0)
    at.take("first-run")


def _enrol(at: Photographer) -> None:
    session, control = at.desk.session, at.desk.enrol
    assert session is not None
    assert control is not None
    for number in range(2):
        control.start("")
        if number == 1 and at.wants("recording"):
            at.wait("half a take", lambda: session.enrolment_shown.n_collected >= 16)
            at.take("recording")
        at.wait("a take", lambda: not session.enrolment.is_recording)
    at.take("enrolled")
    pages = at.window.pages
    assert pages is not None
    assert pages.enrol is not None
    at.scroll_to(pages.enrol.takes)
    at.take("takes")
    at.scroll_to(pages.enrol.gallery)
    at.take("gallery")
    at.scroll_to(pages.enrol.record)


def _fit(at: Photographer) -> None:
    session, control = at.desk.session, at.desk.model
    assert session is not None
    assert control is not None
    control.fit()
    at.wait("the model", lambda: session.model is not None)


def _export(at: Photographer, path: str) -> None:
    session, control = at.desk.session, at.desk.model
    assert session is not None
    assert control is not None
    control.export(path)
    at.wait("the export", lambda: not session.has_unsaved_model)


def _model_pages(at: Photographer) -> None:
    _show(at, "", "window 6", "genuine", page="model")
    pages = at.window.pages
    assert pages is not None
    assert pages.model is not None
    tabs = pages.model.tabs
    at.take("model")
    for number, name in enumerate(("weights", "threshold", "convergence", "details")):
        tabs.setCurrentIndex(number)
        at.scroll_to(tabs)
        at.take(f"model-{name}")
    tabs.setCurrentIndex(0)
    _networks(at)


def _networks(at: Photographer) -> None:
    """The card of the liveness networks: as it offers them, on its way, and without internet."""
    pages, control = at.window.pages, at.desk.networks
    assert pages is not None
    assert pages.model is not None
    assert control is not None
    card, shown = pages.model.networks, control.shown
    failed = replace(shown, problem=NO_INTERNET, is_by_hand=True)
    fetching = replace(
        shown, working=Working("Fetching the liveness networks", 1_200_000, shown.size)
    )
    for name, one in (("", shown), ("-fetching", fetching), ("-by-hand", failed)):
        card.show_networks(one)
        at.scroll_to(card)
        at.take(f"networks{name}")
    card.show_networks(shown)


def _verdicts(at: Photographer) -> None:
    _show(at, "why-genuine", "window 6", "genuine")
    _show(at, "why-attack", "print", "attack")
    _show(at, "live-attack", "phone", "attack", page="enrol")
    _show(at, "another-light", "office 6", "attack", page="enrol")
    at.desk.source.present("")


def _show(at: Photographer, name: str, key: str, verdict: str, page: str = "why") -> None:
    """Present something, and take what the window says of it; say so if it says something else."""
    from app.qt.waiting import wait_until

    at.window.book.turn_to(page)
    at.desk.source.present(key)
    banner = at.window.live.banner
    demo = at.desk.source.demo
    assert demo is not None
    at.wait(key, lambda: demo.chapter.key == key)
    if not wait_until(lambda: banner.verdict.value == verdict, 40.0):
        print(f"{name or page}: the verdict on {key} is {banner.verdict.value!r}, not {verdict!r}.")
        return
    if name:
        at.rest(2.0)
        at.take(name)


def _test(at: Photographer, report: Path) -> None:
    from app.qt.views.trial.plan_card import PlanCard
    from app.qt.views.trial.report_panel import ReportPanel
    from app.qt.views.trial.tally_card import TallyCard
    from app.qt.waiting import wait_until

    session, control = at.desk.session, at.desk.trial
    assert session is not None
    assert control is not None
    at.window.book.turn_to("test")
    control.choose_plan("Quick look")
    for number, species in enumerate(SPECIES):
        control.start(species)
        if number == len(SPECIES) - 1:
            wait_until(lambda: at.window.live.banner.verdict.value == "attack", 10.0)
            at.take("presenting")
        at.wait(f"the test of {species}", lambda: not session.trial.is_presenting)
    _show(at, "", "window 6", "genuine", page="test")
    pages = at.window.pages
    assert pages is not None
    assert pages.test is not None
    cards = (("test-plan", PlanCard), ("test-tally", TallyCard), ("test-report", ReportPanel))
    for name, kind in cards:
        at.scroll_to(pages.test.findChild(kind))
        at.take(name)
    saved: list[str] = []
    control.report_saved.connect(saved.append)
    control.save_report(str(report))
    at.wait("the report", lambda: bool(saved))
    _browse(at, report)


def _browse(at: Photographer, page: Path) -> None:
    """Save the report as a browser shows it."""
    if not at.wants("report"):
        return
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        print("report: there is no Chromium here, so its page is left out.")
        return
    from PySide6.QtGui import QImage

    from app.qt.photographer import THEMES

    taken = page.with_suffix(".png")
    for theme in THEMES:
        command = [browser, "--headless=new", "--no-sandbox", "--hide-scrollbars", "--disable-gpu"]
        command += [f"--window-size={REPORT_SIZE}", f"--screenshot={taken}"]
        command.append(f"--blink-settings=preferredColorScheme={int(theme == 'light')}")
        subprocess.run([*command, page.as_uri()], check=True, capture_output=True, timeout=120)
        at.keep(QImage(str(taken)), f"report-{theme}")


def _dialogs(at: Photographer) -> None:
    from PySide6.QtWidgets import QTabWidget

    from app.qt.choices import choices_of
    from app.qt.views.dialogs.about_dialog import AboutDialog
    from app.qt.views.dialogs.details_dialog import DetailsDialog
    from app.qt.views.dialogs.settings_dialog import SettingsDialog
    from app.qt.views.dialogs.shortcuts_dialog import ShortcutsDialog
    from app.qt.views.dialogs.unlock_dialog import UnlockDialog
    from app.shown import Details, PassphraseAsked

    window = at.window
    settings = SettingsDialog(at.desk.settings, choices_of(()), window)
    settings.show()
    (tabs,) = settings.findChildren(QTabWidget)
    for number, name in enumerate(("camera", "views", "model", "look", "privacy")):
        tabs.setCurrentIndex(number)
        at.take(f"settings-{name}", settings)
    settings.close()
    _take_export(at)
    unlock = UnlockDialog(window)
    unlock.ask(PassphraseAsked("me.lmkl", "me.lmkl", was_wrong=True))
    at.take("unlock", unlock)
    unlock.close()
    assert window.menus is not None
    for name, dialog in (
        ("about", AboutDialog(window)),
        ("details", DetailsDialog(Details(), ("print", "phone", "paper mask"), {}, window)),
        ("shortcuts", ShortcutsDialog(window.menus.all, window)),
    ):
        _take_dialog(at, name, dialog)


def _take_export(at: Photographer) -> None:
    """Ask for an export as the menu does, want a passphrase, and go no further."""
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    from app.qt.views.dialogs.export_dialog import ExportDialog

    def answer() -> None:
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, ExportDialog)
        dialog.protect.setChecked(True)
        for edit in (dialog.first, dialog.second):
            edit.line.setText("four words make one")
        dialog.go_on.setFocus()
        at.take("export", dialog)
        dialog.reject()

    assert at.window.menus is not None
    QTimer.singleShot(0, answer)
    at.window.menus.models.export()


def _take_dialog(at: Photographer, name: str, dialog: QDialog) -> None:
    dialog.show()
    at.take(name, dialog)
    dialog.close()


if __name__ == "__main__":
    main()
