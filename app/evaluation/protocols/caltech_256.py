"""Caltech-256 (California Institute of Technology), each of 40 classes against the rest.

::

    256_ObjectCategories/001.ak47/001_0001.jpg
    256_ObjectCategories/257.clutter/...           (no class: not used)

The layout is that of the published archive. The task is the one of Perera and Patel (Learning deep
features for one-class classification), which the paper follows: each of the first 40 classes is
learnt from a random half of its images; the other half is tested against images of the 255 other
classes. The paper says "all the remaining 255 classes": protocol ``all``. Perera and Patel draw
as many of these images as the class has to be tested: protocol ``balanced``. Which images were
drawn is not published; here a fixed seed draws them.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from app.evaluation.protocols.folders import find_root, folders_in, listed
from app.evaluation.protocols.recordings import image_recordings
from app.evaluation.protocols.splits import Contents, Database, Division, drawn, halves
from app.evaluation.protocols.types import Mode, ProtocolError, Recording
from app.types import BONA_FIDE

TITLE = "Caltech-256"
PROTOCOLS = ("all", "balanced")
MODES: tuple[Mode, ...] = ("one-against-rest",)
CLASSES = 256
TARGETS = 40
NOVEL = "novel object"

PUBLISHED = {("all", "all", BONA_FIDE): 30607}
"""Images of the archive, clutter included."""

_FOLDER = re.compile(r"(?P<number>\d{3})\.(?P<name>.+)")


def gather(root: Path | None, protocol: str, mode: Mode) -> Contents:
    """Return a division for each of the first classes."""
    root = find_root(root, TITLE, ("001.*", "256.*"), inner=("256_ObjectCategories",))
    folders = {
        int(match["number"]): match
        for match in map(_FOLDER.fullmatch, folders_in(root))
        if match is not None
    }
    refused = []
    if missing := [f"{n:03d}.*" for n in range(1, CLASSES + 1) if n not in folders]:
        refused.append(
            ProtocolError(
                f"{TITLE} lacks {len(missing)} of its {CLASSES} classes: {listed(missing)}."
            )
        )
    pictures = {
        number: image_recordings(root, match[0], match["name"], BONA_FIDE)
        for number, match in folders.items()
        if number <= CLASSES
    }
    if empty := [n for n, found in pictures.items() if len(found) < 2]:
        names = listed([folders[n][0] for n in empty])
        refused.append(ProtocolError(f"{TITLE} has too few images in {names}."))
        pictures = {n: found for n, found in pictures.items() if n not in empty}
    # Made once: every image is novel to many classes.
    novel = {
        number: tuple(replace(image, species=NOVEL) for image in found)
        for number, found in pictures.items()
    }
    divisions = tuple(
        _division(pictures[number], number, novel, protocol)
        for number in range(1, TARGETS + 1)
        if number in pictures
    )
    notes = [
        "A random half of each class's images, with a fixed seed, is learnt from; the published "
        "figures' halves are not known."
    ]
    if (total := sum(map(len, pictures.values())) + _clutter(root)) != 30607:
        notes.append(f"The archive has {total} images instead of the published 30607.")
    return Contents(divisions, tuple(notes), refused=refused)


def _division(
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


def _clutter(root: Path) -> int:
    return len(image_recordings(root, "257.clutter", "clutter", NOVEL))


DATABASE = Database(
    "caltech-256",
    TITLE,
    gather,
    protocols=PROTOCOLS,
    modes=MODES,
    preset="paper-objects",
    table="ImageNovelty",
    published=PUBLISHED,
    reference="Griffin, Holub and Perona: Caltech-256 object category dataset, 2007",
)
