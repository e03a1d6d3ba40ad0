"""The page in Chromium: it renders from a file, requests nothing, and prints well."""

import json
import re
import shutil
import subprocess

import cv2
import pytest

from app.reports import build, write
from tests.app.guided_tests import session
from tests.app.reports.example_context import context

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")

OWN_REQUEST = "not an origin"
"""The initiator of Chromium's own requests in its network log."""


def browse(page, profile, *options):
    """Open a file with a new profile and without name resolution; return the standard output."""
    command = [
        *(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"),
        *("--no-first-run", "--disable-background-networking", "--disable-component-update"),
        *("--disable-sync", "--hide-scrollbars", f"--user-data-dir={profile}"),
        *("--host-resolver-rules=MAP * ~NOTFOUND", *options, page.as_uri()),
    ]
    run = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=120)
    assert run.returncode == 0, run.stderr[-500:]
    return run.stdout


def requested(log):
    """Return the addresses that the page, not the browser itself, requested."""
    content = json.loads(log.read_text(encoding="utf-8"))
    start = content["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"]
    jobs = [event.get("params", {}) for event in content["events"] if event["type"] == start]
    return [job["url"] for job in jobs if "url" in job and job.get("initiator") != OWN_REQUEST]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """Write the page of a session of 60 presentations, one species with a long name."""
    guided_test = session(12, 12, ("print", "phone", "tablet", "a mask of a rather long name"))
    file = tmp_path_factory.mktemp("report") / "a report with spaces.html"
    write(build(guided_test, context()), file)
    return file


def test_that_the_page_renders_completely_and_requests_nothing(page, tmp_path):
    log = tmp_path / "net.json"
    dom = browse(page, tmp_path / "profile", f"--log-net-log={log}", "--dump-dom")
    written = page.read_text(encoding="utf-8")
    assert dom.count("</section>") == written.count("</section>") > 5
    assert dom.count("<svg") == dom.count("</svg>") > 10
    assert requested(log) == []


@pytest.mark.parametrize(("scheme", "is_dark"), [(1, False), (0, True)])
def test_that_the_page_follows_the_preferred_colour_scheme(page, tmp_path, scheme, is_dark):
    screenshot = tmp_path / "page.png"
    browse(
        page,
        tmp_path / "profile",
        *(f"--blink-settings=preferredColorScheme={scheme}", "--window-size=1280,1600"),
        f"--screenshot={screenshot}",
    )
    picture = cv2.imread(str(screenshot), cv2.IMREAD_GRAYSCALE)
    assert picture.shape == (1600, 1280)
    assert bool(picture[5, 5] < 128) == is_dark
    assert picture.std() > 10


def test_that_the_page_prints_on_few_sheets_of_paper(page, tmp_path):
    printed = tmp_path / "page.pdf"
    browse(page, tmp_path / "profile", "--no-pdf-header-footer", f"--print-to-pdf={printed}")
    data = printed.read_bytes()
    assert data.startswith(b"%PDF")
    sizes = {tuple(map(float, box.split())) for box in re.findall(rb"/MediaBox \[([^\]]*)\]", data)}
    assert {(round(box[2]), round(box[3])) for box in sizes} == {(595, 842)}  # A4, in points
    assert 4 <= len(re.findall(rb"/Type /Page\b", data)) <= 7
