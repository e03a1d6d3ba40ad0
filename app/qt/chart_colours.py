"""The theme's colours as charts take them."""

from app.qt.colours import Colours
from app.qt.views.charts.colours import ChartColours


def chart_colours(colours: Colours) -> ChartColours:
    """Return the colours that charts draw with in a theme."""
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
