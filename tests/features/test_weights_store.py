"""Finding, checking and importing weights."""

import hashlib
import json
import os

import pytest

from lmkl_core.errors import Cancelled, InvalidInputError
from lmkl_core.features.weights import (
    MissingWeightsError,
    WrongWeightsError,
    catalogue,
    find,
    import_file,
    inspect,
    store,
    weights_folder,
)
from lmkl_core.features.weights.catalogue import PackageFile, Weights
from lmkl_core.features.weights.store import Checksum, Place

CONTENT = b"some weights" * 1000
DIGEST = hashlib.sha256(CONTENT).hexdigest()
PINNED = Weights("pinned", "pinned.pth", DIGEST, "", "MIT", url="https://example.org/pinned.pth")
SHORT = Weights("short", "short.pth", "ab12cd34", "", "MIT", url="https://example.org/short.pth")
PACKAGED = Weights(
    "packaged", "record", "00" * 32, "", "MIT", package=PackageFile("numpy", "numpy/nothing")
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Return an empty folder of weights; the user's files are not touched."""
    monkeypatch.setenv("LMKL_PAD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("LMKL_PAD_WEIGHTS", str(tmp_path / "weights"))
    monkeypatch.setattr(catalogue, "CATALOGUE", (PINNED, SHORT, PACKAGED))
    return tmp_path / "weights"


def put(folder, content=CONTENT, name="pinned.pth"):
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(content)
    return folder / name


@pytest.mark.parametrize("name", ["weights", "caf\udce9"], ids=["plain", "not Unicode"])
def test_that_a_file_is_found_and_its_checksum_computed_once(name, tmp_path, monkeypatch):
    folder = tmp_path / name
    try:
        path = put(folder)
    except OSError:
        pytest.skip("this file system refuses such names")
    file = find("pinned", folder)
    assert (file.path, file.sha256, file.entry) == (path, DIGEST, PINNED)
    monkeypatch.setattr(store.hashlib, "sha256", lambda *_: pytest.fail("read again"))
    assert find("pinned", folder) == file


def test_that_an_argument_precedes_the_environment_variable_and_this_the_default_folder(
    folder, tmp_path, monkeypatch
):
    assert weights_folder(tmp_path / "mine") == tmp_path / "mine"
    assert weights_folder() == folder
    monkeypatch.delenv("LMKL_PAD_WEIGHTS")
    assert weights_folder().parts[-2:] == ("lmkl-pad", "weights")


def test_that_the_folder_precedes_a_package_with_a_damaged_file(folder, monkeypatch):
    package = PackageFile("numpy", "numpy/version.py")
    both = Weights("both", "b.pth", DIGEST, "", "MIT", package=package)
    monkeypatch.setattr(catalogue, "CATALOGUE", (both,))
    assert inspect(both).place is Place.PACKAGE
    with pytest.raises(WrongWeightsError, match="--force-reinstall --no-deps numpy"):
        find("both")
    path = put(folder, name="b.pth")
    assert find("both").path == path


def test_that_missing_weights_are_reported_with_every_way_to_get_them(folder):
    for entry, *expected in (
        (PINNED, "pinned.pth", PINNED.url, f"is {DIGEST}", folder),
        (SHORT, "short.pth", SHORT.url, "begins with ab12cd34", folder),
        (PACKAGED, "pip install", "numpy", folder),
    ):
        with pytest.raises(MissingWeightsError) as caught:
            find(entry.name)
        assert all(str(words) in str(caught.value) for words in expected), entry.name
        assert caught.value.name == (entry.name if entry.url else "")


def test_that_a_wrong_file_is_refused_with_both_checksums(folder):
    path = put(folder, b"other")
    with pytest.raises(WrongWeightsError) as caught:
        find("pinned")
    for expected in (str(path), hashlib.sha256(b"other").hexdigest(), DIGEST):
        assert expected in str(caught.value)


def test_that_a_folder_and_broken_links_are_refused(folder):
    place = folder / "pinned.pth"
    place.mkdir(parents=True)
    with pytest.raises(InvalidInputError, match="cannot be read"):
        find("pinned")
    place.rmdir()
    for target, reason in ((folder / "gone", "No such file"), (place, "Too many levels")):
        place.symlink_to(target)
        with pytest.raises(InvalidInputError, match=reason):
            find("pinned")
        place.unlink()


def test_that_eight_digits_are_compared_if_no_more_are_known(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(catalogue, "CATALOGUE", (Weights("s", "s.pth", DIGEST[:8], "", "MIT"),))
    assert import_file(put(tmp_path, name="x")).entry.name == "s"
    assert find("s").sha256 == DIGEST


def test_that_a_changed_file_is_read_again_even_with_the_same_size_and_date(folder):
    path = put(folder)
    before = path.stat()
    find("pinned")
    other = folder / "other"
    other.write_bytes(CONTENT[:-1] + b"!")
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    os.replace(other, path)
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    with pytest.raises(WrongWeightsError):
        find("pinned")


def test_that_verifying_ignores_cached_checksums(folder):
    path = put(folder, b"other")
    cached = store.checksums_path()
    cached.parent.mkdir()
    state = path.stat()
    forged = [state.st_size, state.st_mtime_ns, state.st_ctime_ns, DIGEST]
    cached.write_text(json.dumps({str(path.resolve()): forged}))
    assert inspect(PINNED).checksum is Checksum.RIGHT
    assert inspect(PINNED, afresh=True).checksum is Checksum.WRONG


def test_that_damaged_cached_checksums_are_ignored_and_replaced(folder):
    put(folder)
    cached = store.checksums_path()
    cached.parent.mkdir()
    for content in ("", "{", "[]", "3", '{"x": [1, 2, 3, 4]}', "[" * 100_000, "\ud800"):
        cached.write_bytes(content.encode("utf-8", "surrogatepass"))
        assert find("pinned").sha256 == DIGEST
        assert [entry[-1] for entry in json.loads(cached.read_text()).values()] == [DIGEST]
    cached.unlink()
    cached.mkdir()
    assert find("pinned").sha256 == DIGEST


def test_that_an_imported_file_is_recognised_by_its_content_and_replaces_a_damaged_one(
    folder, tmp_path
):
    path, source = put(folder, b"damaged"), put(tmp_path, name="download (3).bin")
    assert import_file(source).path == path
    assert source.exists()
    assert find("pinned").sha256 == DIGEST
    assert import_file(path).path == path
    assert path.read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("content", "name", "error", "words"),
    [
        (b"damaged", "pinned.pth", WrongWeightsError, DIGEST),
        (b"holiday", "holiday.jpg", InvalidInputError, r"pinned\.pth, short\.pth"),
        (None, "gone.pth", InvalidInputError, "gone.pth"),
        (None, ".", InvalidInputError, "not a regular file"),
        (CONTENT, "cancelled", Cancelled, None),
    ],
)
def test_that_a_failed_import_leaves_nothing_behind(content, name, error, words, folder, tmp_path):
    if content is not None:
        put(tmp_path, content, name)
    with pytest.raises(error, match=words):
        import_file(tmp_path / name, cancel=lambda: name == "cancelled")
    assert not folder.exists() or list(folder.iterdir()) == []


def test_that_a_file_that_changes_while_it_is_imported_is_refused(folder, tmp_path):
    source = put(tmp_path)

    def change():
        source.write_bytes(b"changed")
        return False  # go on

    with pytest.raises(WrongWeightsError):
        import_file(source, cancel=change)
    assert list(folder.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes in folders")
def test_that_a_named_pipe_is_refused_instead_of_waited_for(folder):
    folder.mkdir(parents=True)
    os.mkfifo(folder / "pinned.pth")
    for read in (lambda: import_file(folder / "pinned.pth"), lambda: find("pinned")):
        with pytest.raises(InvalidInputError, match="not a regular file"):
            read()
