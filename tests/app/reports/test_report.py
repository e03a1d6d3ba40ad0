"""Figures, conclusions, warnings and facts of a report."""

import dataclasses
import json
from datetime import UTC, datetime

import numpy as np
import pytest

from app.reports import build
from app.reports.findings import conclusions, limits, size_statement
from app.session.guided_test.details import Details
from app.session.guided_test.guided_test import GuidedTest
from app.types import BONA_FIDE, Frame, Verdict
from lmkl_core.metrics import Rate
from tests.app.guided_tests import present, scored, session
from tests.app.reports.example_context import context, model
from tests.scored_frames import scored_frame


def report_of(guided_test, **changes):
    return build(guided_test, context(**changes))


def level_of(guided_test):
    return report_of(guided_test).by_presentation


def limits_of(report):
    return limits(report.presentations, report.by_presentation)


def figures(report):
    return dict(report.summary.figures)


@pytest.fixture
def guided_test():
    """Return 12 bona fide and 12 print presentations without an error."""
    guided_test = GuidedTest()
    guided_test.use_model("a1" * 32)
    for species, score in [(BONA_FIDE, 0.75), ("print", 0.25)]:
        for _ in range(12):
            present(guided_test, species, [score] * 6)
    return guided_test


def test_that_headline_figures_carry_n_and_the_exact_interval(guided_test):
    texts = figures(report_of(guided_test))
    assert texts["APCER, worst species"] == "0.0 % (print: 0 of 12, 95 % interval 0.0 to 26.5 %)"
    assert texts["BPCER"] == "0.0 % (0 of 12, 95 % interval 0.0 to 26.5 %)"
    assert texts["AUC (legacy)"] == "1.000 (12 bona fide, 12 attacks, 95 % interval 0.735 to 1.000)"


def test_that_bpcer_at_an_apcer_follows_the_scores():
    guided_test = GuidedTest()
    for score in (0.9, 0.8, 0.7, 0.2):
        present(guided_test, BONA_FIDE, [score] * 6)
    for score in [0.6] + [0.1] * 19:  # one in twenty is accepted above 0.5
        present(guided_test, "print", [score] * 6)
    lines = {line.key: line for line in report_of(guided_test).lines}
    for target, n_refused in ((1, 1), (5, 0), (10, 0)):
        line = lines[f"BPCER_at_APCER_{target}%"]
        estimate, fixed = line.figure, line.at_threshold
        assert estimate.value == n_refused / 4
        assert (estimate.n_bona_fide, estimate.n_attacks) == (4, 20)
        assert (fixed.n_errors, fixed.n) == (n_refused, 4)
        # The uncertainty of the threshold widens the interval.
        low, high = fixed.interval
        assert estimate.interval[0] <= low <= high <= estimate.interval[1]


def test_that_a_session_without_presentations_has_a_report_without_figures():
    report = report_of(GuidedTest(), model=None)
    assert set(figures(report).values()) == {"no data"}
    assert len(conclusions(report.by_presentation)) == 1


def test_that_errors_count_decisions_and_leave_out_non_responses(guided_test):
    present(guided_test, "print", [0.9] * 6)
    present(guided_test, "print", [None] * 6)
    present(guided_test, BONA_FIDE, [0.45] * 6, verdict=Verdict.UNFAMILIAR)
    report = report_of(guided_test)
    errors = report.by_presentation.errors
    assert errors.apcers["print"] == Rate(1, 13)
    assert errors.apnrrs["print"] == Rate(1, 14)
    assert (errors.bpcer, errors.bpnrr) == (Rate(1, 13), Rate(0, 13))
    (line,) = [line for line in report.lines if line.key == "bona_fide_not_accepted"]
    assert (line.figure.n_errors, line.figure.n) == (1, 13)
    assert any("light that was not enrolled" in warning for warning in report.warnings)
    # Refused in unfamiliar conditions, it still has a score.
    assert len(report.by_presentation.genuine_scores) == 13


def test_that_the_frame_level_counts_every_frame(guided_test):
    present(guided_test, "phone", [0.9, 0.9, 0.1, 0.1, 0.1, None])
    counts = report_of(guided_test).by_frame.attacks[-1]
    assert (counts.n_accepted, counts.n_refused, counts.n_no_response) == (2, 3, 1)


def test_that_later_presentations_do_not_change_a_report(guided_test):
    report = report_of(guided_test)
    guided_test.clear()
    assert len(report.presentations) == 24


def test_that_the_number_needed_for_a_bound_reaches_it_and_one_less_does_not(guided_test):
    (sentence,) = [text for text in conclusions(level_of(guided_test)) if "takes 72" in text]
    assert "below 1 %: 368" in sentence
    assert Rate(0, 72).interval[1] < 0.05 <= Rate(0, 71).interval[1]
    assert Rate(0, 368).interval[1] < 0.01 <= Rate(0, 367).interval[1]


def test_that_simulated_presentations_are_the_first_limit():
    mixed = session(2, 2, is_simulated=True)
    present(mixed, "mask", [0.1] * 6)
    first, *_ = limits_of(report_of(mixed))
    assert "6 of 7 presentations" in first
    assert not any("real attacks" in text for text in limits_of(report_of(session(2, 2))))


def test_that_few_presentations_are_a_limit_and_many_are_not(guided_test):
    assert any("below 5 %" in text for text in limits_of(report_of(guided_test)))
    for species, score in [(BONA_FIDE, 0.75), ("print", 0.25)]:
        for _ in range(60):
            present(guided_test, species, [score] * 6)
    assert not any("below 5 %" in text for text in limits_of(report_of(guided_test)))


def test_that_one_simulated_presentation_brings_the_banner(guided_test):
    present(guided_test, "print", [0.1] * 6, is_simulated=True)
    report = report_of(guided_test)
    assert "1 of 25 presentations" in report.simulated
    assert report.warnings[0] == report.simulated
    assert any("counted together" in warning for warning in report.warnings)
    report = report_of(session(2, 2, is_simulated=True))
    assert "6 of 6 presentations" in report.simulated
    assert not any("counted together" in warning for warning in report.warnings)


def test_that_a_change_of_model_or_threshold_during_the_session_is_reported(guided_test):
    assert report_of(guided_test).warnings == ()
    present(guided_test, "print", [0.1] * 6, threshold=0.4)
    (warning,) = report_of(guided_test).warnings
    assert "threshold changed" in warning
    guided_test.use_model("b2" * 32)
    present(guided_test, "print", [0.1] * 6)
    assert any("model changed" in warning for warning in report_of(guided_test).warnings)


def test_that_faults_of_the_model_are_reported(guided_test):
    missed, untargeted = (
        dataclasses.replace(model().calibration, **changes)
        for changes in ({"promised": False}, {"target_bpcer": None, "promised": None})
    )
    for changes, word in (
        ({"digest": "c3" * 32}, "not the one that was tested"),
        ({"calibration": missed}, "cannot be promised"),
    ):
        (warning,) = report_of(guided_test, model=model(**changes)).warnings
        assert word in warning
    assert report_of(guided_test, model=model(calibration=untargeted)).warnings == ()


def test_that_a_missing_class_is_reported():
    for made, figure in ((session(0, 1, ("print",)), "BPCER"), (session(1, 0, ()), "APCER")):
        warnings = report_of(made).warnings
        assert any(f"{figure} is unknown" in warning for warning in warnings)


def facts_of(report):
    return {(fact.key, fact.species): fact for fact in report.facts}


def test_that_details_not_given_are_counted_as_missing(guided_test):
    before = report_of(guided_test)
    assert before.summary.n_missing == len(before.missing)
    guided_test.details = Details(
        {"tester": "Ann", "n_subjects": "12"}, {"print": {"made": "laser", "n_instruments": "3"}}
    )
    after = report_of(guided_test)
    assert len(before.missing) - len(after.missing) == 4
    facts = facts_of(after)
    assert facts["n_instruments", "print"].value == "3"
    assert facts["consent", ""].origin == "missing"
    assert {facts[key, ""].origin for key in ("IAPAR", "RIAPAR")} == {"not applicable"}
    assert facts["evaluation_type", ""].value == "PAD subsystem"


def test_that_measurable_facts_are_filled_in():
    days = iter([datetime(2026, 3, day, 9, tzinfo=UTC) for day in (14, 16)])
    guided_test = GuidedTest(clock=lambda: next(days))
    for n, seconds in enumerate((0.01, 0.03)):
        guided_test.start(BONA_FIDE, source="Front camera")
        for number in range(6):
            frame = Frame(np.zeros((480, 640, 3), np.uint8), 3 * number, number / 10)
            about = {"score": 0.9, "threshold": 0.5, "seconds": seconds, "size": 100.0 + 50 * n}
            guided_test.offer(scored_frame(frame, Verdict.GENUINE, **about))
        guided_test.finish()
    again = GuidedTest.from_dict(json.loads(json.dumps(guided_test.as_dict())))
    assert again.presentations == guided_test.presentations
    facts = {key: fact.value for (key, _), fact in facts_of(report_of(again)).items()}
    assert facts["dates"] == "2026-03-14 to 2026-03-16"
    assert facts["device"] == "Front camera"
    assert facts["resolution"] == "640 x 480 pixels"
    assert facts["rate"] == "30 frames a second"
    assert facts["face_size"] == "100 to 150 pixels"
    assert facts["processing_time"] == "0.12 s (median; at most 0.18 s), 20 ms per frame"
    assert facts["operating_system"]
    assert facts["processor"]


def seen_at(guided_test, sizes, scores, species=BONA_FIDE):
    guided_test.start(species)
    for size, score in zip(sizes, scores, strict=True):
        guided_test.offer(dataclasses.replace(scored(score), size=float(size)))
    guided_test.finish()


def test_that_the_sweep_counts_genuine_frames_by_face_size():
    guided_test = GuidedTest()
    seen_at(guided_test, [85, 95, 121, 139, 139.9], [0.3, 0.4, 0.4, 0.6, 0.8])
    seen_at(guided_test, [90, 150, 150, 150, 900], [0.2, 0.6, 0.6, 0.9, 0.7])
    seen_at(guided_test, [90] * 5, [0.9] * 5, "print")
    bands = report_of(guided_test).bands
    assert [(band.low, band.high) for band in bands] == [
        (80, 100), (120, 140), (140, 160), (400, None),
    ]  # fmt: skip
    assert [(band.n_frames, band.n_refused, band.n_presentations) for band in bands] == [
        (3, 3, 2), (3, 1, 1), (3, 0, 1), (1, 0, 1),
    ]  # fmt: skip
    assert bands[1].mean_score == pytest.approx(0.6)
    assert size_statement(bands) == "Most genuine frames are refused at 80 to 100 pixels."
