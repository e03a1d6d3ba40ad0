"""OULU-NPU (University of Oulu and Northwestern Polytechnical University).

::

    Train_files/1_1_01_1.avi              Phone_Session_User_File
    Dev_files/1_1_21_1.avi
    Test_files/1_1_36_1.avi
    Protocols/Protocol_1/Train.txt, Dev.txt, Test.txt           (Protocol_2 alike)
    Protocols/Protocol_4/Train_1.txt, Dev_1.txt, Test_1.txt     ... _6 (Protocol_3 alike)

A line of a list is ``+1,1_1_01_1`` for a bona fide video and ``-1,...`` or ``-2,...`` for an
attack. Established from public loaders of the database and from Idiap's reader (bob.db.oulunpu).

Six phones, three sessions, users 1 to 20 for training, 21 to 35 for development and 36 to 55 for
the test. File 1 is bona fide, 2 and 3 are prints of two printers, 4 and 5 replays on two displays.
Protocol I tests another session, II other instruments, III another phone (six folds), IV all of
these at once (six folds).

The protocols have no client-specific mode. Here the model of a test user learns from that user's
bona fide videos in the sessions and phones of the training list, which are in ``Test_files`` but,
except in protocol II, in no test list. In II, where the training has all sessions, it learns from
the first two and is tested on the third.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.evaluation.protocols.folders import Line, find_root, read_list, require
from app.evaluation.protocols.recordings import FileReader
from app.evaluation.protocols.splits import Contents, Database, Division
from app.evaluation.protocols.types import Mode, ProtocolError, Recording
from app.types import BONA_FIDE

TITLE = "OULU-NPU"
PROTOCOLS = ("IV", "I", "II", "III")

FOLDERS = {"train": "Train_files", "development": "Dev_files", "test": "Test_files"}
SPECIES = {1: BONA_FIDE, 2: "print 1", 3: "print 2", 4: "replay 1", 5: "replay 2"}

_NUMBERS = {"I": 1, "II": 2, "III": 3, "IV": 4}
_LISTS = {"train": "Train", "development": "Dev", "test": "Test"}
_FOLDS = 6
_VIDEO = re.compile(r"(?P<phone>[1-6])_(?P<session>[1-3])_(?P<user>\d\d)_(?P<file>[1-5])")
_LINE = re.compile(r"(?P<label>[+-]?\d)\s*,\s*(?P<video>\S+)")

_TABLE = {
    "I": ((240, 960), (180, 720), (120, 480)),
    "II": ((360, 720), (270, 540), (360, 720)),
    "III": ((300, 1200), (225, 900), (60, 240)),
    "IV": ((200, 400), (150, 300), (20, 40)),
}
PUBLISHED = {
    (protocol, split, kind): count
    for protocol, rows in _TABLE.items()
    for split, counts in zip(FOLDERS, rows, strict=True)
    for kind, count in zip((BONA_FIDE, "attack"), counts, strict=True)
}
"""Of each fold."""


@dataclass(frozen=True)
class Video:
    """The parts of a video's name."""

    phone: int
    session: int
    user: int
    file: int

    @classmethod
    def parse(cls, name: str) -> "Video | None":
        match = _VIDEO.fullmatch(name)
        return None if match is None else cls(*(int(part) for part in match.groups()))

    def __str__(self) -> str:
        return f"{self.phone}_{self.session}_{self.user:02d}_{self.file}"

    def recording(self, root: Path, folder: str) -> Recording:
        name = f"{folder}/{self}.avi"
        condition = f"phone {self.phone}, session {self.session}"
        reader = FileReader(root / name)
        return Recording(name, f"{self.user:02d}", SPECIES[self.file], reader, condition)


def gather(root: Path | None, protocol: str, mode: Mode) -> Contents:
    root = find_root(root, TITLE, (*FOLDERS.values(), "Protocols"))
    folder = f"Protocols/Protocol_{_NUMBERS[protocol]}"
    folds = [f"_{fold}" for fold in range(1, _FOLDS + 1)] if protocol in ("III", "IV") else [""]
    lists = {
        fold: {split: f"{folder}/{name}{fold}.txt" for split, name in _LISTS.items()}
        for fold in folds
    }
    require(root, TITLE, [name for fold in lists.values() for name in fold.values()])
    refused: list[ProtocolError] = []
    divisions = [
        _division(root, fold.removeprefix("_"), names, mode, refused)
        for fold, names in lists.items()
    ]
    notes = []
    if mode == "client-specific":
        notes.append(
            "OULU-NPU defines no models of single users: each learns from the test user's own bona "
            "fide videos in the sessions and phones of the training list"
            + (", sessions 1 and 2, and session 3 is tested." if protocol == "II" else ".")
        )
    return Contents(tuple(divisions), tuple(notes), root, refused)


def _division(
    root: Path, fold: str, lists: dict[str, str], mode: Mode, refused: list[ProtocolError]
) -> Division:
    videos = {split: read_list(root / name, _video, refused) for split, name in lists.items()}
    splits = {
        split: tuple(video.recording(root, FOLDERS[split]) for video in found)
        for split, found in videos.items()
    }
    shared = {video.user for video in videos["train"]} & {video.user for video in videos["test"]}
    if shared:
        raise ProtocolError(
            f"{root / lists['test']} tests user {min(shared)}, who is in the training list as "
            "well: get the lists from the database again."
        )
    enrolment = _enrolment(root, videos) if mode == "client-specific" else ()
    return Division(fold, splits["train"], splits["development"], splits["test"], tuple(enrolment))


def _enrolment(root: Path, videos: dict[str, list[Video]]) -> Iterator[Recording]:
    """Yield untested videos of the test users in the training's circumstances."""
    trained = {(video.phone, video.session) for video in videos["train"] if video.file == 1}
    tested = {(video.phone, video.session) for video in videos["test"] if video.file == 1}
    circumstances = trained - tested or {place for place in trained if place[1] < 3}
    for user in sorted({video.user for video in videos["test"]}):
        for phone, session in sorted(circumstances, key=lambda place: place[::-1]):
            yield Video(phone, session, user, 1).recording(root, FOLDERS["test"])


def _video(line: Line) -> Video:
    match = _LINE.fullmatch(line.text)
    if match is None:
        raise line.refused("is not a label and video, such as +1,1_1_01_1")
    video = Video.parse(match["video"])
    if video is None:
        raise line.refused("does not name a video, such as 1_1_01_1")
    if (int(match["label"]) > 0) != (video.file == 1):
        raise line.refused("calls a bona fide video an attack, or the other way round")
    return video


DATABASE = Database(
    "oulu-npu",
    TITLE,
    gather,
    protocols=PROTOCOLS,
    preset="paper-pad",
    table="ONC",
    published=PUBLISHED,
    reference="Boulkenafet, Komulainen, Li, Feng and Hadid: OULU-NPU: a mobile face presentation "
    "attack database with real-world variations, FG 2017",
)
