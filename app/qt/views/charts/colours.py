"""The few colours that charts draw with, for a light and a dark theme."""

from dataclasses import dataclass

from app.qt import colours as theme


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


def chart_colours(colours: theme.Colours) -> ChartColours:
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


LIGHT = chart_colours(theme.LIGHT)
DARK = chart_colours(theme.DARK)
