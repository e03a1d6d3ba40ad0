"""How the fit converged: the objective, and the certified gap to the best possible weights."""

from itertools import zip_longest
from math import ceil, floor, isfinite, log10

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QWidget

from app.models.summary import CERTIFIED_GAP, ModelSummary
from app.names import counted
from app.qt.charts.chart import Chart, csv_text
from app.qt.charts.format import number, scientific
from app.qt.charts.plot import Pixels, Plot, draw_curve, draw_mark
from app.qt.widgets.texts import wrapped

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_FLOOR = 1e-16

Points = list[tuple[float, float]]


class ConvergenceChart(Chart):
    """Objective and certified gap by iteration, the gap on a logarithmic scale."""

    file_stem = "convergence"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Convergence of the fit", parent)
        self._model: ModelSummary | None = None
        self._points: tuple[Points, Points] = ([], [])
        self._is_floored: list[bool] = []
        self._titles = (
            wrapped("Objective by iteration", parent=self),
            wrapped(
                "Certified gap by iteration (relative, logarithmic; lower is better)", parent=self
            ),
        )
        self._top, self._bottom = Plot(self, left_text="0.00000"), Plot(self, left_text="0.00000")
        self._top.setAccessibleName("Objective by iteration")
        self._bottom.setAccessibleName("Certified gap by iteration")
        self._top.add_layer(self._paint_objective, z=10)
        self._bottom.add_layer(self._paint_gaps, z=10)
        self._lay_out(self._statement, self._titles[0], self._top, self._titles[1], self._bottom)

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

    def _words(self) -> str:
        model = self._model
        if model is None or not self._n:
            return "No model yet: the fit's progress appears here."
        gap, reason = scientific(model.gap), model.stop_reason.rstrip(".")
        words = f"Certified: no weights are better by more than {gap} (relative)."
        if not model.is_certified:
            words = f"Not certified: weights may be better by up to {gap} (relative)."
            words += f" It stopped because: {reason}." if reason else ""
        return f"{words} {counted(self._n, 'iteration')}."

    def _draw(self) -> None:
        for widget in (self._top, self._bottom, *self._titles, self.head):
            widget.setVisible(self._n > 0)
        if not self._n:
            return
        objective = [(i + 1.0, y) for i, y in enumerate(self._objective) if isfinite(y)]
        known = [(i + 1.0, gap) for i, gap in enumerate(self._gaps) if isfinite(gap)]
        least = self._floor([gap for _, gap in known])
        self._is_floored = [gap < least for _, gap in known]
        self._points = (objective, [(i, log10(max(gap, least))) for i, gap in known])
        self._set_ranges(self._n)
        for plot in (self._top, self._bottom):
            plot.viewport().update()

    @staticmethod
    def _floor(gaps: list[float]) -> float:
        """A decade below the smallest positive gap: where zeros and negatives are drawn."""
        smallest = min([*(gap for gap in gaps if gap > 0), CERTIFIED_GAP])
        has_less = any(gap <= 0 for gap in gaps)
        return max(_FLOOR, 10.0 ** (floor(log10(smallest)) - (1 if has_less else 0)))

    def _set_ranges(self, n: int) -> None:
        for plot in (self._top, self._bottom):
            side = max(0.5, 0.02 * n)
            width = max(1.0, plot.area().width())
            number_width = plot.small_metrics.horizontalAdvance("0.000000") + 12
            share = min(0.4, number_width / width)  # for the number at the last point
            plot.set_x_range(1 - side, 1 - side + (n - 1 + 2 * side) / (1 - share))
            least = max(1, ceil(n / 8))
            step = next((s for s in (1, 2, 5, 10, 20, 50, 100, 200, 500) if s >= least), least)
            ticks = [(float(i), str(i)) for i in range(step, n + 1, step)]
            plot.axis("bottom").setTicks([ticks, []])
        values = [y for _, y in self._points[0]] or [0.0, 1.0]
        low, high = min(values), max(values)
        pad = 0.12 * (high - low) or max(abs(high) * 0.1, 1e-12)
        self._top.set_y_range(low - pad, high + pad)
        logs = [*(y for _, y in self._points[1]), log10(CERTIFIED_GAP)]
        first, last = floor(min(logs) - 0.3), ceil(max(logs) + 0.3)
        self._bottom.set_y_range(first, last)
        room = max(1.0, self._bottom.area().height())
        line = self._bottom.small_metrics.height() * 1.3
        decades = range(first, last + 1, max(1, ceil((last - first) * line / room)))
        labels = [(float(k), f"10{str(k).translate(_SUPERSCRIPTS)}") for k in decades]
        self._bottom.axis("left").setTicks([labels, []])

    def _paint_points(self, painter: QPainter, pixels: Pixels, points: Points) -> None:
        draw_curve(painter, pixels, points, self._colours.accent)
        if len(points) > 1 and pixels.area.width() / len(points) < 7:
            points = points[-1:]
        for x, y in points:
            draw_mark(painter, "circle", pixels.at(x, y), 6, self._colours.accent)

    def _paint_objective(self, painter: QPainter, pixels: Pixels) -> None:
        points = self._points[0]
        self._paint_points(painter, pixels, points)
        if points:
            self._paint_last(painter, pixels, points[-1], number(points[-1][1], 5))

    def _paint_gaps(self, painter: QPainter, pixels: Pixels) -> None:
        line = pixels.horizontal(log10(CERTIFIED_GAP))
        painter.setPen(QPen(QColor(self._colours.text), 1.2, Qt.PenStyle.DashLine))
        painter.drawLine(line)
        painter.setFont(self._bottom.small_font)
        painter.setPen(QColor(self._colours.muted))
        tolerance = scientific(CERTIFIED_GAP).replace(".0", "")
        painter.drawText(
            QRectF(pixels.area.left() + 6, line.y1() - 40, pixels.area.width() - 12, 38),
            Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft,
            f"tolerance {tolerance}",
        )
        points = self._points[1]
        self._paint_points(painter, pixels, points)
        for point, is_floored in zip(points, self._is_floored, strict=True):
            if is_floored:
                draw_mark(painter, "triangle", pixels.at(*point), 10, self._colours.good)
        if points and self._model is not None:
            last = self._gaps[-1] if isfinite(self._gaps[-1]) else self._model.gap
            words = scientific(last) if last > 0 else "0 or less"
            self._paint_last(painter, pixels, points[-1], words)

    def _paint_last(
        self, painter: QPainter, pixels: Pixels, point: tuple[float, float], text: str
    ) -> None:
        painter.setFont(self._bottom.small_font)
        painter.setPen(QColor(self._colours.text))
        place = pixels.at(*point)
        metrics = self._bottom.small_metrics
        top = min(place.y() - metrics.height() / 2, pixels.area.bottom() - metrics.height())
        rect = QRectF(place.x() + 8, top, metrics.horizontalAdvance(text) + 4, metrics.height())
        painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
