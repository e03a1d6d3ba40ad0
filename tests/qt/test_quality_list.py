"""The list of quality checks."""

import math

import pytest

from app.qt.pages.enrol.quality_list import QualityList, describe_check
from app.types import Check, Quality
from tests.qt.driving import click

SIZE = Check("size", 164.2, 80.0, math.inf, "px")
SMALL = Check("size", 62.0, 80.0, math.inf, "px", "Come closer.")
DARK = Check("brightness", 9.0, 15.0, 225.0, "", "Too dark: turn on a light.")


@pytest.fixture
def checks(shown):
    return shown(QualityList())


def show(checks, quality, reason=""):
    checks.show_quality(quality, reason)
    checks._throttle.catch_up()


def test_that_the_summary_gives_the_reason_and_rows_with_all_checks_unfold(checks, qtbot):
    passed = ("check", "164 px", "at least 80 px")
    for quality, reason, name, row, summary in (
        (Quality((SIZE,)), "", "size", passed, "All 1 checks pass"),
        (Quality((SIZE,)), "Two faces.", "size", passed, "Two faces."),
        (None, "No face.", "size", ("dash", "", "at least 80 px"), "No face."),
        (Quality((SMALL, DARK)), "", "brightness", ("cross", "9", "15 to 225"), "Come closer. Too"),
    ):
        show(checks, quality, reason)
        mark, _, value, limits = checks._rows[name]
        assert (mark.name, value.text(), limits.text()) == row
        assert checks.summary.text().startswith(summary)
    assert not value.isVisible()
    click(qtbot, checks.fold_button)
    assert value.isVisible()


def test_that_the_displayed_value_never_contradicts_the_check():
    for check, value, limits in (
        (Check("visible", 1.0, 1.0, math.inf), "100 %", "at least 100 %"),
        (Check("visible", 0.949, 0.95, math.inf), "94.9 %", "at least 95 %"),
        (Check("size", 79.6, 80.0, math.inf, "px"), "79.6 px", "at least 80 px"),
        (Check("brightness", 121.0, 15.0, 225.0), "121", "15 to 225"),
        (Check("sharpness", -2.31, -3.6, math.inf), "−2.3", "at least −3.6"),
        (Check("sharpness", -math.inf, -3.6, math.inf), "not measurable", "at least −3.6"),
        (Check("turn", -12.4, -35.0, 35.0, "°"), "12°", "at most 35°"),
        (Check("turn", -0.2, -35.0, 35.0, "°"), "0°", "at most 35°"),
        (Check("turn", 35.3, -35.0, 35.0, "°"), "35.3°", "at most 35°"),
        (Check("motion", 0.08, 0.0, 1.0, "faces/s"), "0.1 faces/s", "at most 1.0 faces/s"),
        (Check("motion", math.nan, 0.0, 1.0, "faces/s"), "not measurable", "at most 1.0 faces/s"),
    ):
        assert describe_check(check) == (value, limits)
