"""Pages under tabs: made on first sight, and only then."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QLabel

from app.qt.views.parts.book import Book


@pytest.fixture
def book(qtbot):
    book = Book()
    qtbot.addWidget(book)
    book.resize(400, 300)
    for key in ("enrol", "model", "test"):
        book.add(key, key.title(), QIcon(), f"About {key}")
    with qtbot.waitExposed(book):
        book.show()
    return book


def click_tab(qtbot, book, index):
    centre = book._tabs.tabRect(index).center()
    qtbot.mouseClick(book._tabs, Qt.MouseButton.LeftButton, pos=centre)


def test_that_before_pages_can_be_made_it_says_to_wait(book, qtbot):
    assert book._waiting.isVisible()
    click_tab(qtbot, book, 1)
    assert book.current == "model"
    assert book._waiting.isVisible()


def test_that_the_open_page_is_made_at_once_and_the_others_on_first_sight(book, qtbot):
    made = []
    book.page_made.connect(lambda key, _page: made.append(key))
    for key in ("enrol", "model"):
        book.set_maker(key, lambda parent, key=key: QLabel(key, parent))
    assert made == ["enrol"]
    assert book.page("model") is None
    click_tab(qtbot, book, 1)
    click_tab(qtbot, book, 0)
    click_tab(qtbot, book, 1)
    assert made == ["enrol", "model"]
    assert book.page("model").isVisible()


def test_that_a_page_without_a_maker_says_to_wait(book, qtbot):
    book.set_maker("enrol", lambda parent: QLabel("enrol", parent))
    click_tab(qtbot, book, 2)
    assert book._waiting.isVisible()


def test_that_turning_is_told(book, qtbot):
    with qtbot.waitSignal(book.turned) as told:
        book.turn_to("test")
    assert told.args == ["test"]


def test_that_tabs_can_be_reached_and_turned_by_the_keyboard(book, qtbot):
    book.setFocus()
    assert book._tabs.hasFocus()
    qtbot.keyClick(book._tabs, Qt.Key.Key_Right)
    assert book.current == "model"
