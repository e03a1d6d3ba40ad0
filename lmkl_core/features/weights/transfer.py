"""One HTTP request for one file, going on where an earlier one broke off.

``urllib`` only. The address must be https; plain http is taken for this very computer alone, and
no redirection leads out of that rule. What arrived is kept beside the mark the server gave its
file (ETag or date), so that parts of two versions are never joined.
"""

import http.client
import shutil
import socket
import ssl
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from email.message import Message
from pathlib import Path
from typing import IO, Any

from lmkl_core.errors import Cancelled, InvalidInputError, asked_to_stop

Progress = Callable[[int, int | None], None]
"""Called with the bytes that are there and the bytes there will be, where known."""

BLOCK = 1 << 18
MAX_BYTES = 2 << 30
MAX_MARK = 300
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
RANGE_NOT_SATISFIABLE = 416
PARTIAL_CONTENT = 206


class Interrupted(Exception):
    """The transfer broke off; it may go on. ``received`` counts the bytes this time brought."""

    def __init__(self, reason: str, received: int = 0):
        super().__init__(reason)
        self.received = received


class Refused(Exception):
    """The server's answer is of no use, now and at the next try."""


def check_url(url: str, *, loopback: bool = True) -> None:
    """Refuse an address that is neither https nor, where allowed, http on this computer."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme == "https" and parts.hostname:
        return
    if loopback and parts.scheme == "http" and parts.hostname in LOOPBACK:
        return
    raise InvalidInputError(f"{url} is not an https address; nothing is fetched from it.")


def transfer(
    url: str,
    partial: Path,
    *,
    size: int | None,
    timeout: float,
    progress: Progress | None = None,
    cancel: Callable[[], bool] | None = None,
) -> None:
    """Bring the rest of a file into ``partial``, or all of it where the server knows no rest.

    Parameters
    ----------
    url : str
        Address of the file.
    partial : Path
        Where it grows; what is there already is not asked for again.
    size : int or None
        Bytes the whole file must have.
    timeout : float
        Seconds without a byte after which the transfer counts as broken off.
    progress : callable, optional
        Told how far it is.
    cancel : callable, optional
        Asked at every block whether to stop.

    Raises
    ------
    Interrupted, Refused, Cancelled
        As their names say; what arrived is kept.
    OSError
        If the file cannot be written.
    """
    have = partial.stat().st_size if partial.exists() else 0
    response = _open(url, have, _mark_path(partial), timeout)
    if response is None:  # nothing is left to ask for: the checksum will tell
        return
    with response:
        start, total = _extent(response, have, partial)
        _check_extent(start, total, size, partial)
        if start == 0:
            _keep_mark(response.headers, _mark_path(partial))
        with partial.open("r+b" if start else "wb") as file:
            file.seek(start)
            _pour(response, file, start, total, timeout, progress, cancel)


def forget(partial: Path) -> None:
    """Remove what a transfer left behind."""
    partial.unlink(missing_ok=True)
    _mark_path(partial).unlink(missing_ok=True)


def _open(url: str, have: int, mark_path: Path, timeout: float) -> http.client.HTTPResponse | None:
    check_url(url)
    headers = {"User-Agent": "lmkl-pad", "Accept-Encoding": "identity"}
    if have:
        headers["Range"] = f"bytes={have}-"
        if mark := _kept_mark(mark_path):
            headers["If-Range"] = mark
    request = urllib.request.Request(url, headers=headers)
    try:
        response = _opener(url).open(request, timeout=timeout)
    except urllib.error.HTTPError as error:
        with error:
            if error.code == RANGE_NOT_SATISFIABLE and have:
                return None
            raise Refused(f"the server answered {error.code} {error.reason}") from error
    except (OSError, http.client.HTTPException) as error:
        raise Interrupted(_reason(error, timeout)) from error
    assert isinstance(response, http.client.HTTPResponse)
    return response


def _extent(response: http.client.HTTPResponse, have: int, partial: Path) -> tuple[int, int | None]:
    """Return where the answer's first byte belongs and how long the whole file is."""
    if response.status != PARTIAL_CONTENT:
        return 0, _number(response.headers.get("Content-Length", ""))
    unit, _, rest = response.headers.get("Content-Range", "").partition(" ")
    span, _, whole = rest.partition("/")
    if unit != "bytes" or span.partition("-")[0] != str(have):
        forget(partial)
        raise Refused("the server sent another part of the file than was asked for")
    return have, _number(whole)


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 16 else None


def _check_extent(start: int, total: int | None, size: int | None, partial: Path) -> None:
    if size is not None and total is not None and total != size:
        raise Refused(f"the server offers {total} bytes where {size} belong")
    if total is None:
        return
    if total > MAX_BYTES:
        raise Refused(f"the server offers {total} bytes, more than any file of weights has")
    free = shutil.disk_usage(partial.parent).free
    if total - start > free:
        raise Refused(
            f"{total - start} bytes are to come, but {partial.parent} has room for {free}"
        )


def _pour(
    response: http.client.HTTPResponse,
    file: IO[bytes],
    start: int,
    total: int | None,
    timeout: float,
    progress: Progress | None,
    cancel: Callable[[], bool] | None,
) -> None:
    done = start
    while True:
        if asked_to_stop(cancel):
            raise Cancelled(f"Stopped; the {done} bytes fetched are kept for the next time.")
        if progress is not None:
            progress(done, total)
        try:
            block = response.read1(BLOCK)
        except (OSError, http.client.HTTPException) as error:
            raise Interrupted(_reason(error, timeout), done - start) from error
        if not block:
            break
        done += len(block)
        if done > (MAX_BYTES if total is None else total):
            raise Refused("the server sends more than it announced")
        file.write(block)
        file.flush()  # so that all that arrived is there, however this process ends
    file.truncate()
    if total is not None and done < total:
        raise Interrupted(f"the connection broke off after {done} of {total} bytes", done - start)


class _SafeRedirects(urllib.request.HTTPRedirectHandler):
    """Follow redirections to https only, or on this computer if that is where we started."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: Any,
        newurl: str,
    ) -> urllib.request.Request | None:
        try:
            check_url(newurl, loopback=_is_loopback(req.full_url))
        except InvalidInputError as error:
            fp.close()
            raise Refused(
                f"the server points to {newurl}, which is not an https address"
            ) from error
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _opener(url: str) -> urllib.request.OpenerDirector:
    if _is_loopback(url):
        return urllib.request.build_opener(_SafeRedirects, urllib.request.ProxyHandler({}))
    return urllib.request.build_opener(_SafeRedirects)


def _is_loopback(url: str) -> bool:
    return urllib.parse.urlsplit(url).hostname in LOOPBACK


def _mark_path(partial: Path) -> Path:
    return partial.with_name(partial.name + ".mark")


def _keep_mark(headers: Message, path: Path) -> None:
    mark = headers.get("ETag", "")
    if not mark or mark.startswith("W/"):  # a weak one promises no equal bytes
        mark = headers.get("Last-Modified", "")
    if mark:
        path.write_text(mark, encoding="utf-8")
    else:
        path.unlink(missing_ok=True)


def _kept_mark(path: Path) -> str:
    try:
        mark = path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""
    return mark if mark.isascii() and mark.isprintable() and len(mark) <= MAX_MARK else ""


def _reason(error: Exception, timeout: float) -> str:
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(cause, TimeoutError):
        return f"nothing arrived for {timeout:g} seconds"
    if isinstance(cause, socket.gaierror):
        return "the server's name is not known here, as happens without internet"
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"the server's certificate is not trusted ({cause.verify_message})"
    if isinstance(cause, http.client.IncompleteRead):
        return "the connection broke off"
    if isinstance(cause, OSError) and cause.strerror:
        return cause.strerror
    return str(cause) or type(cause).__name__
