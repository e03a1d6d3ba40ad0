"""From a frame to views, with real parts."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from app.capture.opening import source_from
from app.cli.models import pipeline_of
from app.evaluation.extraction import FeaturePipeline
from app.models.fitting import collect
from app.types import Face, Frame, Status
from app.vision.faces.alignment import apply, cut, face_transform, invert, square_corners
from app.vision.faces.detector import make_detector
from app.vision.faces.tracking import Tracking
from app.vision.pipeline import Pipeline, make_pipeline
from app.vision.quality import ADVICE, Limits
from lmkl_core.errors import UnusableViewsError
from lmkl_core.features.liveness import LivenessMeter
from lmkl_core.features.presets import Crop, DescriptorBranch, Preset, load_preset
from tests.app.models.small_models import window_model
from tests.app.vision.faces.portraits import side_by_side

BLACK = np.zeros((480, 640, 3), np.uint8)
NOISE = np.random.default_rng(0).integers(0, 256, BLACK.shape, dtype=np.uint8)


class FixedTracker:
    """A tracker with given landmarks, also such as no detector would find."""

    def __init__(self, landmarks):
        self.landmarks = np.asarray(landmarks, dtype=float)

    def reset(self):
        pass

    def update(self, image, time):
        face = Face((0.0, 0.0, 100.0, 100.0), self.landmarks, 0.9)
        return Tracking(face, 1, changed=False)

    def lose(self, time):
        pass


def test_that_a_live_face_gives_every_view_of_the_preset(pipeline, genuine_take):
    result = pipeline.process(genuine_take[0])
    assert (result.status, result.reason) == (Status.READY, "")
    assert tuple(result.views) == pipeline.extractor.preset.view_names
    for row in result.views.values():
        assert row.shape[0] == 1
        assert np.isfinite(row).all()
        assert np.linalg.norm(row) == pytest.approx(1.0, rel=1e-5)
    assert set(result.seconds) == {"detect", "quality", "crops", "views"}
    size = result.quality["size"].value
    assert result.condition.distance == pytest.approx(np.log2(480 / size), abs=1e-9)
    assert result.n_faces == 1
    np.testing.assert_array_equal(result.transform, face_transform(result.face.landmarks))
    assert np.shares_memory(result.image, genuine_take[0].image)


def test_that_a_frame_gives_the_same_views_live_and_from_a_folder(pipeline, genuine_take, tmp_path):
    live = [pipeline.process(frame) for frame in genuine_take[:3]]
    for frame in genuine_take[:3]:
        bgr = np.ascontiguousarray(frame.image[:, :, ::-1])
        assert cv2.imwrite(str(tmp_path / f"{frame.number}.png"), bgr)
    pipeline.reset()
    with source_from(str(tmp_path), paced=False) as source:
        stored = [pipeline.process(replace(f, time=f.number / 30)) for f in source]
    for here, there in zip(live, stored, strict=True):
        for name, row in here.views.items():
            np.testing.assert_array_equal(row, there.views[name])


def test_that_samples_hold_the_same_rows_as_the_frames_they_came_from(pipeline, genuine_take):
    rows = [pipeline.process(frame).views for frame in genuine_take[:4]]
    samples = collect(pipeline, {"office": genuine_take[:4]})
    assert samples.takes == ["office"] * 4
    assert len(samples.conditions) == 4
    for name, view in samples.views.items():
        np.testing.assert_array_equal(view, np.concatenate([row[name] for row in rows]))
    familiarity = samples.enrolled_conditions().familiarity(samples.conditions[3])
    assert familiarity.distance <= 1
    assert familiarity.nearest_take == "office"


def test_that_frames_without_a_face_give_no_row(pipeline, genuine_take):
    black, progress = Frame(BLACK), []
    takes = {"one": [genuine_take[0], black], "two": [black]}
    samples = collect(pipeline, takes, progress=progress.append)
    assert (samples.takes, progress) == (["one"], ["one", "one", "two"])


@pytest.mark.parametrize(
    ("pixels", "status"),
    [
        (BLACK, Status.BAD_FRAME),
        (None, Status.BAD_FRAME),
        (NOISE, Status.NO_FACE),
        (np.tile(np.arange(640, dtype=np.uint8), (480, 1)), Status.NO_FACE),
        (NOISE[:64, :64], Status.NO_FACE),
    ],
    ids=["black", "nothing", "noise", "grey ramp", "small"],
)
def test_that_a_frame_without_a_usable_face_gives_a_reason(pipeline, pixels, status):
    result = pipeline.process(Frame(pixels))
    assert result.status is status
    assert result.reason.endswith(".")
    assert result.views is None


@pytest.fixture(scope="module")
def face_lines(genuine_take):
    """Return a function from face coordinates to column and row of the first frame."""
    landmarks = make_detector().detect(genuine_take[0].image)[0].landmarks
    to_image = invert(face_transform(landmarks))
    return lambda x, y: np.round(apply(to_image, np.array([(x, y)]))[0]).astype(int)


@pytest.mark.parametrize(
    ("left", "right"), [(0.18, 0.82), (0.18, 1.5), (-0.5, 0.82)], ids=["both", "left", "right"]
)
def test_that_a_whole_face_in_a_portrait_frame_passes(
    pipeline, genuine_take, face_lines, left, right
):
    columns = slice(face_lines(left, 0.5)[0], face_lines(right, 0.5)[0])
    portrait = np.ascontiguousarray(genuine_take[0].image[:, columns])
    result = pipeline.process(Frame(portrait))
    side = square_corners(face_transform(result.face.landmarks))
    assert side[:, 0].min() < -20 or side[:, 0].max() > portrait.shape[1] + 20
    assert (result.status, result.reason) == (Status.READY, "")
    assert result.quality["visible"].value == 1.0


@pytest.mark.parametrize(
    ("border", "at"),
    [("bottom", 0.95), ("top", 0.40), ("left", 0.34), ("left", 0.28), ("right", 0.60)],
    ids=["chin", "brow", "left eye", "cheek", "a third"],
)
def test_that_a_face_cut_off_by_the_frame_is_refused_for_that(
    pipeline, genuine_take, face_lines, border, at
):
    image = genuine_take[0].image
    column, row = face_lines(at, at)
    rest = {
        "left": image[:, column:],
        "right": image[:, :column],
        "top": image[row:],
        "bottom": image[:row],
    }[border]
    result = pipeline.process(Frame(np.ascontiguousarray(rest)))
    assert result.status is Status.POOR_QUALITY
    assert result.reason == ADVICE["visible"]
    assert result.views is None


@pytest.mark.fault("Numbers", "non-finite face landmarks")
@pytest.mark.parametrize(
    "landmarks",
    [
        np.full((5, 2), np.nan),
        np.full((5, 2), np.inf),
        np.zeros((5, 2)),
        np.full((5, 2), 1e9),
        np.array([[-20.0, -10], [20, -10], [0, 10], [-15, 30], [15, 30]]) * 0.01 + 200,
        [[100, 100], [np.nan, 100], [150, 150], [120, 200], [180, 200]],
    ],
    ids=["NaN", "infinite", "one spot", "far away", "tiny", "one NaN"],
)
def test_that_landmarks_unlike_a_face_give_a_reason(tiny_extractor, genuine_take, landmarks):
    pipeline = Pipeline(tiny_extractor, FixedTracker(landmarks))
    result = pipeline.process(genuine_take[0])
    assert result.status is Status.POOR_QUALITY
    assert "landmarks" in result.reason


def sideways(image, pixels):
    shift = np.float32([[1, 0, pixels], [0, 1, 0]])
    return cv2.warpAffine(image, shift, (640, 480), borderMode=cv2.BORDER_REPLICATE)


def test_that_a_jump_between_frames_counts_as_motion_and_a_pause_does_not(pipeline, genuine_take):
    first = genuine_take[0]
    moved = sideways(first.image, 40)
    pipeline.process(first)
    assert not pipeline.process(Frame(moved, 1, first.time + 1 / 30)).quality["motion"].passed
    pipeline.reset()
    pipeline.process(first)
    assert pipeline.process(Frame(moved, 1, first.time + 5.0)).quality["motion"].value == 0.0


def test_that_a_slow_move_stays_slow_when_frames_arrive_in_bursts(pipeline, genuine_take):
    # A tenth of a face per second at 30 frames per second, which arrive in pairs.
    image, arrivals = genuine_take[0].image, (0.0, 0.001, 0.067, 0.068, 0.133, 0.134)
    motions = [
        pipeline.process(Frame(sideways(image, 0.8 * i), i, time)).quality["motion"].value
        for i, time in enumerate(arrivals)
    ]
    assert max(motions) < 0.25
    assert motions[-1] > 0.05


def test_that_the_same_move_has_the_same_speed_at_every_frame_rate(tiny_extractor, genuine_take):
    landmarks = np.array([[100.0, 100], [140, 100], [120, 125], [105, 145], [135, 145]])
    tracker = FixedTracker(landmarks)
    speeds = []
    for rate in (15, 30, 60, 120, 240):
        pipeline = Pipeline(tiny_extractor, tracker)
        for i in range(1 + rate // 5):
            tracker.landmarks = landmarks + np.array([50.0 * i / rate, 0])
            result = pipeline.process(Frame(genuine_take[0].image, i, 7.0 + i / rate))
        speeds.append(result.quality["motion"].value)
    np.testing.assert_allclose(speeds, speeds[0], rtol=1e-6)
    assert speeds[0] > 0.4


def test_that_a_face_elsewhere_is_another_face_and_not_a_move(pipeline):
    pipeline.process(Frame(side_by_side(380, 0), 0, 0.0))
    result = pipeline.process(Frame(side_by_side(0, 380), 1, 1 / 30))
    assert result.face_changed
    assert result.quality["motion"].value == 0.0


def test_that_a_face_is_another_after_the_lens_was_covered_for_long(pipeline, genuine_take):
    first = genuine_take[0]
    pipeline.process(first)
    pipeline.process(Frame(BLACK, 1, 0.1))
    assert not pipeline.process(Frame(first.image, 2, 0.2)).face_changed
    for i in range(10):
        pipeline.process(Frame(BLACK, 3 + i, 0.3 + 0.2 * i))
    assert pipeline.process(Frame(first.image, 13, 2.2)).face_changed


def test_that_the_faces_in_the_frame_are_counted(pipeline):
    alone, together = (
        pipeline.process(Frame(side_by_side(380, right), i, 5.0 * i))
        for i, right in enumerate((0, 300))
    )
    assert alone.n_faces == 1
    assert together.n_faces == 2
    assert together.face.landmarks[2, 0] < 320


class MeanColour:
    """A minimal extractor: the mean colour of each crop."""

    def __init__(self, *crops):
        names = tuple(crop.name for crop in crops)
        self.preset = Preset("mean", "", crops, (DescriptorBranch("lbp", names),))

    def __call__(self, crops):
        return {
            name: crop.reshape(-1, 3).mean(axis=0, dtype=np.float32)[np.newaxis]
            for name, crop in crops.items()
        }


def test_that_presets_of_whole_pictures_need_no_face():
    extractor = MeanColour(Crop("image", 64, of="image"))
    result = Pipeline(extractor, FixedTracker(np.zeros((5, 2)))).process(Frame(NOISE))
    assert result.status is Status.READY
    np.testing.assert_allclose(result.views["image"][0], NOISE.mean(axis=(0, 1)), atol=2)


class Meter:
    """Gives a fixed answer, and keeps the crops it got."""

    crops = (Crop("head", 80, of="box", scale=2.7),)

    def __init__(self, answer=0.75):
        self.answer, self.crops_seen = answer, None

    def __call__(self, crops):
        self.crops_seen = crops
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def test_that_liveness_is_measured_on_the_box_of_every_frame_that_passes(pipeline, genuine_take):
    meter = Meter()
    chain = Pipeline(pipeline.extractor, pipeline.tracker, meter=meter)
    result = chain.process(genuine_take[0])
    assert result.liveness == 0.75
    assert "liveness" in result.seconds
    expected = cut(genuine_take[0].image, None, meter.crops[0], result.face.box)
    np.testing.assert_array_equal(meter.crops_seen["head"], expected)
    assert pipeline.process(genuine_take[0]).liveness is None
    meter.crops_seen = None
    assert chain.process(Frame(BLACK)).liveness is None
    dark = (genuine_take[0].image * 0.12).astype(np.uint8)
    assert chain.process(Frame(dark)).liveness is None
    assert meter.crops_seen is None


@pytest.mark.parametrize("answer", [np.nan, np.inf, UnusableViewsError("no numbers.")])
def test_that_liveness_that_is_not_a_number_is_left_out(pipeline, genuine_take, answer):
    chain = Pipeline(pipeline.extractor, pipeline.tracker, meter=Meter(answer))
    result = chain.process(genuine_take[0])
    assert result.status is Status.READY
    assert result.liveness is None
    assert result.views is not None


def test_that_a_liveness_meter_that_fails_is_not_used_again(pipeline, genuine_take, caplog):
    chain = Pipeline(pipeline.extractor, pipeline.tracker, meter=Meter(RuntimeError("engine")))
    results = [chain.process(genuine_take[0]) for _ in range(2)]
    assert all(result.views is not None and result.liveness is None for result in results)
    assert chain.meter is None
    assert len(caplog.records) == 1


@pytest.mark.parametrize(
    "crop", [Crop("scene", 80, of="box", scale=4.0), Crop("face", 96)], ids=["box", "face"]
)
def test_that_views_are_computed_on_the_crops_the_preset_names(pipeline, genuine_take, crop):
    limits = Limits(min_size=400.0)
    poor = Pipeline(MeanColour(crop), pipeline.tracker, limits).process(genuine_take[0])
    assert (poor.status, poor.reason) == (Status.POOR_QUALITY, ADVICE["size"])
    result = Pipeline(MeanColour(crop), pipeline.tracker).process(genuine_take[0])
    transform = face_transform(result.face.landmarks)
    expected = cut(genuine_take[0].image, transform, crop, result.face.box)
    np.testing.assert_allclose(result.views[crop.name][0], expected.mean(axis=(0, 1)), rtol=1e-5)


def test_that_only_pipelines_that_score_measure_liveness_and_only_with_weights(monkeypatch):
    meter = Meter()
    enrolling = make_pipeline("tiny")
    model = replace(window_model(), features=enrolling.extractor.fingerprint())
    assert pipeline_of(model, "mtcnn").meter is None
    monkeypatch.setattr(LivenessMeter, "find", lambda *args, **options: meter)
    assert pipeline_of(model, "mtcnn").meter is meter
    assert enrolling.meter is None
    assert FeaturePipeline(load_preset("tiny"), gate=True).pipeline.meter is None
