"""The page of a guided test: self-contained, well-formed, and drawn from the figures."""

import re
from dataclasses import replace
from statistics import NormalDist
from xml.etree import ElementTree

import pytest

from app.reports import build, error_charts
from app.reports.csv_files import presentations_csv
from app.reports.html import guided_test_page as render
from app.reports.json_files import guided_test_document as as_document
from app.reports.score_charts import histogram
from app.session.guided_test.guided_test import GuidedTest
from app.types import BONA_FIDE, Familiarity, Verdict
from tests.app.guided_tests import present, scored, session
from tests.app.pages import assert_that_nothing_is_loaded, outline
from tests.app.reports.example_context import context


@pytest.fixture(scope="module")
def page():
    return render(build(session(6, 6), context()))


def test_that_the_page_and_its_charts_are_well_formed(page):
    assert outline(page).tags.count("figure") == 5
    assert_that_nothing_is_loaded(page)
    pictures = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(pictures) > 10
    for picture in pictures:
        tree = ElementTree.fromstring(picture)
        _, _, width, height = map(float, tree.get("viewBox").split())
        for mark in tree.iter("circle"):
            assert 0 <= float(mark.get("cx")) <= width
            assert 0 <= float(mark.get("cy")) <= height


def test_that_measured_liveness_has_a_column(page):
    assert "Looks live" not in page
    guided_test = session(1, 0, ())
    guided_test.start("print")
    unfamiliar = Familiarity(2.0, "=lamp", ("the room is darker",), 2.0, 0.0)
    for _ in range(5):
        guided_test.offer(replace(scored(0.1), liveness=0.123, familiarity=unfamiliar))
    guided_test.finish()
    report = build(guided_test, context())
    text = " ".join(outline(render(report)).text)
    for words in ("Looks live", "12.3", "(compared with =lamp, the room is darker)"):
        assert words in text
    assert ",0.123," in presentations_csv(report).splitlines()[-1]
    row = as_document(report)["presentations"][-1]
    assert row["mean_liveness"] == pytest.approx(0.123)
    assert row["verdict"] == "attack"


def test_that_simulated_presentations_are_marked(page):
    assert ">Simulated<" not in page
    assert "(simulated)" not in page
    simulated = render(build(session(2, 2, is_simulated=True), context()))
    assert ">Simulated<" in simulated
    assert "print (simulated)" in simulated


def test_that_any_session_has_a_page():
    unscored, equal = GuidedTest(), GuidedTest()
    present(unscored, "print", [None] * 6)
    for species in ("print", BONA_FIDE):
        present(equal, species, [0.5] * 6)
    one_class = (session(2, 0, ()), session(0, 2, ("print",)))
    for guided_test in (GuidedTest(), *one_class, session(1, 1, ("print",)), unscored, equal):
        page = render(build(guided_test, context(model=None)))
        outline(page)
        assert not re.search(r"\b(nan|inf|None)\b", page)


def level(genuine, attacks):
    guided_test = GuidedTest()
    for species, scores in [("bona fide", genuine), ("print", attacks)]:
        for score in scores:
            present(guided_test, species, [score] * 6)
    return build(guided_test, context()).by_presentation


def bars(markup, style):
    found = re.findall(rf'class="bar {style}" x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', markup)
    return [(float(x), float(width)) for x, width in found]


def test_that_no_histogram_bar_straddles_the_threshold():
    markup = histogram(level([0.5, 0.51, 0.9], [0.499, 0.1]), (0.5,), "presentations")
    line = float(re.search(r'class="threshold" x1="([\d.]+)"', markup)[1])
    assert all(x > line for x, _ in bars(markup, "genuine"))
    assert all(x + width < line for x, width in bars(markup, "attack"))


def test_that_the_ring_is_drawn_only_for_a_single_threshold():
    guided_test = session(3, 3)
    assert 'class="ring"' in render(build(guided_test, context()))
    present(guided_test, "print", [0.1] * 6, threshold=0.6)
    assert 'class="ring"' not in render(build(guided_test, context()))


def test_that_only_errors_are_marked_in_the_list():
    guided_test = GuidedTest()
    for species, score in [(BONA_FIDE, 0.9), (BONA_FIDE, 0.1), ("print", 0.9), ("print", 0.1)]:
        present(guided_test, species, [score] * 6)
    present(guided_test, BONA_FIDE, [0.1] * 6, verdict=Verdict.UNFAMILIAR)
    page = render(build(guided_test, context()))
    outcomes = re.findall(r'<td class="unbroken[^"]*">((?:accepted|refused)[^<]*)</td>', page)
    assert outcomes[:4] == ["accepted", "refused (error)", "accepted (error)", "refused"]
    assert outcomes[4] == "refused (unfamiliar conditions) (error)"


def on_normal_deviates(share):
    """Return the position of a share, from 0 to 1, on an axis from 0.5 to 95 %."""
    low, middle, high = map(NormalDist().inv_cdf, (0.005, share, 0.95))
    return (middle - low) / (high - low)


@pytest.mark.parametrize(
    ("kind", "place"),
    [
        ("ROC", (0.2, 0.75)),
        ("DET", (on_normal_deviates(0.2), on_normal_deviates(0.25))),
    ],
)
def test_that_the_ring_marks_the_errors_at_the_threshold(kind, place):
    guided_test = GuidedTest()
    for score in (0.9, 0.8, 0.7, 0.1):  # a quarter refused
        present(guided_test, BONA_FIDE, [score] * 6)
    for score in (0.6, 0.3, 0.2, 0.1, 0.05):  # a fifth accepted
        present(guided_test, "print", [score] * 6)
    found = build(guided_test, context()).by_presentation
    markup = error_charts.tradeoff(kind, [(found, "curve")], "", 0.5)
    ring = re.search(r'class="ring" cx="([\d.]+)" cy="([\d.]+)"', markup)
    left, right = error_charts.LEFT, error_charts.RIGHT
    top, bottom = error_charts.TOP, error_charts.BOTTOM
    across = (float(ring[1]) - left) / (right - left)
    up = (bottom - float(ring[2])) / (bottom - top)
    assert (across, up) == pytest.approx(place, abs=1e-3)
