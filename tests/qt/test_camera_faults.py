"""Camera faults in the real window: reported, nothing judged meanwhile, recovered from."""

import itertools
import os
import threading
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from app.capture.network import NetworkCamera
from app.capture.source import Cause, SourceError
from app.capture.watchdog import Limits
from app.session.scoring import score_frame
from app.types import Verdict
from tests.app.capture.media import jpeg, write_video
from tests.app.capture.mjpeg_server import running_server
from tests.qt.driving import PLAN, Pictures, recorded

N_GRAINS = 5
"""Noise patterns per pose, so that no two pictures are the same."""


class Camera(Pictures):
    """A camera that sees the person; tests spoil its images."""

    name, subject = "Webcam", "The camera Webcam"

    def __init__(self, images, rate=30.0):
        super().__init__(images, is_live=True)
        self.rate = rate
        # The person moves six times a second at any frame rate.
        self._n_alike = max(1, round(rate / 6))
        self.spoil = None
        """Function of number and image that returns the image to deliver."""

    def _image(self, number):
        image = super()._image(number // self._n_alike * N_GRAINS + number % N_GRAINS)
        return image if self.spoil is None else self.spoil(number, image)


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """Report faults soon; but a stall late, because a busy machine stalls, too."""
    limits = {"black_after": 0.2, "frozen_after": 0.3, "damaged_after": 0.2, "stalled_after": 4.0}

    def of(cls, info, is_live):
        frozen_after = limits["frozen_after"] if is_live else None
        return cls(**limits | {"frozen_after": frozen_after, "is_jpeg": info.is_jpeg})

    monkeypatch.setattr(Limits, "of", classmethod(of))
    monkeypatch.setattr(NetworkCamera.__init__, "__defaults__", (0.5, 1.0))


@pytest.fixture(scope="session")
def genuine(seen):
    """Return pictures of the person with sensor noise."""
    poses = [scored.frame.image for scored in seen["window 6"]]
    noise = np.random.default_rng(0).integers(-1, 2, (N_GRAINS, *poses[0].shape), np.int16)
    return [np.clip(pose + grain, 0, 255).astype(np.uint8) for pose in poses for grain in noise]


@pytest.fixture
def judging(launch, exported):
    """Return a function that opens the window on a camera, with a model of the person."""

    def start(camera=None, **settings):
        if camera is not None:
            settings["make_demo"] = lambda: camera
        driver = launch(recent=(str(exported),), **settings).until_modelled()
        driver.until_verdict(Verdict.GENUINE)
        return driver

    return start


def fault(what, *values, marks=()):
    """Return the parameters of a test that is a row of the fault table."""
    mark = pytest.mark.fault("Camera", what, keeps="models")
    return pytest.param(*values, marks=[mark, *marks], id=what)


def expect_silence(driver, camera):
    """Check that nothing is judged while a fault lasts, not even frames from before."""
    driver.until_verdict(Verdict.BAD_FRAME)
    scored, n_before = driver.session.scored, camera.n_delivered
    driver.until(lambda: camera.n_delivered > n_before + 25)
    assert driver.session.scored is scored
    assert not driver.session.decision.verdict.decides
    assert driver.session.decision.reason in driver.notices


def expect_recovery(driver, words):
    """Wait until the person is accepted again and the notice is gone, without a click."""
    driver.until_verdict(Verdict.GENUINE)
    driver.until(lambda: words not in driver.notices)


def survive(driver, attempt, words, begin, end, camera=None):
    """Let a fault begin and end: it is reported, nothing is judged, the model stays."""
    model = driver.session.model
    with attempt() as trial:
        begin()
        driver.until_notice(words)
        driver.until_verdict(Verdict.BAD_FRAME)
        if camera is not None:
            expect_silence(driver, camera)
        trial.expect_kept(driver.session.model is model)
        end()
        expect_recovery(driver, words)


@pytest.mark.fault("Camera", "unplugged, and plugged in again", keeps="models")
def test_that_an_unplugged_camera_is_reported_and_used_again_when_it_is_back(
    judging, genuine, attempt
):
    camera = Camera(genuine)
    driver = judging(camera)
    model = driver.session.model
    for is_recording in (False, True):
        with attempt() as trial:
            if is_recording:
                driver.turn_to("Enrol")
                driver.click(driver.pages.enrol.record.button)
                driver.until(lambda: len(driver.session.enrolment.samples) > 2)
            n_samples = len(driver.session.enrolment.samples)
            camera.error = SourceError(Cause.NO_CAMERA, camera.subject)
            driver.until_notice("The camera Webcam is not connected")
            driver.until_verdict(Verdict.BAD_FRAME)
            trial.expect_kept(driver.session.model is model)
            trial.expect_kept(len(driver.session.enrolment.samples) >= n_samples)
            camera.error = None
            if is_recording:
                driver.until(lambda: not driver.session.enrolment.is_recording)
                trial.expect_kept(len(driver.session.enrolment.samples) == PLAN.frames)
            expect_recovery(driver, "is not connected")
    assert camera.n_opened >= 3


@pytest.mark.fault("Camera", "frozen: the same frame again and again", keeps="models")
def test_that_a_frozen_picture_of_the_person_is_not_accepted(judging, genuine, seen, attempt):
    camera = Camera(genuine)
    driver = judging(camera)
    model = driver.session.model
    with attempt() as trial:
        still = camera.images[0]
        camera.spoil = lambda number, image: still
        driver.until_notice("repeats the same image: unplug")
        expect_silence(driver, camera)
        # A frame that was being scored when the fault was noticed is dropped.
        scored = driver.session.scored
        driver.controller._on_observed(replace(seen["window 6"][0], digest=model.digest))
        assert driver.session.scored is scored
        # The reopened camera sends the same picture again.
        driver.until(lambda: camera.n_opened >= 2)
        driver.until_notice("repeats the same image: unplug")
        expect_silence(driver, camera)
        trial.expect_kept(driver.session.model is model)
        camera.spoil = None
        expect_recovery(driver, "repeats the same image")


def blackened(number, image):
    return np.random.default_rng(number).integers(0, 8, image.shape, np.uint8)


def without_lower_part(number, image):
    image = image.copy()
    image[300:] = 128
    return image


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        fault("black frames", blackened, "sends black images"),
        fault("half-decoded frames", without_lower_part, "sends damaged images"),
    ],
)
def test_that_unusable_pictures_are_reported_and_not_judged(
    judging, genuine, attempt, spoil, words
):
    camera = Camera(genuine)
    begin, end = (partial(setattr, camera, "spoil", each) for each in (spoil, None))
    survive(judging(camera), attempt, words, begin, end, camera)


KINDS = (
    lambda image: image[..., 0],
    lambda image: image[..., :1],
    lambda image: np.dstack([image, image[..., 0]]),
    lambda image: image.astype(np.uint16) << 8,
    lambda image: image[::2, ::2],
    lambda image: image.transpose(1, 0, 2),
    lambda image: image[:0],
    lambda image: image[:, :0],
    lambda image: image[:1, :1],
    lambda image: image.astype(np.float64),
    lambda image: image[..., :2],
    lambda image: np.repeat(image, 2, axis=0),
)


@pytest.mark.fault("Camera", "frames of changing size, channels or depth", keeps="models")
def test_that_frames_of_any_shape_do_no_harm(judging, genuine, attempt):
    camera = Camera(genuine)
    driver = judging(camera)
    model = driver.session.model
    for kind in KINDS:
        with attempt() as trial:
            camera.spoil = lambda number, image: kind(image) if number % 2 else image  # noqa: B023
            n_before = camera.n_delivered
            driver.until(lambda: camera.n_delivered > n_before + 6)  # noqa: B023
            trial.expect_kept(driver.session.model is model)
    camera.spoil = None
    expect_recovery(driver, "frame")


class SlowCamera(Camera):
    """One frame per second by its timestamps; waits until each is scored, on any machine."""

    def __init__(self, images):
        super().__init__(images, rate=1.0)
        self._is_scoring = False
        self._scored = threading.Event()

    def observe(self, pipeline, model, frame):
        self._is_scoring = True
        scored = score_frame(pipeline, model, frame)
        self._scored.set()
        return scored

    def read(self):
        while self._is_scoring and not (self._scored.wait(0.01) or self._closing.is_set()):
            pass
        self._scored.clear()
        return super().read()


@pytest.mark.fault("Camera", "one frame a second", keeps="models")
def test_that_one_frame_a_second_is_enough_for_a_verdict_and_for_a_take(judging, genuine):
    camera = SlowCamera(genuine)
    driver = judging(camera, observe=camera.observe)
    n_before = camera.n_delivered
    driver.record_take()
    assert camera.n_delivered - n_before >= PLAN.frames - 1
    driver.until_verdict(Verdict.GENUINE)
    assert "Webcam" not in driver.notices


@pytest.mark.fault("Camera", "240 frames a second", keeps="models")
def test_that_240_frames_a_second_are_shown_judged_or_dropped(judging, genuine):
    camera = Camera(genuine, rate=240.0)
    driver = judging(camera)
    signals = recorded(driver.controller.source.capture.frame_ready)
    n_before, n_painted = camera.n_delivered, driver.window.live.preview.n_painted
    driver.until(lambda: camera.n_delivered > n_before + 240)
    assert driver.window.live.preview.n_painted > n_painted
    assert driver.controller.throughput().n_dropped > 0
    assert len(signals) <= camera.n_delivered - n_before + 1  # none piles up
    driver.record_take()
    driver.until_verdict(Verdict.GENUINE)


class NetworkScript:
    """Serves the person, or a fault while `is_faulty` is set."""

    def __init__(self, images, fault, at_once):
        self.pictures = [jpeg(image) for image in images]
        self.fault, self.at_once = fault, at_once  # before the first byte of an answer
        self.is_faulty = threading.Event()

    def __call__(self, visit):
        if not (self.at_once and self.is_faulty.is_set()):
            visit.head()
            for picture in itertools.cycle(self.pictures):
                if visit.over.is_set():
                    return
                if self.is_faulty.is_set():
                    break
                visit.part(picture)
        self.fault(self, visit)


def stall(script, visit):
    while script.is_faulty.is_set() and not visit.over.wait(0.01):
        pass


def drop(script, visit):
    """Hang up."""


def send_garbage(script, visit):
    while script.is_faulty.is_set() and not visit.over.wait(0.005):
        visit.part(b"\xff\xd8\xff\xe0 no picture")


@pytest.mark.parametrize(
    ("behave", "words", "at_once"),
    [
        fault("a network camera that stalls", stall, "has stopped sending frames", False),
        fault("a network camera that drops the connection", drop, "The network camera", False),
        fault("a network camera that sends garbage", send_garbage, "The network camera", False),
        fault("a network camera that never answers", stall, "does not answer", True),
    ],
)
def test_that_a_faulty_network_camera_is_reported_and_called_again(
    judging, genuine, attempt, behave, words, at_once
):
    script = NetworkScript(genuine, behave, at_once)
    with running_server() as server:
        driver = judging(source=server.serve(script))
        survive(driver, attempt, words, script.is_faulty.set, script.is_faulty.clear)


def truncated(path, images):
    write_video(path, "mp4v", images)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def corrupt(path, _images):
    path.write_bytes(np.random.default_rng(0).bytes(20_000))


def endless(path, _images):
    os.mkfifo(path)


ENDLESS = "a video file that is endless or lies about its length"
PIPES = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        fault("a truncated video file", truncated, "bad.mp4 cannot be read"),
        fault("a corrupt video file", corrupt, "bad.mp4 cannot be read"),
        fault(ENDLESS, endless, "bad.mp4 is a pipe", marks=[PIPES]),
    ],
)
def test_that_a_bad_file_is_reported_and_the_next_source_is_judged(
    judging, genuine, tmp_path, attempt, make, words
):
    make(tmp_path / "bad.mp4", list(genuine))
    driver = judging(Camera(genuine))
    sources = (str(tmp_path / "bad.mp4"), "demo")
    begin, end = (partial(driver.controller.source.open, source) for source in sources)
    survive(driver, attempt, words, begin, end)
