"""OpenCV's real FaceDetectorYN with a network whose answers are known."""

import hashlib

import cv2
import numpy as np
import pytest

from app.types import Face
from app.vision.faces.alignment import face_side, face_transform
from app.vision.faces.yunet import YUNET_FILE, YuNetDetector
from lmkl_core.errors import InvalidInputError
from tests.app.vision.faces.portraits import blank
from tests.app.vision.faces.yunet_model import BOX, LANDMARKS, write_yunet

RED, BLUE = (255, 0, 0), (0, 0, 255)


def opened(path):
    return YuNetDetector(path, hashlib.sha256(path.read_bytes()).hexdigest())


@pytest.fixture(scope="module")
def yunet(tmp_path_factory):
    return opened(write_yunet(tmp_path_factory.mktemp("yunet") / "red.onnx"))


def patch(column, row, colour=RED, cell=16, shape=(480, 640)):
    """Return a black image with one coloured cell of the reduced image's grid."""
    image = blank(0, *shape)
    image[row * cell : (row + 1) * cell, column * cell : (column + 1) * cell] = colour
    return image


def test_that_a_face_is_given_in_pixels_of_the_frame(yunet):
    # 640 x 480 is looked at as 320 x 240, so a cell of 8 pixels is 16 pixels of the frame.
    faces = yunet.detect(patch(20, 12))
    assert len(faces) == 1
    middle = np.array([20.5, 12.5]) * 16
    assert np.allclose(faces[0].box, [*(middle - BOX), 2 * BOX[0], 2 * BOX[1]], atol=1e-3)
    # Box edges count from the corner, positions from the first pixel's centre.
    assert np.allclose(faces[0].landmarks, middle + 2 * LANDMARKS - 0.5, atol=1e-3)
    assert faces[0].confidence == pytest.approx(1.0, abs=0.02)


def test_that_images_of_any_size_are_resized_to_the_working_size(yunet):
    for shape in ((480, 640), (240, 320), (60, 80), (1080, 1920), (640, 360)):
        factor = max(shape) / 320
        small = tuple(round(side / factor) for side in shape)
        image = cv2.resize(patch(15, 10, cell=8, shape=small), shape[::-1])
        face = yunet.detect(image)[0]
        middle = np.array([15.5, 10.5]) * 8 * factor
        assert np.allclose(face.landmarks.mean(axis=0), middle + LANDMARKS.mean(0) * factor, atol=4)


def test_that_faces_are_separate_and_uncertain_ones_left_out(yunet):
    image = patch(8, 8)
    image[16 * 20 : 16 * 21, 16 * 30 : 16 * 31] = RED
    image[16 * 22 : 16 * 23, 16 * 8 : 16 * 9] = (120, 0, 0)
    middles = sorted(float(face.landmarks[2, 0]) for face in yunet.detect(image))
    assert middles == pytest.approx([8.5 * 16 - 0.5, 30.5 * 16 - 0.5])


def known_face(middle, size=2.0):
    box = (*(np.array(middle) - np.array(BOX) * size / 2), BOX[0] * size, BOX[1] * size)
    return Face(tuple(map(float, box)), np.array(middle) + size * LANDMARKS, 1.0)


def spots(*middles, size=36):
    """Return an image with red squares large enough to contain a cell of any grid."""
    image = blank()
    for x, y in middles:
        image[y - size // 2 : y + size // 2, x - size // 2 : x + size // 2] = RED
    return image


def test_that_refining_finds_the_face_in_its_window_only(yunet):
    image = spots((328, 200))
    known = known_face((337.0, 194.0))
    near = yunet.refine(image, known)
    assert np.abs(near.landmarks[2] - [328, 200] - 2 * LANDMARKS[2]).max() < 20
    # The window is 2.2 faces, and this network's face is equally large in every window.
    window = 2.2 * face_side(face_transform(known.landmarks))
    assert near.box[2] == pytest.approx(BOX[0] * window / 160, rel=1e-4)
    assert yunet.refine(image, known_face((578.0, 200.0))) is None


def test_that_of_two_faces_in_the_window_the_one_that_moved_least_is_followed(yunet):
    image = spots((280, 200), (390, 200))
    for x in (280, 390):
        near = yunet.refine(image, known_face((float(x), 200.0)))
        assert np.abs(near.landmarks[2] - [x, 200] - 2 * LANDMARKS[2]).max() < 20


def test_that_a_face_at_the_border_or_without_landmarks_is_not_found(yunet):
    assert yunet.refine(blank(), known_face((0.0, 0.0))) is None
    assert yunet.refine(blank(), Face((0, 0, 1, 1), np.full((5, 2), np.nan), 1.0)) is None
    for shape in ((1, 1), (1, 500), (700, 2)):
        assert yunet.detect(blank(0, *shape)) == []


def test_that_a_file_that_is_not_yunet_is_refused(tmp_path):
    path = write_yunet(tmp_path / YUNET_FILE, outputs=("cls", "bbox"))
    for content in (path.read_bytes(), b"", b"<html>not found</html>", bytes(range(256)) * 50):
        path.write_bytes(content)
        with pytest.raises(InvalidInputError, match="YuNet"):
            opened(path)
