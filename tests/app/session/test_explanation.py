"""What a score consists of, and which part of it is low."""

import math

import pytest

from app.session.explanation import Part, explain

NAMES = ("face/a.1", "face/a.2", "mouth/a.1")
TERMS = ((0.1, 0.2, 0.05), (0.1, 0.0, -0.02))
USUAL = ((0.1, 0.25, 0.1), (0.1, 0.0, 0.1))


def test_that_the_score_is_the_sum_of_all_terms():
    explanation = explain(TERMS, NAMES)
    assert explanation.score == pytest.approx(0.43)
    assert (explanation.n_clusters, explanation.n_views) == (2, 3)
    assert explanation.agrees_with(0.43)
    assert not explanation.agrees_with(0.44)


def test_that_views_and_regions_are_summed_over_clusters():
    explanation = explain(TERMS, NAMES, USUAL)
    assert explanation.usual == pytest.approx(0.65)
    assert [part.name for part in explanation.views] == list(NAMES)
    assert [part.value for part in explanation.views] == pytest.approx([0.2, 0.2, 0.03])
    assert [part.name for part in explanation.regions] == ["face", "mouth"]
    assert [part.value for part in explanation.regions] == pytest.approx([0.4, 0.03])
    assert [part.usual for part in explanation.regions] == pytest.approx([0.45, 0.2])


def test_that_the_lowest_part_is_the_one_furthest_below_the_enrolled_frames():
    explanation = explain(TERMS, NAMES, USUAL)
    assert explanation.lowest.name == "mouth/a.1"
    assert explanation.lowest.shortfall == pytest.approx(0.17)
    assert explanation.lowest_region.name == "mouth"
    assert explain(USUAL, NAMES, TERMS).lowest is None
    assert Part("a", math.nan, 0.3).shortfall == 0.0


def test_that_without_enrolled_terms_of_the_same_shape_nothing_is_usual_or_low():
    for usual in ((), USUAL[:1], tuple(row[:2] for row in USUAL)):
        explanation = explain(TERMS, NAMES, usual)
        assert (explanation.usual, explanation.lowest) == (None, None), usual


@pytest.mark.parametrize("terms", [(), ((),), ((0.1, 0.2),), ((0.1, 0.2, 0.3), (0.1,))])
def test_that_terms_of_other_views_are_not_explained(terms):
    assert explain(terms, NAMES) is None
