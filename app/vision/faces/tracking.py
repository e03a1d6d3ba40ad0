"""Follow one face from frame to frame: detect now and then, refine in between.

A full detection costs several times as much as a look near the last position, but finds new faces;
so it runs at the start, when the face is lost, and every few frames. Another face is followed only
if the present one is gone, or if the other was clearly larger in several detections in a row.
Landmarks are not smoothed: a useful filter would lag behind a moving face.
"""

from dataclasses import dataclass

import numpy as np

from app.types import Face, Image
from app.vision.faces.detector import FaceDetector, edges, overlaps


@dataclass(frozen=True, eq=False)
class Tracking:
    face: Face | None
    n_faces: int  # in the last full detection; at least one if there is a face
    changed: bool  # whether this face is the first or another one than before


class FaceTracker:
    """Follows the largest face without jumping between faces; not thread-safe."""

    detect_every = 10  # frames between full detections while the face is not lost
    detect_seconds = 0.5  # after which a full detection is due even with fewer frames
    larger = 1.3  # factor in area by which another face must be larger to take over,
    detections = 3  # in this many detections in a row; a face missed in as many is given up
    memory = 1.0  # seconds during which a face at the place of a lost one is the same face
    pause = 5.0  # seconds without a frame after which the tracker is reset

    def __init__(self, detector: FaceDetector) -> None:
        self.detector = detector
        self.reset()

    def reset(self) -> None:
        self._face: Face | None = None
        self._last_seen: tuple[Face, float] | None = None
        self._before: tuple[Face, float] | None = None
        self._shape: tuple[int, ...] | None = None
        self._time = 0.0
        self._detected_at = 0.0
        self._frames_since = 0
        self._rival: Face | None = None
        self._rival_count = 0
        self._unconfirmed = 0
        self._n_faces = 0

    def update(self, image: Image, time: float) -> Tracking:
        """Find the face in the next frame; reset if the image size changed."""
        if image.shape != self._shape or time - self._time > self.pause:
            self.reset()
            self._shape = image.shape
        self._time = time
        near = self._look_nearby(image)
        if near is not None and not self._is_due(time):
            self._frames_since += 1
            return self._follow(near, time, changed=False)
        return self._detect(image, time, near)

    def lose(self, time: float) -> None:
        """Note a frame in which nothing is visible, such as a black one."""
        self._face, self._time = None, time

    def _look_nearby(self, image: Image) -> Face | None:
        near = None if self._face is None else self.detector.refine(image, self._face)
        # After a cut to another scene `refine` may drift to a face next to the old position, which
        # is not the one that was followed.
        return None if near is None else _best_match(self._face, [near])

    def _is_due(self, time: float) -> bool:
        age = time - self._detected_at
        return self._frames_since + 1 >= self.detect_every or not 0 <= age < self.detect_seconds

    def _detect(self, image: Image, time: float, near: Face | None) -> Tracking:
        """Look everywhere; ``near`` is the followed face as `refine` sees it."""
        faces = self.detector.detect(image)
        self._detected_at, self._frames_since = time, 0
        self._n_faces = len(faces)
        expected = near if near is not None else self._remembered(self._last_seen, time)
        same = _best_match(expected, faces)
        self._unconfirmed = self._unconfirmed + 1 if same is None and near is not None else 0
        if same is None and near is not None and self._unconfirmed < self.detections:
            # Full detections sometimes miss a face that `refine` still finds.
            self._n_faces += 1
            same = near
        if same is None:
            self._rival_count = 0
            if not faces:
                self._face = None
                return Tracking(None, 0, changed=False)
            self._before = self._last_seen
            return self._follow(faces[0], time, changed=True)
        if (returned := self._returned(same, faces, time)) is not None:
            return self._follow(returned, time, changed=True)
        if (rival := self._successor(same, faces)) is not None:
            return self._follow(rival, time, changed=True)
        return self._follow(same, time, changed=False)

    def _follow(self, face: Face, time: float, *, changed: bool) -> Tracking:
        if changed:
            self._unconfirmed = 0  # it counted misses of the previous face
        self._face, self._last_seen = face, (face, time)
        return Tracking(face, max(self._n_faces, 1), changed)

    def _remembered(self, seen: tuple[Face, float] | None, time: float) -> Face | None:
        return None if seen is None or not 0 <= time - seen[1] <= self.memory else seen[0]

    def _returned(self, followed: Face, faces: list[Face], time: float) -> Face | None:
        """Return the face followed before, if it was hidden (by a hand, a cup) only briefly."""
        others = [face for face in faces if face is not followed]
        returned = _best_match(self._remembered(self._before, time), others)
        if returned is not None:
            self._before, self._rival_count = None, 0
        return returned

    def _successor(self, followed: Face, faces: list[Face]) -> Face | None:
        """Return the face that has been clearly larger often enough, if there is one."""
        others = [face for face in faces if face is not followed]
        rival = max(others, key=lambda face: face.area, default=None)
        if rival is None or rival.area < self.larger * followed.area:
            self._rival_count = 0
            return None
        is_the_same = _best_match(self._rival, [rival]) is not None
        self._rival_count = self._rival_count + 1 if is_the_same else 1
        self._rival = rival
        if self._rival_count < self.detections:
            return None
        self._before, self._rival_count = None, 0
        return rival


def _best_match(expected: Face | None, faces: list[Face], at_least: float = 0.3) -> Face | None:
    """Return the face that overlaps the expected one most, if it overlaps enough."""
    if expected is None or not faces:
        return None
    shared = overlaps(edges([expected]), edges(faces))[0]
    best = int(np.argmax(shared))
    return faces[best] if shared[best] >= at_least else None
