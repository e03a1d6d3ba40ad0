"""Fit, extend, export, open and recalibrate models."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from app.models.files import Export, load, save
from app.models.fitting import extended, fitted, recalibrated
from app.models.model import PadModel
from app.models.summary import ModelSummary, describe
from app.qt.controllers import Controller
from app.qt.state import PassphraseRequest
from app.qt.workers.worker import Cancel, Job
from app.session.session import Session
from app.types import Image, Sample
from lmkl_core.errors import PassphraseNeeded, WrongPassphrase

ModelAndSummary = tuple[PadModel, ModelSummary]
"""Both made by the worker: describing a model takes too long for the main thread."""


class ModelController(Controller):
    """Runs work on models in the worker and passes the results to the session."""

    topic = "model"
    job_requested = Signal(object)
    model_changed = Signal(object)
    """A `PadModel` or None, for the scoring thread."""
    fitting_changed = Signal(bool)
    fitted = Signal()
    """A model was fitted from scratch."""
    exported = Signal(object)
    """An `Export`."""
    not_exported = Signal()
    opened = Signal(str)
    """Path of a model that was exported or opened."""
    missing = Signal(str)
    """Path of a model that no longer exists."""
    passphrase_requested = Signal(object)
    """A `PassphraseRequest`: answer with `open` or `cancel_opening`."""
    opening_ended = Signal()
    """A model was opened or cannot be opened; no passphrase is needed any more."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._features: dict[str, Any] | None = None
        self._waiting_for_views = ""
        self._n_openings = self._n_cancelled = 0
        self._is_imported = False
        self._n_fits = 0
        self._era = 0
        """Increased when the model is discarded; results of work begun earlier are dropped."""

    # ------------------------------------------------------------- actions

    @Slot()
    def fit(self) -> None:
        """Fit on all takes, or add the new ones to an imported model."""
        session = self._session
        if self._n_fits:
            return
        is_extension = self._is_imported and session.model is not None
        why_not = session.enrolment.why_not()
        if self._features is None:
            why_not = "The networks are not ready yet: wait a moment and try again."
        elif is_extension and not session.enrolment.unmodelled:
            why_not = "The model already contains all takes: record another one first."
        if why_not:
            self.tell(why_not, "warning")
        elif is_extension:
            self._extend(session.enrolment.unmodelled)
        else:
            self._fit(session.enrolment.samples)

    @Slot(str)
    def fold_in(self, take: str) -> None:
        """Add a take to the model."""
        self._extend(tuple(s for s in self._session.enrolment.unmodelled if s.take == take))

    @Slot(object)
    def set_target(self, target_bpcer: float | None) -> None:
        """Set the threshold for this share of refused genuine frames; None for the default."""
        model = self._session.model
        if model is None or model.estimator.calibration_.target_bpcer == target_bpcer:
            return
        self._make_model(
            "Setting the threshold",
            lambda _cancel: recalibrated(model, target_bpcer),
            self._session.thumbnails(self._session.enrolment.modelled),
            self._use,
            again=partial(self.set_target, target_bpcer),
            is_fit=False,
        )

    def export(self, path: str, passphrase: str | None = None) -> None:
        """Save the model, protected if there is a passphrase, and verify the file."""
        model = self._session.model
        if model is None:
            return

        def work(_cancel: Cancel) -> Export:
            return save(model, path, passphrase=passphrase)

        def fail(sentence: str) -> None:
            self._on_failed(sentence)
            self.not_exported.emit()

        self.job_requested.emit(Job("Exporting the model", work, self._on_exported, fail))

    def open(self, path: str, passphrase: str | None = None) -> None:
        """Load a model as soon as the views that it must match are known.

        A protected model without a passphrase asks for it.
        """
        if not path:
            return
        if self._features is None:
            self._waiting_for_views = path
            return
        self._n_openings += 1
        number, features, name = self._n_openings, dict(self._features), Path(path).name

        def work(_cancel: Cancel) -> ModelAndSummary | PassphraseRequest:
            try:
                model = load(path, features, passphrase=passphrase)
            except (PassphraseNeeded, WrongPassphrase) as error:
                return PassphraseRequest(path, name, isinstance(error, WrongPassphrase))
            return model, describe(model)

        def done(result: ModelAndSummary | PassphraseRequest) -> None:
            if number <= self._n_cancelled:
                return
            if isinstance(result, PassphraseRequest):
                self.passphrase_requested.emit(result)
                return
            self._is_imported = True
            model, summary = result
            self._use(model, summary, ())
            self.tell(f"Opened {Path(model.path).name}.")
            self.opened.emit(model.path)
            self.opening_ended.emit()

        def fail(sentence: str) -> None:
            self._on_failed(sentence)
            self.opening_ended.emit()
            if not Path(path).exists():
                self.missing.emit(path)

        job = Job(f"Opening {name}", work, done, fail, self.opening_ended.emit)
        self.job_requested.emit(job)

    @Slot()
    def cancel_opening(self) -> None:
        """Cancel the models that are being opened."""
        self._n_cancelled = self._n_openings
        self.opening_ended.emit()

    @Slot()
    def discard(self) -> None:
        """Drop the model and the work in progress on it."""
        self._era += 1
        self._is_imported = False
        self.cancel_opening()
        self._use(None)

    @Slot(object)
    def on_prepared(self, features: dict[str, Any]) -> None:
        """Use these views from now on; drop models and takes of other views."""
        changed = self._features is not None and self._features != features
        self._features = features
        if changed:
            had_something = self._session.model is not None or self._session.enrolment.samples
            self.discard()
            self._session.change_enrolment(lambda enrolment: enrolment.clear())
            if had_something:
                self.tell("The views have changed: enrol again.", "warning")
        if path := self._waiting_for_views:
            self._waiting_for_views = ""
            self.open(path)

    # ------------------------------------------------------------- fits

    def _fit(self, samples: tuple[Sample, ...]) -> None:
        settings, features = self._session.settings, dict(self._features or {})

        def use(model: PadModel, summary: ModelSummary) -> None:
            self._is_imported = False
            self._use(model, summary, tuple(sample.number for sample in samples))
            self._tell_fitted(model, "The model is fitted: the verdict below the picture uses it.")
            self.fitted.emit()
            self.set_target(self._session.settings.target_bpcer)  # may have changed during the fit

        self._make_model(
            f"Fitting on {len(samples)} frames",
            lambda cancel: fitted(samples, settings, features, cancel=cancel),
            [sample.thumbnail for sample in samples],
            use,
            can_cancel=True,
        )

    def _extend(self, new: tuple[Sample, ...]) -> None:
        base, enrolment = self._session.model, self._session.enrolment
        if base is None or not new:
            return
        numbers = (*enrolment.modelled, *(sample.number for sample in new))

        def use(model: PadModel, summary: ModelSummary) -> None:
            self._use(model, summary, numbers)
            self._tell_fitted(model, "The new frames are now part of the model.")

        self._make_model(
            f"Adding {len(new)} frames to the model",
            lambda cancel: extended(base, new, cancel=cancel),
            self._session.thumbnails(numbers),
            use,
            again=partial(self._extend, new),
        )

    def _make_model(
        self,
        text: str,
        make: Callable[[Cancel], PadModel],
        faces: Sequence[Image | None],
        use: Callable[[PadModel, ModelSummary], None],
        *,
        again: Callable[[], None] | None = None,
        is_fit: bool = True,
        can_cancel: bool = False,
    ) -> None:
        """Make a model and use it, unless the model in use was discarded meanwhile.

        ``again`` is for models that build on the one in use: if that was replaced meanwhile, it is
        called instead of ``use``.
        """
        era, base = self._era, self._session.model

        def work(cancel: Cancel) -> ModelAndSummary:
            model = make(cancel)
            return model, describe(model, faces)

        def done(result: ModelAndSummary) -> None:
            self._count_fits(-is_fit)
            current = self._session.model
            if era != self._era:
                return
            if again is None or (base and current and base.digest == current.digest):
                use(*result)
            elif current is not None:
                again()

        def fail(sentence: str) -> None:
            self._count_fits(-is_fit)
            self._on_failed(sentence)

        def cancelled() -> None:
            self._count_fits(-is_fit)
            if is_fit:
                self.tell("The fit was cancelled; nothing has changed.")

        self._count_fits(is_fit)
        self.job_requested.emit(Job(text, work, done, fail, cancelled, can_cancel))

    def _count_fits(self, change: int) -> None:
        if change:
            self._n_fits += change
            self.fitting_changed.emit(self._n_fits > 0)

    def _tell_fitted(self, model: PadModel, text: str) -> None:
        self.tell(" ".join(model.notes) or text, "warning" if model.notes else "info")

    # ------------------------------------------------------------- inner

    def _use(
        self,
        model: PadModel | None,
        summary: ModelSummary | None = None,
        numbers: tuple[int, ...] | None = None,
    ) -> None:
        self._session.set_model(model, numbers, summary)
        self.model_changed.emit(model)

    def _on_exported(self, export: Export) -> None:
        # The model may have changed while the file was written.
        current = self._session.model
        if current is not None and current.digest == export.model.digest:
            self._use(export.model)
        name = Path(export.model.path).name
        self.tell(f"Exported to {name}. {export.statement}")
        self.exported.emit(export)
        self.opened.emit(export.model.path)

    def _on_failed(self, sentence: str) -> None:
        """Show why; the model in use stays."""
        self.tell(sentence, "error")
