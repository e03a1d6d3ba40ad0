"""Names that look like markup, shortcuts or formulas are shown as they are."""

import pytest
from PySide6.QtGui import Qt as QtText
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QToolButton

from app.qt.charts.chart import csv_text
from app.qt.pages.guided_test.cards import PlanCard, PresentCard
from app.qt.pages.guided_test.tally import PresentationList
from app.qt.widgets.texts import plain_tip
from app.session.guided_test.plans import PlannedRow, PlanProgress
from app.session.guided_test.presentation import Presentation
from app.types import ScoredFrame, Verdict

NAMES = ['<img src="file:///etc/passwd">', "<b>bold</b>", "a<br>b", "x < y & z", "plain"]


def displayed(tip):
    document = QTextDocument()
    document.setHtml(tip) if QtText.mightBeRichText(tip) else document.setPlainText(tip)
    return document.toPlainText()


@pytest.mark.fault("Hostile files", "markup as names in tool tips")
@pytest.mark.parametrize("name", NAMES)
def test_that_a_tool_tip_shows_a_name_as_it_is(qapp, name):
    assert displayed(plain_tip(name)) == name


def test_that_the_tool_tip_of_a_presentation_shows_names_as_they_are(qtbot):
    presentations = PresentationList()
    qtbot.addWidget(presentations)
    for name in NAMES:
        presentation = Presentation(1, name, (ScoredFrame(Verdict.NO_FACE),), None)
        presentations.show_presentations((presentation,))
        assert name in displayed(presentations.item(0).toolTip())


def test_that_no_name_on_a_button_becomes_a_shortcut(qtbot):
    name = "black &white"
    plan, card = PlanCard(), PresentCard()
    for each in (plan, card):
        qtbot.addWidget(each)
    plan.show_plan(PlanProgress("own", "", (PlannedRow(name, 2, 0, 0, 0.5),)))
    card.set_possible("", name)
    for each in (plan.findChild(QToolButton), card.present_button):
        assert each.shortcut().isEmpty()
        assert each.text().replace("&&", "&").endswith(name)


def test_that_no_name_becomes_a_formula_in_the_table_of_a_chart():
    text = csv_text(("view", "weight"), [("=1+1", -0.5), ("@x", 1.0), ("a\rb", 2.0), (None, 3)])
    assert text == "view,weight\r\n'=1+1,-0.5\r\n'@x,1.0\r\n\"a\rb\",2.0\r\n,3\r\n"
