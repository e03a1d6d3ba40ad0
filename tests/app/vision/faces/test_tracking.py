"""One face, followed at little cost and without jumps, on real detections."""

import numpy as np
import pytest

from app.vision.faces.tracking import FaceTracker
from tests.app.vision.faces.portraits import (
    WIDTH,
    blank,
    eye_distance,
    noisy,
    side_by_side,
    still,
)


def tracker_of(detector, **settings):
    tracker = FaceTracker(detector)
    vars(tracker).update(settings)
    return tracker


class Counting:
    """The real detector, with its calls counted."""

    def __init__(self, detector):
        self.name = detector.name
        self._detector = detector
        self.calls = []

    def detect(self, image):
        self.calls.append("detect")
        return self._detector.detect(image)

    def refine(self, image, face):
        self.calls.append("refine")
        return self._detector.refine(image, face)


@pytest.fixture
def counting(mtcnn):
    return Counting(mtcnn)


def run(tracker, images, rate=30.0, start=0.0):
    return [tracker.update(image, start + i / rate) for i, image in enumerate(images)]


def is_left(tracking):
    return tracking.face.landmarks[2, 0] < WIDTH / 2


def wander(frames, person=1):
    """Yield a person who moves, tilts and comes closer, with sensor noise."""
    for i in range(frames):
        t = i / 30
        shift = (40 * np.sin(2 * t), 15 * np.sin(3.1 * t))
        image = still(person, zoom=0.8 + 0.1 * np.sin(t), degrees=8 * np.sin(1.7 * t), shift=shift)
        yield noisy(image, i, 3.0)


def test_that_full_detections_are_rare_while_the_face_is_there(counting):
    results = run(tracker_of(counting, detect_every=10, detect_seconds=9.0), wander(31))
    assert counting.calls == ["detect", *(["refine"] * 10 + ["detect"]) * 3]
    assert all(result.face is not None for result in results)
    assert [result.changed for result in results] == [True] + [False] * 30


def test_that_landmarks_do_not_jump_between_refined_and_detected_frames(mtcnn):
    tracker = tracker_of(mtcnn, detect_every=6)
    errors = []
    for i, image in enumerate(wander(20)):
        face, truth = tracker.update(image, i / 30).face, mtcnn.detect(image)[0]
        errors.append(np.abs(face.landmarks - truth.landmarks).max() / eye_distance(truth))
    assert max(errors) < 0.05
    assert np.mean(errors) < 0.015


def test_that_a_slow_camera_gets_full_detections_by_time(counting):
    run(tracker_of(counting, detect_every=100, detect_seconds=0.5), [still(1)] * 8, rate=4.0)
    assert counting.calls.count("detect") == 4


def test_that_a_face_found_again_soon_is_the_same(counting):
    tracker = tracker_of(counting, memory=1.0)
    images = [still(1), still(1), blank(), blank(), still(1), still(1)]
    results = run(tracker, images)
    assert [r.face is not None for r in results] == [True, True, False, False, True, True]
    # The same after two frames without it, but not after two seconds.
    assert [r.changed for r in results] == [True] + [False] * 5
    run(tracker, [blank()], start=1.0)
    assert run(tracker, [still(1)], start=3.0)[0].changed


@pytest.mark.parametrize("people", [(3, 4), (5, 6)])
def test_that_a_cut_to_a_person_beside_the_old_position_is_another_face(mtcnn, people):
    # Two thirds of a face away, which `refine` can bridge by drifting.
    first, second = people
    tracker = FaceTracker(mtcnn)
    tracker.update(still(first, zoom=0.7, shift=(-60.0, 0.0)), 0.0)
    assert tracker.update(still(second, zoom=0.7, shift=(20.0, 0.0)), 0.03).changed


def test_that_reset_forgets_the_face(counting):
    tracker = FaceTracker(counting)
    tracker.update(still(1), 0.0)
    tracker.reset()
    assert tracker.update(still(1), 0.03).changed
    assert counting.calls == ["detect"] * 2


def test_that_a_newcomer_is_counted_but_takes_over_only_when_clearly_larger(counting):
    tracker = tracker_of(counting, detect_every=2, larger=1.3, detections=3)
    alone = run(tracker, [side_by_side(340, 0)] * 3)
    assert all(is_left(r) and r.n_faces == 1 for r in alone)
    # 1.1 times the side is 1.2 times the area: never enough.
    joined = run(tracker, [side_by_side(340, 370)] * 12, start=0.1)
    assert all(is_left(r) and not r.changed for r in joined)
    assert joined[-1].n_faces == 2
    # 1.3 times the side is 1.7 times the area: it takes over at the third detection.
    larger = run(tracker, [side_by_side(300, 400)] * 8, start=0.5)
    taken = [i for i, r in enumerate(larger) if r.changed]
    assert len(taken) == 1
    assert taken[0] >= 4
    assert all(is_left(r) == (i < taken[0]) for i, r in enumerate(larger))


def test_that_a_face_that_is_larger_only_briefly_does_not_take_over(counting):
    tracker = tracker_of(counting, detect_every=1, detections=3)
    run(tracker, [side_by_side(300, 0)])
    passing = [side_by_side(300, 400), side_by_side(300, 400), side_by_side(300, 0)] * 3
    assert all(is_left(result) for result in run(tracker, passing, start=0.1))


def test_that_a_face_hidden_briefly_is_followed_again_beside_another(counting):
    tracker = tracker_of(counting, memory=1.0)
    both, hidden = side_by_side(340, 330), side_by_side(0, 330)
    results = run(tracker, [both] * 3 + [hidden] * 3 + [both] * 30)
    assert is_left(results[2])
    assert not is_left(results[5])
    assert is_left(results[-1])
    # Away and back again: every change of face is reported.
    assert [r.changed for r in results].count(True) == 3
    # Hidden for long, it is not followed again.
    run(tracker, [hidden] * 40, start=1.2)
    assert not any(is_left(result) for result in run(tracker, [both] * 20, start=2.6))


def test_that_a_face_that_detections_miss_repeatedly_is_given_up(mtcnn):
    class Stubborn(Counting):
        """Keeps refining a face that is gone."""

        def refine(self, image, face):
            return face

    tracker = tracker_of(Stubborn(mtcnn), detect_every=1, detections=3)
    results = run(tracker, [still(1), blank(), blank(), blank()])
    assert [r.face is not None for r in results] == [True, True, True, False]
    assert [r.n_faces for r in results] == [1, 1, 1, 0]


def test_that_a_face_after_a_long_pause_is_another(counting):
    tracker = tracker_of(counting, pause=5.0)
    tracker.update(still(1), 0.0)
    assert not tracker.update(still(1), 4.9).changed
    assert tracker.update(still(1), 10.0).changed


def test_that_a_frame_of_another_size_resets_the_tracker(counting):
    tracker = FaceTracker(counting)
    tracker.update(still(1), 0.0)
    result = tracker.update(np.ascontiguousarray(still(1)[::2, ::2]), 0.03)
    assert counting.calls == ["detect"] * 2
    assert result.changed
    assert result.face.box[0] < 320
