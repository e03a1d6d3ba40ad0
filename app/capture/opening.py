"""A source from what a person types."""

from pathlib import Path
from typing import TypedDict
from urllib.parse import urlsplit
from urllib.request import url2pathname

from app.capture.causes import may_not_be_read
from app.capture.source import Cause, FrameSource, SourceError

CAMERA = "camera"
DEMO = "demo"


class _Playing(TypedDict, total=False):
    """How a recording is played; what is missing is left to the source."""

    paced: bool
    loop: bool


def source_from(
    text: str,
    *,
    paced: bool | None = None,
    loop: bool | None = None,
    width: int = 640,
    height: int = 480,
    rate: float | None = None,
) -> FrameSource:
    """Return the source that a text names; nothing is opened yet.

    Parameters
    ----------
    text : str
        ``demo``; ``camera`` for the first camera or ``camera:NAME``; the path of a video, an
        image or a folder of images; an ``http``, ``https`` or ``rtsp`` address.
    paced, loop : bool, optional
        For recordings and the demo; each has its own default.
    width, height : int
        Asked of a camera.
    rate : float, optional
        Frames a second: asked of a camera, given to a folder of images.

    Raises
    ------
    SourceError
        When the text names nothing that exists, with the accepted forms where they may help.
    """
    text = text.strip()
    playing: _Playing = {}
    if paced is not None:
        playing["paced"] = paced
    if loop is not None:
        playing["loop"] = loop
    if text.casefold() == DEMO:
        from app.demo.source import DemoSource

        return DemoSource(**playing)
    kind, _, name = text.partition(":")
    if kind.strip().casefold() == CAMERA:
        from app.capture.webcam import Webcam

        return Webcam(name.strip(), width, height, 30.0 if rate is None else rate)
    if "://" in text and not text.casefold().startswith("file://"):
        from app.capture.network import NetworkCamera

        return NetworkCamera(text)
    return _recording(_path_from(text), playing, rate)


def _path_from(text: str) -> Path:
    try:
        if "://" in text:
            # On Windows "/C:/takes" is C:\takes, and a host is that of a shared folder.
            parts = urlsplit(text)
            host = parts.netloc if parts.netloc != "localhost" else ""
            text = url2pathname(f"//{host}{parts.path}" if host else parts.path)
        path = Path(text).expanduser()
        found = bool(text) and path.exists()
    except PermissionError:
        raise may_not_be_read(f"The file or folder {text}") from None
    except (OSError, ValueError, RuntimeError):
        raise SourceError(Cause.UNKNOWN_FORM, "This text") from None
    if found:
        return path
    looks_like_a_path = path.suffix or len(path.parts) > 1
    if looks_like_a_path:
        raise SourceError(Cause.NOT_FOUND, f"The file or folder {text}")
    raise SourceError(Cause.UNKNOWN_FORM, f"'{text}'" if text else "An empty text")


def _recording(path: Path, playing: _Playing, rate: float | None) -> FrameSource:
    from app.capture.image_folder import IMAGE_SUFFIXES, ImageFolder
    from app.capture.video_file import VideoFile

    if path.is_dir() or path.suffix.lower() in IMAGE_SUFFIXES:
        return ImageFolder(path, 10.0 if rate is None else rate, **playing)
    return VideoFile(path, **playing)
