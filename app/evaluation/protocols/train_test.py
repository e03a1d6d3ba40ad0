r"""Face databases with a training and a test part only: MSU-MFSD, NUAA and CASIA-FASD.

MSU-MFSD (Michigan State University), the public part: 35 of 55 subjects::

    scene01/real/real_client001_android_SD_scene01.mp4
    scene01/real/real_client001_laptop_SD_scene01.mov
    scene01/attack/attack_client001_android_SD_printed_photo_scene01.mp4
    scene01/attack/attack_client001_laptop_SD_ipad_video_scene01.mov       (iphone_video alike)
    train_sub_list.txt, test_sub_list.txt          subjects, one a line: 02

Established from the lists in Idiap's reader (bob.db.msu_mfsd_mod) and from public accounts of the
unpacked release. Two cameras, a phone (``android``) and a laptop; three instruments. Idiap's reader
turns a list of phone videos upside up by hand; here the rotation in the container is followed. The
database has no client-specific mode: here the model of a test subject learns from the laptop's bona
fide video and is tested on the phone's, as in Idiap's verification protocol.

NUAA Photograph Imposter (Nanjing University of Aeronautics and Astronautics), the raw images::

    raw/ClientRaw/0001/0001_00_00_01_0.jpg         subject_glasses_position_session_picture
    raw/ImposterRaw/0001/0001_00_00_01_0.jpg
    raw/client_train_raw.txt, imposter_train_raw.txt, client_test_raw.txt, imposter_test_raw.txt

A line of a list is a path below ``ClientRaw`` or ``ImposterRaw``, with a backslash:
``0001\0001_00_00_01_0.jpg``. Established from public loaders and a public account of a copy's
files. Each image is a recording of its own, as in the published numbers. The attacks are photos on
paper. Training is of sessions 1 and 2, the test of session 3; some subjects are in both.

CASIA-FASD (Institute of Automation, Chinese Academy of Sciences)::

    train_release/1/1.avi ... 8.avi, HR_1.avi ... HR_4.avi       subjects 1 to 20
    test_release/1/1.avi ...                                     subjects 1 to 30, other people

Established from Idiap's reader (bob.db.casia_fasd) and public loaders. 1, 2 and HR_1 are bona fide,
by cameras of normal, low and high quality; 3, 4, HR_2 are warped photos, 5, 6, HR_3 photos with cut
eyes, 7, 8, HR_4 videos. There are no lists and no enrolment recordings.
"""

import re
from collections.abc import Iterator
from functools import partial

from app.evaluation.protocols.folders import Copy, Line
from app.evaluation.protocols.splits import Database, Division, Gathered, bona_fide
from app.evaluation.protocols.types import Mode, Recording
from app.types import BONA_FIDE

# ------------------------------------------------------------------ MSU-MFSD

_SUBJECT_LISTS = ("train_sub_list.txt", "test_sub_list.txt")
_CAMERAS = {"laptop": ".mov", "android": ".mp4"}
_INSTRUMENTS = {
    "printed_photo": "print",
    "iphone_video": "phone video",
    "ipad_video": "tablet video",
}


def _msu_mfsd(copy: Copy, protocol: str, mode: Mode) -> Gathered:
    train, test = (
        tuple(each for client in copy.lines(name, _client) for each in _client_videos(copy, client))
        for name in _SUBJECT_LISTS
    )
    enrolment = tuple(each for each in bona_fide(test) if each.condition == "laptop")
    note = (
        "MSU-MFSD has two bona fide videos a subject: models of single subjects learn from the "
        "laptop's, and the phone's is tested, so that the test has another camera."
    )
    notes = (note,) if mode == "client-specific" else ()
    return (Division("", train, (), test, enrolment),), notes


def _client(line: Line) -> str:
    if not re.fullmatch(r"\d{1,3}", line.text):
        raise line.refused("is not the number of a subject, such as 02")
    return f"client{int(line.text):03d}"


def _client_videos(copy: Copy, client: str) -> Iterator[Recording]:
    for camera, suffix in _CAMERAS.items():
        stem = f"{client}_{camera}_SD"
        name = f"scene01/real/real_{stem}_scene01{suffix}"
        yield copy.recording(name, client, BONA_FIDE, camera)
        for instrument, species in _INSTRUMENTS.items():
            name = f"scene01/attack/attack_{stem}_{instrument}_scene01{suffix}"
            yield copy.recording(name, client, species, camera)


MSU_MFSD = Database(
    "msu-mfsd",
    "MSU-MFSD",
    _msu_mfsd,
    marks=(("scene01", *_SUBJECT_LISTS),),
    preset="paper-pad",
    table="MSU",
    # Of the public part.
    published={
        ("", "train", BONA_FIDE): 30,
        ("", "train", "attack"): 90,
        ("", "test", BONA_FIDE): 40,
        ("", "test", "attack"): 120,
    },
    reference="Wen, Han and Jain: Face spoof detection with image distortion analysis, IEEE "
    "Transactions on Information Forensics and Security, 2015",
)


# ------------------------------------------------------------------ NUAA

_RAW_FOLDERS = {"client": ("ClientRaw", BONA_FIDE), "imposter": ("ImposterRaw", "print")}
_IMAGE_LISTS = [
    {who: f"{who}_{split}_raw.txt" for who in _RAW_FOLDERS} for split in ("train", "test")
]
_IMAGE = re.compile(r"(?P<subject>\d{4})_\d\d_\d\d_(?P<session>\d\d)_\d+\.jpg")


def _nuaa(copy: Copy, protocol: str, mode: Mode) -> Gathered:
    train, test = (
        tuple(
            image
            for who, name in lists.items()
            for image in copy.lines(name, partial(_image, copy, who))
        )
        for lists in _IMAGE_LISTS
    )
    return (Division("", train, (), test),), ()


def _image(copy: Copy, who: str, line: Line) -> Recording:
    folder, species = _RAW_FOLDERS[who]
    path = line.path(line.text)
    if path.parts[0] == folder:
        path = path.relative_to(folder)
    match = _IMAGE.fullmatch(path.name)
    if match is None or str(path.parent) != match["subject"]:
        raise line.refused("is not an image, such as 0001\\0001_00_00_01_0.jpg")
    condition = f"session {int(match['session'])}"
    return copy.recording(f"{folder}/{path}", match["subject"], species, condition)


NUAA = Database(
    "nuaa",
    "NUAA",
    _nuaa,
    marks=(("ClientRaw", "ImposterRaw", *(n for each in _IMAGE_LISTS for n in each.values())),),
    inner="raw",
    published={
        ("", "train", BONA_FIDE): 1743,
        ("", "train", "attack"): 1748,
        ("", "test", BONA_FIDE): 3362,
        ("", "test", "attack"): 5761,
    },
    reference="Tan, Li, Liu and Jiang: Face liveness detection from a single image with sparse low "
    "rank bilinear discriminative model, ECCV 2010",
)


# ------------------------------------------------------------------ CASIA-FASD

_SUBJECTS = {"train": 20, "test": 30}
_SPECIES = (BONA_FIDE, "warped photo", "cut photo", "video")
_QUALITIES = ("normal", "low", "high")


def _casia_fasd(copy: Copy, protocol: str, mode: Mode) -> Gathered:
    train, test = (
        tuple(each for n in range(1, count + 1) for each in _subject_videos(copy, split, n))
        for split, count in _SUBJECTS.items()
    )
    enrolment = tuple(each for each in bona_fide(test) if each.condition != "high quality")
    note = (
        "CASIA-FASD has one bona fide video of each quality: models of single subjects learn "
        "from normal and low quality, and high quality is tested."
    )
    notes = (note,) if mode == "client-specific" else ()
    return (Division("", train, (), test, enrolment),), notes


def _subject_videos(copy: Copy, split: str, subject: int) -> Iterator[Recording]:
    for kind, species in enumerate(_SPECIES):
        for place, quality in enumerate(_QUALITIES):
            stem = f"HR_{kind + 1}" if quality == "high" else str(2 * kind + place + 1)
            name = f"{split}_release/{subject}/{stem}.avi"
            yield copy.recording(name, f"{split} {subject}", species, f"{quality} quality")


CASIA_FASD = Database(
    "casia-fasd",
    "CASIA-FASD",
    _casia_fasd,
    marks=(("train_release", "test_release"),),
    published={
        ("", split, kind): n_subjects * each
        for split, n_subjects in _SUBJECTS.items()
        for kind, each in ((BONA_FIDE, 3), ("attack", 9))
    },
    reference="Zhang, Yan, Liu, Lei, Yi and Li: A face antispoofing database with diverse attacks, "
    "ICB 2012",
)
