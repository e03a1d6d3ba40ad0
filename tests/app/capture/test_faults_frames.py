"""What cameras send when something is wrong: shown, told, survived, and never judged."""

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
from tests.app.capture.capturing import PATIENCE, Recorder, Scripted, network_camera
from tests.app.capture.material import (
    HEIGHT,
    WIDTH,
    FakeClock,
    bar_width,
    jpeg,
    noise,
    picture,
)


class Script:
    """A `cv2.VideoCapture` that hands over what the test wrote; afterwards it gives nothing."""

    def __init__(self, images):
        self.images = iter(images)

    def __call__(self, *_):
        return self  # in the place of the class

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
    """Return a function that lets the next openings of a webcam find these images."""

    def play(images):
        script = Script(images)
        monkeypatch.setattr(opencv.cv2, "VideoCapture", script)
        return script

    monkeypatch.setattr(webcam_module, "why_not_opened", lambda _: Cause.CANNOT_OPEN)
    return play


@pytest.mark.fault("Camera", "unplugged, and plugged in again", keeps="models")
def test_that_a_webcam_that_is_unplugged_is_told_and_found_again_at_another_number(device, attempt):
    for n_before in (1, 2, 7):
        with attempt():
            said = Recorder()
            cameras = [listed()]
            script = device(picture(n) for n in range(n_before))
            with said.capture(Webcam("Webcam", cameras=lambda: cameras)) as capture:  # noqa: B023
                said.wait_for(lambda said: len(said.frames) == n_before)  # noqa: B023
                cameras.clear()
                said.wait_for(lambda said: Phase.PAUSED in said.phases)
                assert capture.state.cause in (Cause.NO_CAMERA, Cause.STALLED)
                said.wait_for(lambda said: "No camera was found" in said.faults[-1][1])
                assert len(said.sights) == n_before
                script.images = map(picture, itertools.count())
                cameras.append(listed(4))
                said.wait_for(lambda said: len(said.sights) > n_before + 3)  # noqa: B023
            numbers = [frame.number for frame in said.frames]
            assert numbers == list(range(len(numbers)))
            assert said.phases[:3] == [Phase.OPENING, Phase.RUNNING, Phase.PAUSED]


@pytest.mark.fault("Camera", "frozen: the same frame again and again", keeps="models")
def test_that_a_frozen_picture_is_seen_once_and_not_again_when_the_camera_is_opened_anew(said):
    moves = threading.Event()

    def read(number):
        return picture(number if moves.is_set() or number < 5 else 5)

    with said.capture(Scripted([], read)) as capture:
        said.wait_for(lambda said: [cause for cause, _ in said.faults].count(Cause.FROZEN) == 2)
        n_frames = len(said.frames)
        said.wait_for(lambda said: len(said.frames) > n_frames + 30)
        assert (capture.state.n_openings, capture.state.cause) == (2, Cause.FROZEN)
        assert "repeats the same image" in capture.state.message
        assert [bar_width(frame.image) for frame in said.sights] == [4, 8, 12, 16, 20, 24]
        moves.set()
        said.wait_for(lambda said: len(said.sights) > 10)
        assert capture.state.cause is None


@pytest.mark.fault("Camera", "frozen: the same frame again and again", keeps="models")
def test_that_a_camera_that_doubles_its_frames_is_judged_on_each_picture_once(said):
    with said.capture(Scripted([], lambda number: picture(number // 3))):
        said.wait_for(lambda said: len(said.frames) > 60)
    assert said.faults == []
    assert [frame.number for frame in said.sights] == list(range(0, said.sights[-1].number + 1, 3))


@pytest.mark.fault("Camera", "black frames", keeps="models")
def test_that_a_covered_lens_is_told_and_nothing_is_judged_until_it_is_open_again(said):
    is_covered = threading.Event()
    is_covered.set()

    def read(number):
        return noise(number, 6.0) if is_covered.is_set() else picture(number)

    with said.capture(Scripted([], read)) as capture:
        said.wait_for_cause(Cause.BLACK)
        n_sights, n_frames = len(said.sights), len(said.frames)
        said.wait_for(lambda said: len(said.frames) > n_frames + 30)
        assert len(said.sights) == n_sights
        assert "open its shutter or turn on a light" in dict(said.faults)[Cause.BLACK]
        is_covered.clear()
        said.wait_for(lambda said: len(said.sights) > n_sights + 3)
        assert capture.state.message == ""


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
NO_PICTURES = {
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


@pytest.mark.fault("Camera", "frames of changing size, channels or depth", keeps="models")
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


@pytest.mark.fault("Camera", "frames of changing size, channels or depth", keeps="models")
def test_that_what_is_no_picture_is_passed_over(device, attempt):
    for name, sent in NO_PICTURES.items():
        device([COLOUR, sent, sent, COLOUR])
        with attempt(), Webcam("Webcam", cameras=lambda: [listed()]) as webcam:
            assert [webcam.read().number for _ in range(2)] == [0, 1], name


@pytest.mark.fault("Camera", "frames of changing size, channels or depth", keeps="models")
def test_that_a_network_camera_may_change_its_size_while_it_runs(camera_server, said):
    sizes = [(160, 120), (64, 48), (640, 480), (32, 200), (1280, 720)]

    def restless(visit):
        visit.head()
        for step in range(10_000):
            width, height = sizes[step // 3 % len(sizes)]
            visit.part(jpeg(cv2.resize(noise(step, spread=30), (width, height))))

    source = network_camera(camera_server, restless)
    with said.capture(source) as capture:
        said.wait_for(lambda said: len(said.sights) > 6 * len(sizes))
        assert capture.state.n_openings == 1
        camera_server.over.set()


def textured(step):
    """Return a picture whose upper and lower halves tell the same step, with a sensor's noise."""
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


@pytest.mark.fault("Camera", "half-decoded frames", keeps="models")
@pytest.mark.parametrize("how", ["cut off", "cut off and closed"])
def test_that_half_a_picture_is_never_judged(camera_server, said, how, attempt):
    def torn(visit):
        visit.head()
        for step in range(10_000):
            if visit.over.is_set():
                break
            is_broken = step % 5 == 3
            visit.part(broken(step, how) if is_broken else jpeg(textured(step)))

    source = network_camera(camera_server, torn)
    with said.capture(source, limits=None):
        said.wait_for(lambda said: len(said.sights) > 40)
        camera_server.over.set()
    halves = [frame for frame in said.frames if not is_whole(frame)]
    assert halves, "nothing was broken"
    judged = {frame.number for frame in said.sights}
    for half in halves:
        with attempt():
            assert half.number not in judged


@pytest.mark.fault("Camera", "half-decoded frames", keeps="models")
def test_that_a_camera_that_sends_halves_alone_is_told_and_recovers(camera_server, said):
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
    with said.capture(source, limits=Limits(damaged_after=0.05, is_jpeg=True)) as capture:
        said.wait_for_cause(Cause.DAMAGED)
        assert "sends damaged images: check its cable" in dict(said.faults)[Cause.DAMAGED]
        assert all(is_whole(frame) for frame in said.sights)
        is_broken.clear()
        said.wait_for(lambda said: len(said.sights) > 10)
        assert capture.state.message == ""
        camera_server.over.set()


@pytest.mark.fault("Camera", "half-decoded frames", keeps="models")
@pytest.mark.parametrize("fill", [(128, 128, 128), (0, 135, 0), (0, 77, 0)])
def test_that_rows_a_decoder_filled_in_are_never_judged(said, fill):
    def read(number):
        image = textured(number)
        if number > 3:
            image[HEIGHT // 2 :] = fill
        return image

    with said.capture(Scripted([], read)):
        said.wait_for_cause(Cause.DAMAGED)
    assert "damaged" in dict(said.faults)[Cause.DAMAGED]
    assert [frame.number for frame in said.sights] == [0, 1, 2, 3]


@pytest.mark.parametrize("is_jpeg", [True, False])
def test_that_a_still_band_below_a_moving_picture_is_not_taken_for_damage(said, is_jpeg):
    def read(number):
        image = textured(number)
        # Even, as below a wide picture; or, where compression repeats what is still, of any kind.
        image[-HEIGHT // 4 :] = 0 if is_jpeg else textured(0)[-HEIGHT // 4 :]
        return image

    limits = Limits(damaged_after=0.0, is_jpeg=is_jpeg)
    with said.capture(Scripted([], read), limits=limits):
        said.wait_for(lambda said: len(said.frames) > 30)
    assert said.faults == []
    assert len(said.sights) >= 30


class Paced(FrameSource):
    """A camera with a clock of its own, which it moves on by one period with every frame."""

    is_live = True
    name = "paced"

    def __init__(self, rate, clock, n_frames):
        self.rate, self.clock, self.n_left = rate, clock, n_frames
        self.images = []
        self.is_over, self._closing = threading.Event(), threading.Event()

    def open(self):
        # Whatever they give, most announce this.
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
def test_that_one_frame_a_second_is_a_camera_that_is_well(said):
    clock = FakeClock()
    source = Paced(1.0, clock, n_frames=120)
    with said.capture(source, limits=None, clock=clock, look_every=0.001):
        assert source.is_over.wait(PATIENCE)
    assert said.faults == []
    assert len(said.sights) == 120
    rates = [state.rate for state in said.states if state.rate]
    assert rates == pytest.approx([1.0] * len(rates))


@pytest.mark.fault("Camera", "240 frames a second", keeps="models")
def test_that_of_240_frames_a_second_the_newest_is_kept_and_the_others_are_counted():
    clock = FakeClock()
    source = Paced(240.0, clock, n_frames=720)
    mailbox, taken = LatestFrame(), []
    with Capture(source, mailbox.put, clock=clock):
        while not source.is_over.is_set():
            frame = mailbox.take()
            if frame is not None:
                taken.append(frame.number)
            source.is_over.wait(0.005)  # the work of a slow scorer
        while (frame := mailbox.take()) is not None:
            taken.append(frame.number)
        del frame
    assert taken == sorted(set(taken))
    assert taken[-1] == 719
    assert len(taken) + mailbox.n_dropped == 720
    assert mailbox.n_dropped > 0
    n_held = sum(reference() is not None for reference in source.images)
    assert n_held <= 2, "frames pile up"
