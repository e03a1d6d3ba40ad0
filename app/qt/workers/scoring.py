"""Prepare the networks and score the newest frame, on a separate thread."""

import logging
import threading
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QTimer, Signal, Slot

from app.capture.capture import LatestFrame
from app.logs import trace_of
from app.models.model import PadModel
from app.qt.state import Working
from app.qt.workers.worker import Notifier, sentence_of
from app.session.scoring import score_frame
from app.types import Frame, ScoredFrame
from app.vision.pipeline import Pipeline, make_pipeline
from lmkl_core.errors import Cancelled
from lmkl_core.features.liveness import LivenessMeter

Observe = Callable[[Pipeline, PadModel | None, Frame], ScoredFrame]

log = logging.getLogger(__name__)

NETWORKS_TOPIC = "liveness networks"
"""Topic of notices about the liveness networks."""
_VIEWS = "views"


class ScoringWorker(Notifier):
    """Owns the pipeline; an error becomes a notice, and scoring continues with the next frame.

    ``mailbox`` holds the newest frame; benchmarks pass a slower ``observe``.
    """

    topic = "scoring"
    working = Signal(object)
    """A `Working`: progress of the preparation; empty at the end."""
    prepared = Signal(object)
    """Fingerprint of the views in use."""
    observed = Signal(object)
    """A `ScoredFrame`."""

    def __init__(self, mailbox: LatestFrame, observe: Observe | None = None) -> None:
        super().__init__()
        self._mailbox = mailbox
        self._observe = observe or score_frame
        self._pipeline: Pipeline | None = None
        self._features: dict[str, Any] | None = None
        self._model: PadModel | None = None
        self._stop = threading.Event()
        self._last_failure = ""

    @Slot(str, str)
    def prepare(self, preset: str, detector: str) -> None:
        """Build the pipeline for these views; the first time, this may take up to a minute."""
        self._pipeline = None
        self.working.emit(Working("Preparing the networks", can_cancel=False))
        try:
            pipeline = make_pipeline(
                preset, detector, progress=self._report, cancel=self._stop.is_set
            )
            pipeline.meter = self._meter()
            self._pipeline = pipeline
        except Cancelled:
            return
        except Exception as error:
            log.info("The views could not be prepared: %s", trace_of(error))
            self.tell(sentence_of(error, "The networks could not be prepared"), "error", _VIEWS)
            return
        finally:
            self.working.emit(Working())
        features = pipeline.extractor.fingerprint()
        if features != self._features:
            self._features, self._model = features, None  # the model needs other views
        self.tell("", topic=_VIEWS)
        self.tell("")
        self.prepared.emit(features)
        # For a frame that arrived meanwhile, but after a pending `begin_stream`.
        QTimer.singleShot(0, self, self.on_frame_ready)

    @Slot()
    def use_meter(self) -> None:
        """Measure liveness from now on, as its networks are available."""
        if self._pipeline is None:
            return  # `prepare` will find them
        try:
            self._pipeline.meter = self._meter()
        except Cancelled:
            return
        finally:
            self.working.emit(Working())
        if self._pipeline.meter is not None:
            text = (
                "The liveness networks are in use: in light that was not enrolled, the verdict now "
                "depends on how live the face looks."
            )
            self.tell(text, topic=NETWORKS_TOPIC)
        self.on_frame_ready()

    @Slot(object)
    def set_model(self, model: PadModel | None) -> None:
        """Use this model, starting with the next frame."""
        self._model = model

    @Slot()
    def begin_stream(self) -> None:
        """Prepare for frames of another source."""
        if self._pipeline is not None:
            self._pipeline.reset()
        self._last_failure = ""

    @Slot()
    def on_frame_ready(self) -> None:
        """Score the newest frame."""
        if self._pipeline is None or self._stop.is_set():
            return
        if (frame := self._mailbox.take()) is None:
            return  # taken by an earlier call
        try:
            self.observed.emit(self._observe(self._pipeline, self._model, frame))
        except Exception as error:
            log.warning("A frame could not be scored: %s", trace_of(error))
            sentence = sentence_of(error, "A frame could not be scored")
            if sentence != self._last_failure:  # not again for every frame
                self._last_failure = sentence
                self.tell(sentence, "error")

    @Slot()
    def finish(self) -> None:
        """Release the networks and their threads; called last."""
        self._pipeline = None

    def ask_to_stop(self) -> None:
        """Cancel the preparation and stop scoring (called from another thread)."""
        self._stop.set()

    def _meter(self) -> LivenessMeter | None:
        """Return the liveness meter, or None; everything else works without it."""
        try:
            return LivenessMeter.find(progress=self._report, cancel=self._stop.is_set)
        except Cancelled:
            raise
        except Exception as error:
            log.info("Liveness cannot be measured: %s", trace_of(error))
            sentence = sentence_of(error, "The liveness networks cannot be used")
            self.tell(sentence, "warning", NETWORKS_TOPIC)
            return None

    def _report(self, done: int, total: int, text: str) -> None:
        text = f"Preparing the networks: {text}"
        self.working.emit(Working(text, done, total, can_cancel=False))
