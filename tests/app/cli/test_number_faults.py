"""Frames and takes without usable numbers are refused with a reason, never scored."""

import copy
import json
from dataclasses import replace

import numpy as np
import pytest

from app.capture.opencv import cv2
from app.cli.console import ExitCode
from app.cli.score import REPEATED
from app.models.files import load
from app.models.fitting import extended, fitted
from app.session.decision import ENOUGH_FRAMES, Decider
from app.session.enrolment import Enrolment
from app.session.scoring import score_frame
from app.session.takes import Offer, Plan
from app.settings import Settings
from app.types import Frame, Status, Verdict
from app.vision.pipeline import Pipeline
from lmkl_core import InvalidInputError
from tests.app.cli.running import run
from tests.app.models.small_models import FEATURES, samples_of, window_model

BAD = {"NaN": np.nan, "minus infinity": -np.inf, "overflow": 1e38}


class Faulty:
    """The real engine, with one wrong number while ``is_broken``."""

    def __init__(self, engine, bad):
        self.real, self.bad, self.is_broken = engine, np.float32(bad), False
        self.name, self.weight, self.brings_threads = engine.name, engine.weight, False

    def run(self, crops):
        outputs = [output.copy() for output in self.real.run(crops)]
        if self.is_broken:
            with np.errstate(over="ignore"):
                outputs[-1][0, 3] = self.bad * 10
        return outputs


@pytest.fixture(scope="module")
def model(model_file, tiny_extractor):
    return load(model_file, tiny_extractor.fingerprint())


@pytest.fixture
def faulty(tiny_extractor, pipeline):
    """Return a function that makes a pipeline with a faulty engine, and the engine."""

    def make(bad):
        extractor = copy.copy(tiny_extractor)
        engine = Faulty(extractor._engines[0], bad)
        extractor._engines = (engine, *extractor._engines[1:])
        return Pipeline(extractor, pipeline.tracker), engine

    return make


@pytest.mark.fault("Numbers", "a network that gives NaN or infinity for one frame", keeps="models")
@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_that_a_frame_with_non_finite_features_is_refused_and_the_next_is_judged(
    attempt, faulty, model, genuine_take, bad
):
    pipeline, engine = faulty(bad)
    decider = Decider()
    enrolment = Enrolment(Plan(every=0.0))
    enrolment.start("take")
    for number, frame in enumerate(genuine_take):
        engine.is_broken = number % 3 == 1
        with attempt() as trial:
            scored = score_frame(pipeline, model, replace(frame, time=number / 30))
            decision = decider.update(scored)
            if engine.is_broken:
                assert (scored.verdict, scored.score) == (Verdict.BAD_FRAME, None)
                assert "not finite" in scored.reason
                assert "lmkl-pad weights verify" in scored.reason
                assert scored.terms == scored.memberships == ()
                assert enrolment.offer(scored) is Offer.UNUSABLE
            else:
                assert scored.verdict is Verdict.GENUINE
                assert np.isfinite(scored.score)
                enrolment.offer(scored)
            trial.expect_kept(decision.score is None or np.isfinite(decision.score))
    assert decision.verdict is Verdict.GENUINE
    assert decision.n_frames >= ENOUGH_FRAMES
    for sample in enrolment.samples:
        assert all(np.isfinite(view).all() for view in sample.views.values())


@pytest.mark.fault("Numbers", "finite features too large for the model", keeps="models")
def test_that_a_frame_whose_features_overflow_is_refused_with_the_reason(
    attempt, tiny_extractor, pipeline, model, genuine_take
):
    class ScaledExtractor:
        preset, scale = tiny_extractor.preset, np.float32(1)

        def __call__(self, crops):
            return {name: row * self.scale for name, row in tiny_extractor(crops).items()}

    extractor = ScaledExtractor()
    chain = Pipeline(extractor, pipeline.tracker)
    for scale in (1e20, 1, 1e30, 1, 3e37, 1):
        extractor.scale = np.float32(scale)
        with attempt() as trial:
            scored = score_frame(chain, model, genuine_take[0])
            if scale == 1:
                trial.expect_kept(scored.verdict is Verdict.GENUINE)
            else:
                assert (scored.verdict, scored.score) == (Verdict.BAD_FRAME, None)
                assert "too large" in scored.reason
                assert scored.views is None


@pytest.mark.fault("Numbers", "a black face in a normal picture")
def test_that_an_all_black_crop_is_refused_as_too_dark(pipeline, genuine_take):
    frame = genuine_take[0]
    face = pipeline.process(frame).face
    x, y, width, height = (round(value) for value in face.box)
    image = frame.image.copy()
    image[max(0, y - height) : y + 2 * height, max(0, x - width) : x + 2 * width] = 0
    image[:8] = 200  # the picture as a whole is not black

    class FixedTracker:
        """Reports the face where it was."""

        def update(self, image, time):
            return replace(track, changed=False)

        def lose(self, time):
            raise AssertionError("the frame as a whole is a picture")

    track = pipeline.tracker.update(frame.image, 0.0)
    result = Pipeline(pipeline.extractor, FixedTracker()).process(Frame(image))
    assert (result.status, result.views) == (Status.POOR_QUALITY, None)
    assert "dark" in result.reason
    assert all(np.isfinite(check.value) or not check.passed for check in result.quality.checks)


@pytest.mark.fault("Numbers", "a fit on a take of one repeated picture", keeps="models")
@pytest.mark.parametrize("n_different", [1, 11])
def test_that_a_fit_on_copies_is_refused_with_the_reason(n_different):
    samples = samples_of("window 1", "window 2", n=18)
    samples = [samples[number % n_different] for number in range(len(samples))]
    with pytest.raises(InvalidInputError, match=rf"\b{n_different}\b.* 36 "):
        fitted(samples, Settings(n_clusters=2), FEATURES)


def test_that_a_model_is_not_extended_with_copies_but_tolerates_a_single_one():
    more = samples_of("lamp 1", seed=3, n=18)
    more[4] = more[3]
    grown = extended(window_model(), more)
    assert np.isfinite(grown.threshold)
    with pytest.raises(InvalidInputError, match=r"\b1\b.* 18 "):
        extended(window_model(), more[:1] * 18)


@pytest.fixture
def video(tmp_path):
    """Return a function that writes pictures as a lossless video."""

    def write(name, images):
        path = tmp_path / f"{name}.avi"
        height, width = images[0].shape[:2]
        writer = cv2.VideoWriter(str(path), cv2.VideoWriter_fourcc(*"FFV1"), 30, (width, height))
        assert writer.isOpened()
        for image in images:
            writer.write(image[:, :, ::-1])
        writer.release()
        return path

    return write


@pytest.mark.fault("Numbers", "a black or frozen video given to the command score", keeps="models")
def test_that_black_and_frozen_videos_get_no_verdict_from_the_command(
    attempt, model_file, video, genuine_take
):
    before = model_file.read_bytes()
    still = genuine_take[0].image
    black = video("black", [np.zeros_like(still)] * 9)
    frozen = video("frozen", [still] * 9)
    for path, n_scored, reason in ((black, 0, "The image is black"), (frozen, 1, REPEATED)):
        with attempt() as trial:
            rows = path.with_suffix(".csv")
            result = run("score", model_file, path, "--json", "-o", rows)
            (summary,) = json.loads(result.stdout)["inputs"]
            assert (summary["n_frames"], summary["n_scored"]) == (9, n_scored)
            assert summary["mean_score"] is None
            assert summary["verdict"] == Verdict.POOR_QUALITY.value
            assert result.exit_code == (ExitCode.OK if n_scored else ExitCode.NO_FRAMES)
            assert rows.read_text(encoding="utf-8").count(reason) == 9 - n_scored
            trial.expect_kept(model_file.read_bytes() == before)
