"""The figures of a report, what it concludes and what it warns of."""

import csv
import dataclasses
import json
from datetime import UTC, datetime

import numpy as np
import pytest

from app.reports import build
from app.reports.csv_files import figures_csv
from app.reports.findings import brief, conclusions, limits, size_statement
from app.reports.html import guided_test_page as render
from app.reports.json_files import guided_test_document as as_document
from app.session.guided_test.details import Details
from app.session.guided_test.guided_test import GuidedTest
from app.types import BONA_FIDE, Frame, Verdict
from lmkl_core.metrics import Rate
from tests.app.guided_test_material import present, scored, session
from tests.app.reports.report_material import context, model
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
    shown = figures(report_of(guided_test))
    assert shown["APCER, worst species"] == "0.0 % (print: 0 of 12, 95 % interval 0.0 to 26.5 %)"
    assert shown["BPCER"] == "0.0 % (0 of 12, 95 % interval 0.0 to 26.5 %)"
    assert shown["AUC (legacy)"] == "1.000 (12 bona fide, 12 attacks, 95 % interval 0.735 to 1.000)"


def test_that_the_headline_is_worst_apcer_and_bpcer_at_three_apcers_before_legacy(guided_test):
    report = report_of(guided_test)
    parts = [figure.part for figure in report.lines]
    assert parts == sorted(parts, key=["headline", "threshold", "legacy"].index)
    headline = [figure.key for figure in report.lines if figure.part == "headline"]
    assert headline == ["APCER_max", *(f"BPCER_at_APCER_{n}%" for n in (1, 5, 10))]
    legacy = {figure.key for figure in report.lines if figure.part == "legacy"}
    assert legacy == {"EER", "HTER", "ACER_legacy", "AUC"}


def test_that_bpcer_at_an_apcer_follows_the_scores():
    guided_test = GuidedTest()
    for score in (0.9, 0.8, 0.7, 0.2):
        present(guided_test, BONA_FIDE, [score] * 6)
    for score in [0.6] + [0.1] * 19:  # above it one in twenty is accepted
        present(guided_test, "print", [score] * 6)
    figures = {one.key: one for one in report_of(guided_test).lines}
    for target, n_refused in ((1, 1), (5, 0), (10, 0)):
        figure = figures[f"BPCER_at_APCER_{target}%"]
        estimate, fixed = figure.figure, figure.at_threshold
        assert estimate.value == n_refused / 4
        assert (estimate.n_bona_fide, estimate.n_attacks) == (4, 20)
        assert (fixed.n_errors, fixed.n) == (n_refused, 4)
        # Not knowing the threshold makes nothing surer.
        low, high = fixed.interval
        assert estimate.interval[0] <= low <= high <= estimate.interval[1]


def test_that_a_session_without_presentations_has_a_report_without_figures():
    report = report_of(GuidedTest(), model=None)
    assert set(figures(report).values()) == {"no data"}
    assert conclusions(report.by_presentation) == (
        "Nothing was presented yet, so nothing can be concluded.",
    )


def test_that_errors_count_decisions_and_non_response_stays_apart(guided_test):
    present(guided_test, "print", [0.9] * 6)
    present(guided_test, "print", [None] * 6)
    present(guided_test, BONA_FIDE, [0.45] * 6, verdict=Verdict.UNFAMILIAR)
    errors = report_of(guided_test).by_presentation.errors
    assert errors.apcers["print"] == Rate(1, 13)
    assert errors.apnrrs["print"] == Rate(1, 14)
    assert (errors.bpcer, errors.bpnrr) == (Rate(1, 13), Rate(0, 13))


def test_that_bona_fide_refused_in_unfamiliar_light_is_pointed_out(guided_test):
    present(guided_test, BONA_FIDE, [0.45] * 6, verdict=Verdict.UNFAMILIAR)
    report = report_of(guided_test)
    (line,) = [one for one in report.lines if one.key == "bona_fide_not_accepted"]
    assert (line.figure.n_errors, line.figure.n) == (1, 13)
    assert any("light that was not enrolled" in warning for warning in report.warnings)


def test_that_the_frame_level_counts_every_frame(guided_test):
    present(guided_test, "phone", [0.9, 0.9, 0.1, 0.1, 0.1, None])
    counts = report_of(guided_test).by_frame.attacks[-1]
    assert (counts.n_accepted, counts.n_refused, counts.n_no_response) == (2, 3, 1)


def test_that_scores_of_unfamiliar_presentations_enter_the_curves(guided_test):
    present(guided_test, BONA_FIDE, [0.1] * 6, verdict=Verdict.UNFAMILIAR)
    assert report_of(guided_test).by_presentation.value("AUC") < 1


def test_that_later_presentations_do_not_change_a_report(guided_test):
    report = report_of(guided_test)
    guided_test.clear()
    assert len(report.presentations) == 24


# ------------------------------------------------------------------ conclusions


def test_that_no_error_is_concluded_with_its_upper_bound_and_the_rule_of_three(guided_test):
    assert (
        "Print: none of 12 was wrongly accepted. The true rate may still be as high as 26.5 % "
        "(upper end of the exact 95 % interval; rule of three, one-sided: about 25.0 %)."
    ) in conclusions(level_of(guided_test))


def test_that_errors_are_concluded_with_both_ends_of_the_interval(guided_test):
    for _ in range(2):
        present(guided_test, "print", [0.9] * 6)
    assert (
        "Print: 2 of 14 were wrongly accepted. The true rate may lie anywhere from 1.8 to 42.8 %."
    ) in conclusions(level_of(guided_test))


def test_that_a_species_without_a_response_is_said_to_be_unknown(guided_test):
    present(guided_test, "mask", [None] * 6)
    assert (
        "Mask: no response to 1 presentation, so it is not known how often it is accepted."
    ) in conclusions(level_of(guided_test))


def test_that_the_number_needed_for_a_bound_reaches_it_and_one_less_does_not(guided_test):
    (sentence,) = [text for text in conclusions(level_of(guided_test)) if "takes 72" in text]
    assert "below 1 %: 368" in sentence
    assert Rate(0, 72).interval[1] < 0.05 <= Rate(0, 71).interval[1]
    assert Rate(0, 368).interval[1] < 0.01 <= Rate(0, 367).interval[1]


def test_that_species_that_fared_alike_share_a_sentence(guided_test):
    for species in ("phone", "tablet", "monitor"):
        present(guided_test, species, [0.1] * 6)
    (sentence,) = [
        text for text in conclusions(level_of(guided_test)) if "one presentation" in text
    ]
    assert sentence.startswith(
        "Phone, tablet, monitor: the one presentation of each was not wrongly accepted."
    )


def test_that_no_species_is_called_worst_when_all_are_equal(guided_test):
    present(guided_test, "phone", [0.1] * 6)
    shown = dict(report_of(guided_test).summary.figures)
    assert shown["APCER, worst species"].startswith("0.0 % (all species equal, 95 % interval")
    present(guided_test, "phone", [0.9] * 6)
    shown = dict(report_of(guided_test).summary.figures)
    assert shown["APCER, worst species"].startswith("50.0 % (phone: 1 of 2")


# ------------------------------------------------------------------ in short


def test_that_a_session_without_errors_is_summed_up_with_its_bounds(guided_test):
    assert brief(level_of(guided_test)) == (
        "24 presentations were made: 12 bona fide and 12 attacks (print).",
        "No attack was accepted: 0 of 12. With 95 % confidence its true rate is not above 26.5 %.",
        "12 of 12 bona fide presentations were accepted, 0 refused. With 95 % confidence the true "
        "rate of refusals is from 0.0 to 26.5 %.",
    )


def test_that_accepted_attacks_and_missing_responses_are_summed_up(guided_test):
    present(guided_test, "phone", [0.9] * 6)
    present(guided_test, "phone", [None] * 6)
    present(guided_test, BONA_FIDE, [0.1] * 6)
    present(guided_test, BONA_FIDE, [0.45] * 6, verdict=Verdict.UNFAMILIAR)
    _, attacks, bona_fide = brief(level_of(guided_test))
    assert attacks.startswith(
        "1 of 13 attacks was accepted. The worst species is phone, with 1 of 1 (100.0 %). "
        "1 attack had no response. So few do not exclude a true rate of 100 %."
    )
    assert bona_fide.startswith(
        "12 of 14 bona fide presentations were accepted, 2 refused (1 in a light not enrolled)."
    )


def test_that_species_that_are_accepted_alike_have_no_worst_among_them():
    guided_test = GuidedTest()
    for species in ("print", "phone"):
        for score in (0.9, 0.1, 0.1, 0.1, 0.1):
            present(guided_test, species, [score] * 6)
    attacks = brief(level_of(guided_test))[1]
    assert attacks.startswith(
        "2 of 10 attacks were accepted. Of every species with a response 20.0 % were. With 95 % "
        "confidence no species' true rate is above"
    )


@pytest.mark.parametrize(
    ("answered", "told"),
    [(["print"], "the true rate of print is not"), (["print", "phone"], "no other species'")],
)
def test_that_no_bound_is_told_of_a_species_without_a_response(answered, told):
    guided_test = GuidedTest()
    for species in answered:
        for _ in range(20):
            present(guided_test, species, [0.1] * 6)
    present(guided_test, "mask", [None] * 6)
    attacks = brief(level_of(guided_test))[1]
    assert "Of mask none had one, so nothing is known. With 95 % confidence " + told in attacks


def test_that_a_session_that_lacks_something_is_summed_up_too():
    for made, told in (
        (GuidedTest(), "Nothing was presented yet."),
        (session(1, 0, ()), "1 presentation was made: 1 bona fide and no attack."),
        (
            session(0, 2, ("print",)),
            "2 presentations were made: 0 bona fide and 2 attacks (print).",
        ),
    ):
        assert brief(level_of(made))[0] == told


def test_that_attacks_without_any_response_are_not_called_refused():
    guided_test = GuidedTest()
    present(guided_test, "mask", [None] * 6)
    assert brief(level_of(guided_test))[1].startswith("No attack had a response")
    page = render(report_of(guided_test))
    assert "no attack had a response" in page
    assert "no attack was presented" not in page


def test_that_real_presentations_among_generated_ones_are_not_denied():
    mixed = session(2, 2, is_simulated=True)
    present(mixed, "mask", [0.1] * 6)
    first, *_ = limits_of(report_of(mixed))
    assert first.startswith("How well real attacks are detected")
    assert "no real camera" not in first
    assert "no real camera" in limits_of(report_of(session(2, 2, is_simulated=True)))[0]
    assert not any("real attacks" in text for text in limits_of(report_of(session(2, 2))))


def test_that_few_presentations_are_a_limit_and_many_are_none(guided_test):
    assert any("below 5 %" in text for text in limits_of(report_of(guided_test)))
    for species, score in [(BONA_FIDE, 0.75), ("print", 0.25)]:
        for _ in range(60):
            present(guided_test, species, [score] * 6)
    assert not any("below 5 %" in text for text in limits_of(report_of(guided_test)))


# ------------------------------------------------------------------ warnings


def test_that_one_simulated_presentation_is_enough_for_the_banner(guided_test):
    present(guided_test, "print", [0.1] * 6, is_simulated=True)
    report = report_of(guided_test)
    assert report.simulated.startswith("1 of 25 presentations was generated")
    assert report.warnings[0] == report.simulated
    assert any("counted together" in warning for warning in report.warnings)
    report = report_of(session(2, 2, is_simulated=True))
    assert report.simulated.startswith("All presentations")
    assert not any("counted together" in warning for warning in report.warnings)


def test_that_a_change_of_model_or_threshold_during_the_session_is_told(guided_test):
    assert report_of(guided_test).warnings == ()
    present(guided_test, "print", [0.1] * 6, threshold=0.4)
    (warning,) = report_of(guided_test).warnings
    assert "threshold changed" in warning
    guided_test.use_model("b2" * 32)
    present(guided_test, "print", [0.1] * 6)
    assert any("model changed" in warning for warning in report_of(guided_test).warnings)


def test_that_what_is_wrong_with_the_model_is_told(guided_test):
    missed, untargeted = (
        dataclasses.replace(model().threshold, **changes)
        for changes in ({"promised": False}, {"target_bpcer": None, "promised": None})
    )
    for changes, word in (
        ({"digest": "c3" * 32}, "not the one that was tested"),
        ({"threshold": missed}, "cannot be promised"),
    ):
        (warning,) = report_of(guided_test, model=model(**changes)).warnings
        assert word in warning
    assert report_of(guided_test, model=model(threshold=untargeted)).warnings == ()


def test_that_a_missing_class_is_told():
    for made, figure in ((session(0, 1, ("print",)), "BPCER"), (session(1, 0, ()), "APCER")):
        warnings = report_of(made).warnings
        assert any(f"{figure} is not known" in warning for warning in warnings)


# ------------------------------------------------------------------ facts


def facts_of(report):
    return {(fact.key, fact.species): fact for fact in report.facts}


def test_that_what_nobody_gave_is_counted_as_missing_and_what_was_given_is_not(guided_test):
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


def test_that_the_program_fills_in_what_it_can_measure():
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
    assert facts["dates"] == "2026-03-14 to 2026-03-16 (2 days)"
    assert facts["device"] == "Front camera"
    assert facts["resolution"] == "640 x 480 pixels"
    assert facts["rate"] == "30 frames a second"
    assert facts["face_size"] == "100 to 150 pixels"
    assert facts["processing_time"] == "0.12 s (median; at most 0.18 s), 20 ms a frame"
    assert facts["operating_system"]
    assert facts["processor"]


# ------------------------------------------------------------------ distance


def seen_at(guided_test, sizes, scores, species=BONA_FIDE):
    """Present frames of these sizes with these scores."""
    guided_test.start(species)
    for size, score in zip(sizes, scores, strict=True):
        guided_test.offer(dataclasses.replace(scored(score), size=float(size)))
    guided_test.finish()


def test_that_the_sweep_counts_genuine_frames_by_the_size_of_the_face():
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
    assert size_statement(bands) == (
        "Most genuine frames are refused at 80 to 100 pixels and accepted at 120 to 140."
    )


def test_that_a_session_without_sizes_has_no_sweep(guided_test):
    report = report_of(guided_test)
    assert report.bands == ()
    assert "Distance:" not in render(report)


def test_that_the_sweep_is_drawn_and_written_with_the_same_numbers():
    guided_test = GuidedTest()
    for size in range(80, 260, 20):
        seen_at(guided_test, [size] * 6, [size / 250] * 6)
    report = report_of(guided_test)
    page = render(report)
    document, rows = as_document(report), list(csv.DictReader(figures_csv(report).splitlines()))
    rows = [row for row in rows if row["part"] == "sweep"]
    assert len(rows) == len(document["face_size"]["bands"]) == len(report.bands) == 8
    for row, told, band in zip(rows, document["face_size"]["bands"], report.bands, strict=True):
        assert float(row["mean_score"]) == told["mean_score"] == band.mean_score
        assert float(row["value"]) == told["refused"]
        assert f'<th scope="row">{band.name}</th>' in page
    assert document["face_size"]["statement"] in page
    assert page.count('class="genuine filled"') >= 54
