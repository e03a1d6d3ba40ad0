"""Replay-Attack and Replay-Mobile; docs/protocols.md describes their layouts.

Their lists name one video per line, relative to the root. Without the lists, folder and file names
give the same videos. The protocols select attacks; ``grandtest`` has all.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from app.evaluation.protocols.folders import Copy, Line, few, files_in
from app.evaluation.protocols.splits import Database, Division, Gathered
from app.evaluation.protocols.types import Mode, ProtocolError, Recording
from app.types import BONA_FIDE

GROUPS = ("train", "devel", "test")
LISTS = "protocols"
SUFFIX = ".mov"


@dataclass(frozen=True)
class VideoLists:
    """How one of the two databases names its folders, lists and videos.

    The patterns match names of videos without the suffix; ``species`` derives the species of an
    attack from their groups. Lists are in ``protocols``, with ``{group}`` in their names.
    """

    attack_folders: tuple[str, ...]
    genuine: re.Pattern[str]
    enrolment: re.Pattern[str]
    attack: re.Pattern[str]
    species: Callable[[Mapping[str, str]], str]
    genuine_list: str
    enrolment_list: str
    attack_lists: Mapping[str, str]

    def gather(self, copy: Copy, protocol: str, mode: Mode) -> Gathered:
        has_lists = (copy.root / LISTS).is_dir()
        # Other modes need neither enrolment recordings nor their lists.
        enrols = mode == "client-specific"
        splits: list[tuple[Recording, ...]] = []
        enrolment: list[Recording] = []
        for group in GROUPS:
            attack_folders = tuple(f"{group}/{folder}" for folder in self.attack_folders)
            parts = [
                ((f"{group}/real",), self.genuine, self.genuine_list),
                (attack_folders, self.attack, self.attack_lists[protocol]),
                ((f"enroll/{group}",), self.enrolment, self.enrolment_list),
            ][: 3 if enrols else 2]
            lists = [f"{LISTS}/{name.format(group=group)}" for *_, name in parts]
            genuine, attacks, *enrolled = (
                copy.lines(path, partial(self._listed, copy, folders, pattern))
                if has_lists
                else list(self._found(copy, folders, pattern, protocol))
                for path, (folders, pattern, _) in zip(lists, parts, strict=True)
            )
            splits.append((*genuine, *attacks))
            enrolment += (recording for found in enrolled for recording in found)
        notes = []
        if enrols:
            notes.append("Each client's model learns from the client's enrolment recordings.")
        if not has_lists:
            notes.append(
                f"The official lists (folder {LISTS}) are missing: the names of folders and videos "
                "were used instead."
            )
        train, development, test = splits
        return (Division("", train, development, test, tuple(enrolment)),), notes

    def _listed(
        self, copy: Copy, folders: tuple[str, ...], pattern: re.Pattern[str], line: Line
    ) -> Recording:
        name = line.path(line.text)
        if name.suffix != SUFFIX:
            name = name.with_name(name.name + SUFFIX)
        if str(name.parent) not in folders:
            raise line.refused(f"is not in {few(folders)}")
        if (match := pattern.fullmatch(name.stem)) is None:
            raise line.refused(f"is not the name of a {copy.title} video")
        return self._recording(copy, str(name), match)

    def _found(
        self, copy: Copy, folders: tuple[str, ...], pattern: re.Pattern[str], protocol: str
    ) -> Iterator[Recording]:
        """Yield the videos in folders; of attacks, only those of the protocol."""
        for folder in folders:
            names = [name for name in files_in(copy.root / folder) if name.endswith(SUFFIX)]
            if not names:
                copy.refused.append(
                    ProtocolError(f"{copy.root / folder} contains no {SUFFIX} files.")
                )
            for name in names:
                path = f"{folder}/{name}"
                if (match := pattern.fullmatch(name.removesuffix(SUFFIX))) is None:
                    problem = f"{copy.root / path} is not the name of a {copy.title} video."
                    copy.refused.append(ProtocolError(problem))
                elif pattern is not self.attack or _belongs_to(protocol, match.groupdict()):
                    yield self._recording(copy, path, match)

    def _recording(self, copy: Copy, name: str, match: re.Match[str]) -> Recording:
        parts = match.groupdict()
        species = self.species(parts) if match.re is self.attack else BONA_FIDE
        condition = ", ".join(parts[key] for key in ("camera", "light") if key in parts)
        return copy.recording(name, parts["client"], species, condition)


def _belongs_to(protocol: str, parts: Mapping[str, str]) -> bool:
    """Whether an attack belongs to a protocol; most are named after a part of the file name."""
    if protocol == "digitalphoto":
        return parts["kind"] == "photo" and parts["device"] != "print"
    return protocol == "grandtest" or protocol in parts.values()


_DEVICES = {"mobile": "phone", "highdef": "tablet"}
_ATTACKS_PER_CLIENT = {
    "grandtest": 20,
    "print": 4,
    "mobile": 8,
    "highdef": 8,
    "digitalphoto": 8,
    "photo": 12,
    "video": 8,
}


def _replay_attack_species(parts: Mapping[str, str]) -> str:
    device = parts["device"]
    return "print" if device == "print" else f"{_DEVICES[device]} {parts['kind']}"


REPLAY_ATTACK = Database(
    "replay-attack",
    "Replay-Attack",
    VideoLists(
        attack_folders=("attack/fixed", "attack/hand"),
        genuine=re.compile(
            r"(?P<client>client\d{3})_session\d+_webcam_authenticate_"
            r"(?P<light>controlled|adverse)_(?P<take>\d+)"
        ),
        enrolment=re.compile(
            r"(?P<client>client\d{3})_session\d+_webcam_enroll_(?P<light>controlled|adverse)(_\d+)?"
        ),
        attack=re.compile(
            r"attack_(?P<device>print|mobile|highdef)_(?P<client>client\d{3})_session\d+_"
            r"(highdef|mobile)_(?P<kind>photo|video)_(?P<light>controlled|adverse)"
        ),
        species=_replay_attack_species,
        genuine_list="real-{group}.txt",
        enrolment_list="recognition-{group}.txt",
        attack_lists={
            name: f"attack-{name}-allsupports-{{group}}.txt" for name in _ATTACKS_PER_CLIENT
        },
    ).gather,
    marks=(GROUPS,),
    protocols=tuple(_ATTACKS_PER_CLIENT),
    preset="paper-pad",
    table="RA",
    published={
        (protocol, split, kind): n_clients * each
        for protocol, n_attacks in _ATTACKS_PER_CLIENT.items()
        for split, n_clients in (("train", 15), ("development", 15), ("test", 20))
        for kind, each in ((BONA_FIDE, 4), ("attack", n_attacks))
    }
    | {(protocol, "enrolment", BONA_FIDE): 100 for protocol in _ATTACKS_PER_CLIENT},
    reference="Chingovska, Anjos and Marcel: On the effectiveness of local binary patterns in "
    "face anti-spoofing, BIOSIG 2012",
)


_MOBILE_LISTS = {
    "grandtest": "alldevices/attack-grandtest-allsupports-alldevices-{group}.txt",
    "print": "alldevices/attack-print-allsupports-alldevices-{group}.txt",
    "mattescreen": "alldevices/attack-mattescreen-fixed-alldevices-alltype-{group}.txt",
}
_MOBILE_COUNTS = {"train": (12, 120), "development": (16, 160), "test": (12, 110)}
"""Clients, and bona fide videos."""


def _replay_mobile_species(parts: Mapping[str, str]) -> str:
    return "print" if parts["instrument"] == "print" else f"matte screen {parts['kind']}"


REPLAY_MOBILE = Database(
    "replay-mobile",
    "Replay-Mobile",
    VideoLists(
        attack_folders=("attack",),
        genuine=re.compile(
            r"(?P<client>client\d{3})_session\d+_authenticate_(?P<camera>mobile|tablet)_"
            r"(?P<light>controlled|adverse|direct|lateral|diffuse)"
        ),
        enrolment=re.compile(
            r"(?P<client>client\d{3})_session\d+_enroll_(?P<camera>mobile|tablet)_"
            r"(?P<light>lighton|lightoff)"
        ),
        attack=re.compile(
            r"attack_(?P<client>client\d{3})_session\d+_(?P<instrument>print|mattescreen)_"
            r"(fixed|hand)_(?P<camera>mobile|tablet)_(?P<kind>photo|video)_"
            r"(?P<light>lighton|lightoff)"
        ),
        species=_replay_mobile_species,
        genuine_list="alldevices/real-alldevices-{group}.txt",
        enrolment_list="alldevices/enroll-alldevices-{group}.txt",
        attack_lists=_MOBILE_LISTS,
    ).gather,
    marks=(GROUPS,),
    inner="database",
    protocols=tuple(_MOBILE_LISTS),
    preset="paper-pad",
    table="RM",
    published={
        (protocol, split, kind): count
        for protocol, each in zip(_MOBILE_LISTS, (16, 8, 8), strict=True)
        for split, (n_clients, n_genuine) in _MOBILE_COUNTS.items()
        for kind, count in ((BONA_FIDE, n_genuine), ("attack", n_clients * each))
    }
    | {(protocol, "enrolment", BONA_FIDE): 160 for protocol in _MOBILE_LISTS},
    reference="Costa-Pazo, Bhattacharjee, Vazquez-Fernandez and Marcel: The REPLAY-MOBILE face "
    "presentation-attack database, BIOSIG 2016",
)
