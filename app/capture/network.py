"""A camera in the network: MJPEG over http(s), or rtsp."""

import http.client
import re
import socket
import ssl
import time
from base64 import b64encode
from dataclasses import dataclass, field
from email import message_from_bytes

from app.capture.address import Address, parse_address, redirected
from app.capture.grabber import Grabber
from app.capture.live import LiveSource
from app.capture.opencv import cv2
from app.capture.pacing import Clock
from app.capture.source import Cause, SourceError

PROBE_TIMEOUT = 2.0
"""Seconds to find out why an address gives no video."""

MAX_HEAD = 1 << 16
"""Bytes of an answer's head that are read; real ones have a few hundred."""

MOST_REDIRECTS = 3
"""Times in a row that a camera may send us on to another path of its own."""

_EMPTY_LINE = re.compile(rb"\r?\n\r?\n")


class NetworkCamera(LiveSource):
    """A camera by its address, read with FFmpeg.

    Parameters
    ----------
    url : str
        ``http``, ``https``, ``rtsp`` or ``rtsps``; user name and password may be in it and are
        shown nowhere.
    open_timeout, read_timeout : float
        Seconds to wait for the connection and for a frame.
    clock : Clock, optional
        Where the time comes from.
    """

    is_compressed = True

    def __init__(
        self,
        url: str,
        open_timeout: float = 5.0,
        read_timeout: float = 5.0,
        *,
        clock: Clock | None = None,
    ) -> None:
        self._address = parse_address(url)
        super().__init__(self._address.shown, clock)
        self._open_timeout = open_timeout
        self._read_timeout = read_timeout

    @property
    def subject(self) -> str:
        """The beginning of a sentence about this camera."""
        return f"The network camera {self.name}"

    def _connect(self) -> Grabber:
        address = self._address
        for _ in range(MOST_REDIRECTS):
            grabber = self._grabber_of(address)
            if grabber.is_open:
                return grabber
            if self._closing.is_set():
                raise SourceError(Cause.NO_ANSWER, self.subject)
            try:
                raise why_no_video(address, self.subject, min(PROBE_TIMEOUT, self._open_timeout))
            except Redirected as elsewhere:
                address = elsewhere.address
        message = f"{self.subject} sends us round in circles: restart the camera."
        raise SourceError(Cause.UNREADABLE, message=message)

    def _grabber_of(self, address: Address) -> Grabber:
        options = (
            cv2.CAP_PROP_OPEN_TIMEOUT_MSEC,
            round(self._open_timeout * 1000),
            cv2.CAP_PROP_READ_TIMEOUT_MSEC,
            round(self._read_timeout * 1000),
        )
        return Grabber(address.url, cv2.CAP_FFMPEG, options)

    def _why_silent(self) -> Cause:
        return Cause.STALLED


class Redirected(SourceError):
    """The video is at another path of the same machine.

    Parameters
    ----------
    address : Address
        Where it is.
    subject : str
        What sends us there.
    """

    def __init__(self, address: Address, subject: str) -> None:
        super().__init__(Cause.NOT_FOUND, message=f"{subject} has its video at {address}.")
        self.address = address


@dataclass(frozen=True)
class _Answer:
    """The head of an answer over http."""

    status: int
    content_type: str
    location: str = field(default="", repr=False)


def why_no_video(address: Address, subject: str, timeout: float = PROBE_TIMEOUT) -> SourceError:
    """Ask the machine at the address once more, to tell the person what to change."""
    try:
        if address.scheme in ("http", "https"):
            return _judge(_ask_over_http(address, timeout), address, subject)
        socket.create_connection((address.host, address.port), timeout).close()
    except socket.gaierror:
        message = f"{subject} is unknown to the network: check the spelling of its name."
        return SourceError(Cause.NO_ANSWER, message=message)
    except (OSError, http.client.HTTPException, ValueError, IndexError):
        return SourceError(Cause.NO_ANSWER, subject)
    message = f"{subject} answers without a video: check the path, user name and password."
    return SourceError(Cause.UNREADABLE, message=message)


def _ask_over_http(address: Address, timeout: float) -> _Answer:
    """Return the head of the answer to a GET; the timeout holds for all of it."""
    deadline = time.monotonic() + timeout
    if address.scheme == "https":
        # Cameras sign their own certificates, and nothing that is read here is trusted.
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        connection: http.client.HTTPConnection = http.client.HTTPSConnection(
            address.host, address.port, timeout=timeout, context=context
        )
    else:
        connection = http.client.HTTPConnection(address.host, address.port, timeout=timeout)
    headers = {}
    if address.user is not None:
        login = b64encode(f"{address.user}:{address.password or ''}".encode()).decode()
        headers["Authorization"] = f"Basic {login}"
    try:
        connection.request("GET", address.target, headers=headers)
        head = _head_of_answer(connection.sock, deadline)
    finally:
        connection.close()
    status_line, _, fields = head.partition(b"\n")
    message = message_from_bytes(fields)
    location = str(message.get("Location", ""))
    return _Answer(int(status_line.split()[1]), message.get_content_type(), location)


def _head_of_answer(connection: socket.socket, deadline: float) -> bytes:
    """Receive up to the first empty line; http.client waits forever for one that trickles in."""
    head = b""
    while len(head) < MAX_HEAD:
        connection.settimeout(max(0.001, deadline - time.monotonic()))
        received = connection.recv(4096)
        head += received
        if (found := _EMPTY_LINE.search(head)) is not None:
            return head[: found.start()]
        if not received or time.monotonic() > deadline:
            break
    raise TimeoutError("no complete answer")


def _judge(answer: _Answer, address: Address, subject: str) -> SourceError:
    status, content_type = answer.status, answer.content_type
    if status in (301, 302, 303, 307, 308):
        return _judge_redirection(answer.location, address, subject)
    if status in (401, 403):
        message = f"{subject} refuses access: put the right user name and password in its address."
        return SourceError(Cause.PERMISSION, message=message)
    if status in (404, 410):
        message = f"{subject} has nothing at this path: look up the video's path in its manual."
        return SourceError(Cause.NOT_FOUND, message=message)
    if status >= 500:
        message = f"{subject} reports a fault of its own ({status}): restart the camera."
        return SourceError(Cause.NO_ANSWER, message=message)
    if content_type.startswith(("image/", "multipart/", "video/")):
        message = (
            f"{subject} announces a video and sends no picture that can be read: restart the "
            "camera, or choose MJPEG or H.264 in its settings."
        )
        return SourceError(Cause.UNREADABLE, message=message)
    what = "a web page" if content_type == "text/html" else "something that is no video"
    message = f"{subject} answers with {what}: look up the video's path in its manual."
    return SourceError(Cause.UNREADABLE, message=message)


def _judge_redirection(location: str, address: Address, subject: str) -> SourceError:
    """Follow it to the same machine alone: nobody is asked for but whom the person named."""
    try:
        target = redirected(address, location)
    except SourceError:
        message = f"{subject} sends us on to nowhere: look up the video's path in its manual."
        return SourceError(Cause.UNREADABLE, message=message)
    if target.host == address.host:
        return Redirected(target, subject)
    message = f"{subject} sends us on to {target}: open that address if you trust it."
    return SourceError(Cause.UNREADABLE, message=message)
