"""The convergence chart."""

import pytest

from app.qt.charts.convergence import ConvergenceChart
from app.qt.charts.plot import Plot
from tests.qt.charts.chart_values import model_summary


@pytest.fixture
def chart(shown):
    return shown(ConvergenceChart())


def show(chart, objective, gaps, is_certified=True, reason=""):
    chart.show_model(
        model_summary(
            objective_history=objective,
            gap_history=gaps,
            is_certified=is_certified,
            stop_reason=reason,
        )
    )
    chart.refresh()
    return chart.accessibleDescription()


def test_that_the_description_states_the_certificate_or_why_there_is_none(chart):
    description = show(chart, (0.5, 0.4), (1e-2, 3.1e-8))
    assert description.startswith("Certified")
    assert "3.1e-8" in description
    description = show(chart, (0.5,), (1e-2,), False, "the time was up")
    assert description.startswith("Not certified")
    assert "because: the time was up. 1 iteration." in description


def test_that_a_single_iteration_and_the_tolerance_are_in_view(chart):
    show(chart, (0.4,), (0.1,))
    objective, gap = chart.findChildren(Plot)
    for plot in (objective, gap):
        low, high = plot.box.viewRange()[0]
        assert low < 1 < high
        assert plot.axis("bottom")._tickLevels[0] == [(1, "1")]
    low, high = gap.box.viewRange()[1]
    assert low < -6 < high
    decades = gap.axis("left")._tickLevels[0]
    assert len(decades) > 2
    assert all(text == f"1e{power}" for power, text in decades)


def test_that_gaps_of_zero_or_less_lie_below_the_others_and_histories_may_differ(chart):
    show(chart, (0.5, 0.4, 0.3), (1e-2, 1e-9, 0.0, -1e-12))
    objective, gaps = (curve.getData()[1] for curve in chart._curves)
    assert len(objective) == 3
    assert chart.to_csv().splitlines()[-1].startswith("4,,")
    assert gaps[2] == gaps[3] < gaps[1] < gaps[0]
    assert chart._last_values[1].toPlainText() == "0 or less"
