"""Download weights on request: resumed, checked, and put in place in one step.

``urllib`` only. The address must be https; plain http is taken for this very computer alone, and
no redirection leads out of that rule. What arrived is kept beside the mark the server gave its
file (ETag or date), so that parts of two versions are never joined.
"""

import http.client
import os
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
from lmkl_core.features.engines.engine import has_torch, without_torch
from lmkl_core.features.networks.registry import NETWORKS
from lmkl_core.features.weights.catalogue import Weights
from lmkl_core.features.weights.checksums import sha256_of
from lmkl_core.features.weights.store import (
    MAX_BYTES,
    Checksum,
    MissingWeightsError,
    WeightsFile,
    WrongWeightsError,
    inspect,
    partial_path,
    put_where,
    weights_folder,
    whole_file,
)
from lmkl_core.system.processes import Locked, only_one

Progress = Callable[[int, int | None], None]
"""Called with the bytes that are there and the bytes there will be, where known."""

TIMEOUT = 20.0
ATTEMPTS = 5
BLOCK = 1 << 18
MAX_MARK = 300
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
RANGE_NOT_SATISFIABLE = 416
PARTIAL_CONTENT = 206


class FetchError(MissingWeightsError):
    """Weights that could not be downloaded; ``reason`` is the why alone, as half a sentence."""

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class _Interrupted(Exception):
    """The transfer broke off and may go on; ``received`` counts the bytes that it brought."""

    def __init__(self, reason: str, received: int = 0):
        super().__init__(reason)
        self.received = received


class _Refused(Exception):
    """The server's answer is of no use, now and at the next try."""


def fetch(
    entry: Weights,
    folder: Path | str | None = None,
    progress: Progress | None = None,
    cancel: Callable[[], bool] | None = None,
    *,
    timeout: float = TIMEOUT,
) -> WeightsFile:
    """Download weights into the user's folder, unless they are on this computer already.

    The file grows as ``<file name>.partial``; a later call goes on where this one stopped. It gets
    its name only when its checksum is right, in one step, replacing a damaged file that had it.

    Parameters
    ----------
    entry : Weights
        What to fetch.
    folder : Path or str, optional
        The user's folder; see `weights_folder`.
    progress : callable, optional
        Called with the bytes that are there and those there will be (None where unknown).
    cancel : callable, optional
        Asked at every block whether to stop. A server that has fallen silent delays the answer by
        at most ``timeout``.
    timeout : float
        Seconds without a byte after which a connection counts as broken off.

    Raises
    ------
    EngineError
        If it would be of no use, because there is no torch to run it.
    FetchError
        If it cannot be fetched: the sentence says why and how to bring the file by hand.
    MissingWeightsError
        If it only comes with a package.
    WrongWeightsError
        If what the server sent has the wrong checksum; it is removed. Also if there is a damaged
        file that only comes with a package; it is left alone.
    Cancelled
        If ``cancel`` said so; what arrived is kept.
    OSError
        If the folder cannot be written.
    """
    target_folder = weights_folder(folder)
    finding = inspect(entry, target_folder, cancel=cancel)
    if finding.checksum is Checksum.RIGHT or not entry.url:
        return whole_file(finding, target_folder)
    network = NETWORKS.get(entry.name)
    if network is not None and network.needs_torch and not has_torch():
        raise without_torch(f"The network {entry.name}")
    check_url(entry.url)
    target_folder.mkdir(parents=True, exist_ok=True)
    partial = partial_path(entry, target_folder)
    try:
        with only_one(partial.with_name(partial.name + ".lock")):
            _complete(entry, partial, progress, cancel, timeout)
            target = target_folder / entry.file_name
            os.replace(partial, target)
            forget(partial)
    except Locked as error:
        raise _not_fetched(entry, target_folder, "another process is fetching it") from error
    return WeightsFile(target, sha256_of(target), entry)


def _complete(
    entry: Weights,
    partial: Path,
    progress: Progress | None,
    cancel: Callable[[], bool] | None,
    timeout: float,
) -> None:
    """Bring the partial file to its end, over broken connections as long as each gains ground."""
    reason = ""
    for _ in range(ATTEMPTS):
        is_resumed = partial.exists()
        try:
            _transfer(entry, partial, timeout, progress, cancel)
        except _Refused as error:
            raise _not_fetched(entry, partial.parent, str(error)) from error
        except _Interrupted as error:
            if not error.received:
                raise _not_fetched(entry, partial.parent, str(error)) from error
            reason = str(error)
            continue
        digest = sha256_of(partial, afresh=True, cancel=cancel)
        if entry.matches(digest):
            return
        forget(partial)
        if not is_resumed:
            raise WrongWeightsError(
                f"What {entry.url} sent is not the file of the weights {entry.name!r} and was "
                f"removed: its SHA-256 is {digest}, but the right one {entry.known_digits}; try "
                f"again later, or get it elsewhere and {put_where(partial.parent)}"
            )
        # What lay there did not belong to this file: the next attempt fetches all of it.
        reason = "what an earlier attempt left behind belongs to another file"
    raise _not_fetched(entry, partial.parent, reason)


def _not_fetched(entry: Weights, folder: Path, reason: str) -> FetchError:
    return FetchError(
        f"{entry.file_name} could not be fetched from {entry.url}: {reason}; try again, or "
        f"get it on another computer (its SHA-256 {entry.known_digits}) and {put_where(folder)}",
        reason,
    )


# ------------------------------------------------- one request


def check_url(url: str, *, loopback: bool = True) -> None:
    """Refuse an address that is neither https nor, where allowed, http on this computer."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme == "https" and parts.hostname:
        return
    if loopback and parts.scheme == "http" and parts.hostname in LOOPBACK:
        return
    raise InvalidInputError(f"{url} is not an https address; nothing is fetched from it.")


def _transfer(
    entry: Weights,
    partial: Path,
    timeout: float,
    progress: Progress | None,
    cancel: Callable[[], bool] | None,
) -> None:
    """Bring the rest of a file into ``partial``, or all of it where the server knows no rest.

    What arrived is kept, whatever is raised.
    """
    have = partial.stat().st_size if partial.exists() else 0
    response = _open(entry.url, have, _mark_path(partial), timeout)
    if response is None:  # nothing is left to ask for: the checksum will tell
        return
    with response:
        start, total = _extent(response, have, partial)
        _check_extent(start, total, entry.size, partial)
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
            raise _Refused(f"the server answered {error.code} {error.reason}") from error
    except (OSError, http.client.HTTPException) as error:
        raise _Interrupted(_reason(error, timeout)) from error
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
        raise _Refused("the server sent another part of the file than was asked for")
    return have, _number(whole)


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 16 else None


def _check_extent(start: int, total: int | None, size: int | None, partial: Path) -> None:
    if size is not None and total is not None and total != size:
        raise _Refused(f"the server offers {total} bytes where {size} belong")
    if total is None:
        return
    if total > MAX_BYTES:
        raise _Refused(f"the server offers {total} bytes, more than any file of weights has")
    free = shutil.disk_usage(partial.parent).free
    if total - start > free:
        raise _Refused(
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
            raise _Interrupted(_reason(error, timeout), done - start) from error
        if not block:
            break
        done += len(block)
        if done > (MAX_BYTES if total is None else total):
            raise _Refused("the server sends more than it announced")
        file.write(block)
        file.flush()  # so that all that arrived is there, however this process ends
    file.truncate()
    if total is not None and done < total:
        raise _Interrupted(f"the connection broke off after {done} of {total} bytes", done - start)


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
            raise _Refused(
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
