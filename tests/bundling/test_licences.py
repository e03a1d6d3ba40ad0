"""The licences of a build's components."""

from email import message_from_string

from bundling import licences


def test_that_licence_files_are_recognised_by_their_names():
    texts = (
        "numpy-2.0.dist-info/licenses/LICENSE.txt",
        "numpy-2.0.dist-info/licenses/numpy/ma/whatever",
        "onnxruntime/ThirdPartyNotices.txt",
        "cv2/LICENSE-3RD-PARTY.txt",
        "x/COPYING",
    )
    others = ("numpy/licence.py", "a/b.txt", "x/license.cpython-311.pyc")
    assert [path for path in (*texts, *others) if licences.is_licence(path)] == list(texts)


def test_that_a_licence_has_the_name_that_the_package_states():
    for fields, expected in (
        ("License-Expression: MIT", "MIT"),
        ("License: BSD\n        with a long text", "BSD"),
        ("License: UNKNOWN\nClassifier: License :: OSI Approved :: MIT License", "MIT License"),
        (f"License: {'x' * 200}", "see the text"),
        ("Name: nothing", "see the text"),
    ):
        assert licences.licence_name(message_from_string(f"{fields}\n\n")) == expected


def test_that_the_texts_that_packages_lack_exist():
    for name in {name for texts in licences.ADDED_TEXTS.values() for name in texts}:
        text = (licences.TEXTS / f"{name}.txt").read_text(encoding="utf-8")
        assert "GENERAL PUBLIC LICENSE" in text
