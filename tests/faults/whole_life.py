"""A complete session in one process: window and commands, including failures.

``python -m tests.faults.whole_life INPUTS SAVED EVIDENCE`` enrols in the real window on the demo,
fits, tests, saves a report and a model, opens broken files, and then does the same by commands. It
writes the frames and features to EVIDENCE; `test_privacy_life` searches everything else for them.
"""

import logging
import os
import sys
import time
from pathlib import Path

import numpy as np

MARK = "ANNA-KARENINA"
"""Part of every name that the user types, and of every path."""

PASSPHRASE = f"{MARK} happy families are all alike"


class Everything(logging.Handler):
    """Writes every record, with the types of its arguments unless they are plain values."""

    def __init__(self, file):
        super().__init__(logging.DEBUG)
        self.file = file

    def emit(self, record):
        text = logging.Formatter("%(levelname)s %(name)s: %(message)s").format(record)
        arguments = record.args if isinstance(record.args, tuple) else ()
        for value in arguments:
            if not isinstance(value, str | int | float | bool | type(None)):
                text += f" <{type(value).__name__}>"
        self.file.write(text + "\n")
        self.file.flush()


class Hands:
    """The part of pytest-qt's bot that `tests.qt.driving` needs, without pytest."""

    def waitUntil(self, condition, timeout):
        from app.qt.window_picture import wait_until

        assert wait_until(condition, timeout / 1000), "timed out"

    def mouseClick(self, *arguments, **options):
        from PySide6.QtTest import QTest

        QTest.mouseClick(*arguments, **options)

    def keySequence(self, *arguments):
        from PySide6.QtTest import QTest

        QTest.keySequence(*arguments)


def live_in_the_window(inputs, saved):
    """Use the window as a person would; return the camera's frames and the enrolled samples."""
    from PySide6.QtWidgets import QFileDialog

    from app import settings
    from app.demo.source import DemoSource
    from app.qt.app import make_window
    from app.qt.model_dialogs import ExportDialog
    from app.settings import Settings
    from app.types import Verdict
    from tests.qt.driving import N_RECORDED, PLAN, Driver

    demo = DemoSource(n_recorded=N_RECORDED)
    chosen = Settings(preset="tiny", source="demo")
    settings.save(chosen)
    window = make_window(chosen, make_demo=lambda: demo, plan=PLAN)
    driver = Driver(Hands(), window)
    window.show()
    driver.until_prepared()
    pages = driver.pages

    driver.turn_to("Enrol")
    frames = []
    for _ in range(2):
        driver.record_take()
        frames.append(driver.session.scored.frame.image)
    name = driver.session.enrolment.samples[0].take
    driver.session.change_enrolment(lambda takes: takes.rename_take(name, f"{MARK} by the window"))
    samples = driver.session.enrolment.samples
    driver.click(pages.enrol.fit_bar.fit_button)
    driver.until_modelled()
    driver.present("print")
    driver.until_verdict(Verdict.ATTACK)
    frames.append(driver.session.scored.frame.image)
    driver.present("")

    driver.turn_to("Test")
    driver.click(pages.test._present.present_button)
    driver.until(lambda: len(driver.session.guided_test.presentations) == 1)
    report = pages.test._report
    driver.until(lambda: report.save_button.isEnabled() and report._report)
    page = saved / f"{MARK}-report.html"
    QFileDialog.getSaveFileName = lambda *_: (str(page), "")
    driver.click(report.save_button)
    driver.until(page.exists)

    model = saved / f"{MARK}.safetensors"
    QFileDialog.getSaveFileName = lambda *_: (str(model), "")
    ExportDialog.exec = lambda dialog: (dialog.accept_button.click(), dialog.result())[1]
    driver.press("Ctrl+E")
    driver.until(lambda: not driver.session.has_unsaved_model)

    # A broken model, a broken video, and pictures one of which is broken.
    driver.controller.model.open(str(inputs / f"{MARK}-broken.safetensors"))
    driver.until_notice(f"{MARK}-broken")
    driver.drop(inputs / f"{MARK}-broken.avi")
    driver.until_notice(f"{MARK}-broken.avi")
    driver.drop(inputs / f"{MARK}-pictures")
    driver.until(lambda: (now := driver.session.scored) is not None and not now.frame.caption)
    frames.append(driver.session.scored.frame.image)
    assert driver.close()
    assert driver.controller.stop()
    return frames, samples


def live_by_commands(inputs, saved):
    """Do the same by commands."""
    from typer.testing import CliRunner

    from app.cli.main import cli

    def command(*words, code=0):
        result = CliRunner().invoke(cli, [str(word) for word in words])
        assert result.exit_code == code, f"{words}: {result.output} {result.exception}"

    videos = sorted((inputs / f"{MARK}-videos").glob("*.avi"))
    secret = inputs / f"{MARK}-passphrase.txt"
    model = saved / f"{MARK}-2.safetensors"
    command("enrol", *videos, "--every", 0.06, "--preset", "tiny", "-o", model, "-q")
    command("score", model, *videos, "--every", 6, "-o", saved / f"{MARK}-rows.csv")
    command("score", model, videos[0], inputs / f"{MARK}-broken.avi", "--every", 9, code=8)
    command("score", inputs / f"{MARK}-broken.safetensors", videos[0], code=7)
    sealed = saved / f"{MARK}-sealed.lmkl"
    command("export", model, "--to", sealed, "--passphrase-file", secret)


def main():
    os.umask(0)
    inputs, saved, evidence = map(Path, sys.argv[1:])
    saved.mkdir()
    with open(evidence / "log.txt", "w", encoding="utf-8") as file:
        logging.getLogger().setLevel(logging.DEBUG)
        logging.getLogger().addHandler(Everything(file))
        logging.captureWarnings(True)
        frames, samples = live_in_the_window(inputs, saved)
        live_by_commands(inputs, saved)
    views = [np.concatenate([v.ravel() for v in sample.views.values()]) for sample in samples]
    faces = [sample.thumbnail for sample in samples]
    assert len(faces) > 20
    np.savez(
        evidence / "seen.npz",
        views=np.array(views),
        faces=np.array(faces),
        **{f"frame{number}": frame for number, frame in enumerate(frames)},
    )
    print("lived", time.strftime("%Y"))


if __name__ == "__main__":
    main()
