"""Remembered digests of large files: read once, and never confused with other content."""

import json
import os

import pytest

from app.evaluation.cache import SETTLED, SMALLEST, Digests
from app.evaluation.protocols.recordings import FileReader
from app.evaluation.protocols.types import Recording
from app.storage import DIGESTS_NAME


@pytest.fixture
def reads(monkeypatch):
    found = []
    digest = FileReader.digest

    def counted(self):
        found.append(self.path.name)
        return digest(self)

    monkeypatch.setattr(FileReader, "digest", counted)
    return found


@pytest.fixture
def video(tmp_path, monkeypatch):
    """Return a large file that counts as written long ago."""
    monkeypatch.setattr("app.evaluation.cache.SETTLED", -1.0)
    path = tmp_path / "video.avi"
    path.write_bytes(b"x" * SMALLEST)
    return path


def recording(path):
    return Recording(path.name, "someone", "bona fide", FileReader(path))


def remembered(folder, path):
    digests = Digests(folder)
    found = digests.of(recording(path))
    digests.save()
    return found


def test_that_a_file_is_read_once(tmp_path, video, reads):
    first = remembered(tmp_path, video)
    assert remembered(tmp_path, video) == first == FileReader(video).digest()
    assert reads == ["video.avi"] * 2  # once remembered, once by the line above


@pytest.mark.skipif(os.name != "posix", reason="only POSIX allows names that are not Unicode")
def test_that_a_file_whose_name_is_not_unicode_is_read_once(tmp_path, video, reads):
    odd = tmp_path / "caf\udce9.avi"
    try:
        video.rename(odd)
    except OSError:
        pytest.skip("this file system refuses such names")
    assert remembered(tmp_path, odd) == remembered(tmp_path, odd)
    assert len(reads) == 1


def test_that_changed_content_of_the_same_size_and_time_is_noticed(tmp_path, video, reads):
    first = remembered(tmp_path, video)
    times = video.stat()
    video.write_bytes(b"y" * SMALLEST)
    os.utime(video, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert remembered(tmp_path, video) != first
    assert len(reads) == 2


def test_that_a_file_written_a_moment_ago_is_read_again(tmp_path, video, reads, monkeypatch):
    monkeypatch.setattr("app.evaluation.cache.SETTLED", SETTLED)
    assert remembered(tmp_path, video) == remembered(tmp_path, video)
    assert len(reads) == 2


def test_that_a_damaged_memory_is_ignored(tmp_path, video, reads):
    first = remembered(tmp_path, video)
    for content in ("", "{", "[1]", '{"a": 1}', '{"a": [1, 2]}', "\0", "[" * 9999):
        reads.clear()
        (tmp_path / DIGESTS_NAME).write_text(content)
        assert remembered(tmp_path, video) == first
        assert len(reads) == 1
        assert list(json.loads((tmp_path / DIGESTS_NAME).read_text())) == [str(video)]
