r"""NUAA Photograph Imposter (Nanjing University of Aeronautics and Astronautics), the raw images.

::

    raw/ClientRaw/0001/0001_00_00_01_0.jpg         subject_glasses_position_session_picture
    raw/ImposterRaw/0001/0001_00_00_01_0.jpg
    raw/client_train_raw.txt, imposter_train_raw.txt, client_test_raw.txt, imposter_test_raw.txt

A line of a list is a path below ``ClientRaw`` or ``ImposterRaw``, with a backslash:
``0001\0001_00_00_01_0.jpg``. Established from public loaders and a public account of a copy's
files. Each image is a recording of its own, as in the published numbers. The attacks are photos on
paper. Training is of sessions 1 and 2, the test of session 3; some subjects are in both.
"""

import re
from functools import partial
from pathlib import Path

from app.evaluation.protocols.folders import Line, find_root, read_list
from app.evaluation.protocols.recordings import FileReader
from app.evaluation.protocols.splits import Contents, Database, Division
from app.evaluation.protocols.types import Mode, ProtocolError, Recording
from app.types import BONA_FIDE

TITLE = "NUAA"
FOLDERS = {"client": ("ClientRaw", BONA_FIDE), "imposter": ("ImposterRaw", "print")}
LISTS = tuple(f"{who}_{split}_raw.txt" for split in ("train", "test") for who in FOLDERS)

_IMAGE = re.compile(r"(?P<subject>\d{4})_\d\d_\d\d_(?P<session>\d\d)_\d+\.jpg")

PUBLISHED = {
    ("", "train", BONA_FIDE): 1743,
    ("", "train", "attack"): 1748,
    ("", "test", BONA_FIDE): 3362,
    ("", "test", "attack"): 5761,
}
"""Images."""


def gather(root: Path | None, protocol: str, mode: Mode) -> Contents:
    """Return the images of the one protocol."""
    folders = [folder for folder, _ in FOLDERS.values()]
    root = find_root(root, TITLE, (*folders, *LISTS), inner=("raw",))
    refused: list[ProtocolError] = []
    train, test = (
        tuple(
            image
            for who in FOLDERS
            for image in read_list(root / f"{who}_{split}_raw.txt", partial(_image, who), refused)
        )
        for split in ("train", "test")
    )
    return Contents((Division("", train, (), test),), (), root, refused)


def _image(who: str, line: Line) -> Recording:
    folder, species = FOLDERS[who]
    path = line.path(line.text)
    if path.parts[0] == folder:
        path = path.relative_to(folder)
    match = _IMAGE.fullmatch(path.name)
    if match is None or str(path.parent) != match["subject"]:
        raise line.refused("is no image, such as 0001\\0001_00_00_01_0.jpg")
    image = f"{folder}/{path}"
    reader = FileReader(line.file.parent / image)
    condition = f"session {int(match['session'])}"
    return Recording(image, match["subject"], species, reader, condition)


DATABASE = Database(
    "nuaa",
    TITLE,
    gather,
    published=PUBLISHED,
    reference="Tan, Li, Liu and Jiang: Face liveness detection from a single image with sparse low "
    "rank bilinear discriminative model, ECCV 2010",
)
