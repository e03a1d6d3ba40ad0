"""How the fit converged: the objective, and the certified gap to the best possible weights."""

from math import ceil, floor, isfinite, log10

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QWidget

from app.models.summary import ModelSummary
from app.qt.views.charts.base import Chart
from app.qt.views.charts.export import csv_text
from app.qt.views.charts.flow import FlowRow
from app.qt.views.charts.legend import draw_mark
from app.qt.views.charts.plot import Pixels, Plot, draw_curve
from app.qt.views.charts.wording import number, scientific

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_FLOOR = 1e-16


class ConvergenceChart(Chart):
    """Objective and certified gap by iteration, the gap on a logarithmic scale."""

    file_stem = "convergence"

    def __init__(self, parent: QWidget | None = None, *, tolerance: float = 1e-6) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Convergence of the fit"))
        self._tolerance = tolerance
        self._objective: tuple[float, ...] = ()
        self._gaps: tuple[float, ...] = ()
        self._gap = float("nan")
        self._is_certified = False
        self._stop_reason = ""

        self._statement = self._make_label()
        self._titles = (
            self._make_label(self.tr("Objective by iteration")),
            self._make_label(
                self.tr("Certified gap by iteration (relative, logarithmic; lower is better)")
            ),
        )
        self._top = Plot(self)
        self._top.setAccessibleName(self.tr("Objective by iteration"))
        self._bottom = Plot(self)
        self._bottom.setAccessibleName(self.tr("Certified gap by iteration"))
        self._points: tuple[list[tuple[float, float]], list[tuple[float, float]]] = ([], [])
        self._is_floored: list[bool] = []
        self._top.add_layer(self._paint_objective, z=10)
        self._bottom.add_layer(self._paint_gaps, z=10)
        self._head = FlowRow(self)
        self._head.add(self._make_export_button())
        self._column.addWidget(self._head)
        self._column.addWidget(self._statement)
        self._column.addWidget(self._titles[0])
        self._column.addWidget(self._top, 2)
        self._column.addWidget(self._titles[1])
        self._column.addWidget(self._bottom, 3)
        self._recolour()

    # ------------------------------------------------------------ values

    def show_model(self, model: ModelSummary | None) -> None:
        """Show how a model was fitted, or that there is none."""
        if model is None:
            self.show_history((), (), float("nan"), False)
        else:
            self.show_history(
                model.objective_history,
                model.gap_history,
                model.gap,
                model.is_certified,
                model.stop_reason,
            )

    def show_history(
        self,
        objective: tuple[float, ...],
        gaps: tuple[float, ...],
        gap: float,
        is_certified: bool,
        stop_reason: str = "",
    ) -> None:
        """Show a history.

        Parameters
        ----------
        objective, gaps : tuple of float
            One entry an iteration.
        gap : float
            Certified relative gap at the end.
        is_certified : bool
            Whether that is at most the tolerance.
        stop_reason : str
            Why the solver stopped, as half a sentence; shown where it is not certified.
        """
        self._objective, self._gaps = tuple(objective), tuple(gaps)
        self._gap, self._is_certified, self._stop_reason = gap, is_certified, stop_reason
        self.mark_stale()

    def to_csv(self) -> str:
        """Return objective and gap of every iteration."""
        n = max(len(self._objective), len(self._gaps))
        rows = (
            (
                index + 1,
                self._objective[index] if index < len(self._objective) else None,
                self._gaps[index] if index < len(self._gaps) else None,
            )
            for index in range(n)
        )
        return csv_text(("iteration", "objective", "certified gap"), rows)

    # ------------------------------------------------------------ words

    def _words(self) -> str:
        n = max(len(self._objective), len(self._gaps))
        if not n:
            return self.tr("No model yet: the fit's progress appears here.")
        gap = scientific(self._gap)
        if self._is_certified:
            words = self.tr(
                "Certified: no weights are better by more than {gap} (relative)."
            ).format(gap=gap)
        else:
            words = self.tr("Not certified: weights may be better by up to {gap} (relative).")
            words = words.format(gap=gap)
            if self._stop_reason:
                words += self.tr(" It stopped because: {reason}.").format(
                    reason=self._stop_reason.rstrip(".")
                )
        if n == 1:
            return words + self.tr(" 1 iteration.")
        return words + self.tr(" {n} iterations.").format(n=n)

    def _write(self) -> None:
        super()._write()
        self._statement.setText(self._words())

    # ------------------------------------------------------------ picture

    def _draw(self) -> None:
        n = max(len(self._objective), len(self._gaps))
        for widget in (self._top, self._bottom, *self._titles, self._head):
            widget.setVisible(n > 0)
        if not n:
            return
        objective = [(i + 1.0, y) for i, y in enumerate(self._objective) if isfinite(y)]
        floor_value = self._floor()
        gaps = [
            (i + 1.0, log10(max(gap, floor_value)))
            for i, gap in enumerate(self._gaps)
            if isfinite(gap)
        ]
        self._is_floored = [gap < floor_value for gap in self._gaps if isfinite(gap)]
        self._points = (objective, gaps)
        self._set_ranges(n)
        for plot in (self._top, self._bottom):
            plot.viewport().update()

    def _floor(self) -> float:
        """A decade below the smallest positive gap: where zeros and negatives are drawn."""
        positive = [gap for gap in self._gaps if isfinite(gap) and gap > 0]
        smallest = min([*positive, self._tolerance])
        has_less = any(isfinite(gap) and gap <= 0 for gap in self._gaps)
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
        logs = [*(y for _, y in self._points[1]), log10(self._tolerance)]
        first, last = floor(min(logs) - 0.3), ceil(max(logs) + 0.3)
        self._bottom.set_y_range(first, last)
        room = max(1.0, self._bottom.area().height())
        line = self._bottom.small_metrics.height() * 1.3
        decades = range(first, last + 1, max(1, ceil((last - first) * line / room)))
        labels = [(float(k), f"10{str(k).translate(_SUPERSCRIPTS)}") for k in decades]
        self._bottom.axis("left").setTicks([labels, []])

    def _paint_points(self, painter: QPainter, pixels: Pixels, which: int) -> None:
        points = self._points[which]
        draw_curve(painter, pixels, points, self._colours.accent)
        if len(points) > 1 and pixels.area.width() / len(points) < 7:
            points = points[-1:]
        for x, y in points:
            draw_mark(painter, "circle", pixels.at(x, y), 6, self._colours.accent)

    def _paint_objective(self, painter: QPainter, pixels: Pixels) -> None:
        self._paint_points(painter, pixels, 0)
        if self._points[0]:
            self._paint_last(
                painter, pixels, self._points[0][-1], number(self._points[0][-1][1], 5)
            )

    def _paint_gaps(self, painter: QPainter, pixels: Pixels) -> None:
        line = pixels.horizontal(log10(self._tolerance))
        painter.setPen(QPen(QColor(self._colours.text), 1.2, Qt.PenStyle.DashLine))
        painter.drawLine(line)
        painter.setFont(self._bottom.small_font)
        painter.setPen(QColor(self._colours.muted))
        text = self.tr("tolerance {value}").format(
            value=scientific(self._tolerance).replace(".0", "")
        )
        painter.drawText(
            QRectF(pixels.area.left() + 6, line.y1() - 40, pixels.area.width() - 12, 38),
            Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft,
            text,
        )
        self._paint_points(painter, pixels, 1)
        for (x, value), is_floored in zip(self._points[1], self._is_floored, strict=True):
            if is_floored:
                draw_mark(painter, "triangle", pixels.at(x, value), 10, self._colours.good)
        if self._points[1]:
            last = self._gaps[-1] if isfinite(self._gaps[-1]) else self._gap
            words = scientific(last) if last > 0 else self.tr("0 or less")
            self._paint_last(painter, pixels, self._points[1][-1], words)

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

    def _recolour(self) -> None:
        super()._recolour()
        for plot in (self._top, self._bottom):
            plot.set_colours(self._colours)
            plot.axis("left").setWidth(plot.small_metrics.horizontalAdvance("0.00000") + 10)

    def _picture_parts(self) -> list[QWidget]:
        return [self._statement, self._titles[0], self._top, self._titles[1], self._bottom]
