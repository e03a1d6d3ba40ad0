"""OULU-NPU; docs/protocols.md describes its layout and file names.

Videos are named ``phone_session_user_file``. A line of a list is ``+1,1_1_01_1`` for a bona fide
video and ``-1,...`` or ``-2,...`` for an attack.

The protocols have no client-specific mode. Here the model of a test user learns from that user's
bona fide videos with the sessions and phones of the training list, which are in ``Test_files`` but,
except in protocol II, in no test list. In protocol II, where training has all sessions, it learns
from the first two and is tested on the third.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from app.evaluation.protocols.folders import Copy, Line
from app.evaluation.protocols.splits import Database, Division, Gathered
from app.evaluation.protocols.types import Mode, ProtocolError, Recording
from app.types import BONA_FIDE

FOLDERS = {"train": "Train_files", "development": "Dev_files", "test": "Test_files"}
SPECIES = {1: BONA_FIDE, 2: "print 1", 3: "print 2", 4: "replay 1", 5: "replay 2"}

_NUMBERS = {"I": 1, "II": 2, "III": 3, "IV": 4}
_LISTS = {"train": "Train", "development": "Dev", "test": "Test"}
_FOLDS = 6
_VIDEO = re.compile(r"([1-6])_([1-3])_(\d\d)_([1-5])")
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
"""Numbers of recordings per fold."""


@dataclass(frozen=True)
class Video:
    """The parts of a video's name."""

    phone: int
    session: int
    user: int
    file: int

    def recording(self, copy: Copy, split: str) -> Recording:
        user = f"{self.user:02d}"
        name = f"{FOLDERS[split]}/{self.phone}_{self.session}_{user}_{self.file}.avi"
        condition = f"phone {self.phone}, session {self.session}"
        return copy.recording(name, user, SPECIES[self.file], condition)


def gather(copy: Copy, protocol: str, mode: Mode) -> Gathered:
    folder = f"Protocols/Protocol_{_NUMBERS[protocol]}"
    divisions = []
    for fold in [str(n) for n in range(1, _FOLDS + 1)] if protocol in ("III", "IV") else [""]:
        ending = f"_{fold}.txt" if fold else ".txt"
        lists = {split: f"{folder}/{name}{ending}" for split, name in _LISTS.items()}
        divisions.append(_division(copy, fold, lists, mode))
    if mode != "client-specific":
        return divisions, ()
    note = (
        "OULU-NPU defines no models of single users: here each learns from the test user's own "
        "bona fide videos with the sessions and phones of the training list"
        + (" (sessions 1 and 2) and is tested on session 3." if protocol == "II" else ".")
    )
    return divisions, (note,)


def _division(copy: Copy, fold: str, lists: dict[str, str], mode: Mode) -> Division:
    videos = {split: copy.lines(name, _video) for split, name in lists.items()}
    users = {split: {video.user for video in found} for split, found in videos.items()}
    if shared := users["train"] & users["test"]:
        raise ProtocolError(
            f"{copy.root / lists['test']} tests user {min(shared)}, who is in the training list as "
            "well: get the lists from the database again."
        )
    train, development, test = (
        tuple(video.recording(copy, split) for video in found) for split, found in videos.items()
    )
    enrolment = _enrolment(copy, videos) if mode == "client-specific" else ()
    return Division(fold, train, development, test, tuple(enrolment))


def _enrolment(copy: Copy, videos: dict[str, list[Video]]) -> Iterator[Recording]:
    """Yield untested videos of the test users with the phones and sessions of training."""
    trained = {(video.phone, video.session) for video in videos["train"] if video.file == 1}
    tested = {(video.phone, video.session) for video in videos["test"] if video.file == 1}
    pairs = trained - tested or {pair for pair in trained if pair[1] < 3}
    for user in sorted({video.user for video in videos["test"]}):
        for phone, session in sorted(pairs, key=lambda pair: pair[::-1]):
            yield Video(phone, session, user, 1).recording(copy, "test")


def _video(line: Line) -> Video:
    if (match := _LINE.fullmatch(line.text)) is None:
        raise line.refused("is not a label and video, such as +1,1_1_01_1")
    if (parts := _VIDEO.fullmatch(match["video"])) is None:
        raise line.refused("does not name a video, such as 1_1_01_1")
    video = Video(*map(int, parts.groups()))
    if (int(match["label"]) > 0) != (video.file == 1):
        raise line.refused("calls a bona fide video an attack, or the other way round")
    return video


DATABASE = Database(
    "oulu-npu",
    "OULU-NPU",
    gather,
    marks=((*FOLDERS.values(), "Protocols"),),
    protocols=("IV", "I", "II", "III"),
    preset="paper-pad",
    table="ONC",
    published=PUBLISHED,
    reference="Boulkenafet, Komulainen, Li, Feng and Hadid: OULU-NPU: a mobile face presentation "
    "attack database with real-world variations, FG 2017",
)
