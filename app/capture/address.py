"""Addresses of network cameras, and what of them may be shown.

Cameras carry passwords in every part of an address: before the host, in the query, even in the path
(``/user=admin&password=...``). Only what cannot hold one is shown.
"""

from dataclasses import dataclass, field
from urllib.parse import unquote, urljoin, urlsplit, urlunsplit

from app.capture.source import Cause, SourceError

_PORTS = {"http": 80, "https": 443, "rtsp": 554, "rtsps": 322}
SCHEMES = tuple(_PORTS)

_MALFORMED = (
    "The address of the network camera is malformed: write it as http://host:port/path and "
    "special characters of a password in percent form, such as %40 for @ and %2F for /."
)


@dataclass(frozen=True)
class Address:
    """The parts of a network camera's address; its text form shows no secrets.

    Attributes
    ----------
    url : str
        All of it, for the library that connects: never for a person or a log.
    scheme, host : str
        Protocol and machine.
    port : int
        The given one or the protocol's own.
    shown : str
        What may be shown.
    """

    url: str = field(repr=False)
    scheme: str
    host: str
    port: int
    shown: str
    user: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
    target: str = field(default="/", repr=False)

    def __str__(self) -> str:
        return self.shown


def parse_address(url: str) -> Address:
    """Return the parts of an address; raise `SourceError`, without quoting it, if it has none."""
    text = url.strip()
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise SourceError(Cause.UNKNOWN_FORM, message=_MALFORMED) from None
    scheme = parts.scheme.lower()
    if scheme not in _PORTS:
        raise SourceError(Cause.UNKNOWN_FORM, "An address of this kind")
    # An @ behind the host is a password with / ? or # in it, split at the wrong place; behind a
    # path, the query may hold one.
    behind = parts.path + parts.fragment + ("" if parts.path else parts.query)
    if not host or "@" in behind or any(not char.isprintable() for char in text):
        raise SourceError(Cause.UNKNOWN_FORM, message=_MALFORMED)
    place = f"[{host}]" if ":" in host else host
    place = place if port is None else f"{place}:{port}"
    path = parts.path if not set("=&;") & set(unquote(parts.path)) else ""
    return Address(
        url=text,
        scheme=scheme,
        host=host,
        port=_PORTS[scheme] if port is None else port,
        shown=f"{scheme}://{place}{path.rstrip('/')}",
        user=None if parts.username is None else unquote(parts.username),
        password=None if parts.password is None else unquote(parts.password),
        target=(parts.path or "/") + (f"?{parts.query}" if parts.query else ""),
    )


def redirected(address: Address, location: str) -> Address:
    """Return where an answer sends us on to; the login goes along to the same machine only.

    Parameters
    ----------
    address : Address
        Who answered.
    location : str
        As the answer gives it; may be a path alone.

    Raises
    ------
    SourceError
        When it is no address of a network camera, or leaves an encrypted connection.
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
