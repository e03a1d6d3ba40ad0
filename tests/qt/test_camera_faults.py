"""Camera faults before the whole window: told, nothing judged meanwhile, and over by themselves."""

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
from tests.qt.driving import PLAN, Pictures

N_GRAINS = 5
"""Sensor noises by which pictures of the same pose differ."""


class Camera(Pictures):
    """A camera that sees the person, every pose with `N_GRAINS` noises; a test spoils it."""

    name, subject = "Webcam", "The camera Webcam"

    def __init__(self, images, rate=30.0):
        super().__init__(images, is_live=True)
        self.rate = rate
        # The person moves six times a second, however often they are looked at.
        self._n_alike = max(1, round(rate / 6))
        self.spoil = None
        """Makes of a number and an image what is given in its place."""

    def _image(self, number):
        image = super()._image(number // self._n_alike * N_GRAINS + number % N_GRAINS)
        return image if self.spoil is None else self.spoil(number, image)


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """Let nobody wait for seconds: what counts is the order of things."""
    limits = {"black_after": 0.2, "frozen_after": 0.3, "damaged_after": 0.2, "stalled_after": 1.5}

    def of(cls, info, is_live):
        frozen_after = limits["frozen_after"] if is_live else None
        return cls(**limits | {"frozen_after": frozen_after, "is_jpeg": info.is_jpeg})

    monkeypatch.setattr(Limits, "of", classmethod(of))
    monkeypatch.setattr(NetworkCamera.__init__, "__defaults__", (0.5, 1.0))


@pytest.fixture(scope="session")
def genuine(seen):
    """Return pictures of the person with a sensor's noise."""
    poses = [one.frame.image for one in seen["window 6"]]
    noise = np.random.default_rng(0).integers(-1, 2, (N_GRAINS, *poses[0].shape), np.int16)
    return [np.clip(pose + grain, 0, 255).astype(np.uint8) for pose in poses for grain in noise]


@pytest.fixture
def judging(launch, exported):
    """Return a function that opens the window on a camera, with a model that knows the person."""

    def start(camera=None, **settings):
        if camera is not None:
            settings["make_demo"] = lambda: camera
        driver = launch(recent=(str(exported),), **settings)
        driver.until_modelled()
        driver.until_verdict(Verdict.GENUINE)
        return driver

    return start


def expect_silence(driver, camera):
    """While a fault lasts nothing is judged: not even what was under way when it began."""
    driver.until(lambda: driver.banner.verdict is Verdict.BAD_FRAME)
    scored, n_given = driver.session.scored, camera.n_given
    driver.until(lambda: camera.n_given > n_given + 25)
    assert driver.session.scored is scored
    assert not driver.session.decision.verdict.decides
    assert driver.session.decision.reason in driver.notices


def expect_recovery(driver, words):
    """The person is accepted again, and nothing is complained of, without a click."""
    driver.until_verdict(Verdict.GENUINE)
    driver.until(lambda: words not in driver.notices)


def survive(driver, attempt, words, begin, end, camera=None):
    """Let a fault begin and end: it is told, nothing is judged, the model stays."""
    model = driver.session.model
    with attempt() as trial:
        begin()
        driver.until_told(words)
        driver.until_verdict(Verdict.BAD_FRAME)
        if camera is not None:
            expect_silence(driver, camera)
        trial.expect_kept(driver.session.model is model)
        end()
        expect_recovery(driver, words)


@pytest.mark.fault("Camera", "unplugged, and plugged in again", keeps="models")
def test_that_an_unplugged_camera_is_told_and_the_window_goes_on_when_it_is_back(
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
            driver.until_told("The camera Webcam is not connected: plug it in")
            driver.until_verdict(Verdict.BAD_FRAME)
            trial.expect_kept(driver.session.model is model)
            trial.expect_kept(len(driver.session.enrolment.samples) >= n_samples)
            camera.error = None
            if is_recording:
                driver.until(lambda: not driver.session.enrolment.is_recording)
                n_wanted = PLAN.frames
                trial.expect_kept(len(driver.session.enrolment.samples) == n_wanted)
            expect_recovery(driver, "is not there")
    assert camera.n_opened == 3


@pytest.mark.fault("Camera", "frozen: the same frame again and again", keeps="models")
def test_that_a_frozen_picture_of_the_person_is_not_accepted(judging, genuine, seen, attempt):
    camera = Camera(genuine)
    driver = judging(camera)
    model = driver.session.model
    with attempt() as trial:
        still = camera.images[0]
        camera.spoil = lambda number, image: still
        driver.until_told("repeats the same image: unplug")
        expect_silence(driver, camera)
        # What was under way when it was noticed comes too late.
        scored = driver.session.scored
        driver.controller._on_observed(replace(seen["window 6"][0], digest=model.digest))
        assert driver.session.scored is scored
        # Opened again by itself, it gives the same picture: that is no new sight of the person.
        driver.until(lambda: camera.n_opened == 2)
        driver.until_told("repeats the same image: unplug")
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


def spoilt(what, spoil, words):
    mark = pytest.mark.fault("Camera", what, keeps="models")
    return pytest.param(spoil, words, marks=mark, id=spoil.__name__)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        spoilt("black frames", blackened, "black images: open its shutter"),
        spoilt("half-decoded frames", without_lower_part, "sends damaged images"),
    ],
)
def test_that_a_picture_of_no_use_is_told_and_not_judged(judging, genuine, attempt, spoil, words):
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
def test_that_frames_of_any_shape_pass_through_the_window_without_harm(judging, genuine, attempt):
    camera = Camera(genuine)
    driver = judging(camera)
    model = driver.session.model
    for kind in KINDS:
        with attempt() as trial:
            camera.spoil = lambda number, image: kind(image) if number % 2 else image  # noqa: B023
            n_given = camera.n_given
            driver.until(lambda: camera.n_given > n_given + 6)  # noqa: B023
            trial.expect_kept(driver.session.model is model)
    camera.spoil = None
    expect_recovery(driver, "frame")


class SlowCamera(Camera):
    """One frame a second by its own clock: in that time each is judged, as on any machine."""

    def __init__(self, images):
        super().__init__(images, rate=1.0)
        self.is_judging = False
        self._judged = threading.Event()

    def observe(self, pipeline, model, frame):
        self.is_judging = True
        seen = score_frame(pipeline, model, frame)
        self._judged.set()
        return seen

    def read(self):
        while self.is_judging and not (self._judged.wait(0.01) or self._closing.is_set()):
            pass
        self._judged.clear()
        return super().read()


@pytest.mark.fault("Camera", "one frame a second", keeps="models")
def test_that_one_frame_a_second_is_enough_for_a_verdict_and_for_a_take(judging, genuine):
    camera = SlowCamera(genuine)
    driver = judging(camera, observe=camera.observe)
    began = camera.n_given
    driver.record_take()
    assert camera.n_given - began >= PLAN.frames - 1
    driver.until_verdict(Verdict.GENUINE)
    assert driver.notices.count("Webcam") == 0


@pytest.mark.fault("Camera", "240 frames a second", keeps="models")
def test_that_240_frames_a_second_are_shown_judged_and_dropped_without_piling_up(judging, genuine):
    camera = Camera(genuine, rate=240.0)
    driver = judging(camera)
    n_told = 0

    def count():
        nonlocal n_told
        n_told += 1

    driver.controller.source.capture.frame_ready.connect(count)
    n_given, n_painted = camera.n_given, driver.window.live.preview.n_painted
    driver.until(lambda: camera.n_given > n_given + 240)
    assert driver.window.live.preview.n_painted > n_painted
    assert driver.controller.throughput().n_dropped > 0
    # Nobody is told of a frame before they came for the last one.
    assert n_told <= camera.n_given - n_given + 1
    driver.record_take()
    driver.until_verdict(Verdict.GENUINE)


@pytest.fixture
def server():
    """Return a camera on the loopback interface."""
    with running_server() as running:
        yield running


class NetworkScript:
    """Serves the person, and a fault when the test says so, perhaps before it says anything."""

    def __init__(self, images, fault, is_at_the_door=False):
        self.pictures = [jpeg(image) for image in images]
        self.fault, self.is_at_the_door = fault, is_at_the_door
        self.is_faulty = threading.Event()

    def __call__(self, visit):
        if self.is_faulty.is_set() and self.is_at_the_door:
            self.fault(self, visit)
            return
        visit.head()
        for picture in itertools.cycle(self.pictures):
            if visit.over.is_set():
                return
            if self.is_faulty.is_set():
                self.fault(self, visit)
                return
            visit.part(picture)


def stall(script, visit):
    while script.is_faulty.is_set() and not visit.over.wait(0.01):
        pass


def drop(script, visit):
    """Say nothing more, and hang up."""


def send_garbage(script, visit):
    while script.is_faulty.is_set() and not visit.over.wait(0.005):
        visit.part(b"\xff\xd8\xff\xe0 no picture")


def network_fault(what, fault, words, is_at_the_door=False):
    mark = pytest.mark.fault("Camera", f"a network camera that {what}", keeps="models")
    return pytest.param(fault, words, is_at_the_door, marks=mark, id=what)


@pytest.mark.parametrize(
    ("fault", "words", "is_at_the_door"),
    [
        network_fault("stalls", stall, "has stopped sending frames"),
        # It stops sending, and at the next calls it announces a video and sends none.
        network_fault("drops the connection", drop, "The network camera"),
        network_fault("sends garbage", send_garbage, "The network camera"),
        network_fault("never answers", stall, "does not answer", is_at_the_door=True),
    ],
)
def test_that_a_network_camera_at_fault_is_told_and_called_again(
    judging, genuine, server, attempt, fault, words, is_at_the_door
):
    script = NetworkScript(genuine, fault, is_at_the_door)
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


def file_fault(what, make, words):
    marks = [pytest.mark.fault("Camera", what, keeps="models")]
    if make is endless:
        marks.append(pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes"))
    return pytest.param(make, words, marks=marks, id=make.__name__)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        file_fault("a truncated video file", truncated, "The video bad.mp4 cannot be read"),
        file_fault("a corrupt video file", corrupt, "The video bad.mp4 cannot be read"),
        file_fault(
            "a video file that is endless or lies about its length", endless, "bad.mp4 is a pipe"
        ),
    ],
)
def test_that_a_bad_file_is_told_and_the_model_judges_the_next_source(
    judging, genuine, tmp_path, attempt, make, words
):
    make(tmp_path / "bad.mp4", list(genuine))
    driver = judging(Camera(genuine))
    begin, end = (
        partial(driver.controller.source.open, source)
        for source in (str(tmp_path / "bad.mp4"), "demo")
    )
    survive(driver, attempt, words, begin, end)
