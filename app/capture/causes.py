"""Why a source gives no usable frames, and what a person can do about it, in one place."""

import sys
from enum import StrEnum


class Cause(StrEnum):
    """What is wrong with a source; the value is fit for a machine-readable report."""

    NO_CAMERA = "no camera"
    BUSY = "busy"
    PERMISSION = "permission"
    CANNOT_OPEN = "cannot open"
    BLACK = "black image"
    FROZEN = "frozen image"
    DAMAGED = "damaged image"
    NO_ANSWER = "no answer"
    STALLED = "stalled"
    SLOW_TO_OPEN = "slow to open"
    UNREADABLE = "unreadable"
    TOO_LARGE = "too large"
    EMPTY = "empty"
    NOT_FOUND = "not found"
    UNKNOWN_FORM = "unknown form"


_ADVICE = {
    Cause.NO_CAMERA: "{subject} is not there: plug it in, or choose another source.",
    Cause.BUSY: "{subject} is in use by another program: close it there and try again.",
    Cause.CANNOT_OPEN: (
        "{subject} does not open: close other programs that use it, unplug it and plug it in again."
    ),
    Cause.BLACK: "{subject} gives a black image: open its shutter or turn on a light.",
    Cause.FROZEN: (
        "{subject} repeats the same image: unplug it and plug it in again, or open its shutter."
    ),
    Cause.DAMAGED: "{subject} sends damaged images: check its cable or its network.",
    Cause.NO_ANSWER: (
        "{subject} does not answer: check the address and that the camera is on and reachable."
    ),
    Cause.STALLED: "{subject} has stopped sending frames: check its cable or its network.",
    Cause.SLOW_TO_OPEN: "{subject} takes long to open: wait, or choose another source.",
    Cause.UNREADABLE: "{subject} cannot be read: it is damaged or of an unknown format.",
    Cause.TOO_LARGE: "{subject} is too large: make it smaller than {limit}.",
    Cause.EMPTY: "{subject} holds no image: choose another one.",
    Cause.NOT_FOUND: "{subject} does not exist: check how it is spelt.",
    Cause.UNKNOWN_FORM: (
        "{subject} is no source: give demo, camera, camera:NAME, the path of a video, an image or "
        "a folder of images, or an http, https or rtsp address."
    ),
}

_PERMISSION = {
    "linux": (
        "{subject} may not be used by this account: run 'sudo usermod -aG video $USER', "
        "then log in again."
    ),
    "darwin": (
        "{subject} may not be used by this program: allow it in System Settings, Privacy & "
        "Security, Camera, then start the program again."
    ),
    "win32": (
        "{subject} may not be used by this program: switch on Settings, Privacy & security, "
        "Camera, 'Let desktop apps access your camera'."
    ),
}
_PERMISSION_ELSEWHERE = "{subject} may not be used by this account: ask for permission to use it."


def advice(
    cause: Cause, subject: str, *, limit: str = "the limit", platform: str = sys.platform
) -> str:
    """Return one sentence that names the problem and the way out.

    Parameters
    ----------
    cause : Cause
        What is wrong.
    subject : str
        What it is wrong with, as a person knows it ("The camera Logitech C920").
    limit : str
        What ``TOO_LARGE`` was measured against.
    platform : str
        As in `sys.platform`: permissions are given in different places.
    """
    if cause is Cause.PERMISSION:
        text = _PERMISSION.get(platform, _PERMISSION_ELSEWHERE)
    else:
        text = _ADVICE[cause]
    return text.format(subject=subject, limit=limit)


def fit_to_show(text: str) -> str:
    """Return the text without what cannot be printed: a file's name may hold bytes of any kind."""
    return text.encode("utf-8", "replace").decode()


class SourceError(Exception):
    """A source that gives no frames: ``cause`` for the program, one sentence for the person.

    Parameters
    ----------
    cause : Cause
        What is wrong.
    subject : str
        What it is wrong with, as the sentence's beginning.
    limit : str
        See `advice`.
    message : str or None
        A sentence of the caller's own where the general one would mislead.
    """

    def __init__(
        self,
        cause: Cause,
        subject: str = "The source",
        *,
        limit: str = "the limit",
        message: str | None = None,
    ) -> None:
        text = message if message is not None else advice(cause, subject, limit=limit)
        super().__init__(fit_to_show(text))
        self.cause = cause


def may_not_be_read(subject: str) -> SourceError:
    """Return the error for a file or folder that is there but closed to this account."""
    message = f"{subject} may not be read by this account: change its permissions."
    return SourceError(Cause.PERMISSION, message=message)
