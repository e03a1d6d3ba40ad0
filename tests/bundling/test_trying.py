"""How builds, wheels and their licences are looked at."""

import os
import sys
from email import message_from_string
from pathlib import Path

import pytest

from bundling import licences, pipx_check, sandbox


def test_that_licences_are_known_by_their_names():
    texts = (
        "numpy-2.0.dist-info/licenses/LICENSE.txt",
        "numpy-2.0.dist-info/licenses/numpy/ma/whatever",
        "onnxruntime/ThirdPartyNotices.txt",
        "cv2/LICENSE-3RD-PARTY.txt",
        "x/COPYING",
    )
    others = ("numpy/licence.py", "a/b.txt", "x/license.cpython-311.pyc")
    assert [path for path in (*texts, *others) if licences.is_licence(path)] == list(texts)


def test_that_files_are_sorted_by_the_package_they_come_from():
    held = {"/site/numpy/a.py": "numpy", "/site/numpy/b.so": "numpy", "/site/cv2.so": "opencv"}
    found, others = licences.owners(["/site/numpy/b.so", "/usr/lib/libz.so.1"], held)
    assert found == {"numpy": ["/site/numpy/b.so"]}
    assert others == ["/usr/lib/libz.so.1"]


def test_that_a_licence_is_named_as_the_package_names_it():
    for fields, expected in (
        ("License-Expression: MIT", "MIT"),
        ("License: BSD\n        with a long text", "BSD"),
        ("License: UNKNOWN\nClassifier: License :: OSI Approved :: MIT License", "MIT License"),
        (f"License: {'x' * 200}", "see the text"),
        ("Name: nothing", "see the text"),
    ):
        assert licences.licence_name(message_from_string(f"{fields}\n\n")) == expected


def test_that_texts_that_packages_lack_are_here():
    names = {name for texts in licences.BRING_NO_TEXT.values() for name in texts}
    for name in names:
        text = (licences.TEXTS / f"{name}.txt").read_text(encoding="utf-8")
        assert "GNU" in text
        assert "GENERAL PUBLIC LICENSE" in text


def test_that_a_file_of_another_python_in_a_process_is_noticed():
    build = Path("/tmp/build")
    mapped = [
        "/tmp/build/_internal/libpython3.11.so.1.0",
        "/usr/lib/x86_64-linux-gnu/libc.so.6",
        "/usr/lib/python3.11/lib-dynload/_ssl.so",
        "/root/.pyenv/versions/3.11.7/lib/libpython3.11.so",
        "/tmp/build-of-another/_internal/x.so",
        "/memfd:shared (deleted)",
    ]
    assert sandbox.strangers(mapped, [build]) == mapped[2:5]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no /proc")
def test_that_this_python_would_be_noticed():
    mapped = sandbox.mapped_files(os.getpid())
    assert sandbox.strangers(mapped, [])
    assert Path(sys.base_prefix).resolve() in sandbox.pythons()


def test_that_a_sandbox_inherits_nothing_from_here(tmp_path, monkeypatch):
    monkeypatch.setenv("LMKL_PAD_CACHE", "/elsewhere")
    monkeypatch.setenv("VIRTUAL_ENV", "/elsewhere")
    variables = sandbox.Sandbox(tmp_path).environment(DISPLAY=":7")
    assert "/elsewhere" not in variables.values()
    assert variables["DISPLAY"] == ":7"
    assert Path(variables["PATH"]) == tmp_path / "empty"


def test_that_what_lies_in_a_hidden_folder_is_not_hidden_again():
    names = ("/work/.venv", "/work", "/usr/lib/python3", "/usr/lib/python3.11")
    inner, *others = map(Path, names)
    assert sandbox.outermost([inner, *others]) == tuple(sorted(others))


def test_that_what_cannot_be_hidden_is_refused():
    with pytest.raises(ValueError, match="has a space"):
        sandbox._covering([], [Path("/a b")])


def test_that_an_archive_is_held_to_what_runs():
    wanted = {"app/__init__.py", "app/a.bin"}
    found = {"app/__init__.py": b"", "app/a.bin": b"", "x.dist-info/METADATA": b""}
    assert pipx_check.problems(found, wanted, ["/home/me"], only=True) == []
    worse = {"app/__init__.py": b"# /home/me/x", "tests/test_x.py": b""}
    assert pipx_check.problems(worse, wanted, ["/home/me"], only=True) == [
        "app/a.bin is missing",
        "tests/test_x.py has no business there",
        "app/__init__.py holds '/home/me'",
    ]
    assert "tests" not in str(pipx_check.problems(worse, wanted, [], only=False))
