"""A complete session uses no network and leaves no pictures on disk and nothing personal in logs.

One process does everything (`whole_life`), with its home, settings, data and temporary files in one
folder. A Python audit hook reports sockets that it and its children open; strace, if installed,
also those of C libraries.
"""

import os
import re
import shutil
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from app.capture.opencv import cv2
from lmkl_core.features.extractor import Extractor
from lmkl_core.features.presets import load_preset
from tests.faults.watching import Watch
from tests.faults.whole_life import MARK, PASSPHRASE

GROUP = "Privacy"
pytestmark = pytest.mark.skipif(os.name != "posix", reason="POSIX permissions and system calls")


@dataclass(frozen=True)
class Life:
    """What a session left behind."""

    done: subprocess.CompletedProcess
    place: Path
    evidence: Path
    watch: Watch

    def files(self, *folders):
        """Return all files in these folders, or in all."""
        return [
            p for name in folders or [""] for p in (self.place / name).rglob("*") if p.is_file()
        ]


@pytest.fixture(scope="module")
def inputs(recordings, tmp_path_factory):
    """Return a user's folder of videos, pictures and broken files."""
    folder = tmp_path_factory.mktemp("inputs")
    (folder / f"{MARK}-videos").mkdir()
    for number, path in enumerate(sorted((recordings / "P001" / "bonafide").iterdir())):
        shutil.copy(path, folder / f"{MARK}-videos" / f"{MARK}-{number}.avi")
    pictures = folder / f"{MARK}-pictures"
    pictures.mkdir()
    for number in range(4):
        picture = np.random.default_rng(number).integers(0, 256, (120, 160, 3), dtype=np.uint8)
        cv2.imwrite(str(pictures / f"{MARK}-{number}.png"), picture)
    (pictures / f"{MARK}-1.png").write_bytes(b"\x89PNG\r\n\x1a\n and nothing more")
    (folder / f"{MARK}-broken.safetensors").write_bytes(bytes(range(200)))
    (folder / f"{MARK}-broken.avi").write_bytes(b"RIFF" + bytes(range(200)))
    (folder / f"{MARK}-passphrase.txt").write_text(PASSPHRASE + "\n")
    (folder / f"{MARK}-passphrase.txt").chmod(0o600)
    return folder


@pytest.fixture(scope="module")
def life(tmp_path_factory, inputs):
    place, evidence = tmp_path_factory.mktemp("place"), tmp_path_factory.mktemp("evidence")
    Extractor(load_preset("tiny"))  # exported here and copied, because exporting is slow
    # Not the marks of engines in use by other tests.
    ignored = shutil.ignore_patterns("*.using")
    shutil.copytree(os.environ["LMKL_PAD_CACHE"], place / "cache", ignore=ignored)
    place.chmod(0o700)
    for name in ("home", "tmp", "work"):
        (place / name).mkdir()
    watch = Watch(evidence)
    done = watch.run(
        [sys.executable, "-m", "tests.faults.whole_life", inputs, place / "saved", evidence],
        cwd=place / "work",
        HOME=place / "home",
        TMPDIR=place / "tmp",
        XDG_RUNTIME_DIR=place / "tmp",
        PYTHONDONTWRITEBYTECODE=1,
        QT_QPA_PLATFORM="offscreen",
        OMP_NUM_THREADS=1,
        LMKL_PAD_CONFIG=place / "config",
        LMKL_PAD_DATA=place / "data",
        LMKL_PAD_CACHE=place / "cache",
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return Life(done, place, evidence, watch)


@pytest.mark.fault(GROUP, "a complete session with sockets forbidden in Python")
def test_that_nothing_in_python_opens_a_socket(life):
    assert life.watch.in_python() == ""
    assert life.done.stdout.startswith("lived")


@pytest.mark.fault(GROUP, "a complete session traced in the kernel: no socket to anywhere")
def test_that_no_library_opens_a_socket_to_anywhere(life):
    if not life.watch.sees_all:
        pytest.skip("strace is missing or not permitted")
    assert life.watch.in_the_kernel() == []


def test_that_a_socket_opened_by_python_or_by_c_is_noticed(tmp_path):
    code = "import socket\ntry: socket.socket()\nexcept RuntimeError: pass\n"
    # As a C library would, without the audit hook.
    code += "import ctypes; ctypes.CDLL(None).socket(2, 2, 0)"
    watch = Watch(tmp_path)
    assert watch.run([sys.executable, "-c", code]).returncode == 0
    assert "socket.__new__" in watch.in_python()
    if watch.sees_all:
        assert len(watch.in_the_kernel()) == 1


MAGIC = {
    "JPEG": b"\xff\xd8\xff\xe0",
    "JPEG with EXIF": b"\xff\xd8\xff\xe1",
    "PNG": b"\x89PNG\r\n\x1a\n",
    "WebP": b"WEBPVP8",
    "picture in a page": b"data:image/",
    "AVI": b"AVI LIST",
}


def documented(path):
    """Whether docs/files.md lists a file."""
    return bool(
        re.fullmatch(
            r"config/settings\.json"
            r"|cache/(graphs|probes)/[0-9a-f]{64}\.(graph|json)|cache/checksums\.json"
            r"|data/personal/tests/[-\w]+(\.lock|/session\.json|/\d{5}\.json)"
            rf"|saved/{MARK}[-\w]*\.(safetensors|lmkl|html|json|csv)",
            path,
        )
    )


@pytest.mark.fault(GROUP, "every file left by a complete session: documented, no picture in it")
def test_that_only_documented_files_without_pictures_are_left(attempt, life):
    with np.load(life.evidence / "seen.npz") as seen:
        pictures = [seen[name] for name in seen.files if name != "views"]
    # Rows of pixels of frames and of small pictures of faces, without plain walls.
    strips = [
        row.tobytes()
        for picture in pictures
        for image in (picture if picture.ndim == 4 else picture[None])
        for row in image[image.shape[0] // 4 :: 16, 20:52]
        if row.std() > 4
    ]
    assert len(strips) > 100
    files = life.files()
    assert len(files) > 8
    for path in files:
        with attempt():
            name = path.relative_to(life.place).as_posix()
            assert documented(name), f"{name} is not documented"
            data = path.read_bytes()
            kinds = [kind for kind, magic in MAGIC.items() if magic in data]
            assert kinds == [], f"{name} contains {kinds}"
            assert not any(strip in data for strip in strips), f"{name} contains a piece of a frame"


@pytest.mark.fault(GROUP, "files and folders under a permissive umask")
def test_that_only_the_owner_can_read_what_a_session_leaves(attempt, life):
    personal = [*life.files("config", "data", "cache", "saved")]
    personal += [path for name in ("config", "data") for path in (life.place / name).rglob("*")]
    assert len(personal) > 8
    for path in personal:
        with attempt():
            mode = stat.S_IMODE(path.stat().st_mode)
            assert mode & 0o077 == 0, f"{path.relative_to(life.place)} has mode {mode:o}"


@pytest.mark.fault(GROUP, "everything logged at DEBUG in a complete session, failures included")
def test_that_logs_hold_no_name_no_path_no_feature_and_no_passphrase(life):
    with np.load(life.evidence / "seen.npz") as seen:
        features = seen["views"]
    log = (life.evidence / "log.txt").read_text(encoding="utf-8")
    output = log + life.done.stderr + life.done.stdout
    assert " app." in log
    for secret in (MARK, PASSPHRASE, "families", str(life.place), "saved/", "-pictures"):
        assert secret not in output
    assert not re.search(r"<(ndarray|Image|Frame)>", output)
    # Features in the usual formats.
    values = features[np.abs(features) > 1e-3]
    printed = {f"{value:.{digits}f}" for value in values[::29] for digits in (4, 6, 8)}
    printed |= {str(value) for value in values[::29]}
    assert len(printed) > 200
    found = set(re.findall(r"-?\d+\.\d{4,}", output))
    assert not found & printed
    assert "Traceback" not in output
