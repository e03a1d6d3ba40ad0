"""OpenCV as the sources use it: quiet, bounded, and set up before it loads.

Every source takes ``cv2`` from here. Some settings are read from the environment once, when OpenCV
or its FFmpeg first needs them; what a person has set already is left alone.
"""

import os
from typing import Any, Final, TypeGuard, cast

_SETTINGS: Final = {
    # Nothing on standard error: what matters reaches the person as a sentence.
    "OPENCV_LOG_LEVEL": "SILENT",
    "OPENCV_FFMPEG_LOGLEVEL": "-8",
    # Opening an address that does not answer must not hold up everything else: OpenCV would keep
    # a lock on FFmpeg meanwhile, which its present versions do not need.
    "OPENCV_FFMPEG_IS_THREAD_SAFE": "1",
    # A camera may not send us on to another machine: whoever wants that one gives its address. The
    # other option is OpenCV's own, which it forgets where this is set.
    "OPENCV_FFMPEG_CAPTURE_OPTIONS": "rtsp_flags;prefer_tcp|max_redirects;0",
    # Linux: seconds a read waits for a camera before it fails.
    "OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT": "4",
    # Windows: without this a camera takes up to a minute to open through Media Foundation.
    "OPENCV_VIDEOIO_MSMF_ENABLE_HW_TRANSFORMS": "0",
    # macOS: OpenCV's own question for permission only works on the window's thread, which never
    # opens a camera here; the system asks by itself when the camera is first used.
    "OPENCV_AVFOUNDATION_SKIP_AUTH": "1",
}
_SILENT: Final = 0

for _name, _value in _SETTINGS.items():
    os.environ.setdefault(_name, _value)

import cv2  # noqa: E402  (the environment comes first)
import numpy as np  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

from app.types import Image  # noqa: E402

__all__ = ["MAX_PIXELS", "cv2", "is_picture", "rgb_from_bgr"]

MAX_PIXELS: Final = 1 << 26
"""Frames of more pixels (8192 x 8192) are refused before they are decoded: 8K video passes."""

# Someone else may have loaded OpenCV before the environment was set.
if os.environ["OPENCV_LOG_LEVEL"] == _SETTINGS["OPENCV_LOG_LEVEL"]:
    cv2.utils.logging.setLogLevel(_SILENT)


_CODES: Final = {1: cv2.COLOR_GRAY2RGB, 3: cv2.COLOR_BGR2RGB, 4: cv2.COLOR_BGRA2RGB}


def is_picture(image: object) -> TypeGuard[NDArray[Any]]:
    """Whether this is an array that `rgb_from_bgr` takes: some backends hand over anything."""
    if not isinstance(image, np.ndarray) or not image.size or image.ndim not in (2, 3):
        return False
    channels = 1 if image.ndim == 2 else image.shape[2]
    return channels in _CODES and image.dtype in (np.uint8, np.uint16)


def rgb_from_bgr(image: NDArray[Any]) -> Image:
    """Return the picture red first, in three channels of 8 bits, in one piece of memory.

    Grey pictures are repeated over the channels, a fourth channel is dropped, and of 16 bits the
    upper 8 are kept.
    """
    if image.dtype == np.uint16:
        image = (image >> 8).astype(np.uint8)
    channels = 1 if image.ndim == 2 else image.shape[2]
    return cast(Image, cv2.cvtColor(np.ascontiguousarray(image), _CODES[channels]))
