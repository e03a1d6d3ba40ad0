"""From a frame to named views: the only place where the stages are chained.

``Frame -> RGB -> face -> aligned face -> quality and condition -> crops -> views, liveness``

Enrolment, live scoring, files and databases all come through `Pipeline.process`, so that one
frame gives the same values everywhere. A stage that cannot go on ends the way with a status and a
reason; nothing a frame can hold raises.
"""

import logging
import math
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from time import perf_counter
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from app.capture.frames import as_rgb
from app.types import Face, Frame, FrameResult, Image, Status
from app.vision.conditions import condition_of
from app.vision.faces.alignment import Box, cut, cut_all, face_side, face_transform, visible_share
from app.vision.faces.pose import head_pose
from app.vision.faces.resampling import Matrix
from app.vision.faces.tracking import FaceTracker, Tracking
from app.vision.quality import ALIGNED_SIZE, FaceMeasures, Limits, judge, measure, surroundings
from lmkl_core.errors import UnusableViewsError
from lmkl_core.features.presets import Crop, Preset

log = logging.getLogger(__name__)

Views = Mapping[str, NDArray[np.float32]]

_ALIGNED = Crop("aligned", ALIGNED_SIZE)
# Movement is told between frames that are this many seconds apart. Closer ones, such as network
# cameras send in bursts, carry the time of their arrival and would make a slow move look fast.
_SHORTEST_GAP, _LONGEST_GAP = 0.02, 0.5
_TRAIL = 16


class Extractor(Protocol):
    """What the pipeline needs of `lmkl_core.features.extractor.Extractor`."""

    @property
    def preset(self) -> Preset:
        """The preset that says which crops to cut."""

    def __call__(self, crops: Mapping[str, Image]) -> Views:
        """Return the views of one frame's crops."""


class Meter(Protocol):
    """What the pipeline needs of `lmkl_core.features.liveness.LivenessMeter`."""

    @property
    def crops(self) -> tuple[Crop, ...]:
        """What it looks at."""

    def __call__(self, crops: Mapping[str, Image]) -> float:
        """Return the probability that one frame's face is live."""


def refuse_non_finite(views: Views) -> None:
    """Refuse views that hold anything but finite numbers, whoever made them.

    Raises
    ------
    UnusableViewsError
        Names the first such view.
    """
    for name, row in views.items():
        if not np.isfinite(row).all():
            raise UnusableViewsError(f"the view {name} holds values that are no numbers.")


class Stopwatch:
    """Seconds spent in named stages."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def time(self, stage: str) -> Iterator[None]:
        """Add the time of the block to a stage."""
        start = perf_counter()
        try:
            yield
        finally:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + perf_counter() - start


class Pipeline:
    """The chain of stages, with the little state it needs: the track and where the face was.

    Not safe to call from two threads at once; one pipeline serves one stream of frames. Call
    `reset` between streams.

    Parameters
    ----------
    extractor : Extractor
        Turns crops into views.
    tracker : FaceTracker
        Finds the face.
    limits : Limits
        Limits of the quality gate.
    meter : Meter, optional
        Measures the liveness of frames that pass the gate.
    """

    def __init__(
        self,
        extractor: Extractor,
        tracker: FaceTracker,
        limits: Limits | None = None,
        meter: Meter | None = None,
    ) -> None:
        self.extractor = extractor
        self.tracker = tracker
        self.limits = limits or Limits()
        self.meter = meter
        self._trail: deque[tuple[float, tuple[float, float]]] = deque(maxlen=_TRAIL)

    def reset(self) -> None:
        """Forget the stream so far, before frames of another one come."""
        self.tracker.reset()
        self._trail.clear()

    def process(self, frame: Frame) -> FrameResult:
        """Return the views of a frame, or why there are none.

        Parameters
        ----------
        frame : Frame
            Any frame; its image may be anything a broken camera sends.
        """
        watch = Stopwatch()
        image, reason = as_rgb(frame.image)
        if image is None:
            self.tracker.lose(frame.time)
            self._trail.clear()
            return FrameResult(frame, Status.BAD_FRAME, reason)
        if all(crop.of == "image" for crop in self.extractor.preset.crops):
            return self._without_face(frame, image, watch)
        with watch.time("detect"):
            tracking = self.tracker.update(image, frame.time)
        if tracking.face is None or tracking.changed:
            self._trail.clear()  # from one face to another is no movement
        if tracking.face is None:
            reason = "No face found: look into the camera, and come closer if you are far away."
            return FrameResult(frame, Status.NO_FACE, reason, seconds=watch.seconds)
        return self._with_face(frame, image, tracking.face, tracking, watch)

    def _without_face(self, frame: Frame, image: Image, watch: Stopwatch) -> FrameResult:
        """Serve presets of whole pictures, such as the paper's objects."""
        found = FrameResult(frame, Status.READY, seconds=watch.seconds)
        return self._with_views(found, image, None, watch)

    def _with_face(
        self, frame: Frame, image: Image, face: Face, tracking: Tracking, watch: Stopwatch
    ) -> FrameResult:
        transform = face_transform(face.landmarks)
        if transform is None:
            self._trail.clear()
            reason = "The face's landmarks cannot be used: look straight into the camera."
            return FrameResult(
                frame,
                Status.POOR_QUALITY,
                reason,
                face,
                tracking.n_faces,
                seconds=watch.seconds,
                face_changed=tracking.changed,
            )
        with watch.time("quality"):
            measures = self._measure(frame, image, face, transform)
            quality = judge(measures, self.limits)
            condition = condition_of(measures, image.shape[0])
        found = FrameResult(
            frame,
            Status.READY if quality.passed else Status.POOR_QUALITY,
            "" if quality.passed else quality.reasons[0],
            face,
            tracking.n_faces,
            measures.pose,
            quality,
            condition,
            seconds=watch.seconds,
            face_changed=tracking.changed,
        )
        if not quality.passed:
            return found
        return self._with_views(found, image, transform, watch)

    def _with_views(
        self, found: FrameResult, image: Image, transform: Matrix | None, watch: Stopwatch
    ) -> FrameResult:
        """Add the views; what a network makes no numbers of is refused like a broken frame."""
        box = None if found.face is None else found.face.box
        with watch.time("crops"):
            crops = cut_all(image, transform, self.extractor.preset.crops, box)
        try:
            with watch.time("views"):
                views = self.extractor(crops)
            refuse_non_finite(views)
        except UnusableViewsError as error:
            return replace(
                found, status=Status.BAD_FRAME, reason=f"This frame is of no use: {error}"
            )
        return replace(found, views=views, liveness=self._liveness(image, box, watch))

    def _liveness(self, image: Image, box: Box | None, watch: Stopwatch) -> float | None:
        if self.meter is None or box is None:
            return None
        try:
            with watch.time("liveness"):
                found = self.meter(cut_all(image, None, self.meter.crops, box))
        except UnusableViewsError:
            return None
        except Exception:
            log.exception("Liveness cannot be measured: frames are judged without it.")
            self.meter = None
            return None
        return found if math.isfinite(found) else None

    def _measure(self, frame: Frame, image: Image, face: Face, transform: Matrix) -> FaceMeasures:
        size = face_side(transform)
        x, y = (float(value) for value in face.landmarks.mean(axis=0))
        return measure(
            cut(image, transform, _ALIGNED),
            room=surroundings(image, (x, y), size),
            size=size,
            visible=visible_share(face.landmarks, transform, image.shape[:2]),
            pose=head_pose(face.landmarks),
            motion=self._motion(frame.time, (x, y), size),
        )

    def _motion(self, time: float, centre: tuple[float, float], size: float) -> float:
        """Return how fast the face moved since a frame shortly before, in face sides a second."""
        trail = self._trail
        if trail and not 0.0 < time - trail[-1][0] <= _LONGEST_GAP:
            trail.clear()
        while len(trail) > 1 and time - trail[1][0] >= _SHORTEST_GAP:
            trail.popleft()
        since, before = trail[0] if trail else (time, centre)
        trail.append((time, centre))
        if not time - since >= _SHORTEST_GAP:
            return 0.0
        return math.dist(before, centre) / size / (time - since)
