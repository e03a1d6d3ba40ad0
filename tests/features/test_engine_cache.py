"""The cache of graphs and trial runs: damage, kills and expiry."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from lmkl_core.errors import InvalidInputError
from lmkl_core.features.engines.cache import Cache, Entry, Probe
from lmkl_core.system.files import CACHE_VARIABLE

KEY = "ab" * 32


def entry(fill=7, size=2000):
    return Entry(
        onnx=bytes([fill]) * size,
        crops=np.arange(24, dtype=np.uint8).reshape(2, 2, 2, 3),
        views=[np.ones((2, 3), np.float32), np.zeros((2, 1), np.float32)],
    )


@pytest.fixture
def stored(tmp_path):
    """Return a cache with one entry, and its file."""
    cache = Cache(tmp_path)
    cache.store(KEY, entry())
    (path,) = (tmp_path / "graphs").iterdir()
    return cache, path


def test_that_an_entry_is_loaded_as_it_was_stored(stored):
    cache, _ = stored
    found, expected = cache.load(KEY), entry()
    assert found.onnx == expected.onnx
    assert np.array_equal(found.crops, expected.crops)
    assert all(np.array_equal(a, b) for a, b in zip(found.views, expected.views, strict=True))
    assert cache.load("cd" * 32) is None


def test_that_a_damaged_entry_counts_as_missing_and_can_be_stored_again(stored):
    cache, path = stored
    whole = path.read_bytes()
    damaged = [whole[:length] for length in (0, 5, 39, 40, 48, 500, -1)]
    for place in (0, 10, 45, 60, 700, -1):
        damaged.append(bytearray(whole))
        damaged[-1][place] ^= 1
    for content in damaged:
        path.write_bytes(content)
        assert cache.load(KEY) is None
    cache.store(KEY, entry(fill=9))
    assert cache.load(KEY).onnx[:1] == b"\x09"


WRITER = """
import os, signal, sys
from lmkl_core.features.engines.cache import Cache
from tests.features.test_engine_cache import KEY, entry
os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)
Cache(sys.argv[1]).store(KEY, entry(fill=1))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
@pytest.mark.fault("Process and disk", "killed while a prepared network is stored", keeps="files")
def test_that_a_killed_writer_leaves_the_old_entry_and_its_part_is_removed_later(stored):
    cache, path = stored
    root = Path(__file__).resolve().parents[2]
    writer = subprocess.run([sys.executable, "-c", WRITER, str(cache.folder)], cwd=root)
    assert writer.returncode == -signal.SIGKILL
    assert cache.load(KEY).onnx[:1] == b"\x07"
    (part,) = path.parent.glob(".lmkl-*.tmp")
    cache.store(KEY, entry())
    assert part.exists()  # another process could still be writing it
    yesterday = time.time() - 2 * 24 * 3600
    os.utime(part, (yesterday, yesterday))
    cache.store(KEY, entry())
    assert not part.exists()


def test_that_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(InvalidInputError, match=f"taken .*{CACHE_VARIABLE}"):
        Cache(tmp_path / "taken").store(KEY, entry())


def test_that_a_failed_probe_expires_after_a_week_and_a_successful_one_never(tmp_path):
    cache = Cache(tmp_path)
    day = 24 * 3600
    old, recent = time.time() - 8 * day, time.time() - 6 * day
    for name, problem, when in [
        ("successful", "", old),
        ("failed", "it crashed", recent),
        ("long ago", "it crashed", old),
    ]:
        cache.remember(Probe(name, "onnxruntime", name, problem, when))
    assert cache.probe("successful").problem == ""
    assert cache.probe("failed").problem == "it crashed"
    assert cache.probe("long ago") is None
    assert [probe.label for probe in cache.failed_probes()] == ["failed"]


@pytest.mark.fault(
    "Engines",
    "a stored trial run that is damaged, hostile or from another machine",
    keeps="scores",
)
def test_that_a_damaged_probe_is_run_again(tmp_path, attempt):
    cache = Cache(tmp_path)
    cache.remember(Probe(KEY, "torch", "x", ""))
    for content in (b"", b"{", b"[]", b"{}", b'{"engine": 1}', b"null", b'{"engine": "\xff"}'):
        (tmp_path / "probes" / f"{KEY}.json").write_bytes(content)
        with attempt():
            assert cache.probe(KEY) is None
