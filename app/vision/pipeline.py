"""From a frame to named views, for enrolment, live scoring, files and databases alike.

``Frame -> RGB -> face -> transform -> quality and condition -> crops -> views, liveness``

A stage that fails returns a status and a reason; no frame raises.
"""

import logging
import math
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from time import perf_counter

from app.capture.frames import as_rgb
from app.types import Condition, Face, Frame, FrameResult, Image, Quality, Status
from app.vision.faces.alignment import (
    Matrix,
    cut,
    cut_all,
    face_side,
    face_transform,
    visible_share,
)
from app.vision.faces.detector import make_detector
from app.vision.faces.pose import head_pose
from app.vision.faces.tracking import FaceTracker
from app.vision.quality import ALIGNED_SIZE, Limits, condition_of, judge, surroundings
from lmkl_core.errors import UnusableViewsError
from lmkl_core.features.extractor import Extractor
from lmkl_core.features.liveness import LivenessMeter
from lmkl_core.features.presets import Crop, Preset, load_preset

log = logging.getLogger(__name__)

_ALIGNED = Crop("aligned", ALIGNED_SIZE)
# Seconds between frames used to measure movement: network cameras send bursts, stamped on arrival,
# which would make a slow move look fast.
_SHORTEST_GAP, _LONGEST_GAP = 0.02, 0.5
_TRAIL = 16


@contextmanager
def _timed(seconds: dict[str, float], stage: str) -> Iterator[None]:
    start = perf_counter()
    try:
        yield
    finally:
        seconds[stage] = perf_counter() - start


class Pipeline:
    """The stages for one stream of frames; not thread-safe. Call `reset` between streams."""

    def __init__(
        self,
        extractor: Extractor,
        tracker: FaceTracker,
        limits: Limits | None = None,
        meter: LivenessMeter | None = None,
    ) -> None:
        self.extractor = extractor
        self.tracker = tracker
        self.limits = limits or Limits()
        self.meter = meter
        self._trail: deque[tuple[float, tuple[float, float]]] = deque(maxlen=_TRAIL)

    def reset(self) -> None:
        self.tracker.reset()
        self._trail.clear()

    def process(self, frame: Frame) -> FrameResult:
        """Return the views of a frame, or the reason why there are none."""
        seconds: dict[str, float] = {}
        image, reason = as_rgb(frame.image)
        if image is None:
            self.tracker.lose(frame.time)
            self._trail.clear()
            return FrameResult(frame, Status.BAD_FRAME, reason)
        result = FrameResult(frame, Status.READY, image=image, seconds=seconds)
        if all(crop.of == "image" for crop in self.extractor.preset.crops):
            return self._with_views(result, image, seconds)
        with _timed(seconds, "detect"):
            tracking = self.tracker.update(image, frame.time)
        face = tracking.face
        if face is None or tracking.changed:
            self._trail.clear()  # a change of face is not a movement
        if face is None:
            reason = "No face found: look into the camera, and come closer if you are far away."
            return replace(result, status=Status.NO_FACE, reason=reason)
        transform = face_transform(face.landmarks)
        result = replace(
            result,
            face=face,
            n_faces=tracking.n_faces,
            face_changed=tracking.changed,
            transform=transform,
        )
        if transform is None:
            self._trail.clear()
            reason = "The face's landmarks cannot be used: look straight into the camera."
            return replace(result, status=Status.POOR_QUALITY, reason=reason)
        with _timed(seconds, "quality"):
            condition, quality = self._measure(frame.time, image, face, transform)
        result = replace(result, quality=quality, condition=condition)
        if not quality.passed:
            return replace(result, status=Status.POOR_QUALITY, reason=quality.reasons[0])
        return self._with_views(result, image, seconds)

    def _measure(
        self, time: float, image: Image, face: Face, transform: Matrix
    ) -> tuple[Condition, Quality]:
        size = face_side(transform)
        x, y = (float(value) for value in face.landmarks.mean(axis=0))
        condition = condition_of(
            cut(image, transform, _ALIGNED),
            room=surroundings(image, (x, y), size),
            size=size,
            frame_height=image.shape[0],
            pose=head_pose(face.landmarks),
        )
        visible = visible_share(face.landmarks, transform, image.shape[:2])
        motion = self._motion(time, (x, y), size)
        quality = judge(condition, self.limits, size=size, visible=visible, motion=motion)
        return condition, quality

    def _motion(self, time: float, centre: tuple[float, float], size: float) -> float:
        """Return the speed since an earlier frame, in face sides per second."""
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

    def _with_views(
        self, result: FrameResult, image: Image, seconds: dict[str, float]
    ) -> FrameResult:
        box = None if result.face is None else result.face.box
        with _timed(seconds, "crops"):
            crops = cut_all(image, result.transform, self.extractor.preset.crops, box)
        try:
            with _timed(seconds, "views"):
                views = self.extractor(crops)
        except UnusableViewsError as error:
            reason = f"This frame cannot be used: {error} `lmkl-pad weights verify` checks them."
            return replace(result, status=Status.BAD_FRAME, reason=reason)
        return replace(result, views=views, liveness=self._liveness(result, image, seconds))

    def _liveness(
        self, result: FrameResult, image: Image, seconds: dict[str, float]
    ) -> float | None:
        if self.meter is None or result.face is None:
            return None
        try:
            with _timed(seconds, "liveness"):
                found = self.meter(cut_all(image, None, self.meter.crops, result.face.box))
        except UnusableViewsError:
            return None
        except Exception:
            log.exception("Liveness cannot be measured: frames are scored without it.")
            self.meter = None
            return None
        return found if math.isfinite(found) else None


def make_pipeline(
    preset: Preset | str,
    detector: str = "mtcnn",
    *,
    progress: Callable[[int, int, str], None] | None = None,
    cancel: Callable[[], bool] | None = None,
) -> Pipeline:
    """Return a pipeline for a preset; preparing its networks the first time may take a minute."""
    chosen = load_preset(preset) if isinstance(preset, str) else preset
    extractor = Extractor(chosen, progress=progress, cancel=cancel)
    return Pipeline(extractor, FaceTracker(make_detector(detector)))
