"""Databases of objects: Caltech-256 and 1001 Abnormal Objects, one model per class.

Both tasks are those of Perera and Patel, which the paper follows: a random half of a class's images
is for training, the other half for the test. Which half is not published; here it is drawn with a
fixed seed. docs/protocols.md describes the layouts. That of 1001 Abnormal Objects is not published
either, so folders ``normal`` and ``voc``, class names in any case, and ``Airplane`` are accepted.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from app.evaluation.protocols.folders import Copy, few, folders_in
from app.evaluation.protocols.splits import Database, Division, Gathered, drawn, halves
from app.evaluation.protocols.types import Mode, ProtocolError, Recording
from app.types import BONA_FIDE

_HALVES = (
    "A random half of each class's {}, drawn with a fixed seed, is used for training; the halves "
    "behind the published figures are unknown."
)


# ------------------------------------------------------------------ Caltech-256

N_CLASSES = 256
N_TARGETS = 40
N_IMAGES = 30607
"""Images of the archive, including clutter."""

NOVEL = "novel object"

_FOLDER = re.compile(r"(?P<number>\d{3})\.(?P<name>.+)")


def _caltech_256(copy: Copy, protocol: str, mode: Mode) -> Gathered:
    folders = {
        int(match["number"]): match
        for match in map(_FOLDER.fullmatch, folders_in(copy.root))
        if match is not None
    }
    if missing := [f"{n:03d}.*" for n in range(1, N_CLASSES + 1) if n not in folders]:
        classes = f"{len(missing)} of its {N_CLASSES} classes: {few(missing)}"
        copy.refused.append(ProtocolError(f"{copy.title} lacks {classes}."))
    pictures = {
        number: copy.images(match[0], match["name"], BONA_FIDE)
        for number, match in folders.items()
        if number <= N_CLASSES
    }
    if empty := [n for n, found in pictures.items() if len(found) < 2]:
        names = few([folders[n][0] for n in empty])
        copy.refused.append(ProtocolError(f"{copy.title} has too few images in {names}."))
        pictures = {n: found for n, found in pictures.items() if n not in empty}
    # Made once, since every image is novel for many classes.
    novel = {
        number: tuple(replace(image, species=NOVEL) for image in found)
        for number, found in pictures.items()
    }
    divisions = tuple(
        _against_others(pictures[number], number, novel, protocol)
        for number in range(1, N_TARGETS + 1)
        if number in pictures
    )
    notes = [_HALVES.format("images")]
    clutter = copy.images("257.clutter", "clutter", NOVEL)
    if (total := sum(map(len, pictures.values())) + len(clutter)) != N_IMAGES:
        notes.append(f"The archive has {total} images instead of the published {N_IMAGES}.")
    return divisions, notes


def _against_others(
    own: tuple[Recording, ...],
    number: int,
    novel: Mapping[int, tuple[Recording, ...]],
    protocol: str,
) -> Division:
    train, tested = halves(own, 0, number)
    others = tuple(image for other in sorted(novel) if other != number for image in novel[other])
    if protocol == "balanced":
        others = drawn(others, len(tested), 1, number)
    return Division(own[0].subject, train, (), (*tested, *others))


CALTECH_256 = Database(
    "caltech-256",
    "Caltech-256",
    _caltech_256,
    marks=(("001.*", "256.*"),),
    inner="256_ObjectCategories",
    may_lack_files=False,
    protocols=("all", "balanced"),
    modes=("one-against-rest",),
    preset="paper-objects",
    table="ImageNovelty",
    reference="Griffin, Holub and Perona: Caltech-256 object category dataset, 2007",
)


# ------------------------------------------------------------------ 1001 Abnormal Objects

ABNORMAL_CLASSES = ("aeroplane", "boat", "car", "chair", "motorbike", "sofa")
N_ABNORMAL = 1001


def _abnormal_objects(copy: Copy, protocol: str, mode: Mode) -> Gathered:
    normal = _class_folders(copy, "normal" if (copy.root / "normal").is_dir() else "voc")
    abnormal = _class_folders(copy, "abnormal")
    lacking: list[str] = []
    divisions = []
    for number, name in enumerate(ABNORMAL_CLASSES):
        genuine = copy.images(normal[name], name, BONA_FIDE)
        odd = copy.images(abnormal[name], name, "abnormal object")
        if len(genuine) < 2:
            lacking.append(normal[name])
        if not odd:
            lacking.append(abnormal[name])
        if len(genuine) >= 2 and odd:
            train, tested = halves(genuine, 0, number)
            divisions.append(Division(name, train, (), (*tested, *odd)))
    total = sum(made.is_attack for division in divisions for made in division.test)
    notes = [_HALVES.format("normal images")]
    if total != N_ABNORMAL:
        notes.append(f"There are {total} abnormal images instead of the published {N_ABNORMAL}.")
    if lacking:
        copy.refused.append(ProtocolError(f"{copy.title} has too few images in {few(lacking)}."))
    return divisions, notes


def _class_folders(copy: Copy, kind: str) -> dict[str, str]:
    found = {name: f"{kind}/{name.capitalize()}" for name in ABNORMAL_CLASSES}
    for name in folders_in(copy.root / kind):
        found[name.lower().replace("airplane", "aeroplane")] = f"{kind}/{name}"
    return found


ABNORMAL_OBJECTS = Database(
    "abnormal-objects",
    "1001 Abnormal Objects",
    _abnormal_objects,
    marks=(("abnormal", "normal"), ("abnormal", "voc")),
    may_lack_files=False,
    modes=("one-against-rest",),
    preset="paper-objects",
    table="ImageAbnormality",
    reference="Saleh, Farhadi and Elgammal: Object-centric anomaly detection by attribute-based "
    "reasoning, CVPR 2013",
)
