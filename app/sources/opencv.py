"""OpenCV as the sources use it: quiet, bounded, and set up before it loads.

Every source takes ``cv2`` from here. Some settings are read from the environment once, when OpenCV
or its FFmpeg first needs them; what a person has set already is left alone.
"""

import os
from typing import Final, cast

_SETTINGS: Final = {
    # Nothing on standard error: what matters reaches the person as a sentence.
    "OPENCV_LOG_LEVEL": "SILENT",
    "OPENCV_FFMPEG_LOGLEVEL": "-8",
    # Opening an address that does not answer must not hold up everything else: OpenCV would keep
    # a lock on FFmpeg meanwhile, which its present versions do not need.
    "OPENCV_FFMPEG_IS_THREAD_SAFE": "1",
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

from app.types import Image  # noqa: E402

__all__ = ["MAX_PIXELS", "cv2", "rgb_from_bgr"]

MAX_PIXELS: Final = 1 << 26
"""Frames of more pixels (8192 x 8192) are refused before they are decoded: 8K video passes."""

# Someone else may have loaded OpenCV before the environment was set.
if os.environ["OPENCV_LOG_LEVEL"] == _SETTINGS["OPENCV_LOG_LEVEL"]:
    cv2.utils.logging.setLogLevel(_SILENT)


def rgb_from_bgr(image: Image) -> Image:
    """Return the picture red first; grey and four-channel pictures become three channels."""
    channels = 1 if image.ndim == 2 else image.shape[2]
    codes = {1: cv2.COLOR_GRAY2RGB, 3: cv2.COLOR_BGR2RGB, 4: cv2.COLOR_BGRA2RGB}
    return cast(Image, cv2.cvtColor(image, codes[channels]))
