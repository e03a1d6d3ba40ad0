"""Face databases with a training and a test part only: MSU-MFSD, NUAA and CASIA-FASD.

docs/protocols.md describes their layouts, and what replaces the enrolment recordings they lack.
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
        "MSU-MFSD has two bona fide videos per subject: models of single subjects learn from the "
        "laptop's and are tested on the phone's, so the test uses another camera."
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
    # Numbers of the public part.
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
    {kind: f"{kind}_{split}_raw.txt" for kind in _RAW_FOLDERS} for split in ("train", "test")
]
_IMAGE = re.compile(r"(?P<subject>\d{4})_\d\d_\d\d_(?P<session>\d\d)_\d+\.jpg")


def _nuaa(copy: Copy, protocol: str, mode: Mode) -> Gathered:
    train, test = (
        tuple(
            image
            for kind, name in lists.items()
            for image in copy.lines(name, partial(_image, copy, kind))
        )
        for lists in _IMAGE_LISTS
    )
    return (Division("", train, (), test),), ()


def _image(copy: Copy, kind: str, line: Line) -> Recording:
    folder, species = _RAW_FOLDERS[kind]
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
        "from normal and low quality and are tested on high quality."
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
