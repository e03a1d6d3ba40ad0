"""The named colours of both themes, as plain text that Qt and pyqtgraph take alike.

Text reaches WCAG's AA contrast (4.5 to 1) on every ground it is meant for, and marks and lines
reach 3 to 1. The series are Okabe and Ito's colours, made darker or lighter until they do, in the
same order of hues, so that a cluster keeps its colour when the theme changes.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Colours:
    """One theme's colours, each as ``#rrggbb``.

    Attributes
    ----------
    is_dark : bool
        Which of the themes it is.
    window, panel, raised : str
        Grounds: of the window, of cards and fields on it, of what lies on or hovers over these.
    text, muted, faint : str
        Text, text of lesser weight, and what is disabled or only a hint.
    border, outline : str
        Quiet lines between parts; the stronger edge of what can be operated.
    accent, accent_hover, on_accent : str
        The one colour that says "here": links, the primary button, focus; and text on it.
    accent_soft : str
        Ground of what is selected; `text` is readable on it.
    good, bad, caution, neutral : str
        Text and marks of the four kinds of outcome, on `window`, `panel` or their soft ground.
    good_soft, bad_soft, caution_soft, neutral_soft : str
        Grounds of banners and of bands in charts.
    on_status : str
        Text on a ground of good, bad, caution or neutral.
    stage, on_stage : str
        Ground around the picture of a camera, and text on it; dark in both themes.
    grid, axis : str
        Lines and labels of charts.
    series : tuple of str
        Eight colours for clusters or curves, in fixed order.
    """

    is_dark: bool
    window: str
    panel: str
    raised: str
    text: str
    muted: str
    faint: str
    border: str
    outline: str
    accent: str
    accent_hover: str
    on_accent: str
    accent_soft: str
    good: str
    bad: str
    caution: str
    neutral: str
    good_soft: str
    bad_soft: str
    caution_soft: str
    neutral_soft: str
    on_status: str
    stage: str
    on_stage: str
    grid: str
    axis: str
    series: tuple[str, ...]

    def series_colour(self, number: int) -> str:
        """Return the colour of a cluster or curve; from the ninth on they repeat."""
        return self.series[number % len(self.series)]


LIGHT = Colours(
    is_dark=False,
    window="#f3f5f7",
    panel="#ffffff",
    raised="#e9edf1",
    text="#18212a",
    muted="#51606d",
    faint="#8793a0",
    border="#d8dfe6",
    outline="#7c8995",
    accent="#1a62ad",
    accent_hover="#14508f",
    on_accent="#ffffff",
    accent_soft="#dceaf8",
    good="#00694d",
    bad="#b3340a",
    caution="#7d5400",
    neutral="#4f5d69",
    good_soft="#dcf3ea",
    bad_soft="#fce6dd",
    caution_soft="#fbefd2",
    neutral_soft="#e6eaee",
    on_status="#ffffff",
    stage="#10171d",
    on_stage="#e8eef3",
    grid="#e0e6ec",
    axis="#51606d",
    series=(
        "#005687",  # blue
        "#bf7f00",  # orange
        "#007e5c",  # bluish green
        "#c75b95",  # reddish purple
        "#ba3d00",  # vermilion
        "#2e93c9",  # sky blue
        "#443e00",  # yellow, as olive
        "#424d59",  # black, as slate
    ),
)

DARK = Colours(
    is_dark=True,
    window="#12181e",
    panel="#1a222a",
    raised="#26313b",
    text="#e6ecf1",
    muted="#a2b0bc",
    faint="#71808d",
    border="#2c3843",
    outline="#6b7a88",
    accent="#66b0f0",
    accent_hover="#8cc5f6",
    on_accent="#0a1824",
    accent_soft="#1d3a55",
    good="#46d3a2",
    bad="#fb8458",
    caution="#e8b74a",
    neutral="#a9b6c1",
    good_soft="#143a30",
    bad_soft="#47251a",
    caution_soft="#3d3115",
    neutral_soft="#2a343d",
    on_status="#0c1319",
    stage="#090d11",
    on_stage="#e8eef3",
    grid="#2a353f",
    axis="#a2b0bc",
    series=(
        "#4a90e2",  # blue
        "#e69f00",  # orange
        "#18b58a",  # bluish green
        "#d987b4",  # reddish purple
        "#ee6c2a",  # vermilion
        "#7fcdf5",  # sky blue
        "#f0e442",  # yellow
        "#c6d0d9",  # black, as light grey
    ),
)
