"""A real HTTP server on the loopback interface that serves one file and can misbehave."""

import sys
import threading
from collections import deque
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Answer:
    """How to answer one request.

    After ``send`` bytes (None for all) the connection is closed, or with ``stall`` held open.
    ``headers`` replace headers, or remove those with the value None.
    """

    ranges: bool = True
    send: int | None = None
    stall: bool = False
    status: int | None = None
    redirect: str = ""
    body: bytes | None = None
    headers: dict[str, str | None] = field(default_factory=dict)


class FileServer(ThreadingHTTPServer):
    """Gives the answers of ``plan``, then always ``otherwise``; records the requests."""

    daemon_threads = True

    def __init__(self, content):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.content = content
        self.scheme = "http"
        self.plan = deque()
        self.otherwise = Answer()
        self.requests = []
        self.sent = threading.Event()
        self.released = threading.Event()

    def handle_error(self, request, client_address):
        """Ignore clients that hang up; anything else is an error of the server."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    @property
    def url(self):
        return f"{self.scheme}://127.0.0.1:{self.server_port}/file"

    @property
    def ranges_asked(self):
        return [request.get("Range") for request in self.requests]


class _Handler(BaseHTTPRequestHandler):
    server: FileServer

    def do_GET(self):
        server = self.server
        server.requests.append(dict(self.headers))
        answer = server.plan.popleft() if server.plan else server.otherwise
        content = server.content if answer.body is None else answer.body
        start = self._start(answer, len(content))
        status = answer.status or (206 if start else 200)
        headers = {"Content-Length": str(len(content) - start)}
        if start:
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        if start >= len(content) > 0 and start:
            status, headers, content = 416, {"Content-Length": "0"}, b""
        if answer.redirect:
            status, headers["Location"] = 302, answer.redirect
        self.send_response(status)
        for name, value in {**headers, **answer.headers}.items():
            if value is not None:
                self.send_header(name, value)
        self.end_headers()
        rest = content[start:]
        with suppress(ConnectionError):  # the client may have hung up
            self.wfile.write(rest if answer.send is None else rest[: answer.send])
            self.wfile.flush()
        server.sent.set()
        if answer.stall:
            server.released.wait(30)
        self.close_connection = True

    def _start(self, answer, length):
        asked = self.headers.get("Range", "")
        if not answer.ranges or not asked:
            return 0
        return int(asked.removeprefix("bytes=").removesuffix("-"))

    def log_message(self, *_):
        pass


@contextmanager
def serving(content, tls=None):
    """Run a server for the duration of a block, with https if ``tls`` is a context."""
    with FileServer(content) as server:
        if tls is not None:
            server.scheme = "https"
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.released.set()
            server.shutdown()
            thread.join()
