"""Models: fitted, extended, exported, imported, calibrated anew."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from app.enrolment import Sample, as_samples
from app.models.files import Export, load, save
from app.models.fitting import extended, fitted, recalibrated
from app.models.model import PadModel
from app.qt.workers.jobs import Cancel, Job
from app.session import Session
from app.shown import Notice

FIT, EXTEND, EXPORT, IMPORT, CALIBRATE = "fit", "extend", "export", "import", "calibrate"
TOPIC = "model"

_Fitted = tuple[PadModel, tuple[int, ...]]


class ModelControl(QObject):
    """Give work on models to the worker and its results to the session.

    Parameters
    ----------
    session : Session
        Where the model lives.
    """

    job_requested = Signal(object)
    model_changed = Signal(object)
    """A `PadModel` or None, for the scoring thread."""
    notice = Signal(object)
    fitted = Signal()
    """A model was fitted from nothing."""
    exported = Signal(object)
    """An `Export`."""
    opened = Signal(str)
    """Path of a model that is now in use, exported or imported."""
    missing = Signal(str)
    """Path of a file that could not be used."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._features: dict[str, Any] | None = None
        self._waiting_for_views = ""
        self._importing = ""

    # ------------------------------------------------------------- intents

    @Slot()
    def fit(self) -> None:
        """Fit on all that is enrolled, or fold new takes into a model that was imported."""
        session, features = self._session, self._features
        why_not = session.enrolment.why_not()
        if features is None:
            why_not = self.tr("The networks are not ready yet: wait a moment and try again.")
        if why_not:
            self.notice.emit(Notice(why_not, "warning", TOPIC))
            return
        model = session.model
        if model is not None and not self._is_of_this_enrolment:
            self.extend()
            return
        samples, settings = session.enrolment.samples, session.settings
        is_simulated = session.enrolment.is_simulated
        numbers = tuple(sample.number for sample in samples)
        assert features is not None

        def work(cancel: Cancel) -> _Fitted:
            rows = as_samples(samples)
            made = fitted(rows, settings, features, is_simulated=is_simulated, cancel=cancel)
            return made, numbers

        self._ask(FIT, self.tr("Fitting on {n} frames").format(n=len(samples)), work)

    @Slot()
    def extend(self) -> None:
        """Fold what the model has not seen yet into it, at once."""
        session, model = self._session, self._session.model
        new = session.enrolment.unmodelled
        if model is None or not new:
            return
        numbers = tuple(session.enrolment.modelled) + tuple(s.number for s in new)

        def work(cancel: Cancel) -> _Fitted:
            made = extended(model, as_samples(new), is_simulated=_any_simulated(new), cancel=cancel)
            return made, numbers

        self._ask(EXTEND, self.tr("Adding {n} frames to the model").format(n=len(new)), work)

    @Slot(float)
    def set_target(self, target_bpcer: float) -> None:
        """Set the threshold for another share of refused genuine frames."""
        model = self._session.model
        if model is None or model.estimator.calibration_.target_bpcer == target_bpcer:
            return
        text = self.tr("Setting the threshold")
        self._ask(CALIBRATE, text, lambda _cancel: recalibrated(model, target_bpcer))

    @Slot(str)
    def export(self, path: str) -> None:
        """Save the model, and compare what was saved with it."""
        model = self._session.model
        if model is None or not path:
            return
        self._ask(EXPORT, self.tr("Exporting the model"), lambda _cancel: save(model, path))

    @Slot(str)
    def open(self, path: str) -> None:
        """Load a model, as soon as the views that it must fit are known."""
        if not path:
            return
        if self._features is None:
            self._waiting_for_views = path
            return
        features = dict(self._features)
        self._importing = path
        text = self.tr("Opening {name}").format(name=Path(path).name)
        self._ask(IMPORT, text, lambda _cancel: load(path, features))

    @Slot()
    def discard(self) -> None:
        """Go on without a model."""
        self._use(None)

    # ------------------------------------------------------------- from workers

    @Slot(object)
    def on_prepared(self, features: dict[str, Any]) -> None:
        """Other views are computed from now on: a model of other ones no longer fits."""
        changed = self._features is not None and self._features != features
        self._features = features
        session = self._session
        if changed and (session.model is not None or session.enrolment.samples):
            # Rows of different views cannot be compared.
            self._use(None, ())
            session.change_enrolment(lambda enrolment: enrolment.clear())
            self.notice.emit(
                Notice(self.tr("The views have changed: enrol again."), "warning", TOPIC)
            )
        if path := self._waiting_for_views:
            self._waiting_for_views = ""
            self.open(path)

    @Slot(str, object)
    def on_done(self, kind: str, result: Any) -> None:
        """Take over what the worker made."""
        if kind in (FIT, EXTEND):
            model, numbers = result
            self._use(model, numbers)
            self._tell_fitted(model, is_new=kind == FIT)
            if kind == FIT:
                self.fitted.emit()
        elif kind == CALIBRATE:
            self._use(result)
        elif kind == EXPORT:
            self._on_exported(result)
        elif kind == IMPORT:
            self._use(result, ())
            name = Path(result.path).name
            self.notice.emit(Notice(self.tr("Opened {name}.").format(name=name), topic=TOPIC))
            self.opened.emit(result.path)

    @Slot(str, str)
    def on_failed(self, kind: str, sentence: str) -> None:
        """Tell why; the model in use stays."""
        if kind in (FIT, EXTEND, EXPORT, IMPORT, CALIBRATE):
            self.notice.emit(Notice(sentence, "error", TOPIC))
        if kind == IMPORT:
            self.missing.emit(self._importing)

    @Slot(str)
    def on_cancelled(self, kind: str) -> None:
        """Tell that nothing has changed."""
        if kind in (FIT, EXTEND):
            text = self.tr("The fit was cancelled; everything is as it was.")
            self.notice.emit(Notice(text, topic=TOPIC))

    # ------------------------------------------------------------- inner

    @property
    def _is_of_this_enrolment(self) -> bool:
        """Whether all rows of the model are enrolled here, so that it can be fitted anew."""
        model, modelled = self._session.model, self._session.enrolment.modelled
        return model is not None and len(modelled) == len(model.estimator.labels_)

    def _ask(self, kind: str, text: str, work: Callable[[Cancel], Any]) -> None:
        self.job_requested.emit(Job(kind, text, work))

    def _use(self, model: PadModel | None, numbers: tuple[int, ...] | None = None) -> None:
        self._session.set_model(model, numbers)
        self.model_changed.emit(model)

    def _tell_fitted(self, model: PadModel, *, is_new: bool) -> None:
        if model.notes:
            self.notice.emit(Notice(" ".join(model.notes), "warning", TOPIC))
            return
        text = (
            self.tr("The model is fitted: the verdict under the picture is live.")
            if is_new
            else self.tr("The new frames are part of the model now.")
        )
        self.notice.emit(Notice(text, topic=TOPIC))

    def _on_exported(self, export: Export) -> None:
        # The model may have changed while the file was written: only the saved one has a file.
        current = self._session.model
        if current is not None and current.digest == export.model.digest:
            self._use(export.model)
        name = Path(export.model.path).name
        text = self.tr("Exported to {name}. {check}").format(name=name, check=export.statement)
        self.notice.emit(Notice(text, topic=TOPIC))
        self.exported.emit(export)
        self.opened.emit(export.model.path)


def _any_simulated(samples: tuple[Sample, ...]) -> bool:
    return any(sample.is_simulated for sample in samples)
