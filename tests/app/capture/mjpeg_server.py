"""An MJPEG camera on the loopback interface, with the faults of real ones."""

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np

from tests.app.capture.media import jpeg, picture

BOUNDARY = "frame"


class Visit:
    """One connection to the camera, as a script sees it."""

    def __init__(self, handler: BaseHTTPRequestHandler, over: threading.Event, count: int) -> None:
        self._handler = handler
        self.over = over
        self.count = count
        self.authorization = handler.headers.get("Authorization")

    def head(self, status: int = 200, kind: str | None = None, location: str = "") -> None:
        self._handler.send_response(status)
        kind = kind or f"multipart/x-mixed-replace; boundary={BOUNDARY}"
        self._handler.send_header("Content-Type", kind)
        if location:
            self._handler.send_header("Location", location)
        self._handler.end_headers()

    def send(self, data: bytes) -> None:
        self._handler.wfile.write(data)

    def part(self, body: bytes) -> None:
        """Send one picture, then give the reader some time."""
        head = f"--{BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length: {len(body)}\r\n\r\n"
        self.send(head.encode() + body + b"\r\n")
        self.over.wait(0.004)

    def pictures(self, image_of: Callable[[int], np.ndarray], n: int | None = None) -> None:
        """Send n pictures, or continue until the test is over."""
        step = 0
        while not self.over.is_set() and (n is None or step < n):
            self.part(jpeg(image_of(step)))
            step += 1

    def wait_for_departure(self) -> None:
        """Return when the reader has closed the connection."""
        with suppress(ConnectionError):
            while self._handler.connection.recv(1000):
                pass

    def hang(self) -> None:
        """Send nothing until the test is over."""
        self.over.wait()


Script = Callable[[Visit], None]


def moving(visit: Visit, n: int | None = None) -> None:
    """Play n moving pictures, or pictures until the test is over."""
    visit.head()
    visit.pictures(picture, n)


class MjpegServer:
    """Serve scripts by path, each on a thread of its own."""

    def __init__(self) -> None:
        self.over = threading.Event()
        self.scripts: dict[str, Script] = {}
        self.visits: Counter[str] = Counter()
        server = self

        class Handler(BaseHTTPRequestHandler):
            timeout = 5

            def do_GET(self) -> None:
                path = self.path.partition("?")[0]
                server.visits[path] += 1
                try:
                    server.scripts[path](Visit(self, server.over, server.visits[path]))
                except OSError:
                    pass  # the reader is gone

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = False
        # With the default of half a second, every test would take that long to end.
        poll = {"poll_interval": 0.01}
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs=poll)
        self._thread.start()

    def serve(self, script: Script, path: str = "/video", login: str = "") -> str:
        """Play the script to every visitor of the path; return its address."""
        self.scripts[path] = script
        return f"http://{login}127.0.0.1:{self._server.server_port}{path}"

    def close(self) -> None:
        self.over.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@contextmanager
def running_server() -> Iterator[MjpegServer]:
    """Run a camera on the loopback interface, without proxies."""
    proxies = ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY")
    hidden = {name: os.environ.pop(name) for name in proxies if name in os.environ}
    server = MjpegServer()
    try:
        yield server
    finally:
        server.close()
        os.environ.update(hidden)
