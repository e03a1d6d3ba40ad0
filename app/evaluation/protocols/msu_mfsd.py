"""MSU-MFSD (Michigan State University), the public part: 35 of 55 subjects.

::

    scene01/real/real_client001_android_SD_scene01.mp4
    scene01/real/real_client001_laptop_SD_scene01.mov
    scene01/attack/attack_client001_android_SD_printed_photo_scene01.mp4
    scene01/attack/attack_client001_laptop_SD_ipad_video_scene01.mov       (iphone_video alike)
    train_sub_list.txt, test_sub_list.txt          subjects, one a line: 02

Established from the lists in Idiap's reader (bob.db.msu_mfsd_mod) and from public accounts of the
unpacked release. Two cameras, a phone (``android``) and a laptop; three instruments. There is no
development set. Idiap's reader keeps a list of phone videos that it turns upside up by hand; here
the rotation that a container asks for is followed.

The database knows no client-specific mode. Here the model of a test subject learns from the
laptop's bona fide video and is tested on the phone's, as in Idiap's verification protocol.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from app.evaluation.protocols.folders import Line, find_root, read_list
from app.evaluation.protocols.recordings import FileReader
from app.evaluation.protocols.splits import Contents, Database, Division
from app.evaluation.protocols.types import Mode, ProtocolError, Recording
from app.types import BONA_FIDE

TITLE = "MSU-MFSD"
LISTS = {"train": "train_sub_list.txt", "test": "test_sub_list.txt"}

_CAMERAS = {"laptop": ".mov", "android": ".mp4"}
_INSTRUMENTS = {
    "printed_photo": "print",
    "iphone_video": "phone video",
    "ipad_video": "tablet video",
}

PUBLISHED = {
    ("", "train", BONA_FIDE): 30,
    ("", "train", "attack"): 90,
    ("", "test", BONA_FIDE): 40,
    ("", "test", "attack"): 120,
}
"""Of the public part."""


def gather(root: Path | None, protocol: str, mode: Mode) -> Contents:
    """Return the recordings of the one protocol."""
    root = find_root(root, TITLE, ("scene01", *LISTS.values()))
    refused: list[ProtocolError] = []
    splits = {
        split: tuple(
            recording
            for client in read_list(root / name, _client, refused)
            for recording in _of(root, client)
        )
        for split, name in LISTS.items()
    }
    enrolment = tuple(
        recording
        for recording in splits["test"]
        if not recording.is_attack and recording.condition == "laptop"
    )
    notes = []
    if mode == "client-specific":
        notes.append(
            "MSU-MFSD has two bona fide videos a subject: models of single subjects learn from the "
            "laptop's, and the phone's is tested, so that the test has another camera."
        )
    division = Division("", splits["train"], (), splits["test"], enrolment)
    return Contents((division,), tuple(notes), root, refused)


def _client(line: Line) -> str:
    if not re.fullmatch(r"\d{1,3}", line.text):
        raise line.refused("is no number of a subject, such as 02")
    return f"client{int(line.text):03d}"


def _of(root: Path, client: str) -> Iterator[Recording]:
    for camera, suffix in _CAMERAS.items():
        stem = f"{client}_{camera}_SD"
        name = f"scene01/real/real_{stem}_scene01{suffix}"
        yield Recording(name, client, BONA_FIDE, FileReader(root / name), camera)
        for instrument, species in _INSTRUMENTS.items():
            name = f"scene01/attack/attack_{stem}_{instrument}_scene01{suffix}"
            yield Recording(name, client, species, FileReader(root / name), camera)


DATABASE = Database(
    "msu-mfsd",
    TITLE,
    gather,
    preset="paper-pad",
    table="MSU",
    published=PUBLISHED,
    reference="Wen, Han and Jain: Face spoof detection with image distortion analysis, IEEE "
    "Transactions on Information Forensics and Security, 2015",
)
