"""Images and videos: decoders are large C libraries that can crash the process."""

import random
import struct
from pathlib import Path

import numpy as np

from app.capture.folder import read_image
from app.capture.opencv import MAX_PIXELS
from app.capture.source import SourceError
from app.capture.video import VideoFile
from tools.fuzzing.target import LOADED, Broken, Target, checked_message

SIZES = (0, 1, 7, 255, 300, 65535, 2**24 - 1, 2**31 - 1, 2**32 - 1)
FRAMES = 12


class _FileTarget(Target):
    suffix = ""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._path = folder / f"bad{self.suffix}"

    def structured(self, data: bytes, rng: random.Random) -> bytes:
        """Write false sizes and offsets where headers keep them."""
        changed = bytearray(data)
        for _ in range(rng.choice([1, 2, 3])):
            layout = rng.choice(["<I", ">I", "<H", ">H"])
            value = rng.choice(SIZES) % 256 ** struct.calcsize(layout)
            place = rng.randrange(max(1, min(len(changed), 400) - 4))
            changed[place : place + struct.calcsize(layout)] = struct.pack(layout, value)
        return bytes(changed)


class ImageTarget(_FileTarget):
    """`app.capture.folder.read_image`: never more pixels than allowed."""

    name = "image"
    inputs = 50_000
    suffix = ".png"

    def check(self, data: bytes) -> str:
        self._path.write_bytes(data)
        try:
            image = read_image(self._path)
        except SourceError as error:
            return checked_message(str(error))
        if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3 or not image.size:
            raise Broken(f"not a picture: {image.dtype} {image.shape}")
        if image.shape[0] * image.shape[1] > MAX_PIXELS:
            raise Broken(f"the picture has {image.shape}")
        return LOADED


class VideoTarget(_FileTarget):
    """`app.capture.video.VideoFile`, read to its end."""

    name = "video"
    inputs = 5_000
    suffix = ".avi"

    def check(self, data: bytes) -> str:
        self._path.write_bytes(data)
        video = VideoFile(self._path, paced=False)
        try:
            video.open()
            # A damaged index can announce any number of frames.
            for _ in range(FRAMES):
                frame = video.read()
                if frame is None:
                    break
                if frame.image.shape[0] * frame.image.shape[1] > MAX_PIXELS:
                    raise Broken(f"a frame has {frame.image.shape}")
        except SourceError as error:
            return checked_message(str(error))
        finally:
            video.close()
        return LOADED
