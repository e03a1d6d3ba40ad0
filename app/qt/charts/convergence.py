"""Convergence of the fit: the objective and the certified gap to the optimum."""

from itertools import zip_longest
from math import ceil, floor, isfinite, log10

import pyqtgraph as pg  # type: ignore[import-untyped]
from PySide6.QtWidgets import QWidget

from app.models.summary import CERTIFIED_GAP, ModelSummary
from app.names import counted
from app.qt import theme
from app.qt.charts.chart import Chart, csv_text
from app.qt.charts.format import number, scientific
from app.qt.charts.plot import Plot
from app.qt.widgets.texts import wrapped

_FLOOR = 1e-16
_TITLES = (
    "Objective by iteration",
    "Certified gap by iteration (relative, logarithmic; lower is better)",
)


class ConvergenceChart(Chart):
    """Objective and certified gap by iteration, the gap on a logarithmic scale."""

    file_stem = "convergence"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Convergence of the fit", parent)
        self._model: ModelSummary | None = None
        self._titles = [wrapped(title, parent=self) for title in _TITLES]
        self._plots = [Plot(self, title, left_text="0.00000") for title in _TITLES]
        self._curves = [
            pg.PlotDataItem(antialias=True, symbolSize=6, symbolPen=None) for _ in _TITLES
        ]
        for plot, curve in zip(self._plots, self._curves, strict=True):
            plot.add(curve)
        self._last_values = [plot.add_text(0, 0.5) for plot in self._plots]
        self._tolerance = pg.InfiniteLine(log10(CERTIFIED_GAP), angle=0)
        self._plots[1].add(self._tolerance)
        self._tolerance_text = self._plots[1].add_text(0, 1)
        (first, top), (second, bottom) = zip(self._titles, self._plots, strict=True)
        self._lay_out(self._statement, first, top, second, bottom)

    def show_model(self, model: ModelSummary | None) -> None:
        self._model = model
        self.mark_stale()

    @property
    def _objective(self) -> tuple[float, ...]:
        return () if self._model is None else self._model.objective_history

    @property
    def _gaps(self) -> tuple[float, ...]:
        return () if self._model is None else self._model.gap_history

    @property
    def _n(self) -> int:
        return max(len(self._objective), len(self._gaps))

    def to_csv(self) -> str:
        rows = enumerate(zip_longest(self._objective, self._gaps), start=1)
        header = ("iteration", "objective", "certified gap")
        return csv_text(header, ((i, *values) for i, values in rows))

    def _description(self) -> str:
        model = self._model
        if model is None or not self._n:
            return "No model yet: the fit's progress appears here."
        gap, reason = scientific(model.gap), model.stop_reason.rstrip(".")
        text = f"Certified: no weights are better by more than {gap} (relative)."
        if not model.is_certified:
            text = f"Not certified: other weights may be better by up to {gap} (relative)."
            text += f" The fit stopped because: {reason}." if reason else ""
        return f"{text} {counted(self._n, 'iteration')}."

    def _draw(self) -> None:
        self.head.setVisible(self._n > 0)
        for title, plot in zip(self._titles, self._plots, strict=True):
            title.setVisible(self._n > 0)
            plot.setVisible(self._n > 0)
        if not self._n:
            return
        colours = theme.colours()
        for plot in self._plots:
            # Leave room for the number at the last point.
            plot.set_x_range(0.5, 0.5 + self._n * 1.2)
            step = max(1, ceil(self._n / 8))
            ticks = [(i, str(i)) for i in range(1, self._n + 1, step)]
            plot.axis("bottom").setTicks([ticks, []])
        objective = [(i, y) for i, y in enumerate(self._objective, 1) if isfinite(y)]
        self._draw_curve(0, objective, number(objective[-1][1], 5) if objective else "")
        values = [y for _, y in objective] or [0.0, 1.0]
        low, high = min(values), max(values)
        pad = 0.12 * (high - low) or max(abs(high) * 0.1, 1e-12)
        self._plots[0].set_y_range(low - pad, high + pad)

        gaps = [(i, gap) for i, gap in enumerate(self._gaps, 1) if isfinite(gap)]
        # Draw gaps of zero or less a decade below the smallest positive one.
        smallest = min([*(gap for _, gap in gaps if gap > 0), CERTIFIED_GAP])
        least = max(_FLOOR, smallest / 10)
        logs = [(i, log10(max(gap, least))) for i, gap in gaps]
        last = gaps[-1][1] if gaps else 0.0
        self._draw_curve(1, logs, scientific(last) if last > 0 else "0 or less")
        heights = [log10(CERTIFIED_GAP), *(y for _, y in logs)]
        bottom, top = floor(min(heights) - 0.3), ceil(max(heights) + 0.3)
        self._plots[1].set_y_range(bottom, top)
        step = max(1, ceil((top - bottom) / 5))
        decades = [(power, f"1e{power}") for power in range(bottom, top + 1, step)]
        self._plots[1].axis("left").setTicks([decades, []])
        tolerance = scientific(CERTIFIED_GAP).replace(".0", "")
        self._tolerance.setPen(self._plots[1].dashed_pen(colours.text))
        self._tolerance_text.setText(f"tolerance {tolerance}", colours.muted)
        self._tolerance_text.setPos(0.5, log10(CERTIFIED_GAP))

    def _draw_curve(self, index: int, points: list[tuple[int, float]], last: str) -> None:
        colours, curve, text = theme.colours(), self._curves[index], self._last_values[index]
        x, y = zip(*points, strict=True) if points else ((), ())
        symbol = "o" if len(points) * 7 < self.width() else None
        pen = self._plots[index].pen(colours.accent, 1.6)
        curve.setData(x, y, pen=pen, symbol=symbol, symbolBrush=colours.accent)
        text.setVisible(bool(points))
        if points:
            text.setText(last, colours.text)
            text.setPos(*points[-1])
