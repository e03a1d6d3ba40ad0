"""Your own recordings, in ``subject/bonafide/...`` and ``subject/attack-<species>/...``.

A recording is a video, an image or a folder of images. Folders ``train``, ``test`` and, optionally,
``development`` around the subjects split the recordings. Without them, models in the
client-specific mode learn from every second bona fide recording of a subject, in natural order:
names often begin with the light or place, which two halves would separate. In the
client-independent mode subjects go to training, development and test in turn (to training and test
if there are two); subjects without bona fide recordings go to the test.

Other files are left out, and the notes say so. Misnamed folders, such as ``attack_print`` or
``validation``, are refused, because figures without them would look complete.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from app.evaluation.protocols.folders import Copy, few, files_in, folders_in
from app.evaluation.protocols.recordings import in_natural_order, is_image, is_video
from app.evaluation.protocols.splits import Database, Division, Gathered, bona_fide, by_subject
from app.evaluation.protocols.types import PARTS, Mode, ProtocolError, Recording
from app.types import BONA_FIDE

GENUINE = "bonafide"
ATTACK = "attack-"

_MISNAMED = ("attack", "bona")
"""Beginnings of misnamed folders, in lower case."""


def gather(copy: Copy, protocol: str, mode: Mode) -> Gathered:
    root = copy.root
    skipped: list[str] = []
    if os.path.isdir(root / "train") and os.path.isdir(root / "test"):
        _check_beside(root)
        train, development, test = (
            tuple(_recordings(copy, f"{split}/", skipped)) if os.path.isdir(root / split) else ()
            for split in PARTS
        )
        return (Division("", train, development, test),), _left_out(skipped)
    everything = tuple(_recordings(copy, "", skipped))
    divide = _each_subject if mode == "client-specific" else _all_subjects
    division, note = divide(root, everything)
    return (division,), (note, *_left_out(skipped))


def _each_subject(root: Path, everything: tuple[Recording, ...]) -> tuple[Division, str]:
    enrolment: list[Recording] = []
    for subject, own in by_subject(everything).items():
        genuine = bona_fide(own)
        if len(genuine) < 2:
            raise ProtocolError(
                f"{root / subject / GENUINE} needs two recordings: one to learn from and one to "
                "test."
            )
        enrolment += genuine[::2]
    note = (
        "Every second bona fide recording of each subject, in natural order, is used for training "
        "and not tested; to test on another day or in another light, put them into the folders "
        "train and test."
    )
    return Division("", (), (), everything, tuple(enrolment)), note


def _all_subjects(root: Path, everything: tuple[Recording, ...]) -> tuple[Division, str]:
    own = by_subject(everything)
    subjects = [subject for subject, recordings in own.items() if bona_fide(recordings)]
    if len(subjects) < 2:
        raise ProtocolError(
            f"{root} has only one subject with bona fide recordings: add others, or use the mode "
            "client-specific."
        )
    splits = PARTS if len(subjects) > 2 else ("train", "test")
    assigned = {split: subjects[place :: len(splits)] for place, split in enumerate(splits)}
    assigned["test"] += [subject for subject in own if subject not in subjects]
    train, development, test = (_of(own, assigned.get(split, ())) for split in PARTS)
    groups = "; ".join(f"{split}: {', '.join(names)}" for split, names in assigned.items())
    return Division("", train, development, test), f"Subjects were assigned in turn ({groups})."


def _of(own: dict[str, list[Recording]], subjects: Sequence[str]) -> tuple[Recording, ...]:
    return tuple(recording for subject in subjects for recording in own[subject])


def _check_beside(root: Path) -> None:
    """Refuse recordings beside the folders of splits, which belong to none of them."""
    beside = [
        name
        for name in folders_in(root)
        if name not in PARTS
        and any(
            inner == GENUINE or os.path.isdir(root / name / inner / GENUINE)
            for inner in folders_in(root / name)
        )
    ]
    if beside:
        raise ProtocolError(
            f"{root} has recordings in {few(beside)}, beside {PARTS[0]} and {PARTS[2]}: move "
            f"them elsewhere, or call the folder {PARTS[1]}."
        )


def _left_out(skipped: list[str]) -> tuple[str, ...]:
    if not skipped:
        return ()
    return (f"Left out, because they are in the wrong place or not recordings: {few(skipped)}.",)


def _recordings(copy: Copy, under: str, skipped: list[str]) -> Iterator[Recording]:
    """Yield the recordings of all subjects; add other files and folders to ``skipped``."""
    root = copy.root
    for subject in in_natural_order(folders_in(root / under)):
        own = root / under / subject
        folders = in_natural_order(folders_in(own))
        kinds = [name for name in folders if name == GENUINE or name.startswith(ATTACK)]
        others = [name for name in folders if name not in kinds]
        if misspelt := [name for name in others if name.lower().startswith(_MISNAMED)]:
            raise ProtocolError(
                f"{own} contains {few(misspelt)}: folders of recordings are called {GENUINE} or "
                f"{ATTACK}<species>, so rename or move the others."
            )
        skipped += [f"{under}{subject}/{name}" for name in [*others, *files_in(own)]]
        if not kinds:
            raise ProtocolError(
                f"{own} contains neither {GENUINE} nor {ATTACK}<species>: move it "
                "elsewhere, or put its recordings into such folders."
            )
        # Bona fide first, then attacks by name.
        for kind in sorted(kinds, key=lambda name: name != GENUINE):
            folder = f"{under}{subject}/{kind}"
            species = BONA_FIDE if kind == GENUINE else _species(root / folder)
            names, more = _takes(root / folder)
            skipped += [f"{folder}/{name}" for name in more]
            if not names:
                raise ProtocolError(
                    f"{root / folder} contains no recordings: put videos, images or folders of "
                    "images there, or delete it."
                )
            yield from (copy.recording(f"{folder}/{name}", subject, species) for name in names)


def _species(folder: Path) -> str:
    species = folder.name.removeprefix(ATTACK).replace("-", " ").replace("_", " ").strip()
    if not species or species == BONA_FIDE:
        raise ProtocolError(f"{folder} names no species: call it {ATTACK}print, for example.")
    return species


def _takes(folder: Path) -> tuple[list[str], list[str]]:
    """Return names of recordings in natural order, and of other files."""
    names = files_in(folder)
    files = [name for name in names if is_image(name) or is_video(name)]
    series = folders_in(folder)
    if empty := [name for name in series if not any(map(is_image, files_in(folder / name)))]:
        raise ProtocolError(
            f"{folder} has folders without images, {few(empty)}: fill them, or delete them."
        )
    return in_natural_order([*files, *series]), [name for name in names if name not in files]


DATABASE = Database(
    "plain",
    "Own recordings",
    gather,
    marks=((f"*/{GENUINE}",), ("train", f"test/*/{GENUINE}")),
    modes=("client-specific", "client-independent"),
    may_lack_files=False,
)
