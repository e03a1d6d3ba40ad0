"""The few colours that charts draw with, for a light and a dark theme."""

from dataclasses import dataclass


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


# Cluster colours keep their order apart for the common kinds of colour blindness (blue, orange and
# teal come first) and stand out from the background by at least 3 to 1.
LIGHT = ChartColours(
    background="#ffffff",
    text="#1c2430",
    muted="#5b6676",
    grid="#dde2e9",
    accent="#2460c4",
    good="#187a48",
    bad="#bf3329",
    caution="#9a5b00",
    neutral="#6f7a89",
    clusters=(
        "#2f6bd0",
        "#d4680f",
        "#12876a",
        "#a8439a",
        "#7d6b00",
        "#2089ad",
        "#b83a4b",
        "#626a78",
    ),
)

DARK = ChartColours(
    background="#161b22",
    text="#e5e9f0",
    muted="#a0abba",
    grid="#2d3541",
    accent="#79acff",
    good="#53c58d",
    bad="#ff8275",
    caution="#f0b558",
    neutral="#919dac",
    clusters=(
        "#6ba2ff",
        "#f39a4a",
        "#3fc3a0",
        "#df86d0",
        "#cdb73c",
        "#5cc3e4",
        "#f17a88",
        "#a3adba",
    ),
)
