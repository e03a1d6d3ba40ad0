"""The distance sweep: faces of the wanted size, and figures that follow from the scores."""

import pytest

from app.demo.renderer.people import PEOPLE
from app.vision.faces.alignment import face_side, face_transform
from app.vision.faces.detector import make_detector
from app.vision.faces.tracking import FaceTracker
from benchmarks import sweep


@pytest.mark.parametrize("instrument", [None, "print"])
def test_that_faces_are_rendered_at_the_size_that_was_asked_for(instrument):
    tracker = FaceTracker(make_detector())
    for side in (90, 180):
        frame = next(sweep.frames(PEOPLE[0], "office", 1, instrument, side))
        tracker.reset()
        face = tracker.update(frame.image, frame.time).face
        assert face_side(face_transform(face.landmarks)) == pytest.approx(side, rel=0.15)


def test_that_rows_of_several_people_are_counted_together():
    one = [([100.0], 2, [[0.1], [0.2]]), ([120.0], 1, [[0.5], [0.6]])]
    other = [([104.0], 2, [[-0.1], [0.4]]), ([124.0], 1, [[0.7], [0.8]])]
    first, second = sweep.merged([one, other])
    assert first == ([100.0, 104.0], 4, [[0.1, -0.1], [0.2, 0.4]])
    assert sweep.share(first[2][0], accepted=False) == 50
    assert sweep.share(second[2][0], accepted=True) == 100
    attacks = [([100.0], 1, [[-1.0], [-1.0]])]
    step = sweep.step_of([first, second], attacks, 0)
    assert step == pytest.approx((0.6 - 0.0) / (0.3 - -1.0))
