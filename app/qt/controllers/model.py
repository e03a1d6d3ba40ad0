"""Models: fitted, extended, exported, imported, calibrated anew."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from app.models.files import Export, load, save
from app.models.fitting import extended, fitted, recalibrated
from app.models.model import PadModel
from app.models.summary import ModelSummary, describe
from app.qt.state import Notice, PassphraseAsked
from app.qt.workers.jobs import Cancel, Job
from app.session.enrolment import Sample, as_samples
from app.session.session import Session
from lmkl_core.errors import PassphraseNeeded, WrongPassphrase

FIT, EXTEND, EXPORT, IMPORT, CALIBRATE = "fit", "extend", "export", "import", "calibrate"
TOPIC = "model"


@dataclass(frozen=True, eq=False)
class Made:
    """What a job made, and what it started from.

    Attributes
    ----------
    model : PadModel
        The result.
    shown : ModelSummary
        Its description, which takes too long for the window's thread.
    era : int
        Of the controller when it was asked for: results of an earlier one are dropped.
    base : PadModel or None
        The model it goes on from; another may be in use by now.
    numbers : tuple of int or None
        Numbers of the enrolled samples it holds; None where these stay.
    again : callable or None
        Asks for the same once more, on the model that is in use by now.
    number : int
        Of the attempt to open it; 0 for what was made otherwise.
    """

    model: PadModel
    shown: ModelSummary
    era: int
    base: PadModel | None = None
    numbers: tuple[int, ...] | None = None
    again: Callable[[], None] | None = None
    number: int = 0


@dataclass(frozen=True)
class Shut:
    """A protected model that did not open.

    Attributes
    ----------
    path : str
        Its file.
    is_refused : bool
        Whether a passphrase was given, and did not open it.
    era, number : int
        Of the controller when it was asked for, and of the attempt.
    """

    path: str
    is_refused: bool
    era: int
    number: int


class ModelController(QObject):
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
    fitting_changed = Signal(bool)
    """Whether a fit is under way."""
    fitted = Signal()
    """A model was fitted from nothing."""
    exported = Signal(object)
    """An `Export`."""
    not_exported = Signal()
    """An export failed."""
    opened = Signal(str)
    """Path of a model that is now in use, exported or imported."""
    missing = Signal(str)
    """Path of a model that is not there any more."""
    passphrase_asked = Signal(object)
    """A `PassphraseAsked`: answer with `open`, or with `stay_shut`."""
    opening_ended = Signal()
    """A model was opened, or cannot be; nobody need be asked any more."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._features: dict[str, Any] | None = None
        self._waiting_for_views = ""
        self._importing: deque[str] = deque()
        self._n_openings = self._n_given_up = 0
        self._is_imported = False
        self._n_fits = 0
        self._era = 0

    # ------------------------------------------------------------- intents

    @Slot()
    def fit(self) -> None:
        """Fit on all that is enrolled, or fold new takes into a model that was imported."""
        session, features = self._session, self._features
        if self._n_fits:
            return
        why_not = session.enrolment.why_not()
        if features is None:
            why_not = self.tr("The networks are not ready yet: wait a moment and try again.")
        elif self._is_imported and session.model is not None and not session.enrolment.unmodelled:
            why_not = self.tr("The model holds all takes already: record another one first.")
        if why_not:
            self.notice.emit(Notice(why_not, "warning", TOPIC))
        elif self._is_imported and session.model is not None:
            self._extend(session.enrolment.unmodelled)
        else:
            self._fit(session.enrolment.samples)

    @Slot(str)
    def fold_in(self, take: str) -> None:
        """Fold a take into the model, at once."""
        self._extend(tuple(s for s in self._session.enrolment.unmodelled if s.take == take))

    @Slot(object)
    def set_target(self, target_bpcer: float | None) -> None:
        """Set the threshold for another share of refused genuine frames, or by default."""
        model = self._session.model
        if model is None or model.estimator.calibration_.target_bpcer == target_bpcer:
            return

        def work(_cancel: Cancel) -> Made:
            made = recalibrated(model, target_bpcer)
            return Made(made, describe(made, faces), era, model, again=again)

        def again() -> None:
            self.set_target(target_bpcer)

        era, faces = self._era, self._session.thumbnails(self._session.enrolment.modelled)
        self._ask(CALIBRATE, self.tr("Setting the threshold"), work)

    @Slot(str)
    def export(self, path: str, passphrase: str | None = None) -> None:
        """Save the model, and compare what was saved with it.

        Parameters
        ----------
        path : str
            The file.
        passphrase : str, optional
            Protects it.
        """
        model = self._session.model
        if model is None or not path:
            return

        def work(_cancel: Cancel) -> Export:
            return save(model, path, passphrase=passphrase)

        self._ask(EXPORT, self.tr("Exporting the model"), work)

    @Slot(str)
    def open(self, path: str, passphrase: str | None = None) -> None:
        """Load a model, as soon as the views that it must fit are known.

        Parameters
        ----------
        path : str
            The file.
        passphrase : str, optional
            Of a protected one; without it the person is asked.
        """
        if not path:
            return
        if self._features is None:
            self._waiting_for_views = path
            return

        def work(_cancel: Cancel) -> Made | Shut:
            try:
                model = load(path, features, passphrase=passphrase)
            except (PassphraseNeeded, WrongPassphrase) as error:
                return Shut(path, isinstance(error, WrongPassphrase), era, number)
            return Made(model, describe(model), era, numbers=(), number=number)

        features, era = dict(self._features), self._era
        self._importing.append(path)
        self._n_openings += 1
        number = self._n_openings
        self._ask(IMPORT, self.tr("Opening {name}").format(name=Path(path).name), work)

    @Slot()
    def stay_shut(self) -> None:
        """Go on without the protected model that a passphrase is asked for."""
        self._n_given_up = self._n_openings

    @Slot()
    def discard(self) -> None:
        """Go on without a model; what is being made of it is dropped."""
        self._era += 1
        self._is_imported = False
        self._use(None)

    # ------------------------------------------------------------- from workers

    @Slot(object)
    def on_prepared(self, features: dict[str, Any]) -> None:
        """Other views are computed from now on: a model or a take of other ones no longer fits."""
        changed = self._features is not None and self._features != features
        self._features = features
        if changed:
            had_something = self._session.model is not None or self._session.enrolment.samples
            self.discard()
            self._session.change_enrolment(lambda enrolment: enrolment.clear())
            if had_something:
                text = self.tr("The views have changed: enrol again.")
                self.notice.emit(Notice(text, "warning", TOPIC))
        if path := self._waiting_for_views:
            self._waiting_for_views = ""
            self.open(path)

    @Slot(str, object)
    def on_done(self, kind: str, result: Any) -> None:
        """Take over what the worker made."""
        self._count_down(kind)
        if kind == IMPORT and result.number <= self._n_given_up:
            return
        if kind == EXPORT:
            self._on_exported(result)
        elif isinstance(result, Shut) and result.era == self._era:
            name = Path(result.path).name
            self.passphrase_asked.emit(PassphraseAsked(result.path, name, result.is_refused))
            return
        elif isinstance(result, Made) and result.era == self._era:
            self._on_made(kind, result)
        if kind == IMPORT:
            self.opening_ended.emit()

    @Slot(str, str)
    def on_failed(self, kind: str, sentence: str) -> None:
        """Tell why; the model in use stays."""
        path = self._count_down(kind)
        if kind in (FIT, EXTEND, EXPORT, IMPORT, CALIBRATE):
            self.notice.emit(Notice(sentence, "error", TOPIC))
        if kind == EXPORT:
            self.not_exported.emit()
        if kind == IMPORT:
            self.opening_ended.emit()
            if not Path(path).exists():
                self.missing.emit(path)

    @Slot(str)
    def on_cancelled(self, kind: str) -> None:
        """Tell that nothing has changed."""
        self._count_down(kind)
        if kind == IMPORT:
            self.opening_ended.emit()
        if kind in (FIT, EXTEND):
            text = self.tr("The fit was cancelled; everything is as it was.")
            self.notice.emit(Notice(text, topic=TOPIC))

    # ------------------------------------------------------------- inner

    def _fit(self, samples: tuple[Sample, ...]) -> None:
        def work(cancel: Cancel) -> Made:
            rows = as_samples(samples)
            made = fitted(rows, settings, features, is_simulated=simulated, cancel=cancel)
            return Made(made, describe(made, faces), era, numbers=numbers)

        era, settings, features = self._era, self._session.settings, dict(self._features or {})
        numbers = tuple(sample.number for sample in samples)
        faces = [sample.thumbnail for sample in samples]
        simulated = any(sample.is_simulated for sample in samples)
        text = self.tr("Fitting on {n} frames").format(n=len(samples))
        self._ask(FIT, text, work, can_cancel=True)

    def _extend(self, new: tuple[Sample, ...]) -> None:
        base, enrolment = self._session.model, self._session.enrolment
        if base is None or not new:
            return

        def work(cancel: Cancel) -> Made:
            made = extended(base, as_samples(new), is_simulated=simulated, cancel=cancel)
            return Made(made, describe(made, faces), era, base, numbers, again)

        def again() -> None:
            self._extend(new)

        era = self._era
        numbers = (*enrolment.modelled, *(sample.number for sample in new))
        faces = self._session.thumbnails(numbers)
        simulated = any(sample.is_simulated for sample in new)
        self._ask(EXTEND, self.tr("Adding {n} frames to the model").format(n=len(new)), work)

    def _ask(
        self, kind: str, text: str, work: Callable[[Cancel], Any], *, can_cancel: bool = False
    ) -> None:
        if kind in (FIT, EXTEND):
            self._n_fits += 1
            self.fitting_changed.emit(True)
        self.job_requested.emit(Job(kind, text, work, can_cancel))

    def _count_down(self, kind: str) -> str:
        """Note that a job has ended; return the path of an import."""
        if kind in (FIT, EXTEND):
            self._n_fits -= 1
            self.fitting_changed.emit(self._n_fits > 0)
        return self._importing.popleft() if kind == IMPORT else ""

    def _on_made(self, kind: str, made: Made) -> None:
        current = self._session.model
        if made.base is not None and made.again is not None:
            if current is None:
                return
            if current.digest != made.base.digest:
                made.again()  # another model is in use by now: it is that one's turn
                return
        if kind in (FIT, IMPORT):
            self._is_imported = kind == IMPORT
        self._use(made.model, made.numbers, made.shown)
        if kind == IMPORT:
            name = Path(made.model.path).name
            self.notice.emit(Notice(self.tr("Opened {name}.").format(name=name), topic=TOPIC))
            self.opened.emit(made.model.path)
        elif kind in (FIT, EXTEND):
            self._tell_fitted(made.model, is_new=kind == FIT)
        if kind == FIT:
            self.fitted.emit()
            self.set_target(self._session.settings.target_bpcer)  # changed while it was fitted?

    def _use(
        self,
        model: PadModel | None,
        numbers: tuple[int, ...] | None = None,
        shown: ModelSummary | None = None,
    ) -> None:
        self._session.set_model(model, numbers, shown)
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
