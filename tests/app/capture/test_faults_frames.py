"""Faulty pictures from cameras: reported, survived, and never usable."""

import itertools
import threading
import weakref

import cv2
import numpy as np
import pytest

from app.capture import opencv
from app.capture import webcam as webcam_module
from app.capture.capture import Capture, LatestFrame, Phase
from app.capture.source import Cause, FrameSource, SourceInfo
from app.capture.watchdog import Limits
from app.capture.webcam import Camera, Route, Webcam
from tests.app.capture.media import (
    HEIGHT,
    WIDTH,
    FakeClock,
    bar_width,
    jpeg,
    noise,
    picture,
)
from tests.app.capture.recorder import PATIENCE, Recorder, Scripted, network_camera

FROZEN, CHANGING, HALF = (
    pytest.mark.fault("Camera", words, keeps="models")
    for words in (
        "frozen: the same frame again and again",
        "frames of changing size, channels or depth",
        "half-decoded frames",
    )
)


class Script:
    """A `cv2.VideoCapture` that gives the test's images, then nothing."""

    def __init__(self, images):
        self.images = iter(images)

    def __call__(self, *_):
        return self  # in place of the class

    def isOpened(self):
        return True

    def read(self):
        image = next(self.images, None)
        return image is not None, image

    def get(self, prop):
        return 0.0

    def set(self, prop, value):
        return False

    def release(self):
        pass


def listed(index=0):
    return Camera("Webcam", (Route(cv2.CAP_V4L2, index),), f"/dev/video{9000 + index}", plug="a")


@pytest.fixture
def device(monkeypatch):
    """Return a function that sets the images of the next webcam."""

    def play(images):
        script = Script(images)
        monkeypatch.setattr(opencv.cv2, "VideoCapture", script)
        return script

    monkeypatch.setattr(webcam_module, "why_not_opened", lambda _: Cause.CANNOT_OPEN)
    return play


@pytest.mark.fault("Camera", "unplugged, and plugged in again", keeps="models")
def test_that_an_unplugged_webcam_is_found_again_under_another_number(device, attempt):
    for n_before in (1, 2, 7):
        with attempt():
            recorder = Recorder()
            cameras = [listed()]
            script = device(picture(n) for n in range(n_before))
            with recorder.capture(Webcam("Webcam", cameras=lambda: cameras)) as capture:  # noqa: B023
                recorder.wait_for_frames(n_before)
                cameras.clear()
                recorder.wait_for(lambda: Phase.PAUSED in recorder.phases)  # noqa: B023
                assert capture.state.cause in (Cause.NO_CAMERA, Cause.STALLED)
                recorder.wait_for(lambda: recorder.causes[-1] is Cause.NO_CAMERA)  # noqa: B023
                assert len(recorder.usable) == n_before
                script.images = map(picture, itertools.count())
                cameras.append(listed(4))
                recorder.wait_for_usable(n_before + 3)
            numbers = [frame.number for frame in recorder.frames]
            assert numbers == list(range(len(numbers)))
            assert recorder.phases[:3] == [Phase.OPENING, Phase.RUNNING, Phase.PAUSED]


@FROZEN
def test_that_a_frozen_picture_is_usable_once_even_if_the_camera_is_reopened(recorder):
    moves = threading.Event()

    def read(number):
        return picture(number if moves.is_set() or number < 5 else 5)

    with recorder.capture(Scripted(read_step=read)) as capture:
        recorder.wait_for(lambda: recorder.causes.count(Cause.FROZEN) == 2)
        recorder.wait_for_frames(len(recorder.frames) + 30)
        recorder.wait_for(lambda: capture.state.cause is Cause.FROZEN)
        assert capture.state.n_openings == 2
        assert [bar_width(frame.image) for frame in recorder.usable] == [4, 8, 12, 16, 20, 24]
        moves.set()
        recorder.wait_for_usable(11)
        recorder.wait_for(lambda: capture.state.cause is None)


@FROZEN
def test_that_each_picture_of_a_camera_that_repeats_frames_is_usable_once(recorder):
    with recorder.capture(Scripted(read_step=lambda number: picture(number // 3))):
        recorder.wait_for_frames(61)
    assert Cause.FROZEN not in recorder.causes  # on a busy machine it may stall
    numbers = [frame.number for frame in recorder.usable]
    assert numbers == list(range(0, numbers[-1] + 1, 3))


@pytest.mark.fault("Camera", "black frames", keeps="models")
def test_that_no_frame_is_usable_while_the_lens_is_covered(recorder):
    is_covered = threading.Event()
    is_covered.set()

    def read(number):
        return noise(number, 6.0) if is_covered.is_set() else picture(number)

    with recorder.capture(Scripted(read_step=read)) as capture:
        recorder.wait_for_cause(Cause.BLACK)
        n_usable = len(recorder.usable)
        recorder.wait_for_frames(len(recorder.frames) + 30)
        assert len(recorder.usable) == n_usable
        is_covered.clear()
        recorder.wait_for_usable(n_usable + 3)
        recorder.wait_for(lambda: capture.state.message == "")


COLOUR = np.ascontiguousarray(picture(3)[..., ::-1])
GREY = noise(0)[..., 0]
PICTURES = {
    "grey": GREY,
    "grey of one channel": GREY[..., None],
    "colour": COLOUR,
    "colour with transparency": np.dstack([COLOUR, GREY]),
    "grey of 16 bits": GREY.astype(np.uint16) << 8,
    "colour of 16 bits": COLOUR.astype(np.uint16) << 8,
    "smaller": COLOUR[::2, ::2],
    "of one pixel": COLOUR[:1, :1],
    "upside down": COLOUR[::-1, ::-1],
    "turned": COLOUR.transpose(1, 0, 2),
    "larger": np.repeat(np.repeat(COLOUR, 5, 0), 5, 1),
}
NOT_PICTURES = {
    "nothing": None,
    "of no size": np.zeros((0, 0, 3), np.uint8),
    "of no width": np.zeros((480, 0, 3), np.uint8),
    "of no channel": np.zeros((480, 640, 0), np.uint8),
    "of two channels": np.zeros((120, 160, 2), np.uint8),
    "of five channels": np.zeros((120, 160, 5), np.uint8),
    "raw bytes": np.zeros((1, 38400), np.int8),
    "a row of numbers": np.arange(100, dtype=np.uint8),
    "numbers with a point": COLOUR.astype(np.float32),
}


@CHANGING
def test_that_a_picture_of_any_kind_arrives_as_rgb_of_eight_bits(device, attempt):
    for name, sent in PICTURES.items():
        device([COLOUR, sent, COLOUR])
        with attempt(), Webcam("Webcam", cameras=lambda: [listed()]) as webcam:
            images = [webcam.read().image for _ in range(3)]
            for image in images:
                assert (image.dtype, image.ndim, image.shape[2]) == (np.uint8, 3, 3)
                assert image.flags.c_contiguous
            assert images[1].shape[:2] == sent.shape[:2], name
            if name.startswith("grey"):
                assert np.array_equal(images[1][..., 1], GREY), name
            if name.startswith("colour"):
                assert np.array_equal(images[1], picture(3)), name


@CHANGING
def test_that_anything_but_a_picture_is_skipped(device, attempt):
    for name, sent in NOT_PICTURES.items():
        device([COLOUR, sent, sent, COLOUR])
        with attempt(), Webcam("Webcam", cameras=lambda: [listed()]) as webcam:
            assert [webcam.read().number for _ in range(2)] == [0, 1], name


@CHANGING
def test_that_a_network_camera_may_change_its_size_while_it_runs(camera_server, recorder):
    sizes = [(160, 120), (64, 48), (640, 480), (32, 200), (1280, 720)]

    def restless(visit):
        visit.head()
        for step in range(10_000):
            width, height = sizes[step // 3 % len(sizes)]
            visit.part(jpeg(cv2.resize(noise(step, spread=30), (width, height))))

    source = network_camera(camera_server, restless)
    with recorder.capture(source) as capture:
        recorder.wait_for_usable(6 * len(sizes))
        assert capture.state.n_openings == 1
        camera_server.over.set()


def textured(step):
    """Return a `picture` with sensor noise; both halves show the same step."""
    rough = np.random.default_rng(step).integers(-20, 20, (HEIGHT, WIDTH, 1))
    return np.clip(picture(step).astype(int) + rough, 0, 255).astype(np.uint8)


def is_whole(frame):
    half = HEIGHT // 2
    return abs(bar_width(frame.image[:half]) - bar_width(frame.image[half:])) <= 2


def broken(step, how):
    data = jpeg(textured(step))
    start = data.index(b"\xff\xda")
    middle = start + int(0.4 * (len(data) - start))
    if how == "cut off":
        return data[:middle]
    return data[:middle] + b"\xff\xd9"  # closed


@HALF
@pytest.mark.parametrize("how", ["cut off", "cut off and closed"])
def test_that_half_a_picture_is_never_usable(camera_server, recorder, how, attempt):
    def torn(visit):
        visit.head()
        for step in range(10_000):
            if visit.over.is_set():
                break
            is_broken = step % 5 == 3
            visit.part(broken(step, how) if is_broken else jpeg(textured(step)))

    source = network_camera(camera_server, torn)
    with recorder.capture(source, limits=None):
        recorder.wait_for_usable(41)
        camera_server.over.set()
    halves = [frame for frame in recorder.frames if not is_whole(frame)]
    assert halves, "nothing was broken"
    usable = {frame.number for frame in recorder.usable}
    for half in halves:
        with attempt():
            assert half.number not in usable


@HALF
def test_that_a_camera_that_sends_only_halves_is_reported_and_recovers(camera_server, recorder):
    is_broken = threading.Event()
    is_broken.set()

    def torn(visit):
        visit.head()
        visit.pictures(textured, 3)
        for step in range(3, 10_000):
            if visit.over.is_set():
                break
            whole = not is_broken.is_set()
            visit.part(jpeg(textured(step)) if whole else broken(step, "cut off"))

    source = network_camera(camera_server, torn)
    with recorder.capture(source, limits=Limits(damaged_after=0.05, is_jpeg=True)) as capture:
        recorder.wait_for_cause(Cause.DAMAGED)
        assert all(is_whole(frame) for frame in recorder.usable)
        is_broken.clear()
        recorder.wait_for_usable(11)
        recorder.wait_for(lambda: capture.state.message == "")
        camera_server.over.set()


@HALF
@pytest.mark.parametrize("fill", [(128, 128, 128), (0, 135, 0), (0, 77, 0)])
def test_that_rows_filled_in_by_a_decoder_are_never_usable(recorder, fill):
    def read(number):
        image = textured(number)
        if number > 3:
            image[HEIGHT // 2 :] = fill
        return image

    with recorder.capture(Scripted(read_step=read)):
        recorder.wait_for_cause(Cause.DAMAGED)
    assert [frame.number for frame in recorder.usable] == [0, 1, 2, 3]


class Paced(FrameSource):
    """A camera that advances the clock by one period with every frame."""

    is_live = True
    name = "paced"

    def __init__(self, rate, clock, n_frames):
        self.rate, self.clock, self.n_left = rate, clock, n_frames
        self.images = []
        self.is_over, self._closing = threading.Event(), threading.Event()

    def open(self):
        # Most cameras announce this, whatever they deliver.
        return SourceInfo(self.name, WIDTH, HEIGHT, 30.0)

    def read(self):
        if not self.n_left:
            self.is_over.set()
            self._closing.wait()
            return None
        self.n_left -= 1
        self.clock.time += 1 / self.rate
        image = textured(self._n_delivered)
        self.images.append(weakref.ref(image))
        return self._deliver(image, self.clock.time)

    def close(self):
        self._closing.set()


@pytest.mark.fault("Camera", "one frame a second", keeps="models")
def test_that_one_frame_per_second_is_no_fault(recorder):
    clock = FakeClock()
    source = Paced(1.0, clock, n_frames=120)
    with recorder.capture(source, limits=None, clock=clock, check_every=0.001):
        assert source.is_over.wait(PATIENCE)
    assert recorder.faults == []
    assert len(recorder.usable) == 120
    rates = [state.rate for state in recorder.states if state.rate]
    assert rates == pytest.approx([1.0] * len(rates))


@pytest.mark.fault("Camera", "240 frames a second", keeps="models")
def test_that_of_240_frames_per_second_the_newest_is_kept_and_the_others_counted():
    clock = FakeClock()
    source = Paced(240.0, clock, n_frames=720)
    mailbox, taken = LatestFrame(), []
    with Capture(source, mailbox.put, clock=clock):
        while not source.is_over.is_set():
            frame = mailbox.take()
            if frame is not None:
                taken.append(frame.number)
            source.is_over.wait(0.005)  # a slow scorer at work
        while (frame := mailbox.take()) is not None:
            taken.append(frame.number)
        del frame
    assert taken == sorted(set(taken))
    assert taken[-1] == 719
    assert len(taken) + mailbox.n_dropped == 720
    assert mailbox.n_dropped > 0
    n_held = sum(reference() is not None for reference in source.images)
    assert n_held <= 2, "frames pile up"
