"""Charts on show, at a size of their own."""

import pytest
from PySide6.QtWidgets import QApplication


@pytest.fixture
def on_show(qtbot):
    """Return a function that shows a chart, brings it up to date and returns it."""

    def show(chart, width=640, height=480):
        qtbot.addWidget(chart)
        chart.resize(width, height)
        chart.show()
        QApplication.processEvents()
        chart.refresh()
        return chart

    return show
