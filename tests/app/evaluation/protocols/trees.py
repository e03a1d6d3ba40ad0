"""Databases in their official layouts, with all lists and with empty recordings."""

import os
from pathlib import Path

MOST_LINKS = 1000

REPLAY_ATTACK = {
    # Only the number of clients per group matters here.
    "train": [*range(1, 11), *range(101, 106)],
    "devel": [*range(11, 21), *range(106, 111)],
    "test": [*range(21, 32), *range(111, 120)],
}
REPLAY_MOBILE = {
    "train": [1, 3, 8, 11, 12, 16, 18, 20, 26, 34, 37, 38],
    "devel": [5, 6, 13, 14, 15, 23, 24, 25, 28, 29, 31, 32, 35, 36, 39, 40],
    "test": [2, 4, 7, 9, 10, 17, 19, 21, 22, 27, 30, 33],
}
MSU = {
    "train": [2, 3, 5, 6, 7, 8, 9, 11, 12, 21, 22, 34, 53, 54, 55],
    "test": [1, 13, 14, 23, 24, 26, 28, 29, 30, 32, 33, 35, 36, 37, 39, 42, 48, 49, 50, 51],
}


def touch(root: Path, names) -> None:
    """Make empty files and their folders.

    They are hard links to a few files, which is much faster, so nothing may be written to them.
    """
    for folder in {Path(name).parent for name in names}:
        (root / folder).mkdir(parents=True, exist_ok=True)
    for place, name in enumerate(names):
        path = root / name
        if place % MOST_LINKS == 0:
            first = path
            first.touch()
        else:
            os.link(first, path)


def write_list(root: Path, name: str, lines, ending="\n") -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_bytes("".join(line + ending for line in lines).encode())


def replay_attack(root: Path) -> Path:
    """50 clients: 4 bona fide videos, 2 of the enrolment, 20 attacks each."""
    lights = ("controlled", "adverse")
    for group, clients in REPLAY_ATTACK.items():
        names = [f"client{number:03d}_session01" for number in clients]
        real = [
            f"{group}/real/{name}_webcam_authenticate_{light}_{take}.mov"
            for name in names
            for light in lights
            for take in (1, 2)
        ]
        enrol = [
            f"enroll/{group}/{name}_webcam_enroll_{light}.mov" for name in names for light in lights
        ]
        attacks = [
            (device, kind, f"{group}/attack/{held}/attack_{device}_{name}_{sample}_{kind}_{light}")
            for name in names
            for light in lights
            for held in ("fixed", "hand")
            for device, sample, kinds in (
                ("print", "highdef", ("photo",)),
                ("mobile", "mobile", ("photo", "video")),
                ("highdef", "highdef", ("photo", "video")),
            )
            for kind in kinds
        ]
        touch(root, [*real, *enrol, *(f"{path}.mov" for _, _, path in attacks)])
        write_list(root, f"protocols/real-{group}.txt", real)
        write_list(root, f"protocols/recognition-{group}.txt", enrol)
        protocols = {
            "grandtest": lambda device, kind: True,
            "print": lambda device, kind: device == "print",
            "mobile": lambda device, kind: device == "mobile",
            "highdef": lambda device, kind: device == "highdef",
            "digitalphoto": lambda device, kind: device != "print" and kind == "photo",
            "photo": lambda device, kind: kind == "photo",
            "video": lambda device, kind: kind == "video",
        }
        for protocol, has in protocols.items():
            chosen = [f"{path}.mov" for device, kind, path in attacks if has(device, kind)]
            write_list(root, f"protocols/attack-{protocol}-allsupports-{group}.txt", chosen)
    return root


def replay_mobile(root: Path) -> Path:
    """40 clients: 10 bona fide videos (none of client009), 4 of the enrolment, 16 attacks each."""
    base = root / "database"
    cameras = ("mobile", "tablet")
    for group, clients in REPLAY_MOBILE.items():
        real = [
            f"{group}/real/client{number:03d}_session02_authenticate_{camera}_{light}.mov"
            for number in clients
            if number != 9
            for camera in cameras
            for light in ("controlled", "adverse", "direct", "lateral", "diffuse")
        ]
        enrol = [
            f"enroll/{group}/client{number:03d}_session01_enroll_{camera}_{light}.mov"
            for number in clients
            for camera in cameras
            for light in ("lighton", "lightoff")
        ]
        attacks = {
            instrument: [
                f"{group}/attack/attack_client{number:03d}_session01_{instrument}_{held}_{camera}"
                f"_{kind}_{light}.mov"
                for number in clients
                for held, kind in ways
                for camera in cameras
                for light in ("lighton", "lightoff")
            ]
            for instrument, ways in (
                ("print", (("fixed", "photo"), ("hand", "photo"))),
                ("mattescreen", (("fixed", "photo"), ("fixed", "video"))),
            )
        }
        touch(base, [*real, *enrol, *attacks["print"], *attacks["mattescreen"]])
        folder = "protocols/alldevices"
        lists = {
            f"real-alldevices-{group}": real,
            f"enroll-alldevices-{group}": enrol,
            f"attack-grandtest-allsupports-alldevices-{group}": [
                *attacks["print"],
                *attacks["mattescreen"],
            ],
            f"attack-print-allsupports-alldevices-{group}": attacks["print"],
            f"attack-mattescreen-fixed-alldevices-alltype-{group}": attacks["mattescreen"],
        }
        for name, chosen in lists.items():
            # Without their suffix, as in some copies of the lists.
            write_list(base, f"{folder}/{name}.txt", [path.removesuffix(".mov") for path in chosen])
    return root


OULU_USERS = {"Train": range(1, 21), "Dev": range(21, 36), "Test": range(36, 56)}


def oulu_npu(root: Path) -> Path:
    """4950 videos, and the lists of all protocols as the publication defines them."""
    for split, users in OULU_USERS.items():
        touch(
            root,
            [
                f"{split}_files/{phone}_{session}_{user:02d}_{file}.avi"
                for phone in range(1, 7)
                for session in range(1, 4)
                for user in users
                for file in range(1, 6)
            ],
        )
    for protocol in (1, 2, 3, 4):
        for fold in range(1, 7) if protocol > 2 else (None,):
            for split, users in OULU_USERS.items():
                tests = split == "Test"
                lines = [
                    f"{_oulu_label(file, split)},{phone}_{session}_{user:02d}_{file}"
                    for phone in range(1, 7)
                    if fold is None or (phone == fold) == tests
                    for session in range(1, 4)
                    if protocol in (2, 3) or (session == 3) == tests
                    for user in users
                    for file in range(1, 6)
                    if protocol in (1, 3) or file in ((1, 3, 5) if tests else (1, 2, 4))
                ]
                suffix = "" if fold is None else f"_{fold}"
                name = f"Protocols/Protocol_{protocol}/{split}{suffix}.txt"
                write_list(root, name, lines, ending="\r\n")
    return root


def _oulu_label(file, split):
    if file == 1:
        return "+1"
    return "-2" if split == "Test" and file > 3 else "-1"


def msu_mfsd(root: Path) -> Path:
    """35 subjects: 2 bona fide videos and 6 attacks each."""
    for split, subjects in MSU.items():
        write_list(root, f"{split}_sub_list.txt", [f"{number:02d}" for number in subjects])
        for number in subjects:
            for camera, suffix in (("android", "mp4"), ("laptop", "mov")):
                stem = f"client{number:03d}_{camera}_SD"
                attacks = ("printed_photo", "ipad_video", "iphone_video")
                touch(
                    root,
                    [
                        f"scene01/real/real_{stem}_scene01.{suffix}",
                        *(f"scene01/attack/attack_{stem}_{a}_scene01.{suffix}" for a in attacks),
                    ],
                )
    return root


def casia_fasd(root: Path) -> Path:
    """50 subjects with 12 videos each."""
    stems = [*(str(n) for n in range(1, 9)), *(f"HR_{n}" for n in range(1, 5))]
    for split, count in (("train", 20), ("test", 30)):
        touch(root, [f"{split}_release/{n}/{s}.avi" for n in range(1, count + 1) for s in stems])
    return root


def nuaa(root: Path, thinned: int = 1) -> Path:
    """Four lists of images; nine subjects have bona fide ones in training, nine in the test.

    Of the twelve thousand images, only one in ``thinned`` is made.
    """
    parts = {
        ("client", "train"): (range(1, 10), (1, 2), 1743),
        ("client", "test"): ((1, 4, 7, 10, 11, 12, 13, 14, 15), (3,), 3362),
        ("imposter", "train"): (range(1, 10), (1, 2), 1748),
        ("imposter", "test"): (range(1, 16), (3,), 5761),
    }
    base = root / "raw"
    for (who, split), (subjects, sessions, count) in parts.items():
        series = [(subject, session) for subject in subjects for session in sessions]
        names = []
        for number in range(count // thinned):
            subject, session = series[number % len(series)]
            picture = number // len(series)
            names.append(f"{subject:04d}/{subject:04d}_00_00_{session:02d}_{picture}.jpg")
        touch(base, [f"{who.capitalize()}Raw/{name}" for name in names])
        lines = [name.replace("/", "\\") for name in names]
        write_list(base, f"{who}_{split}_raw.txt", lines, ending="\r\n")
    return root


def caltech_256(root: Path) -> Path:
    """257 folders, 30607 images; the numbers per class are invented."""
    base = root / "256_ObjectCategories"
    names = []
    for number in range(1, 257):
        folder = "001.ak47" if number == 1 else f"{number:03d}.things-{number}"
        count = 117 if number <= 84 else 116
        names += [f"{folder}/{number:03d}_{image:04d}.jpg" for image in range(1, count + 1)]
    names += [f"257.clutter/257_{image:04d}.jpg" for image in range(1, 828)]
    touch(base, [*names, "056.things-56/greg/vision309/notes.txt", "198.things-198/RENAME2"])
    return root


def abnormal_objects(root: Path) -> Path:
    """Six classes with 1001 abnormal images; the numbers per class are invented."""
    for place, name in enumerate(("Aeroplane", "Boat", "Car", "Chair", "Motorbike", "Sofa")):
        odd = 166 if place == 0 else 167
        touch(root, [f"abnormal/{name}/{n}.jpg" for n in range(odd)])
        touch(root, [f"normal/{name}/2008_{n:06d}.jpg" for n in range(100)])
    return root
