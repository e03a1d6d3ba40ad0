"""The demo's very first picture, for a window that shows it before a source can be read.

Reading frames takes NumPy and OpenCV, which load for as long as all of Qt does. This picture is the
one that the demo begins with, from the same file, so nothing jumps when its frames follow. Loads
nothing of ours, for the same reason.
"""

import struct
from pathlib import Path

FILE = Path(__file__).parents[1] / "demo_video" / "opening.bin"
"""Every picture as the camera compressed it, after four bytes that tell its length."""

CAPTION = "Simulated: The person, by the window"
"""That of the demo's first frame; a test holds them together."""

LENGTH = struct.Struct(">I")
_MOST_BYTES = 1 << 20


def poster_of(source: str, file: Path = FILE) -> bytes:
    """Return the picture, as JPEG, with which a source is sure to begin.

    Parameters
    ----------
    source : str
        As in the settings.
    file : Path
        Where the demo's opening is.

    Returns
    -------
    bytes
        Empty for every source but the demo, and when the file cannot be read: then the source's own
        frames come first.
    """
    if source == "auto":
        from app.sources.devices import may_have_cameras

        if may_have_cameras():
            return b""
    elif source != "demo":
        return b""
    try:
        with file.open("rb") as content:
            (length,) = LENGTH.unpack(content.read(LENGTH.size))
            return content.read(min(length, _MOST_BYTES))
    except (OSError, struct.error):
        return b""
