"""Parts of charts: axis ranges, bins, names, numbers and rows that wrap."""

import math

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtWidgets import QWidget

from app.qt.charts.format import decimals, name_columns, number, scientific, view_name
from app.qt.charts.histogram import counts_in, edges_for
from app.qt.charts.plot import SteadyRange
from app.qt.widgets.layout import FlowRow


def test_that_a_range_grows_at_once_and_shrinks_only_when_much_less_is_needed():
    steady = SteadyRange(padding=0.15)
    for values, changes in (
        ([math.nan, 0.4, 0.8, math.inf], True),
        ([0.45, 0.75], False),
        ([0.4, 1.6], True),
        ([0.4, 0.5], True),
        ([math.nan], False),
    ):
        before = (steady.low, steady.high)
        steady.follow(values)
        assert (before != (steady.low, steady.high)) == changes, values
    assert steady.low < 0.4 < 0.5 < steady.high < 0.6


SCORES = st.lists(st.floats(-10, 10) | st.sampled_from([math.nan, math.inf]), max_size=30)


@given(scores=SCORES, threshold=st.floats(-10, 10))
def test_that_every_finite_score_is_in_one_bin_on_its_side_of_the_threshold(scores, threshold):
    finite = [score for score in scores if math.isfinite(score)]
    edges = edges_for(scores, threshold)
    assert bool(edges) == bool(finite)
    assert len(edges) <= 80
    assert edges == sorted(edges)
    if finite:
        assert threshold in edges
        counts = counts_in(scores, edges)
        assert sum(counts) == len(finite)
        n_refused = sum(counts[: edges.index(threshold)])
        assert n_refused == sum(score < threshold for score in finite)


def test_that_a_view_is_named_by_region_and_layer_and_by_network_if_there_are_several():
    name = view_name("face/efficientnet-lite0.block4")
    assert name.words == "face, early layer (EfficientNet-Lite0 block4)"
    early, late = (view_name(f"nose/efficientnet-lite0.block{n}") for n in (2, 13))
    _, rows = name_columns([early, late])
    assert rows == [["nose", "block2 (early)"], ["nose", "block13 (late)"]]
    _, rows = name_columns([view_name("face/vgg16.last"), view_name("face/lbp"), view_name("")])
    assert rows == [["face", "VGG-16", "last"], ["face", "LBP", ""], ["", "", ""]]
    assert name_columns([view_name("")])[1] == [[""]]


def test_that_numbers_are_written_for_people():
    assert number(0.12345) == "0.123"
    assert number(-12.3456, 4) == "\N{MINUS SIGN}12.35"
    assert number(math.nan) == "\N{EN DASH}"
    assert decimals(-0.0001) == "0.00"
    assert scientific(3.14e-8) == "3.1e-8"


def test_that_a_flow_row_wraps_when_it_is_narrow(qtbot):
    row = FlowRow(gap=10)
    qtbot.addWidget(row)
    for _ in range(3):
        box = QWidget()
        box.setFixedSize(100, 20)
        row.add(box)
    assert row.heightForWidth(400) == 20
    assert row.heightForWidth(220) == 45
    assert row.minimumSizeHint().width() == 100
