"""Everything else about a model, as a table that can be copied."""

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.models.summary import ModelSummary
from app.qt.icons import icon
from app.qt.views.charts.wording import number, percent, scientific
from app.qt.views.model.facts_table import Facts, FactsTable


class DetailsPanel(QWidget):
    """Parameters, bounds, threshold, data, views and file of a model."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table = FactsTable(self)
        self.table.setAccessibleName(self.tr("Details of the model"))
        self.copy = QPushButton(icon("copy"), self.tr("Copy all"), self)
        self.copy.setToolTip(
            self.tr("Copy this table as text; Ctrl+C in the table copies the chosen rows")
        )
        self.copy.clicked.connect(self.table.copy_all)
        row = QHBoxLayout()
        row.addWidget(self.copy)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        column.addLayout(row)
        column.addWidget(self.table)
        column.addStretch(1)

    def show_model(self, model: ModelSummary | None) -> None:
        """Show a model's details."""
        self.table.show_facts(() if model is None else self._facts(model))

    def _facts(self, model: ModelSummary) -> tuple[Facts, ...]:
        threshold = model.threshold
        low, high = threshold.interval
        bpcer = self.tr("{rate} (n = {n}, 95 % interval {low} to {high})").format(
            rate=percent(threshold.bpcer),
            n=threshold.n_scores,
            low=percent(low),
            high=percent(high),
        )
        certified = self.tr("yes") if model.is_certified else self.tr("no")
        fit = (
            (self.tr("certified"), certified),
            (self.tr("relative gap"), scientific(model.gap)),
            (self.tr("stopped because"), model.stop_reason),
            (self.tr("solves"), str(model.n_solves)),
        )
        calibration = (
            (self.tr("threshold"), number(threshold.value, 6)),
            *(
                ()
                if threshold.level is None
                else ((self.tr("usual genuine score"), number(threshold.level, 6)),)
            ),
            (
                self.tr("target BPCER"),
                self.tr("automatic")
                if threshold.target_bpcer is None
                else percent(threshold.target_bpcer),
            ),
            (self.tr("BPCER"), bpcer),
            (
                self.tr("independent scores"),
                self.tr("about {n:.0f}").format(n=threshold.n_effective),
            ),
        )
        bounds = tuple(
            (bound.name, f"{number(bound.value, 4)}: {bound.meaning}") for bound in model.bounds
        )
        data = (
            (self.tr("frames"), str(model.n_samples)),
            (self.tr("takes"), ", ".join(model.takes)),
            (self.tr("simulated"), self.tr("yes") if model.is_simulated else self.tr("no")),
        )
        file = (
            (self.tr("file"), model.path or self.tr("not exported yet")),
            (
                self.tr("protected"),
                self.tr("by a passphrase") if model.is_protected else self.tr("no"),
            ),
            (self.tr("digest"), model.digest or self.tr("none before it is exported")),
        )
        views = tuple((str(i + 1), name) for i, name in enumerate(model.view_names))
        heading = self.tr("Views of the preset {name}").format(name=model.preset)
        sections = (
            Facts(self.tr("Parameters"), model.parameters),
            Facts(self.tr("Fit"), fit),
            Facts(self.tr("Threshold"), calibration),
            Facts(self.tr("Bounds"), bounds),
            Facts(self.tr("Data"), data),
            Facts(self.tr("File"), file),
            Facts(heading if model.preset else self.tr("Views"), views),
        )
        return tuple(section for section in sections if section.rows)
