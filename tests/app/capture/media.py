"""Pictures, videos and a fake clock for tests of sources."""

import struct
import threading
import zlib
from pathlib import Path

import cv2
import numpy as np

CODECS = {
    "mjpg.avi": "MJPG",
    "mp4v.mp4": "mp4v",
    "mp4v.mov": "mp4v",
    "vp8.webm": "VP80",
    "vp9.webm": "VP90",
    "ffv1.mkv": "FFV1",
    "huffyuv.avi": "HFYU",
    "xvid.avi": "XVID",
    "wmv2.wmv": "WMV2",
}
RATE = 25.0
N_FRAMES = 20
WIDTH, HEIGHT = 160, 120


def picture(step: int) -> np.ndarray:
    """Return red (RGB) with a green bar that grows by 4 pixels with every step."""
    image = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    image[..., 0] = 200
    image[:, : 4 * (step % 20) + 4] = (0, 200, 0)
    return image


def noise(seed: int, mean: float = 120.0, spread: float = 2.0) -> np.ndarray:
    """Return a still grey scene as a sensor sees it."""
    values = np.random.default_rng(seed).normal(mean, spread, (HEIGHT, WIDTH, 3))
    return np.clip(values, 0, 255).astype(np.uint8)


def jpeg(image: np.ndarray) -> bytes:
    return encoded(image, ".jpg")


def encoded(image: np.ndarray, suffix: str) -> bytes:
    """Return an RGB picture in the format of the suffix."""
    done, data = cv2.imencode(suffix, image[..., ::-1])
    assert done
    return data.tobytes()


def png_that_claims(width: int, height: int) -> bytes:
    """Return a small PNG file whose header announces this size."""
    data = bytearray(encoded(picture(0), ".png"))
    data[16:24] = struct.pack(">II", width, height)
    data[29:33] = struct.pack(">I", zlib.crc32(data[12:29]))
    return bytes(data)


def write_video(path: Path, fourcc: str, pictures: list[np.ndarray], rate: float = RATE) -> Path:
    """Encode RGB pictures with OpenCV's FFmpeg."""
    height, width = pictures[0].shape[:2]
    writer = cv2.VideoWriter(
        str(path), cv2.CAP_FFMPEG, cv2.VideoWriter.fourcc(*fourcc), rate, (width, height)
    )
    assert writer.isOpened(), path.name
    for image in pictures:
        writer.write(np.ascontiguousarray(image[..., ::-1]))
    writer.release()
    return path


def bar_width(image: np.ndarray) -> int:
    """Return how many columns of a `picture` are green."""
    red, green = (image[..., channel].mean(axis=0) for channel in (0, 1))
    return int((green > red).sum())


class FakeClock:
    """A clock that moves only when something waits, or when the test sets it."""

    def __init__(self) -> None:
        self.time = 100.0
        self.waits: list[float] = []

    def now(self) -> float:
        return self.time

    def wait(self, until_set: threading.Event, seconds: float) -> None:
        self.waits.append(seconds)
        self.time += seconds
