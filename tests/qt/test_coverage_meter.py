"""The coverage meter: bars, words and advice agree."""

import pytest
from PySide6.QtWidgets import QProgressBar

from app.qt.pages.enrol.takes_list import CoverageMeter
from app.session.takes import CoverageItem


@pytest.fixture
def meter(qtbot):
    widget = CoverageMeter()
    qtbot.addWidget(widget)
    widget.resize(420, 200)
    with qtbot.waitExposed(widget):
        widget.show()
    return widget


@pytest.mark.parametrize(
    ("share", "advice", "word", "value"),
    [
        (1.0, "", "covered", 100),
        (0.999, "Nod.", "partly, 99 %", 99),
        (0.5, "Nod.", "partly, 50 %", 50),
        (0.33, "Nod.", "a little, 33 %", 33),
        (0.001, "Nod.", "missing", 0),
        (0.0, "Nod.", "missing", 0),
    ],
)
def test_that_words_and_bar_agree_and_only_what_is_complete_is_called_covered(
    meter, share, advice, word, value
):
    meter.show_coverage((CoverageItem("Nod", share, advice),))
    assert meter.row_words(0) == ("Nod", word, advice)
    assert meter.findChild(QProgressBar).value() == value


def test_that_advice_goes_when_it_was_followed(meter):
    meter.show_coverage((CoverageItem("Nod", 0.5, "Nod."),))
    height = meter.sizeHint().height()
    meter.show_coverage((CoverageItem("Nod", 1.0),))
    assert meter.sizeHint().height() < height


def test_that_a_bar_that_is_hardly_filled_is_still_seen(meter):
    meter.show_coverage((CoverageItem("Nod", 0.01, "Nod."),))
    bar = meter.findChild(QProgressBar)
    bar.resize(200, 10)
    hardly = bar.grab().toImage()
    meter.show_coverage((CoverageItem("Nod", 0.0, "Nod."),))
    assert bar.grab().toImage() != hardly


def test_that_fewer_items_hide_the_rows_that_are_left_over(meter):
    meter.show_coverage((CoverageItem("Nod", 1.0), CoverageItem("Turn", 1.0)))
    meter.show_coverage((CoverageItem("Nod", 1.0),))
    assert [bar.isVisible() for bar in meter.findChildren(QProgressBar)] == [True, False]
