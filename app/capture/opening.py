"""Create a source from the text that names it."""

from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from app.capture.folder import IMAGE_SUFFIXES, ImageFolder
from app.capture.network import NetworkCamera
from app.capture.source import Cause, FrameSource, SourceError, unreadable_by_account
from app.capture.video import VideoFile
from app.capture.webcam import Webcam
from app.demo.source import DemoSource


def source_from(
    text: str,
    *,
    paced: bool = True,
    loop: bool = True,
    width: int = 640,
    height: int = 480,
) -> FrameSource:
    """Return the source that a text names, unopened; raise `SourceError` if there is none.

    The text is ``demo``; ``camera`` for the first camera or ``camera:NAME``; the path of a video,
    an image or a folder of images; or an ``http``, ``https`` or ``rtsp`` address. Videos and the
    demo play at their own pace if ``paced``, the demo repeats if ``loop``. The size is requested
    from cameras.
    """
    text = text.strip()
    if text.casefold() == "demo":
        return DemoSource(paced, loop)
    kind, _, name = text.partition(":")
    if kind.strip().casefold() == "camera":
        return Webcam(name.strip(), width, height)
    if "://" in text and not text.casefold().startswith("file://"):
        return NetworkCamera(text)
    path = _path_from(text)
    if path.is_dir() or path.suffix.lower() in IMAGE_SUFFIXES:
        return ImageFolder(path)
    return VideoFile(path, paced)


def _path_from(text: str) -> Path:
    try:
        if "://" in text:
            # On Windows "/C:/takes" is C:\takes, and a host names a shared folder.
            parts = urlsplit(text)
            host = parts.netloc if parts.netloc != "localhost" else ""
            text = url2pathname(f"//{host}{parts.path}" if host else parts.path)
        path = Path(text).expanduser()
        found = bool(text) and path.exists()
    except PermissionError:
        raise unreadable_by_account(f"The file or folder {text}") from None
    except (OSError, ValueError, RuntimeError):
        raise SourceError(Cause.UNKNOWN_FORM, "This text") from None
    if found:
        return path
    looks_like_a_path = path.suffix or len(path.parts) > 1
    if looks_like_a_path:
        raise SourceError(Cause.NOT_FOUND, f"The file or folder {text}")
    raise SourceError(Cause.UNKNOWN_FORM, f"'{text}'" if text else "An empty text")
