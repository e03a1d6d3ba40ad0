"""The few colours that charts draw with, for a light and a dark theme."""

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, QTimer, Slot

from app.qt import theme
from app.qt.colours import DARK as DARK_THEME
from app.qt.colours import LIGHT as LIGHT_THEME
from app.qt.colours import Colours


@dataclass(frozen=True)
class ChartColours:
    """Colours of a chart, as ``#rrggbb``.

    Attributes
    ----------
    background : str
        What the chart lies on; painted only into copied pictures, the widget itself is see-through.
    text, muted : str
        Words, and words that matter less.
    grid : str
        Thin lines.
    accent : str
        The curve, and what is selected.
    good, bad, caution, neutral : str
        Accepted, refused, doubtful, none of these.
    clusters : tuple of str
        One for each cluster, used again from the start when there are more clusters.
    """

    background: str
    text: str
    muted: str
    grid: str
    accent: str
    good: str
    bad: str
    caution: str
    neutral: str
    clusters: tuple[str, ...]

    def cluster(self, index: int) -> str:
        """Colour of a cluster."""
        return self.clusters[index % len(self.clusters)]


def chart_colours(colours: Colours) -> ChartColours:
    """Return what charts draw with in a theme, on the ground of its cards."""
    return ChartColours(
        background=colours.panel,
        text=colours.text,
        muted=colours.muted,
        grid=colours.grid,
        accent=colours.accent,
        good=colours.good,
        bad=colours.bad,
        caution=colours.caution,
        neutral=colours.neutral,
        clusters=colours.series,
    )


LIGHT = chart_colours(LIGHT_THEME)
DARK = chart_colours(DARK_THEME)


class ThemeFollower(QObject):
    """Draws a widget's charts in the colours of the theme, now and whenever it changes.

    One in sight follows at once, a hidden one when events were handled. It is a `QWidget` with a
    method ``set_colours``.
    """

    def __init__(self, widget: Any) -> None:
        super().__init__(widget)
        self._widget = widget
        theme.notifier().changed.connect(self._on_changed)
        self._recolour()

    @Slot()
    def _on_changed(self) -> None:
        if self._widget.isVisible():
            self._recolour()
        else:
            QTimer.singleShot(theme.PAUSE, self, self._recolour)

    @Slot()
    def _recolour(self) -> None:
        self._widget.set_colours(chart_colours(theme.colours()))
