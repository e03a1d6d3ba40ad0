import cv2
import numpy as np
import pytest

from app.demo.renderer.takes import write_recordings
from lmkl_core.errors import Cancelled
from tests.app.demo.rendered import attack, genuine, images

TAKES = (genuine(), attack("print"))


def test_that_videos_are_laid_out_by_subject_and_class_and_show_the_takes(tmp_path):
    paths = write_recordings(tmp_path, TAKES)
    assert [path.relative_to(tmp_path).as_posix() for path in paths] == [
        "P001/bonafide/office-0-0000.avi",
        "P001/attack-print/office-0-0000.avi",
    ]
    for path, take in zip(paths, TAKES, strict=True):
        video = cv2.VideoCapture(str(path))
        for expected in images(take):
            ok, picture = video.read()
            assert ok
            assert np.abs(picture[..., ::-1].astype(int) - expected).mean() < 3
        assert not video.read()[0]
        video.release()


def test_that_pictures_are_kept_without_loss(tmp_path):
    (folder,) = write_recordings(tmp_path, TAKES[:1], form="png")
    files = sorted(folder.iterdir())
    assert [file.name for file in files] == ["00000.png", "00001.png"]
    kept = cv2.imread(str(files[1]))[..., ::-1]
    assert np.array_equal(kept, images(TAKES[0])[1])


def test_that_finished_recordings_are_kept_as_they_are(tmp_path):
    (path,) = write_recordings(tmp_path, TAKES[:1])
    path.write_bytes(b"mine")
    write_recordings(tmp_path, TAKES[:1])
    assert path.read_bytes() == b"mine"


def test_that_a_cancelled_recording_leaves_no_finished_file(tmp_path):
    with pytest.raises(Cancelled):
        write_recordings(tmp_path, TAKES[:1], cancel=lambda: True)
    assert not [path for path in tmp_path.rglob("*.avi") if not path.name.startswith("part-")]


def test_that_progress_is_told_of_every_recording(tmp_path):
    told = []
    paths = write_recordings(tmp_path, TAKES[:1], progress=told.append)
    assert told == paths
