"""1001 Abnormal Objects (Rutgers University), six classes, normal against abnormal.

::

    abnormal/Aeroplane/*.jpg            the database's 1001 images, by class
    normal/Aeroplane/*.jpg              images of the same class from PASCAL VOC
    (Boat, Car, Chair, Motorbike and Sofa alike)

The published material does not settle how the archive is laid out, and the normal images come from
PASCAL VOC, of which a selection is not published either. The one public loader that was found
keeps folders of classes in ``abnormal`` and ``voc``; this layout is taken here, with ``voc`` or
``normal`` for the latter. Names of classes may be in any case, and ``Airplane`` will do.

As in Perera and Patel (Learning deep features for one-class classification), a random half of a
class's normal images is learnt from and the other half is tested against the class's abnormal
images. Which half is not published; here a fixed seed draws it.
"""

from pathlib import Path

from app.evaluation.protocols.folders import find_root, folders_in, listed
from app.evaluation.protocols.recordings import image_recordings
from app.evaluation.protocols.splits import Contents, Database, Division, halves
from app.evaluation.protocols.types import Mode, ProtocolError
from app.types import BONA_FIDE

TITLE = "1001 Abnormal Objects"
MODES: tuple[Mode, ...] = ("one-against-rest",)
CLASSES = ("aeroplane", "boat", "car", "chair", "motorbike", "sofa")
ABNORMAL = "abnormal object"

PUBLISHED = {("", "all", "attack"): 1001}

_ALSO = {"airplane": "aeroplane"}


def gather(root: Path | None, protocol: str, mode: Mode) -> Contents:
    """Return a division for each class."""
    root = find_root(root, TITLE, ("abnormal", "normal"), ("abnormal", "voc"))
    normal = "normal" if (root / "normal").is_dir() else "voc"
    folders = {kind: _folders(root, kind) for kind in ("abnormal", normal)}
    few: list[str] = []
    divisions = []
    for number, name in enumerate(CLASSES):
        genuine = image_recordings(root, folders[normal][name], name, BONA_FIDE)
        odd = image_recordings(root, folders["abnormal"][name], name, ABNORMAL)
        lacking = [folders[normal][name]] if len(genuine) < 2 else []
        lacking += [] if odd else [folders["abnormal"][name]]
        if lacking:
            few += lacking
            continue
        train, tested = halves(genuine, 0, number)
        divisions.append(Division(name, train, (), (*tested, *odd)))
    total = sum(made.is_attack for division in divisions for made in division.test)
    notes = [
        "A random half of each class's normal images, with a fixed seed, is learnt from; the "
        "published figures' halves are not known."
    ]
    if total != 1001:
        notes.append(f"There are {total} abnormal images instead of the published 1001.")
    refused = [ProtocolError(f"{TITLE} has too few images in {listed(few)}.")] if few else []
    return Contents(tuple(divisions), tuple(notes), refused=refused)


def _folders(root: Path, kind: str) -> dict[str, str]:
    found = {name: f"{kind}/{name.capitalize()}" for name in CLASSES}
    for name in folders_in(root / kind):
        lower = name.lower()
        found[_ALSO.get(lower, lower)] = f"{kind}/{name}"
    return found


DATABASE = Database(
    "abnormal-objects",
    TITLE,
    gather,
    modes=MODES,
    preset="paper-objects",
    table="ImageAbnormality",
    published=PUBLISHED,
    reference="Saleh, Farhadi and Elgammal: Object-centric anomaly detection by attribute-based "
    "reasoning, CVPR 2013",
)
