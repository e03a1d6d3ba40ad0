"""Faulty folders and lists are refused with one sentence that names the path."""

import os

import pytest

from app.evaluation.protocols import folders
from app.evaluation.protocols.registry import DATABASES
from app.evaluation.protocols.types import ProtocolError
from tests.app.evaluation.protocols import trees

PAD = ("replay-attack", "replay-mobile", "oulu-npu", "msu-mfsd", "casia-fasd", "nuaa")
NAMES = (*PAD, "caltech-256", "abnormal-objects", "plain")


def refusal(name, root, protocol="", mode=""):
    database = DATABASES[name]
    with pytest.raises(ProtocolError) as caught:
        database.read(root, protocol, mode or database.modes[0])
    text = str(caught.value)
    assert len(text) < 600
    assert text.endswith(".")
    assert "\n" not in text
    return text


@pytest.fixture
def casia(tmp_path):
    return trees.casia_fasd(tmp_path / "CASIA")


@pytest.fixture
def msu(tmp_path):
    return trees.msu_mfsd(tmp_path / "MSU-MFSD")


@pytest.mark.parametrize("name", NAMES)
def test_that_a_folder_without_the_database_is_refused(name, tmp_path):
    assert "--root" in refusal(name, None)
    assert " lacks " in refusal(name, tmp_path)
    assert str(tmp_path / "absent") in refusal(name, tmp_path / "absent")
    (tmp_path / "file").touch()
    assert "not a folder" in refusal(name, tmp_path / "file")


def test_that_missing_recordings_are_named_and_counted(casia):
    for number in range(1, 9):
        (casia / "test_release" / "7" / f"{number}.avi").unlink()
    text = refusal("casia-fasd", casia)
    for words in ("8 files", "test_release/7/1.avi", "and 5 more", "--allow-missing"):
        assert words in text


def test_that_missing_lists_are_named(with_own_lists):
    root = with_own_lists("oulu-npu", "Protocols")
    (root / "Protocols/Protocol_4/Dev_5.txt").unlink()
    assert "Protocols/Protocol_4/Dev_5.txt" in refusal("oulu-npu", root, "IV")
    assert DATABASES["oulu-npu"].read(root, "III", "client-independent").folds


def test_that_the_right_folder_is_named_if_it_is_near(casia):
    for place in (casia / "train_release", casia / "test_release/3", casia.parent):
        assert f" {casia}, not {place}" in refusal("casia-fasd", place)


def test_that_a_relative_root_is_accepted(casia, monkeypatch):
    monkeypatch.chdir(casia.parent)
    layout = DATABASES["casia-fasd"].read(trees.Path("CASIA"), "", "client-independent")
    assert layout.folds[0].plans[0].train[0].reader.path.is_absolute()


def faulty_lines(name, root, path, lines, protocol=""):
    """Append faulty lines to a list; return the sentence about each."""
    n_before = len(path.read_text().splitlines())
    path.write_text(path.read_text() + "\n".join(lines))
    assert f"{path}, line {n_before + 1}: " in refusal(name, root, protocol)
    mode = DATABASES[name].modes[0]
    found = DATABASES[name].read(root, protocol, mode, allow_missing=True).passed_over
    assert len(found) == len(lines)
    for number, sentence in enumerate(found, start=n_before + 1):
        assert f"{path.name}, line {number}: " in sentence
    return found


@pytest.mark.fault("Hostile files", "paths in a dataset list that leave the database")
def test_that_lines_that_leave_the_database_are_refused(with_own_lists, attempt):
    root = with_own_lists("replay-attack", "protocols")
    lines = [
        "../../etc/passwd.mov",
        "train/real/../../../secret.mov",
        "/etc/passwd",
        "C:\\secret.mov",
        "..\\..\\secret.mov",
    ]
    found = faulty_lines("replay-attack", root, root / "protocols/real-train.txt", lines)
    for sentence in found:
        with attempt():
            assert "outside the database" in sentence


def test_that_a_list_outside_the_database_is_not_read(with_own_lists, tmp_path_factory):
    root = with_own_lists("oulu-npu", "Protocols")
    secret = tmp_path_factory.mktemp("elsewhere") / "secret.txt"
    secret.write_text("a private key")
    (root / "Protocols/Protocol_1/Train.txt").unlink()
    (root / "Protocols/Protocol_1/Train.txt").symlink_to(secret)
    text = refusal("oulu-npu", root, "I")
    assert "links that lead out" in text
    assert "private" not in text


@pytest.mark.parametrize(
    ("name", "file", "protocol", "lines"),
    [
        (
            "replay-attack",
            "protocols/real-train.txt",
            "",
            {
                "test/real/client001_session01_webcam_authenticate_adverse_1.mov": "is not in",
                "train/real/holiday.mov": "is not the name of a Replay-Attack video",
                "x" * 600: "more than 500 characters",
                "train/real/\x07bell.mov": "control characters",
            },
        ),
        (
            "oulu-npu",
            "Protocols/Protocol_1/Train.txt",
            "I",
            {
                "+1 1_1_01_1": "is not a label and video",
                "+1,7_1_01_1": "does not name a video",
                "+1,../1_1_01_1": "does not name a video",
                "-1,1_1_01_1": "calls a bona fide video an attack",
                "+1,1_1_01_2": "calls a bona fide video an attack",
            },
        ),
    ],
)
def test_that_malformed_lines_are_named(with_own_lists, name, file, protocol, lines):
    root = with_own_lists(name, file.split("/")[0])
    found = faulty_lines(name, root, root / file, lines, protocol)
    for sentence, why in zip(found, lines.values(), strict=True):
        assert why in sentence


def test_that_a_user_in_training_and_test_is_refused(with_own_lists):
    root = with_own_lists("oulu-npu", "Protocols")
    path = root / "Protocols/Protocol_1/Test.txt"
    path.write_text(path.read_text() + "+1,1_1_01_1")
    assert "tests user 1" in refusal("oulu-npu", root, "I")


def test_that_a_malformed_list_is_refused(msu):
    for content, *words in (
        (b"02\n02\n", "train_sub_list.txt, line 2"),
        (b"one\n", "train_sub_list.txt, line 1", "not the number of a subject"),
        (b"1234\n", "train_sub_list.txt, line 1", "not the number of a subject"),
        (b"-1\n", "train_sub_list.txt, line 1", "not the number of a subject"),
        (b"\n\n", "no bona fide recordings to learn from"),
        (b"\xff\xfe\x00", "train_sub_list.txt is not text"),
    ):
        (msu / "train_sub_list.txt").write_bytes(content)
        text = refusal("msu-mfsd", msu)
        assert all(each in text for each in words), content


def test_that_a_giant_list_is_refused_before_it_is_read(msu):
    with (msu / "train_sub_list.txt").open("r+b") as stream:
        stream.truncate(folders.MOST_LIST_BYTES + 1)
    assert "train_sub_list.txt is larger than 4096 KiB" in refusal("msu-mfsd", msu)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_that_a_pipe_in_place_of_a_list_is_refused_without_waiting(msu):
    (msu / "train_sub_list.txt").unlink()
    os.mkfifo(msu / "train_sub_list.txt")
    assert "is not a regular file" in refusal("msu-mfsd", msu)


def test_that_lists_with_any_line_ending_are_read(msu):
    path = msu / "train_sub_list.txt"
    content = path.read_bytes()
    for ending in (b"\r\n", b"\r", b"  \n\n"):
        path.write_bytes(b"\xef\xbb\xbf" + content.replace(b"\n", ending))
        (plan,) = DATABASES["msu-mfsd"].read(msu, "", "client-independent").folds[0].plans
        assert len(plan.train) == 30


def test_that_nuaa_lists_that_begin_with_the_folder_are_read(tmp_path):
    root = trees.nuaa(tmp_path, thinned=20)
    path = root / "raw/client_train_raw.txt"
    lines = path.read_text().splitlines()
    trees.write_list(root / "raw", path.name, [f"ClientRaw/{line}" for line in lines])
    (plan,) = DATABASES["nuaa"].read(root, "", "client-independent").folds[0].plans
    assert len(plan.train) == len(lines)


def test_that_enrolment_recordings_are_needed_by_client_specific_models_only(
    database_root, tmp_path
):
    for part in database_root("replay-attack").iterdir():
        if part.name != "enroll":
            (tmp_path / part.name).symlink_to(part)
    assert DATABASES["replay-attack"].read(tmp_path, "", "client-independent").folds
    assert "enroll/train" in refusal("replay-attack", tmp_path, mode="client-specific")


def test_that_nuaa_lists_with_paths_of_another_machine_are_refused(tmp_path):
    root = trees.nuaa(tmp_path, thinned=20)
    path = root / "raw/client_test_raw.txt"
    path.write_text("/kaggle/input/raw/ClientRaw/0001/0001_00_00_03_0.jpg\n")
    assert "line 1" in refusal("nuaa", root)
    path.write_text("0001\\0002_00_00_03_0.jpg\n")
    assert "is not an image" in refusal("nuaa", root)


def test_that_missing_classes_of_abnormal_objects_are_named(tmp_path):
    trees.touch(tmp_path, ["abnormal/Airplane/1.jpg", "voc/aeroplane/1.jpg"])
    text = refusal("abnormal-objects", tmp_path)
    assert "voc/aeroplane, voc/Boat, abnormal/Boat and 8 more" in text


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="this account may read everything"
)
def test_that_a_folder_that_may_not_be_read_is_named(tmp_path):
    trees.touch(tmp_path, ["anna/bonafide/1.mp4", "anna/bonafide/2.mp4", "anna/attack-x/1.mp4"])
    (tmp_path / "anna/attack-x").chmod(0)
    try:
        assert "attack-x cannot be read" in refusal("plain", tmp_path)
    finally:
        (tmp_path / "anna/attack-x").chmod(0o700)
