"""CASIA-FASD (Institute of Automation, Chinese Academy of Sciences).

::

    train_release/1/1.avi ... 8.avi, HR_1.avi ... HR_4.avi       subjects 1 to 20
    test_release/1/1.avi ...                                     subjects 1 to 30, other people

Established from Idiap's reader (bob.db.casia_fasd) and public loaders. 1, 2 and HR_1 are bona fide,
by cameras of normal, low and high quality; 3, 4, HR_2 are warped photos, 5, 6, HR_3 photos with cut
eyes, 7, 8, HR_4 videos. There are no lists, no development set and no enrolment recordings.
"""

from collections.abc import Iterator
from pathlib import Path

from app.evaluation.protocols.folders import find_root
from app.evaluation.protocols.recordings import FileReader
from app.evaluation.protocols.splits import Contents, Database, Division
from app.evaluation.protocols.types import Mode, Recording
from app.types import BONA_FIDE

TITLE = "CASIA-FASD"
SUBJECTS = {"train": 20, "test": 30}

_SPECIES = (BONA_FIDE, "warped photo", "cut photo", "video")
_QUALITIES = ("normal", "low", "high")

PUBLISHED = {
    ("", split, kind): n_subjects * each
    for split, n_subjects in SUBJECTS.items()
    for kind, each in ((BONA_FIDE, 3), ("attack", 9))
}


def gather(root: Path | None, protocol: str, mode: Mode) -> Contents:
    """Return the recordings of the one protocol."""
    root = find_root(root, TITLE, ("train_release", "test_release"))
    splits = {
        split: tuple(
            recording for subject in range(1, count + 1) for recording in _of(root, split, subject)
        )
        for split, count in SUBJECTS.items()
    }
    notes = []
    if mode == "client-specific":
        notes.append(
            "CASIA-FASD has one bona fide video of each quality: models of single subjects learn "
            "from normal and low quality, and high quality is tested."
        )
    enrolment = tuple(
        recording
        for recording in splits["test"]
        if not recording.is_attack and recording.condition != "high quality"
    )
    division = Division("", splits["train"], (), splits["test"], enrolment)
    return Contents((division,), tuple(notes), root)


def _of(root: Path, split: str, subject: int) -> Iterator[Recording]:
    for kind, species in enumerate(_SPECIES):
        for place, quality in enumerate(_QUALITIES):
            stem = f"HR_{kind + 1}" if quality == "high" else str(2 * kind + place + 1)
            name = f"{split}_release/{subject}/{stem}.avi"
            reader = FileReader(root / name)
            yield Recording(name, f"{split} {subject}", species, reader, f"{quality} quality")


DATABASE = Database(
    "casia-fasd",
    TITLE,
    gather,
    published=PUBLISHED,
    reference="Zhang, Yan, Liu, Lei, Yi and Li: A face antispoofing database with diverse attacks, "
    "ICB 2012",
)
