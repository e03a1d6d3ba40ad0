"""How a fit converged."""

import pytest

from app.qt.charts.convergence import ConvergenceChart
from app.qt.charts.plot import Plot
from tests.qt.charts.chart_values import model_summary


@pytest.fixture
def chart(on_show):
    return on_show(ConvergenceChart())


def show(chart, objective, gaps, gap, is_certified=True, reason=""):
    chart.show_model(
        model_summary(
            objective_history=objective,
            gap_history=gaps,
            gap=gap,
            is_certified=is_certified,
            stop_reason=reason,
        )
    )
    chart.refresh()


def test_that_the_certificate_or_the_reason_for_none_is_stated_in_words(chart):
    show(chart, (0.5, 0.4), (1e-2, 3.1e-8), 3.1e-8)
    assert chart.accessibleDescription() == (
        "Certified: no weights are better by more than 3.1e-8 (relative). 2 iterations."
    )
    show(chart, (0.5,), (1e-2,), 1e-2, False, "the time was up")
    assert "Not certified: weights may be better by up to 1.0e-2" in chart.accessibleDescription()
    assert "because: the time was up." in chart.accessibleDescription()


def test_that_a_single_iteration_and_the_tolerance_are_in_view(chart):
    show(chart, (0.4,), (0.1,), 0.1, False)
    assert "1 iteration." in chart.accessibleDescription()
    for plot in chart.findChildren(Plot):
        low, high = plot.box.viewRange()[0]
        assert low < 1 < high
    low, high = chart.findChildren(Plot)[1].box.viewRange()[1]
    assert low < -6 < high


def test_that_gaps_of_zero_or_less_lie_below_the_others_and_histories_may_differ(chart):
    show(chart, (0.5, 0.4, 0.3), (1e-2, 1e-9, 0.0, -1e-12), 0.0)
    objective, gaps = (curve.getData()[1] for curve in chart._curves)
    assert len(objective) == 3
    assert chart.to_csv().splitlines()[-1].startswith("4,,")
    assert gaps[2] == gaps[3] < gaps[1] < gaps[0]
    assert chart._last[1].toPlainText() == "0 or less"


def test_that_ticks_name_iterations_and_decades_alike(chart):
    show(chart, (0.5, 0.4, 0.3), (0.5, 1e-3, 1e-8), 1e-8)
    bottom, left = (chart._plots[1].axis(name)._tickLevels[0] for name in ("bottom", "left"))
    assert [text for _, text in bottom] == ["1", "2", "3"]
    assert len(left) > 2
    assert all(text == f"1e{power}" for power, text in left)
