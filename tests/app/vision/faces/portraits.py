"""Test frames of the AI-generated people in the package ``openpeople``."""

from functools import cache
from importlib import metadata

import cv2
import numpy as np

PEOPLE = range(1, 11)
WIDTH, HEIGHT = 640, 480

# Middle of the face in the pictures, as shares of width and height.
MIDDLE = {"amateur_selfie": (0.5, 0.35), "studio_portrait": (0.5, 0.4)}
SWAPPED = [1, 0, 2, 4, 3]


@cache
def picture(person, kind="studio_portrait"):
    """Return a picture at half size, RGB."""
    wanted = f"P{person:03d}/assets/{kind}.jpg"
    files = metadata.files("openpeople") or []
    path = next(file.locate() for file in files if file.as_posix().endswith(wanted))
    return cv2.cvtColor(cv2.imread(str(path), cv2.IMREAD_REDUCED_COLOR_2), cv2.COLOR_BGR2RGB)


@cache
def still(person, kind="studio_portrait", zoom=1.0, degrees=0.0, shift=(0.0, 0.0)):
    """Return a 640 x 480 frame of a person, tilted clockwise by ``degrees``.

    At zoom 1 the picture fills the frame's width.
    """
    height, width = picture(person, kind).shape[:2]
    middle = (MIDDLE[kind][0] * width, MIDDLE[kind][1] * height)
    matrix = cv2.getRotationMatrix2D(middle, -degrees, zoom * WIDTH / width)
    matrix[:, 2] += np.array([WIDTH / 2, HEIGHT / 2]) + shift - middle
    # Half of the picture is as large as the frame or smaller, so this aliases little.
    half = cv2.resize(picture(person, kind), None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    matrix[:, :2] *= 2
    frame = cv2.warpAffine(half, matrix, (WIDTH, HEIGHT), borderMode=cv2.BORDER_REPLICATE)
    frame.flags.writeable = False
    return frame


def noisy(frame, seed, sigma=4.0):
    """Return the frame with sensor noise."""
    noise = np.random.default_rng(seed).normal(0.0, sigma, frame.shape)
    return np.clip(frame + noise, 0, 255).astype(np.uint8)


def blank(value=0, height=HEIGHT, width=WIDTH):
    return np.full((height, width, 3), value, np.uint8)


def side_by_side(left_height, right_height, left=2, right=7):
    """Return a frame of two people on grey whose pictures have these heights, 0 for none.

    Faces fill their pictures equally, so equal heights mean equally large faces.
    """
    frame = blank(128)
    for person, size, middle in ((left, left_height, 160), (right, right_height, 480)):
        if size:
            small = cv2.resize(picture(person), (size, size), interpolation=cv2.INTER_AREA)
            trim = max(0, (size - WIDTH // 2) // 2)
            small = small[:, trim : size - trim][:HEIGHT]
            x, y = middle - small.shape[1] // 2, (HEIGHT - small.shape[0]) // 2
            frame[y : y + small.shape[0], x : x + small.shape[1]] = small
    return frame


def eye_distance(face):
    return float(np.linalg.norm(face.landmarks[1] - face.landmarks[0]))


def mirrored(image):
    return np.ascontiguousarray(image[:, ::-1])


def mirrored_landmarks(landmarks, width=WIDTH):
    """Return landmarks as they are in the mirror image, in our order."""
    flipped = landmarks[SWAPPED].copy()
    flipped[:, 0] = width - 1 - flipped[:, 0]
    return flipped
