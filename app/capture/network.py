"""A network camera: MJPEG over http(s), or rtsp.

Addresses may contain passwords before the host, in the query, even in the path
(``/user=admin&password=...``). Only parts that cannot contain one are shown or logged.
"""

import contextlib
import http.client
import socket
import ssl
import threading
from base64 import b64encode
from dataclasses import dataclass, field
from urllib.parse import unquote, urljoin, urlsplit, urlunsplit

from app.capture.opencv import Grabber, OpenCVSource, cv2
from app.capture.source import Cause, Clock, SourceError

PROBE_TIMEOUT = 2.0  # seconds to find out why an address gives no video

MAX_REDIRECTS = 3

_PORTS = {"http": 80, "https": 443, "rtsp": 554, "rtsps": 322}
_MALFORMED = (
    "The address of the network camera is malformed: write it as http://host:port/path, and "
    "special characters in a password as %40 for @, %2F for / and so on."
)


@dataclass(frozen=True)
class Address:
    """An address; its text form omits the credentials."""

    url: str = field(repr=False)  # with credentials, for the library that connects
    scheme: str
    host: str
    port: int  # as given, or the protocol's default
    label: str

    def __str__(self) -> str:
        return self.label


def parse_address(url: str) -> Address:
    """Return the parts of an address, or raise `SourceError` without quoting it."""
    text = url.strip()
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise SourceError(Cause.UNKNOWN_FORM, message=_MALFORMED) from None
    scheme = parts.scheme.lower()
    if scheme not in _PORTS:
        raise SourceError(Cause.UNKNOWN_FORM, "An address of this kind")
    # An @ after the host comes from a password with / ? or # in it, split in the wrong place; after
    # a path, the query may contain one.
    rest = parts.path + parts.fragment + ("" if parts.path else parts.query)
    if not host or "@" in rest or any(not char.isprintable() for char in text):
        raise SourceError(Cause.UNKNOWN_FORM, message=_MALFORMED)
    netloc = f"[{host}]" if ":" in host else host
    netloc = netloc if port is None else f"{netloc}:{port}"
    path = parts.path if not set("=&;") & set(unquote(parts.path)) else ""
    return Address(
        url=text,
        scheme=scheme,
        host=host,
        port=_PORTS[scheme] if port is None else port,
        label=f"{scheme}://{netloc}{path.rstrip('/')}",
    )


def redirected(address: Address, location: str) -> Address:
    """Return the target of a redirect; the login goes to the same host only.

    Raises `SourceError` for anything but a camera address, and for a downgrade from https to http.
    """
    try:
        parts = urlsplit(urljoin(address.url, location.strip()))
        has_login = parts.username is not None
    except ValueError:
        raise SourceError(Cause.UNKNOWN_FORM, message=_MALFORMED) from None
    login = urlsplit(address.url).netloc.rpartition("@")[0]
    if login and not has_login and parts.hostname == address.host:
        parts = parts._replace(netloc=f"{login}@{parts.netloc}")
    target = parse_address(urlunsplit(parts))
    if not location.strip() or (address.scheme == "https" and target.scheme != "https"):
        raise SourceError(Cause.UNKNOWN_FORM, message=_MALFORMED)
    return target


class NetworkCamera(OpenCVSource):
    """A camera by its http(s) or rtsp(s) address, read with FFmpeg."""

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
        super().__init__(self._address.label, clock)
        self._open_timeout = open_timeout
        self._read_timeout = read_timeout

    @property
    def subject(self) -> str:
        return f"The network camera {self.name}"

    def _connect(self) -> Grabber:
        address = self._address
        options = (
            cv2.CAP_PROP_OPEN_TIMEOUT_MSEC,
            round(self._open_timeout * 1000),
            cv2.CAP_PROP_READ_TIMEOUT_MSEC,
            round(self._read_timeout * 1000),
        )
        for _ in range(MAX_REDIRECTS):
            grabber = Grabber(address.url, cv2.CAP_FFMPEG, options)
            if grabber.is_open:
                return grabber
            if self._closing.is_set():
                raise SourceError(Cause.NO_ANSWER, self.subject)
            found = why_no_video(address, self.subject, min(PROBE_TIMEOUT, self._open_timeout))
            if isinstance(found, SourceError):
                raise found
            address = found
        message = f"{self.subject} redirects in a loop: restart the camera."
        raise SourceError(Cause.UNREADABLE, message=message)

    def _why_silent(self) -> Cause:
        return Cause.STALLED


def why_no_video(
    address: Address, subject: str, timeout: float = PROBE_TIMEOUT
) -> SourceError | Address:
    """Ask the host again; return what is wrong, or the address of the video."""
    try:
        if address.scheme in ("http", "https"):
            return _judge(_ask_over_http(address, timeout), address, subject)
        socket.create_connection((address.host, address.port), timeout).close()
    except socket.gaierror:
        message = f"{subject} cannot be found on the network: check the spelling of its name."
        return SourceError(Cause.NO_ANSWER, message=message)
    except (OSError, http.client.HTTPException, ValueError):
        return SourceError(Cause.NO_ANSWER, subject)
    message = f"{subject} answers but sends no video: check the path, user name and password."
    return SourceError(Cause.UNREADABLE, message=message)


def _ask_over_http(address: Address, timeout: float) -> http.client.HTTPResponse:
    """Return the headers of the answer to a GET, within the timeout after connecting."""
    if address.scheme == "https":
        # Cameras sign their own certificates, and nothing read here is trusted.
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        connection: http.client.HTTPConnection = http.client.HTTPSConnection(
            address.host, address.port, timeout=timeout, context=context
        )
    else:
        connection = http.client.HTTPConnection(address.host, address.port, timeout=timeout)
    parts = urlsplit(address.url)
    headers = {}
    if parts.username is not None:
        login = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["Authorization"] = f"Basic {b64encode(login.encode()).decode()}"
    with contextlib.closing(connection):
        connection.connect()
        # http.client would wait forever for headers that trickle in.
        is_late = threading.Event()
        timer = threading.Timer(timeout, _break_off, (connection.sock, is_late))
        timer.start()
        try:
            target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            connection.request("GET", target, headers=headers)
            answer = connection.getresponse()
        finally:
            timer.cancel()
        if is_late.is_set():
            raise TimeoutError("no complete answer")
        return answer


def _break_off(connection: socket.socket, is_late: threading.Event) -> None:
    is_late.set()
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def _judge(
    answer: http.client.HTTPResponse, address: Address, subject: str
) -> SourceError | Address:
    """Return what is wrong with an answer, or the address on the same host it redirects to."""
    status, content_type = answer.status, answer.headers.get_content_type()
    cause = Cause.UNREADABLE
    if status in (301, 302, 303, 307, 308):
        try:
            target = redirected(address, answer.headers.get("Location", ""))
        except SourceError:
            message = (
                f"{subject} redirects to an invalid address: look up the video's path in its "
                "manual."
            )
        else:
            if target.host == address.host:
                return target
            message = f"{subject} redirects to {target}: open that address if you trust it."
    elif status in (401, 403):
        cause = Cause.PERMISSION
        message = f"{subject} refuses access: put the right user name and password in its address."
    elif status in (404, 410):
        cause = Cause.NOT_FOUND
        message = f"{subject} has nothing at this path: look up the video's path in its manual."
    elif status >= 500:
        cause = Cause.NO_ANSWER
        message = f"{subject} reports an internal error ({status}): restart the camera."
    elif content_type.startswith(("image/", "multipart/", "video/")):
        message = (
            f"{subject} sends video that cannot be decoded: restart the "
            "camera, or choose MJPEG or H.264 in its settings."
        )
    else:
        what = "a web page" if content_type == "text/html" else "something other than video"
        message = f"{subject} answers with {what}: look up the video's path in its manual."
    return SourceError(cause, message=message)
