"""The Model page: summary, weights, threshold, convergence and details."""

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.models.summary import ModelSummary
from app.qt.charts.convergence import ConvergenceChart
from app.qt.charts.weights import WeightsChart
from app.qt.controllers.app_controller import AppController
from app.qt.pages.model.cards import ClustersStrip, ModelHeader, NetworksCard
from app.qt.pages.model.panels import DetailsPanel, ThresholdPanel
from app.qt.state import Working
from app.qt.theme import GRID, set_class
from app.qt.theme.icons import icon
from app.qt.widgets.inputs import CalmTabBar
from app.qt.widgets.layout import button, card, scroll_area, vbox
from app.qt.widgets.texts import EmptyState, enrol_button, wrapped
from app.session.takes import EnrolmentState

_CHART_LINES = 26
"""Height of a chart with two plots, in lines of text."""


class ModelPage(QWidget):
    """Describes the model, or offers ways to get one."""

    export_requested = Signal()
    open_requested = Signal()
    enrol_requested = Signal()

    def __init__(self, controller: AppController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._model: ModelSummary | None = None
        self._can_fit: tuple[bool, str] = (True, "")
        self._is_working = False
        self.empty = self._make_empty()
        self.header = ModelHeader(self)
        self.networks = NetworksCard(self)
        self.tabs = CalmTabBar(self)  # before its pages in the tab order
        self.weights = WeightsChart(self)
        self.clusters = ClustersStrip(self)
        self.threshold = ThresholdPanel(self)
        self.convergence = ConvergenceChart(self)
        self.convergence.setMinimumHeight(self.fontMetrics().height() * _CHART_LINES)
        self.details = DetailsPanel(self)
        self._arrange()
        self._connect()
        self._show_parts()
        self._on_enrolment(controller.session.enrolment.state)
        self.networks.show_networks(controller.networks.state)

    def _connect(self) -> None:
        controller = self._controller
        self.header.fit.clicked.connect(controller.model.fit)
        self.header.export.clicked.connect(self.export_requested)
        self.header.open.clicked.connect(self.open_requested)
        self.threshold.target_changed.connect(controller.set_target)
        self.networks.get.clicked.connect(controller.networks.get)
        self.networks.cancel.clicked.connect(controller.networks.cancel)
        controller.networks.changed.connect(self.networks.show_networks)
        controller.working.connect(self.show_working)
        controller.model_changed.connect(self.show_model)
        controller.enrolment_changed.connect(self._on_enrolment)

    @Slot(object)
    def show_model(self, model: ModelSummary | None) -> None:
        if model is self._model:
            return
        self._model = model
        self.weights.show_model(model)
        self.clusters.show_model(model)
        self.threshold.show_calibration(None if model is None else model.calibration)
        self.threshold.people.show_people(() if model is None else model.people)
        self.convergence.show_model(model)
        self.details.show_model(model)
        if model is not None:
            self.header.show_model(model)
        self._show_parts()

    @Slot(object)
    def show_working(self, working: Working) -> None:
        if bool(working.text) != self._is_working:
            self._is_working = bool(working.text)
            self._show_parts()

    def set_can_fit(self, can_fit: bool, why_not: str = "") -> None:
        """Enable a fit, or show why it is not possible."""
        self._can_fit = (can_fit, why_not)
        self._fit.setVisible(can_fit)
        set_class(self._enrol, "" if can_fit else "primary")
        self._enrol.setIcon(icon("enrol", "text" if can_fit else "on_accent"))
        self._show_parts()

    def scroll_to_networks(self) -> None:
        """Scroll to the card of the liveness networks, once the page is laid out."""
        QTimer.singleShot(0, self, self._show_networks)

    @Slot()
    def _show_networks(self) -> None:
        self._scroll.ensureWidgetVisible(self.networks)

    def _make_empty(self) -> EmptyState:
        empty = EmptyState("model", parent=self)
        empty.show_text(
            "No model yet",
            "A model learns what your live face looks like to the camera, from genuine "
            "frames only.\nAnything that does not resemble them, such as a print, a screen or a "
            "mask, is then refused.",
        )
        self._fit = button(
            "Fit a model",
            "model",
            self._controller.model.fit,
            tip="Fit a model to the enrolled takes.",
            kind="primary",
        )
        self._enrol = enrol_button(self.enrol_requested)
        tip = "Use a model that was exported to a file."
        for each in (
            self._fit,
            self._enrol,
            button("Open a model…", "open", self.open_requested, tip=tip),
        ):
            empty.add_button(each)
        self._fit.hide()
        return empty

    def _arrange(self) -> None:
        # Nested from the outside in, because a widget is styled again for each new parent.
        content = QWidget()
        self._scroll = scroll_area(content, self)
        vbox(self, self._scroll)
        self.tabs.setAccessibleName("Parts of the model")
        self.tabs.setExpanding(False)
        self.tabs.setDrawBase(False)
        self._tab_card, column = card(content)
        column.setSpacing(10)
        parts = (self.header, self.networks, self._tab_card, (self.empty, 1))
        vbox(content, *parts, 0, margins=2 * GRID, spacing=GRID + 4)
        column.addWidget(self.tabs)
        intro = wrapped(
            "Enrolled frames form clusters of similar appearance. Each cluster has its own "
            "weights: how much it relies on each part of the picture and each layer.",
            "muted",
        )
        self._pages: list[QWidget] = []
        for title, inside in (
            ("Weights", (intro, self.clusters, self.weights)),
            ("Threshold", (self.threshold,)),
            ("Convergence", (self.convergence,)),
            ("Details", (self.details,)),
        ):
            page = QWidget(self._tab_card)
            column.addWidget(page)
            vbox(page, *inside, spacing=10)
            page.setVisible(not self._pages)
            self._pages.append(page)
            self.tabs.addTab(title)
        self.tabs.currentChanged.connect(self._on_tab)

    def _show_parts(self) -> None:
        has_model = self._model is not None
        self.header.setVisible(has_model)
        self._tab_card.setVisible(has_model)
        self.empty.setVisible(not has_model)
        can_fit, why_not = self._can_fit
        busy = "Wait until the current task is finished, or cancel it."
        self.header.set_can_fit(can_fit and not self._is_working, why_not or busy)
        self._fit.setEnabled(not self._is_working)

    @Slot(int)
    def _on_tab(self, number: int) -> None:
        for index, page in enumerate(self._pages):
            page.setVisible(index == number)

    @Slot(object)
    def _on_enrolment(self, state: EnrolmentState) -> None:
        self.set_can_fit(state.can_fit, state.why_not)
