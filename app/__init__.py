"""The lmkl-pad application: command line and, under ``app.qt``, the window.

Imports point downwards only: ``app.qt`` -> ``app`` -> ``lmkl_core``.
"""

import os

_ENVIRONMENT = {
    # OpenBLAS's threads would spin for tens of milliseconds after every score of a frame, and keep
    # a core from the next frame's networks; now they sleep at once.
    "OPENBLAS_THREAD_TIMEOUT": "4",
    # Nothing on standard error: problems reach the person as a sentence.
    "OPENCV_LOG_LEVEL": "SILENT",
    "OPENCV_FFMPEG_LOGLEVEL": "-8",
    # OpenCV would hold a lock on FFmpeg while it opens an address that does not answer; its present
    # versions do not need it.
    "OPENCV_FFMPEG_IS_THREAD_SAFE": "1",
    # Do not follow redirects to other hosts. The other option is OpenCV's default, which is lost
    # where this variable is set.
    "OPENCV_FFMPEG_CAPTURE_OPTIONS": "rtsp_flags;prefer_tcp|max_redirects;0",
    # Linux: seconds a read waits for a camera before it fails.
    "OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT": "4",
    # Windows: without this a camera takes up to a minute to open through Media Foundation.
    "OPENCV_VIDEOIO_MSMF_ENABLE_HW_TRANSFORMS": "0",
    # macOS: OpenCV's own permission prompt only works on the window's thread, which never opens a
    # camera here; the system asks when the camera is first used.
    "OPENCV_AVFOUNDATION_SKIP_AUTH": "1",
    # Larger images (8192 x 8192) are refused before they are decoded; `app.capture.frames`.
    "OPENCV_IO_MAX_IMAGE_PIXELS": str(1 << 26),
}
"""Read when NumPy and OpenCV are first imported; variables that are already set are left alone."""

for _name, _value in _ENVIRONMENT.items():
    os.environ.setdefault(_name, _value)
