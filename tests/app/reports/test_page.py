"""The page of a guided test, and its charts."""

import re
from statistics import NormalDist
from xml.etree import ElementTree

import pytest

from app.reports import build, error_charts
from app.reports.html import guided_test_page as render
from app.reports.score_charts import histogram
from app.session.guided_test.guided_test import GuidedTest
from app.types import BONA_FIDE
from tests.app.guided_tests import present, session
from tests.app.pages import outline
from tests.app.reports.example_context import context
from tests.app.reports.test_golden import GOLDEN


@pytest.fixture(scope="module")
def page():
    return render(build(session(6, 6), context()))


def test_that_charts_are_well_formed_and_keep_their_points_inside(page):
    pictures = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(pictures) > 10
    for picture in pictures:
        tree = ElementTree.fromstring(picture)
        _, _, width, height = map(float, tree.get("viewBox").split())
        for mark in tree.iter("circle"):
            assert 0 <= float(mark.get("cx")) <= width
            assert 0 <= float(mark.get("cy")) <= height


def test_that_only_a_session_with_simulation_or_liveness_mentions_them(page):
    golden = (GOLDEN / "guided.html").read_text("utf-8")
    for words in (">Simulated<", "(simulated)", "Looks live"):
        assert words in golden
        assert words not in page


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
