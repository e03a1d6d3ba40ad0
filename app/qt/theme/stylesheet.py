"""Qt style sheet of both themes: flat panels, an 8-px grid, 6-px corners, one accent colour.

Rules select by the property ``class`` of a widget (`app.qt.theme.set_class`):

- ``QLabel``: ``title``, ``heading``, ``muted``, ``small``, ``figure`` (a large number), ``badge``,
  ``good``, ``bad``, ``caution``;
- ``QPushButton``: ``primary``, ``danger``, ``quiet``;
- ``QToolButton``: ``choice`` (large, one of several);
- ``QFrame``: ``card``, ``line``, ``stage`` (around a picture), ``banner-info``, ``banner-good``,
  ``banner-caution``, ``banner-bad``.

Dark rules apply to windows whose property `MARK` is "dark". The background of windows comes from
the palette.

Pixels are device-independent; font sizes are relative to the system's font.
"""

import re
from string import Template

from app.qt.theme.themes import DARK, LIGHT, Colours

SEARCH_PREFIX = "lmklpad"
"""Qt search path of the arrow and tick images; set in `app.qt.theme`."""

MARK = "theme"
"""Property of a top-level window that names its theme: "light" or "dark"."""

_SHEET = Template(
    """
QLabel { color: $text; background: transparent; }
QLabel[class="title"] { font-size: $title; font-weight: 600; }
QLabel[class="heading"] { font-size: $heading; font-weight: 600; }
QLabel[class="figure"] { font-size: $figure; font-weight: 600; }
QLabel[class="muted"] { color: $muted; }
QLabel[class="small"] { color: $muted; font-size: $small; }
QLabel[class="badge"] { background: $accent_soft; border-radius: 6px; padding: 2px 7px;
    font-weight: 600; }
QLabel[class="good"] { color: $good; font-weight: 600; }
QLabel[class="bad"] { color: $bad; font-weight: 600; }
QLabel[class="caution"] { color: $caution; font-weight: 600; }
QLabel:disabled { color: $faint; }

QFrame[class="card"] { background: $panel; border: 1px solid $border; border-radius: 6px; }
QFrame[class="stage"] { background: $stage; border: none; border-radius: 6px; }
QFrame[class="line"] { background: $border; border: none; max-height: 1px; min-height: 1px; }
QFrame[class^="banner-"] { border: none; border-left: 4px solid $accent;
    border-top-right-radius: 6px; border-bottom-right-radius: 6px; }
QFrame[class="banner-info"] { background: $accent_soft; border-color: $accent; }
QFrame[class="banner-good"] { background: $good_soft; border-color: $good; }
QFrame[class="banner-caution"] { background: $caution_soft; border-color: $caution; }
QFrame[class="banner-bad"] { background: $bad_soft; border-color: $bad; }

QPushButton {
    color: $text; background: $panel; border: 1px solid $outline; border-radius: 6px;
    padding: 6px 14px; min-width: 4em; qproperty-iconSize: ${icon_room}px ${icon}px;
}
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QPushButton:hover { background: $raised; }
QPushButton:pressed { background: $border; }
QPushButton:checked { background: $accent_soft; border-color: $accent; }
QPushButton:focus { border: 2px solid $accent; padding: 5px 13px; }
QPushButton:disabled { color: $faint; background: $window; border-color: $border; }
QPushButton::menu-indicator {
    image: url($prefix:chevron-down-$shade.png); width: 12px; height: 12px;
    subcontrol-position: right center; subcontrol-origin: padding; right: 6px;
}
QPushButton[class="primary"] {
    color: $on_accent; background: $accent; border-color: $accent; font-weight: 600;
}
QPushButton[class="primary"]:hover { background: $accent_hover; border-color: $accent_hover; }
QPushButton[class="primary"]:pressed { background: $accent_hover; }
QPushButton[class="primary"]:focus { border: 2px solid $text; padding: 5px 13px; }
QPushButton[class="primary"]:disabled {
    color: $muted; background: $raised; border-color: $raised;
}
QPushButton[class="danger"] { color: $bad; border-color: $bad; }
QPushButton[class="danger"]:hover { background: $bad_soft; }
QPushButton[class="danger"]:pressed { color: $on_status; background: $bad; }
QPushButton[class="danger"]:focus { border: 2px solid $bad; padding: 5px 13px; }
QPushButton[class="danger"]:disabled { color: $faint; border-color: $border; }
QPushButton[class="quiet"] { background: transparent; border: 1px solid transparent; }
QPushButton[class="quiet"]:hover { background: $raised; }
QPushButton[class="quiet"]:checked { background: $accent_soft; }
QPushButton[class="quiet"]:focus { border: 2px solid $accent; padding: 5px 13px; }
QPushButton[class="quiet"]:disabled { color: $faint; background: transparent; }

QToolButton { color: $text; background: transparent; border: 1px solid transparent;
    border-radius: 6px; padding: 5px 8px; }
QToolButton:hover { background: $raised; }
QToolButton:pressed { background: $border; }
QToolButton:checked { background: $accent_soft; }
QToolButton:focus { border: 2px solid $accent; padding: 4px 7px; }
QToolButton:disabled { color: $faint; }
QToolButton[class="choice"] { background: $panel; border-color: $outline; padding: 7px; }
QToolButton[class="choice"]:hover { background: $raised; }
QToolButton[class="choice"]:pressed { background: $border; }
QToolButton[class="choice"]:disabled { border-color: $border; }
QToolButton[class="choice"]:checked { background: $accent_soft; border: 2px solid $accent;
    color: $text; font-weight: 600; padding: 6px; }
QToolButton[class="choice"]:focus { border: 2px solid $accent; padding: 6px; }
QToolButton[class="choice"]:checked:focus { border-color: $text; }

QLineEdit, QPlainTextEdit, QDoubleSpinBox, QComboBox {
    color: $text; background: $panel; border: 1px solid $outline; border-radius: 6px;
    padding: 5px 8px; selection-background-color: $accent; selection-color: $on_accent;
    placeholder-text-color: $muted; }
QLineEdit:focus, QPlainTextEdit:focus, QDoubleSpinBox:focus, QComboBox:focus {
    border: 2px solid $accent; padding: 4px 7px; }
QLineEdit[wrong="true"], QComboBox[wrong="true"] { border-color: $bad; }
QLineEdit:disabled, QPlainTextEdit:disabled, QDoubleSpinBox:disabled, QComboBox:disabled {
    color: $faint; background: $window; border-color: $border;
}
QPlainTextEdit[readOnly="true"] { border-color: $border; }
QComboBox QLineEdit, QComboBox QLineEdit:focus { border: none; padding: 0 2px;
    background: transparent; }
QComboBox { combobox-popup: 0; padding-right: 26px; }
QComboBox:focus { padding-right: 25px; }
QComboBox::drop-down { border: none; width: 24px; subcontrol-origin: padding;
    subcontrol-position: right center; }
QComboBox::down-arrow { image: url($prefix:chevron-down-$shade.png); width: 12px; height: 12px; }
QComboBox QAbstractItemView { color: $text; background: $panel; border: 1px solid $outline;
    padding: 4px; outline: none; selection-background-color: $accent_soft;
    selection-color: $text; }
QComboBox QAbstractItemView::item { padding: 5px 6px; }
QDoubleSpinBox { padding-right: 24px; }
QDoubleSpinBox:focus { padding-right: 23px; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {
    subcontrol-origin: border; width: 22px; border: none; background: transparent;
}
QAbstractSpinBox::up-button { subcontrol-position: top right; margin-top: 2px; }
QAbstractSpinBox::down-button { subcontrol-position: bottom right; margin-bottom: 2px; }
QAbstractSpinBox::up-button:hover, QAbstractSpinBox::down-button:hover { background: $raised; }
QAbstractSpinBox::up-arrow { image: url($prefix:chevron-up-$shade.png);
    width: 10px; height: 10px; }
QAbstractSpinBox::down-arrow { image: url($prefix:chevron-down-$shade.png);
    width: 10px; height: 10px; }

QCheckBox { color: $text; spacing: 8px; padding: 3px; border: 2px solid transparent;
    border-radius: 6px; background: transparent; }
QCheckBox:focus { border-color: $accent; }
QCheckBox:disabled { color: $faint; }
QCheckBox::indicator {
    width: 14px; height: 14px; border: 1px solid $outline; border-radius: 4px; background: $panel;
}
QCheckBox::indicator:hover { border-color: $accent; }
QCheckBox::indicator:checked {
    background: $accent; border-color: $accent; image: url($prefix:check-$shade.png);
}
QCheckBox::indicator:disabled { border-color: $border; background: $raised; }

QTabWidget::pane { border: none; border-top: 1px solid $border; }
QTabBar { background: transparent; qproperty-drawBase: 0; }
QTabBar::tab { color: $muted; background: transparent; padding: 9px 14px; margin-right: 2px;
    border: 2px solid transparent; border-bottom: 3px solid transparent; }
QTabBar::tab:hover { color: $text; background: $raised; border-top-left-radius: 6px;
    border-top-right-radius: 6px; }
QTabBar::tab:selected { color: $text; border-bottom-color: $accent; }
QTabBar:focus { outline: none; }
QTabBar::tab:focus { border: 2px solid $accent; border-bottom-width: 3px; border-radius: 6px; }

QAbstractItemView { color: $text; background: $panel; alternate-background-color: $window;
    border: 1px solid $border; border-radius: 6px; outline: none;
    selection-background-color: $accent_soft; selection-color: $text; }
QAbstractItemView:focus { border-color: $accent; }
QTableView { gridline-color: $border; }
QTableView::item { padding: 4px 8px; }
QListView::item, QTreeView::item { padding: 5px 8px; border-radius: 4px; }
QTableView::item:selected, QListView::item:selected, QTreeView::item:selected {
    background: $accent_soft; color: $text; }
QListView::item:hover, QTreeView::item:hover { background: $raised; }
QTableView::item:focus { border: 2px solid $accent; padding: 2px 6px; }
QListView::item:selected:hover, QTreeView::item:selected:hover { background: $accent_soft; }
QHeaderView { background: $panel; border: none; }
QHeaderView::section { color: $muted; background: $panel; border: none;
    border-bottom: 1px solid $border; padding: 6px 8px; font-weight: 600; }
QTableCornerButton::section { background: $panel; border: none;
    border-bottom: 1px solid $border; }

QProgressBar { background: $raised; border: none; border-radius: 4px; min-height: 8px;
    max-height: 8px; }
QProgressBar::chunk { background: $accent; border-radius: 4px; }
QProgressBar[class="good"]::chunk { background: $good; }

QScrollArea { background: transparent; border: none; }
QScrollBar { background: transparent; border: none; margin: 0; }
QScrollBar:vertical { width: 12px; }
QScrollBar:horizontal { height: 12px; }
QScrollBar::handle { background: $outline; border-radius: 4px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 32px; }
QScrollBar::handle:horizontal { min-width: 32px; }
QScrollBar::handle:hover { background: $muted; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QToolTip { color: $text; background: $panel; border: 1px solid $outline; padding: 5px 8px; }
QMenuBar { color: $text; background: $panel; border-bottom: 1px solid $border; padding: 2px; }
QMenuBar::item { background: transparent; padding: 5px 10px; border-radius: 4px; }
QMenuBar::item:selected { background: $raised; }
QMenu { color: $text; background: $panel; border: 1px solid $outline; padding: 5px; }
QMenu::item { padding: 6px 24px 6px 12px; border-radius: 4px; }
QMenu::item:selected { background: $accent_soft; }
QMenu::item:disabled { color: $faint; }
QMenu::separator { height: 1px; background: $border; margin: 5px 8px; }
QMenu::icon { padding-left: 8px; }
QMenu::indicator { width: 14px; height: 14px; margin-left: 8px; border: 1px solid $outline;
    border-radius: 4px; background: $panel; }
QMenu::indicator:checked { background: $accent; border-color: $accent;
    image: url($prefix:check-$shade.png); }
QSplitter::handle { background: $border; }
QSplitter::handle:horizontal { width: 1px; margin: 0 4px; }
QSplitter::handle:vertical { height: 7px; background: transparent; border-top: 1px solid $border; }
QSplitter::handle:hover { background: $accent; }
QStatusBar { color: $muted; background: $panel; border-top: 1px solid $border; }
QStatusBar::item { border: none; }
"""
)

_SIZES = {"small": 0.92, "heading": 1.2, "title": 1.5, "figure": 2.2}
"""Font sizes relative to the system's."""

_ICON = 1.55
"""Height of icons on buttons in pixels per point of font size: at most a line, so that buttons
with and without an icon have the same height."""

_ICON_GAP = 4
"""Pixels added to Qt's gap of four between an icon and the text; see `app.qt.theme.icons`."""


def sheet(points: float) -> str:
    """Return the style sheet for a system font of this size in points."""
    # Prefix every selector; selectors follow "}" or ",", and values contain no commas.
    dark = re.sub(r"(?<=[},])\s*(?=[Q])", f'\n*[{MARK}="dark"] ', "}" + _rules(DARK, points))
    return _rules(LIGHT, points) + dark[1:]


def _rules(colours: Colours, points: float) -> str:
    names = {name: f"{points * factor:.1f}pt" for name, factor in _SIZES.items()}
    icon = round(points * _ICON)
    names |= {"icon": str(icon), "icon_room": str(icon + _ICON_GAP)}
    shade = "dark" if colours.is_dark else "light"
    return _SHEET.substitute(vars(colours), **names, prefix=SEARCH_PREFIX, shade=shade)
