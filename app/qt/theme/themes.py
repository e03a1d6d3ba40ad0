"""The named colours of both themes, as strings that both Qt and pyqtgraph accept.

Text has WCAG AA contrast (4.5:1) on every background it is used on; marks and lines have 3:1. The
series are Okabe and Ito's colours, darkened or lightened to reach that, with the same order of hues
in both themes, so that a cluster keeps its colour.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Colours:
    """One theme's colours, each as ``#rrggbb``."""

    is_dark: bool
    # Backgrounds: the window, cards and fields, hovered or raised parts.
    window: str
    panel: str
    raised: str
    # Text, secondary text, and disabled text or hints.
    text: str
    muted: str
    faint: str
    # Lines between parts; edges of controls.
    border: str
    outline: str
    # Links, the primary button and focus; text on it; selections.
    accent: str
    accent_hover: str
    on_accent: str
    accent_soft: str
    # Text and icons of the four kinds of status, their backgrounds, and text on the former.
    good: str
    bad: str
    caution: str
    neutral: str
    good_soft: str
    bad_soft: str
    caution_soft: str
    neutral_soft: str
    on_status: str
    # Background and text around the camera picture, dark in both themes.
    stage: str
    on_stage: str
    # Grid lines of charts; clusters or curves in a fixed order.
    grid: str
    series: tuple[str, ...]

    def series_colour(self, number: int) -> str:
        """Return the colour of a cluster or curve; colours repeat after eight."""
        return self.series[number % len(self.series)]


_BOTH = {
    "window": ("#f3f5f7", "#12181e"),
    "panel": ("#ffffff", "#1a222a"),
    "raised": ("#e9edf1", "#26313b"),
    "text": ("#18212a", "#e6ecf1"),
    "muted": ("#51606d", "#a2b0bc"),
    "faint": ("#8793a0", "#71808d"),
    "border": ("#d8dfe6", "#2c3843"),
    "outline": ("#7c8995", "#6b7a88"),
    "accent": ("#1a62ad", "#66b0f0"),
    "accent_hover": ("#14508f", "#8cc5f6"),
    "on_accent": ("#ffffff", "#0a1824"),
    "accent_soft": ("#dceaf8", "#1d3a55"),
    "good": ("#00694d", "#46d3a2"),
    "bad": ("#b3340a", "#fb8458"),
    "caution": ("#7d5400", "#e8b74a"),
    "neutral": ("#4f5d69", "#a9b6c1"),
    "good_soft": ("#dcf3ea", "#143a30"),
    "bad_soft": ("#fce6dd", "#47251a"),
    "caution_soft": ("#fbefd2", "#3d3115"),
    "neutral_soft": ("#e6eaee", "#2a343d"),
    "on_status": ("#ffffff", "#0c1319"),
    "stage": ("#10171d", "#090d11"),
    "on_stage": ("#e8eef3", "#e8eef3"),
    "grid": ("#e0e6ec", "#2a353f"),
}

_SERIES = (
    ("#005687", "#4a90e2"),  # blue
    ("#bf7f00", "#e69f00"),  # orange
    ("#007e5c", "#18b58a"),  # bluish green
    ("#c75b95", "#d987b4"),  # reddish purple
    ("#ba3d00", "#ee6c2a"),  # vermilion
    ("#2e93c9", "#7fcdf5"),  # sky blue
    ("#443e00", "#f0e442"),  # yellow, as olive in the light theme
    ("#424d59", "#c6d0d9"),  # black, as slate and as light grey
)

LIGHT, DARK = (
    Colours(
        is_dark=bool(theme),
        series=tuple(pair[theme] for pair in _SERIES),
        **{name: pair[theme] for name, pair in _BOTH.items()},
    )
    for theme in (0, 1)
)
