"""A small writer of SVG inside a page; the page's style sheet has the colours."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape as escaped

from markupsafe import Markup

from app.names import visible

Point = tuple[float, float]
Tick = tuple[float, str]
"""A value on an axis, and its label."""


def escape(text: str) -> str:
    """Return text as markup, without invisible characters."""
    return escaped(visible(text))


@dataclass(frozen=True)
class Scale:
    """A linear map from values to places in a drawing."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


def round_ticks(low: float, high: float, about: int = 6) -> list[float]:
    """Return about ``about`` round values from ``low`` to ``high``."""
    rough = (high - low) / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * times for times in (1, 2, 5, 10) if power * times >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [index * step for index in range(first, math.floor(high / step + 1e-9) + 1)]


def shortened(name: str, longest: int) -> str:
    """Leave out the middle of a long name: names of single views differ at both ends."""
    n_last = 2 * longest // 3
    is_long = len(name) > longest
    return f"{name[: longest - n_last - 1]}\u2026{name[-n_last:]}" if is_long else name


class Drawing:
    """An SVG picture under construction; title and description are for screen readers."""

    def __init__(self, width: float, height: float, title: str, description: str) -> None:
        self.width, self.height = width, height
        self._title, self._description = title, description
        self._parts: list[str] = []

    def line(self, start: Point, end: Point, style: str) -> None:
        self._add("line", style, x1=start[0], y1=start[1], x2=end[0], y2=end[1])

    def rectangle(self, corner: Point, width: float, height: float, style: str) -> None:
        self._add("rect", style, x=corner[0], y=corner[1], width=width, height=height)

    def curve(self, points: Iterable[Point], style: str) -> None:
        places = " ".join(f"{x:.2f},{y:.2f}" for x, y in points)
        self._parts.append(f'<polyline class="{escape(style)}" points="{places}"/>')

    def circle(self, centre: Point, radius: float, style: str) -> None:
        self._add("circle", style, cx=centre[0], cy=centre[1], r=radius)

    def cross(self, centre: Point, radius: float, style: str) -> None:
        (x, y), r = centre, radius
        self.line((x - r, y - r), (x + r, y + r), style)
        self.line((x - r, y + r), (x + r, y - r), style)

    def diamond(self, centre: Point, radius: float, style: str) -> None:
        (x, y), r = centre, radius
        self.curve([(x, y - r), (x + r, y), (x, y + r), (x - r, y), (x, y - r)], style)

    def text(
        self, place: Point, words: str, style: str = "", *, anchor: str = "start", turn: float = 0
    ) -> None:
        """Add text; ``anchor`` is start, middle or end."""
        x, y = place
        turned = f' transform="rotate({turn:g} {x:.2f} {y:.2f})"' if turn else ""
        self._parts.append(
            f'<text class="{escape(style)}" x="{x:.2f}" y="{y:.2f}" text-anchor="{anchor}"'
            f"{turned}>{escape(words)}</text>"
        )

    def x_axis(
        self, scale: Scale, ticks: Iterable[Tick], top: float, bottom: float, label: str = ""
    ) -> None:
        """Draw an axis at the bottom, with grid lines up to the top."""
        for value, words in ticks:
            x = scale(value)
            self.line((x, top), (x, bottom), "grid")
            self.text((x, bottom + 16), words, "tick", anchor="middle")
        self.line((scale.start, bottom), (scale.end, bottom), "axis")
        if label:
            middle = (scale.start + scale.end) / 2
            self.text((middle, bottom + 36), label, "label", anchor="middle")

    def y_axis(
        self, scale: Scale, ticks: Iterable[Tick], left: float, right: float, label: str = ""
    ) -> None:
        """Draw labels at the left, with grid lines to the right."""
        for value, words in ticks:
            y = scale(value)
            self.line((left, y), (right, y), "grid")
            self.text((left - 8, y + 4), words, "tick", anchor="end")
        if label:
            middle = (scale.start + scale.end) / 2
            self.text((16, middle), label, "label", anchor="middle", turn=-90)

    def markup(self) -> Markup:
        """Return the picture; every word in it is escaped."""
        return Markup(
            f'<svg viewBox="0 0 {self.width:g} {self.height:g}" role="img" '
            f'aria-label="{escape(self._title)}. {escape(self._description)}">'
            + "".join(self._parts)
            + "</svg>"
        )

    def _add(self, shape: str, style: str, **numbers: float) -> None:
        places = " ".join(f'{name}="{value:.2f}"' for name, value in numbers.items())
        self._parts.append(f'<{shape} class="{escape(style)}" {places}/>')
