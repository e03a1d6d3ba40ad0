"""Download weights on request: resume, check and move them into place atomically.

The address must be https; plain http is allowed on the loopback interface only, also in redirects.
If a resumed file has a wrong checksum, because its parts belong to different versions, the whole
file is fetched again.
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
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeAlias

from lmkl_core.errors import (
    InvalidInputError,
    MissingWeightsError,
    WrongWeightsError,
    raise_if_cancelled,
)
from lmkl_core.features.engines.engine import has_torch, without_torch
from lmkl_core.features.networks.registry import NETWORKS
from lmkl_core.features.weights.catalogue import Weights
from lmkl_core.features.weights.store import (
    MAX_BYTES,
    Checksum,
    Finding,
    inspect,
    partial_path,
    sha256_of,
    weights_folder,
)
from lmkl_core.system.processes import Locked, only_one

Progress: TypeAlias = Callable[[int, int | None], None]
"""Called with the number of bytes present and, if known, of all bytes."""

TIMEOUT = 20.0
ATTEMPTS = 5
BLOCK = 1 << 18
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
RANGE_NOT_SATISFIABLE = 416
PARTIAL_CONTENT = 206


class FetchError(MissingWeightsError):
    """Weights could not be downloaded; ``reason`` is a part of the message."""

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class _Failed(Exception):
    """A transfer ended early; if bytes were ``received``, another attempt is worthwhile."""

    def __init__(self, reason: str, received: int = 0):
        super().__init__(reason)
        self.received = received


def fetch(
    entry: Weights,
    folder: Path | str | None = None,
    progress: Progress | None = None,
    cancel: Callable[[], bool] | None = None,
    *,
    timeout: float = TIMEOUT,
) -> Finding:
    """Download weights into the user's folder, unless they are already on this computer.

    Data is written to ``<file name>.partial``, which a later call resumes. When the checksum is
    right, the file is renamed and replaces a damaged one. A connection is closed after ``timeout``
    seconds without data; ``cancel`` is called for every block.

    Raises
    ------
    EngineError
        If the network needs torch, which is not installed.
    MissingWeightsError
        If the file cannot be fetched (`FetchError`), or is only available in a package.
    WrongWeightsError
        If the server sent a wrong file, which is deleted; or if the file is damaged and only
        available in a package.
    Cancelled, OSError
        The data received is kept.
    """
    target_folder = weights_folder(folder)
    finding = inspect(entry, target_folder, cancel=cancel)
    if finding.checksum is Checksum.RIGHT or not entry.url:
        return finding.verified()
    network = NETWORKS.get(entry.name)
    if network is not None and network.needs_torch and not has_torch():
        raise without_torch(f"The network {entry.name}")
    check_url(entry.url)
    target_folder.mkdir(parents=True, exist_ok=True)
    download = _Download(entry, partial_path(entry, target_folder), progress, cancel, timeout)
    target = target_folder / entry.file_name
    try:
        with only_one(target_folder / f"{download.partial.name}.lock"):
            download.complete()
            os.replace(download.partial, target)
    except Locked as error:
        raise download.failed("another process is fetching it") from error
    return inspect(entry, target_folder)


def check_url(url: str, *, loopback: bool = True) -> None:
    """Refuse an address that is neither https nor, if allowed, http on this computer."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme == "https" and parts.hostname:
        return
    if loopback and parts.scheme == "http" and parts.hostname in LOOPBACK:
        return
    raise InvalidInputError(f"{url} is not an https address; nothing is fetched from it.")


@dataclass(frozen=True)
class _Download:
    """The download of an entry into a partial file."""

    entry: Weights
    partial: Path
    progress: Progress | None
    cancel: Callable[[], bool] | None
    timeout: float

    def complete(self) -> None:
        """Fetch the missing part; reconnect as long as every connection delivers some data."""
        entry, partial, reason = self.entry, self.partial, ""
        for _ in range(ATTEMPTS):
            is_resumed = partial.exists()
            try:
                self._transfer()
            except _Failed as error:
                if not error.received:
                    raise self.failed(str(error)) from error
                reason = str(error)
                continue
            digest = sha256_of(partial, afresh=True, cancel=self.cancel)
            if entry.matches(digest):
                return
            partial.unlink()
            if not is_resumed:
                raise WrongWeightsError(
                    f"The file that {entry.url} sent is not the file of the weights {entry.name!r} "
                    f"and was deleted: its SHA-256 is {digest} instead of "
                    f"{entry.known_digits}; try again later, or get the file elsewhere and put it "
                    f"into {partial.parent}.",
                    is_download=True,
                )
            # The old part belonged to another file; the next attempt fetches the whole file.
            reason = "an earlier attempt left a part of another file"
        raise self.failed(reason)

    def failed(self, reason: str) -> FetchError:
        entry = self.entry
        return FetchError(
            f"{entry.file_name} could not be fetched from {entry.url}: {reason}; try again, or get "
            f"it on another computer (its SHA-256 {entry.known_digits}) and put it into "
            f"{self.partial.parent}.",
            reason,
        )

    def _transfer(self) -> None:
        """Fetch the rest, or the whole file if the server does not support ranges."""
        have = self.partial.stat().st_size if self.partial.exists() else 0
        response = self._open(have)
        if response is None:  # already complete; the checksum decides
            return
        with response:
            start, total = self._extent(response, have)
            with self.partial.open("r+b" if start else "wb") as file:
                file.seek(start)
                self._receive(response, file, start, total)

    def _open(self, have: int) -> http.client.HTTPResponse | None:
        headers = {"User-Agent": "lmkl-pad", "Accept-Encoding": "identity"}
        if have:
            headers["Range"] = f"bytes={have}-"
        handlers: list[Any] = [_SafeRedirects]
        if _is_loopback(self.entry.url):
            handlers.append(urllib.request.ProxyHandler({}))
        request = urllib.request.Request(self.entry.url, headers=headers)
        try:
            response = urllib.request.build_opener(*handlers).open(request, timeout=self.timeout)
        except urllib.error.HTTPError as error:
            with error:
                if error.code == RANGE_NOT_SATISFIABLE and have:
                    return None
                raise _Failed(f"the server answered {error.code} {error.reason}") from error
        except (OSError, http.client.HTTPException) as error:
            raise _Failed(self._reason(error)) from error
        assert isinstance(response, http.client.HTTPResponse)
        return response

    def _extent(self, response: http.client.HTTPResponse, have: int) -> tuple[int, int | None]:
        """Return the offset of the first byte and the length of the whole file, after checks."""
        start, length = 0, response.headers.get("Content-Length", "")
        if response.status == PARTIAL_CONTENT:
            span, _, length = response.headers.get("Content-Range", "").partition("/")
            if span.partition("-")[0] != f"bytes {have}":
                self.partial.unlink(missing_ok=True)  # it may not exist: no range was requested
                raise _Failed("the server sent a part of the file that was not requested")
            start = have
        total = int(length) if length.isdecimal() and len(length) < 16 else None
        if total is None:
            return start, None
        if self.entry.size not in (None, total):
            raise _Failed(f"the server offers {total} bytes instead of {self.entry.size}")
        if total > MAX_BYTES:
            raise _Failed(f"the server offers {total} bytes, more than any file of weights")
        folder = self.partial.parent
        free = shutil.disk_usage(folder).free
        if total - start > free:
            raise _Failed(f"{total - start} bytes are missing, but {folder} has {free} bytes free")
        return start, total

    def _receive(
        self, response: http.client.HTTPResponse, file: IO[bytes], start: int, total: int | None
    ) -> None:
        done = start
        while True:
            raise_if_cancelled(self.cancel, f"Stopped; the {done} bytes fetched are kept.")
            if self.progress is not None:
                self.progress(done, total)
            try:
                block = response.read1(BLOCK)
            except (OSError, http.client.HTTPException) as error:
                raise _Failed(self._reason(error), done - start) from error
            if not block:
                break
            done += len(block)
            if done > (MAX_BYTES if total is None else total):
                raise _Failed("the server sends more than it announced")
            file.write(block)
            file.flush()  # so that it is kept even if this process is killed
        file.truncate()
        if total is not None and done < total:
            raise _Failed(f"the connection was lost after {done} of {total} bytes", done - start)

    def _reason(self, error: Exception) -> str:
        cause = error.reason if isinstance(error, urllib.error.URLError) else error
        if isinstance(cause, TimeoutError):
            return f"nothing arrived for {self.timeout:g} seconds"
        if isinstance(cause, socket.gaierror):
            return "the server's name cannot be resolved, as happens without internet"
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"the server's certificate is not trusted ({cause.verify_message})"
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror
        return str(cause) or type(cause).__name__


class _SafeRedirects(urllib.request.HTTPRedirectHandler):
    """Follow redirects to https only, or on this computer if the request started there."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], *rest: Any
    ) -> urllib.request.Request | None:
        target = rest[-1]
        try:
            check_url(target, loopback=_is_loopback(req.full_url))
        except InvalidInputError as error:
            fp.close()
            raise _Failed(
                f"the server redirects to {target}, which is not an https address"
            ) from error
        return super().redirect_request(req, fp, *rest)


def _is_loopback(url: str) -> bool:
    return urllib.parse.urlsplit(url).hostname in LOOPBACK
