"""Fixture for charts shown at a given size."""

import pytest
from PySide6.QtWidgets import QApplication


@pytest.fixture
def show_chart(qtbot):
    """Return a function that shows a chart, refreshes it and returns it."""

    def show(chart, width=640, height=480):
        qtbot.addWidget(chart)
        chart.resize(width, height)
        chart.show()
        QApplication.processEvents()
        chart.refresh()
        return chart

    return show
