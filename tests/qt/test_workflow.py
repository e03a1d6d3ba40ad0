"""The whole workflow in the real window, by clicks and keys."""

from pathlib import Path

import pytest

from app.session.scoring import score_frame
from app.types import Verdict
from app.vision.pipeline import make_pipeline
from tests.qt.driving import PLAN

pytestmark = pytest.mark.light


def test_that_a_user_gets_from_launch_to_a_report_and_the_same_scores_after_a_restart(
    launch, file_dialogs, tmp_path
):
    driver = launch()
    window = driver.window

    # Launch: nobody is enrolled, and a button leads to the enrol page.
    driver.until_prepared()
    driver.until_verdict(Verdict.NO_MODEL)
    driver.turn_to("Test")
    driver.click(driver.button("Enrol a face"))
    assert window.tabs.currentWidget() is window.pages.enrol

    # Enrol two lights, one by the button and one by its key.
    driver.record_take()
    driver.press("Ctrl+R")
    driver.until(lambda: driver.session.enrolment.is_recording)
    driver.until(lambda: not driver.session.enrolment.is_recording)
    assert len(driver.session.enrolment.samples) == 2 * PLAN.frames

    # Fit: the model's page opens by itself.
    driver.click(driver.pages.enrol.fit_bar.fit_button)
    driver.until_modelled()
    driver.until(lambda: window.tabs.currentWidget() is window.pages.model)
    assert driver.session.model_summary.is_certified
    assert driver.session.model_summary.n_samples == 2 * PLAN.frames
    assert window.windowTitle().startswith("Model not exported yet")

    # Live: the person is accepted, a print of them is not.
    driver.present("window 6")
    driver.until_verdict(Verdict.GENUINE)
    assert "≥" in driver.banner.text
    driver.present("print")
    driver.until_verdict(Verdict.ATTACK)
    assert "<" in driver.banner.text
    driver.present("")

    # Test: a genuine presentation and an attack; the report follows by itself.
    driver.turn_to("Test")
    guided_test = driver.pages.test
    driver.click(guided_test._present.present_button)
    driver.until(lambda: len(driver.session.guided_test.presentations) == 1)
    driver.click(guided_test._picker._buttons["print"])
    driver.press("P")
    driver.until(lambda: len(driver.session.guided_test.presentations) == 2)
    genuine, attack = driver.session.guided_test.presentations
    assert (genuine.verdict, attack.verdict) == (Verdict.GENUINE, Verdict.ATTACK)
    assert genuine.is_simulated
    report = guided_test._report
    driver.until(lambda: report.save_button.isEnabled() and report._report)
    page = file_dialogs(tmp_path / "report.html")
    driver.click(report.save_button)
    driver.until_notice("The report is saved as report.html")
    assert "imulated" in page.read_text(encoding="utf-8")
    assert page.with_suffix(".json").is_file()

    # Export by its key.
    file = file_dialogs(tmp_path / "face.safetensors")
    driver.press("Ctrl+E")
    driver.until_notice("Exported to face.safetensors.")
    assert not driver.session.has_unsaved_model
    assert window.windowTitle().startswith("face.safetensors")
    frame = driver.session.scored.frame
    before = driver.session.model
    scored_before = score_frame(make_pipeline("tiny"), before, frame)
    assert driver.close()

    # Restart and open: the same frame gets the same score, to the last bit.
    again = launch(reopen_last=False).until_prepared()
    again.until_verdict(Verdict.NO_MODEL)
    file_dialogs(tmp_path / "face.safetensors")
    again.press("Ctrl+O")
    again.until_notice("Opened face.safetensors.")
    after = again.session.model
    assert after is not before
    assert (after.digest, after.threshold) == (before.digest, before.threshold)
    scored_after = score_frame(make_pipeline("tiny"), after, frame)
    assert scored_before.score is not None
    assert scored_after.score == scored_before.score
    assert scored_after.terms == scored_before.terms
    again.present("window 6")
    again.until_verdict(Verdict.GENUINE)
    assert Path(again.controller.settings.recent[0]) == file
