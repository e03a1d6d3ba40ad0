"""Scoring a frame with the real pipeline and a model of its own frames."""

from dataclasses import replace

import numpy as np
import pytest

from app.demo.renderer.takes import frames
from app.demo.script import Take
from app.models.fitting import fitted
from app.session.enrolment import Enrolment
from app.session.scoring import THUMBNAIL, score_frame, thumbnail_of
from app.session.takes import Offer, Plan
from app.settings import Settings
from app.types import Frame, Verdict
from app.vision.faces.alignment import face_transform, square_corners
from app.vision.faces.detector import make_detector
from app.vision.faces.tracking import FaceTracker
from app.vision.pipeline import Pipeline
from lmkl_core.features.presets import Crop
from tests.app.vision.test_pipeline import MeanColour

RECORDINGS, FRAMES = 3, 6
NO_FACE = np.random.default_rng(0).integers(60, 190, (480, 640, 3), dtype=np.uint8)
BLACK = np.zeros((480, 640, 3), np.uint8)


@pytest.fixture(scope="session")
def enrolled(tiny_extractor):
    """Return an enrolment of one person in one light."""
    enrolment = Enrolment(Plan(frames=RECORDINGS * FRAMES, every=0.0, at_least_every=0.0))
    enrolment.start("office")
    for number in range(RECORDINGS):
        pipeline = Pipeline(tiny_extractor, FaceTracker(make_detector()))
        for frame in frames(Take("P001", seed=number + 1, n_frames=8 * FRAMES), every=8):
            scored = score_frame(pipeline, None, replace(frame, time=frame.time + 10 * number))
            assert enrolment.offer(scored) not in (Offer.ALIKE, Offer.UNUSABLE)
    assert not enrolment.is_recording
    return enrolment


@pytest.fixture(scope="session")
def model(enrolled, tiny_extractor):
    settings = Settings(preset="tiny", n_clusters=2)
    return fitted(enrolled.samples, settings, tiny_extractor.fingerprint())


@pytest.fixture(scope="session")
def prints():
    """Return a print of the same person, held up in the same light."""
    return list(frames(Take("P001", "print", seed=4, n_frames=9), every=4))


def test_that_without_a_model_a_face_is_found_but_not_scored(pipeline, genuine_take):
    scored = score_frame(pipeline, None, genuine_take[0])
    assert scored.frame is genuine_take[0]
    assert (scored.verdict, scored.score, scored.threshold) == (Verdict.NO_MODEL, None, None)
    assert (scored.terms, scored.memberships) == ((), ())
    assert scored.quality.passed
    assert scored.face_changed
    assert tuple(scored.views) == pipeline.extractor.view_names
    assert scored.result.condition is not None


def test_that_a_person_is_accepted_and_the_terms_explain_the_score(pipeline, model, genuine_take):
    scored = score_frame(pipeline, model, genuine_take[0])
    assert scored.verdict is Verdict.GENUINE
    assert scored.score >= scored.threshold == model.threshold
    assert np.sum(scored.terms) == pytest.approx(scored.score, rel=1e-12)
    assert np.shape(scored.terms) == (2, 4)
    assert sum(scored.memberships) == pytest.approx(1.0)
    assert scored.familiarity.differences == ()
    assert scored.seconds > 0


def test_that_a_print_scores_lower_and_is_not_accepted(pipeline, model, genuine_take, prints):
    genuine = score_frame(pipeline, model, genuine_take[0]).score
    pipeline.reset()
    attacks = [score_frame(pipeline, model, frame) for frame in prints]
    scores = [scored.score for scored in attacks if scored.score is not None]
    assert scores
    assert max(scores) < genuine
    assert not any(scored.verdict.accepts for scored in attacks)


def test_that_other_light_is_named_if_the_model_knows_its_conditions(pipeline, model, genuine_take):
    warm = Frame((genuine_take[0].image * np.array([1.0, 0.82, 0.6])).astype(np.uint8))
    scored = score_frame(pipeline, model, warm)
    assert scored.score < scored.threshold
    assert "the light is warmer" in scored.familiarity.differences
    scored = score_frame(pipeline, replace(model, conditions=None), warm)
    assert (scored.verdict, scored.familiarity.differences) == (Verdict.ATTACK, ())


def test_that_an_unusable_frame_gives_a_reason_and_cannot_be_enrolled(pipeline, model):
    for image, verdict in (
        (NO_FACE, Verdict.NO_FACE),
        (BLACK, Verdict.BAD_FRAME),
        (np.zeros((3, 3), np.float64), Verdict.BAD_FRAME),
    ):
        for model_in_use in (None, model):
            scored = score_frame(pipeline, model_in_use, Frame(image))
            assert scored.verdict is verdict
            assert scored.reason
            assert (scored.score, scored.terms, scored.regions) == (None, (), ())
            assert scored.views is scored.result.condition is thumbnail_of(scored.result) is None


def test_that_a_face_of_poor_quality_is_located_but_cannot_be_enrolled(
    pipeline, model, genuine_take
):
    dark = (genuine_take[0].image * 0.12).astype(np.uint8)
    scored = score_frame(pipeline, model, Frame(dark))
    assert (scored.verdict, scored.score) == (Verdict.POOR_QUALITY, None)
    assert scored.box is not None
    assert not scored.quality.passed
    assert (scored.views, thumbnail_of(scored.result)) == (None, None)


def test_that_the_thumbnail_shows_the_face_and_shares_no_memory(pipeline, genuine_take):
    frame = genuine_take[0]
    scored = score_frame(pipeline, None, frame)
    thumbnail = thumbnail_of(scored.result)
    assert thumbnail.shape == (THUMBNAIL.size, THUMBNAIL.size, 3)
    assert thumbnail.dtype == np.uint8
    assert not np.shares_memory(thumbnail, frame.image)
    x, y, width, height = scored.box
    face = frame.image[int(y) : int(y + height), int(x) : int(x + width)]
    assert np.abs(thumbnail.mean(axis=(0, 1)) - face.mean(axis=(0, 1))).max() < 40


def test_that_regions_are_the_crops_of_the_networks(pipeline, genuine_take):
    frame = genuine_take[0]
    scored = score_frame(pipeline, None, frame)
    crops = pipeline.extractor.preset.crops
    assert [region.name for region in scored.regions] == [crop.name for crop in crops]
    transform = face_transform(pipeline.process(frame).face.landmarks)
    for region, crop in zip(scored.regions, crops, strict=True):
        expected = square_corners(transform, crop.centre, crop.side)
        assert np.allclose(region.corners, expected, atol=3.0)


def test_that_whole_pictures_can_be_enrolled_without_a_face():
    pipeline = Pipeline(MeanColour(Crop("image", 64, of="image")), FaceTracker(make_detector()))
    enrolment = Enrolment(Plan(frames=1))
    enrolment.start("cup")
    scored = score_frame(pipeline, None, Frame(NO_FACE))
    assert scored.verdict is Verdict.NO_MODEL
    assert (scored.regions, scored.box, thumbnail_of(scored.result)) == ((), None, None)
    assert enrolment.offer(scored) is Offer.FINISHED
    assert [item.name for item in enrolment.state.coverage] == ["Frames"]
