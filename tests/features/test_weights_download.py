"""Downloads from a real server on the loopback interface that misbehaves in many ways."""

import hashlib
import shutil
import ssl
import subprocess
import sys
import threading
from dataclasses import replace

import pytest

from lmkl_core.errors import Cancelled, InvalidInputError
from lmkl_core.features.weights import (
    FetchError,
    MissingWeightsError,
    WrongWeightsError,
    fetch,
)
from lmkl_core.features.weights import download as download_module
from lmkl_core.features.weights.catalogue import PackageFile, Weights
from lmkl_core.features.weights.download import check_url
from lmkl_core.system import processes
from lmkl_core.system.processes import Locked, only_one
from tests.features.file_server import Answer, serving

CONTENT = bytes(range(256)) * 4000
HALF = len(CONTENT) // 2
DIGEST = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Return a folder for weights that does not exist yet."""
    monkeypatch.setenv("LMKL_PAD_CACHE", str(tmp_path / "cache"))
    # A proxy must not be used for this computer.
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    return tmp_path / "new" / "weights"


@pytest.fixture
def server():
    with serving(CONTENT) as running:
        yield running


@pytest.fixture
def entry(server):
    return Weights("big", "big.pth", DIGEST, "", "MIT", size=len(CONTENT), url=server.url)


def put(folder, content, name="big.pth.partial"):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_that_a_file_is_fetched_once_with_progress(entry, folder, server):
    calls = []
    file = fetch(entry, folder, lambda done, total: calls.append((done, total)))
    assert (file.path, file.sha256) == (folder / "big.pth", DIGEST)
    assert file.path.read_bytes() == CONTENT
    assert names(folder) == ["big.pth"]
    assert calls == sorted(calls)
    assert (calls[0], calls[-1]) == ((0, len(CONTENT)), (len(CONTENT), len(CONTENT)))
    assert len(calls) > 3
    assert fetch(entry, folder) == file
    assert len(server.requests) == 1


# ------------------------------------------------- resuming


PARTS = {
    # The partial file, how the server answers, and the ranges that are requested.
    "the first half": (CONTENT[:HALF], {}, [HALF]),
    "all of it": (CONTENT, {}, [len(CONTENT)]),
    "too much": (CONTENT + b"more", {}, [len(CONTENT) + 4, None]),
    "of another version": (b"x" * HALF, {}, [HALF, None]),
    "from a server without ranges": (b"x" * HALF, {"ranges": False}, [HALF]),
}


@pytest.mark.parametrize(("part", "answer", "ranges"), PARTS.values(), ids=PARTS)
def test_that_a_partial_file_is_completed_or_replaced(part, answer, ranges, entry, folder, server):
    put(folder, part)
    put(folder, b"damaged", "big.pth")
    server.otherwise = Answer(**answer)
    calls = []
    assert fetch(entry, folder, lambda done, _: calls.append(done)).path.read_bytes() == CONTENT
    asked = [None if start is None else f"bytes={start}-" for start in ranges]
    assert server.ranges_asked == asked
    assert part != CONTENT[:HALF] or calls[0] == HALF
    assert names(folder) == ["big.pth"]


def test_that_an_interrupted_transfer_is_resumed_automatically(entry, folder, server):
    moved = Answer(redirect=server.url + "/moved", body=b"")
    server.plan += [moved, Answer(send=HALF), Answer(send=1000)]
    assert fetch(entry, folder).path.read_bytes() == CONTENT
    assert server.ranges_asked == [None, None, f"bytes={HALF}-", f"bytes={HALF + 1000}-"]


def test_that_repeated_interruptions_end_the_download_and_keep_its_data(entry, folder, server):
    server.otherwise = Answer(send=100)
    with pytest.raises(FetchError, match="lost after 500 of"):
        fetch(entry, folder)
    assert (folder / "big.pth.partial").read_bytes() == CONTENT[:500]


@pytest.mark.parametrize("part", [CONTENT[:HALF], b""], ids=["resumed", "from the start"])
def test_that_a_part_that_was_not_requested_is_refused_and_not_kept(part, entry, folder, server):
    if part:
        put(folder, part)
    server.otherwise = Answer(status=206, headers={"Content-Range": f"bytes 5-9/{len(CONTENT)}"})
    with pytest.raises(FetchError, match="not requested"):
        fetch(entry, folder)
    assert names(folder) == []


# ------------------------------------------------- stopping


def test_that_a_cancelled_download_can_be_resumed(entry, folder, server):
    seen = []
    with pytest.raises(Cancelled):
        fetch(entry, folder, lambda done, _: seen.append(done), lambda: seen[-1:] >= [HALF])
    kept = (folder / "big.pth.partial").read_bytes()
    assert HALF <= len(kept) < len(CONTENT)
    assert CONTENT.startswith(kept)
    assert not (folder / "big.pth").exists()
    fetch(entry, folder)
    assert server.ranges_asked == [None, f"bytes={len(kept)}-"]


def test_that_a_stalled_server_is_given_up_and_its_data_kept(entry, folder, server):
    server.plan.append(Answer(send=HALF, stall=True))
    server.otherwise = Answer(send=0, stall=True)
    with pytest.raises(FetchError, match="1 seconds"):
        fetch(entry, folder, timeout=1)
    assert (folder / "big.pth.partial").read_bytes() == CONTENT[:HALF]


# ------------------------------------------------- refusing


def test_that_wrong_content_is_removed_and_both_checksums_are_named(entry, folder, server):
    server.otherwise = Answer(body=CONTENT[:-1] + b"!")
    with pytest.raises(WrongWeightsError) as caught:
        fetch(entry, folder)
    assert caught.value.is_download
    assert DIGEST in str(caught.value)
    assert hashlib.sha256(CONTENT[:-1] + b"!").hexdigest() in str(caught.value)
    assert names(folder) == []
    assert len(server.requests) == 1


def test_that_a_login_page_is_refused_before_it_is_written(entry, folder, server):
    put(folder, CONTENT[:HALF])
    server.otherwise = Answer(ranges=False, body=b"<html>please log in</html>")
    with pytest.raises(FetchError, match="26 bytes"):
        fetch(entry, folder)
    assert (folder / "big.pth.partial").read_bytes() == CONTENT[:HALF]


@pytest.mark.parametrize("status", [404, 416, 503])
def test_that_an_error_of_the_server_says_what_to_do_by_hand(status, entry, folder, server):
    server.otherwise = Answer(status=status)
    with pytest.raises(FetchError) as caught:
        fetch(entry, folder)
    for expected in (str(status), "big.pth", DIGEST, entry.url, str(folder)):
        assert expected in str(caught.value)


def test_that_a_server_that_cannot_be_reached_is_reported(folder):
    with serving(b"") as stopped:
        servers = {stopped.url: "Connection refused", "https://nowhere.invalid/x": "internet"}
    for url, reason in servers.items():
        entry = Weights("big", "big.pth", "ab12cd34", "", "MIT", url=url)
        with pytest.raises(FetchError, match=f"{reason}.*begins with ab12cd34"):
            fetch(entry, folder)


def test_that_weights_of_a_package_are_not_fetched_and_a_damaged_file_is_not_removed(folder):
    entry = Weights("p", "p.pth", DIGEST, "", "MIT", package=PackageFile("no-such", "p.pth"))
    with pytest.raises(MissingWeightsError, match="no-such"):
        fetch(entry, folder)
    put(folder, b"damaged", "p.pth")
    with pytest.raises(WrongWeightsError):
        fetch(entry, folder)
    assert names(folder) == ["p.pth"]


BAD_URLS = (
    *("http://example.org/x.pth", "ftp://127.0.0.1/x.pth", "file:///etc/passwd", "x.pth", ""),
    *("http://127.0.0.1.example.org/x", "http://localhost@example.org/x", "https:///x.pth"),
)


def test_that_only_https_is_fetched_and_http_on_this_computer_if_allowed():
    for url in BAD_URLS:
        with pytest.raises(InvalidInputError, match="not an https address"):
            check_url(url)
    check_url("http://127.0.0.1/x")
    with pytest.raises(InvalidInputError):
        check_url("http://127.0.0.1/x", loopback=False)


@pytest.mark.parametrize(
    "target", ["http://example.org/x.pth", "ftp://example.org/x", "file:///x", "itself"]
)
def test_that_redirects_to_other_schemes_or_in_a_loop_are_refused(target, entry, folder, server):
    server.otherwise = Answer(redirect=target if ":" in target else server.url)
    with pytest.raises(FetchError, match=r"redirects to|answered 302"):
        fetch(entry, folder)
    assert names(folder) == []


def test_that_too_large_files_are_refused(entry, folder, server, monkeypatch):
    monkeypatch.setattr(download_module, "MAX_BYTES", HALF)
    entry = replace(entry, size=None)
    with pytest.raises(FetchError, match="more than any"):
        fetch(entry, folder)
    server.otherwise = Answer(headers={"Content-Length": None})
    with pytest.raises(FetchError, match="more than it announced"):
        fetch(entry, folder)


def test_that_a_full_disk_is_detected_beforehand(entry, folder, monkeypatch):
    usage = download_module.shutil.disk_usage("/")
    monkeypatch.setattr(download_module.shutil, "disk_usage", lambda _: usage._replace(free=HALF))
    with pytest.raises(FetchError, match=f"{HALF} bytes free"):
        fetch(entry, folder)


# ------------------------------------------------- over https


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """Return an untrusted certificate for this computer, with its key."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed")
    path = tmp_path_factory.mktemp("tls") / "certificate.pem"
    request = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1".split()
    names = ["-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", str(path), "-out", str(path) + ".crt"]
    subprocess.run([openssl, *request, *names, *files], check=True, capture_output=True)
    path.write_bytes(path.read_bytes() + path.with_name(path.name + ".crt").read_bytes())
    return path


def test_that_https_works_with_a_trusted_certificate_only(folder, certificate, monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with serving(CONTENT, context) as server:
        entry = Weights("big", "big.pth", DIGEST, "", "MIT", url=server.url)
        with pytest.raises(FetchError, match="not trusted"):
            fetch(entry, folder)
        assert server.requests == []
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert fetch(entry, folder).path.read_bytes() == CONTENT


# ------------------------------------------------- one at a time


def test_that_a_second_download_of_the_same_file_is_refused(entry, folder, server):
    server.plan.append(Answer(send=HALF, stall=True))
    first = threading.Thread(target=fetch, args=(entry, folder))
    first.start()
    assert server.sent.wait(10)
    try:
        with pytest.raises(FetchError, match="another process"):
            fetch(entry, folder)
    finally:
        server.released.set()
        first.join()
    assert names(folder) == ["big.pth"]


HOLDER = """
import runpy, sys
only_one = runpy.run_path(sys.argv[1])["only_one"]
with only_one(__import__("pathlib").Path(sys.argv[2])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_that_a_lock_is_released_when_its_holder_is_killed(tmp_path):
    lock = tmp_path / "lock"
    command = [sys.executable, "-c", HOLDER, processes.__file__, str(lock)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        try:
            assert holder.stdout.readline().strip() == b"held"
            with pytest.raises(Locked), only_one(lock):
                pass
        finally:
            holder.kill()
    with only_one(lock):
        pass
    assert not lock.exists()
