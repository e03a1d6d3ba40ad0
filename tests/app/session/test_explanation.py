"""Sums of terms: what a score consists of and what is low about it."""

import pytest

from app.session.explanation import Part, explain

NAMES = ("face/a.1", "face/a.2", "mouth/a.1")
TERMS = ((0.1, 0.2, 0.05), (0.1, 0.0, -0.02))
USUAL = ((0.1, 0.25, 0.1), (0.1, 0.0, 0.1))


def test_that_the_score_is_the_sum_of_all_terms():
    explanation = explain(TERMS, NAMES)
    assert explanation.score == pytest.approx(0.43)
    assert explanation.n_clusters * explanation.n_views == 6
    assert explanation.agrees_with(0.43)
    assert not explanation.agrees_with(0.44)


def test_that_views_and_regions_are_summed_over_clusters():
    explanation = explain(TERMS, NAMES, USUAL)
    assert [part.name for part in explanation.views] == list(NAMES)
    assert [part.value for part in explanation.views] == pytest.approx([0.2, 0.2, 0.03])
    assert [part.name for part in explanation.regions] == ["face", "mouth"]
    assert [part.value for part in explanation.regions] == pytest.approx([0.4, 0.03])
    assert [part.usual for part in explanation.regions] == pytest.approx([0.45, 0.2])


def test_that_the_lowest_view_is_the_one_furthest_below_the_enrolled_frames():
    explanation = explain(TERMS, NAMES, USUAL)
    assert explanation.lowest.name == "mouth/a.1"
    assert explanation.lowest.shortfall == pytest.approx(0.17)
    assert explanation.lowest_region.name == "mouth"


def test_that_nothing_is_lowest_when_every_view_reaches_what_is_usual():
    assert explain(USUAL, NAMES, TERMS).lowest is None


def test_that_nothing_is_lowest_without_enrolled_terms():
    explanation = explain(TERMS, NAMES)
    assert explanation.usual is None
    assert explanation.lowest is None


def test_that_enrolled_terms_of_another_shape_are_ignored():
    assert explain(TERMS, NAMES, USUAL[:1]).usual is None
    assert explain(TERMS, NAMES, tuple(row[:2] for row in USUAL)).usual is None


@pytest.mark.parametrize("terms", [(), ((),), ((0.1, 0.2),), ((0.1, 0.2, 0.3), (0.1,))])
def test_that_terms_of_other_views_are_not_explained(terms):
    assert explain(terms, NAMES) is None


def test_that_a_value_that_is_no_number_is_not_called_low():
    assert Part("a", float("nan"), 0.3).shortfall == 0.0
