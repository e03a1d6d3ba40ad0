"""The lmkl-pad application: command line and, under ``app.qt``, the window.

Imports point downwards only: ``app.qt`` -> ``app`` -> ``lmkl_core``.
"""

import os

_ENVIRONMENT = {
    # By default OpenBLAS's threads spin for tens of milliseconds after each score and keep a core
    # from the next frame's networks; with this value they sleep at once.
    "OPENBLAS_THREAD_TIMEOUT": "4",
    # Keep the libraries off standard error; the program reports problems itself.
    "OPENCV_LOG_LEVEL": "SILENT",
    "OPENCV_FFMPEG_LOGLEVEL": "-8",
    # Without this, opening an address that does not answer blocks every other use of FFmpeg;
    # current versions of FFmpeg do not need the lock.
    "OPENCV_FFMPEG_IS_THREAD_SAFE": "1",
    # Do not follow redirects to other hosts. The first option is OpenCV's default, which setting
    # this variable would discard.
    "OPENCV_FFMPEG_CAPTURE_OPTIONS": "rtsp_flags;prefer_tcp|max_redirects;0",
    # Linux: seconds after which a read from a camera fails.
    "OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT": "4",
    # Windows: without this a camera takes up to a minute to open through Media Foundation.
    "OPENCV_VIDEOIO_MSMF_ENABLE_HW_TRANSFORMS": "0",
    # macOS: OpenCV's own permission prompt works on the main thread only, which never opens a
    # camera here; the system asks when the camera is first used.
    "OPENCV_AVFOUNDATION_SKIP_AUTH": "1",
    # Refuse images larger than 8192 x 8192 before decoding them (see `app.capture.frames`).
    "OPENCV_IO_MAX_IMAGE_PIXELS": str(1 << 26),
}
"""Read when NumPy and OpenCV are first imported; variables already set keep their value."""

for _name, _value in _ENVIRONMENT.items():
    os.environ.setdefault(_name, _value)
