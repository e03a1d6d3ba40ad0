"""What Replay-Attack and Replay-Mobile share: three groups of clients, lists, and telling names.

Both keep ``GROUP/real``, ``GROUP/attack`` and ``enroll/GROUP`` for the groups ``train``, ``devel``
and ``test``, and both come with lists that name one video a line, relative to the root. The names
of the videos tell everything else. Where the lists were not unpacked, the folders and the names
decide instead, which gives the same videos when the database is complete.
"""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from app.evaluation.protocols.folders import Line, files_in, find_root, listed, read_list, require
from app.evaluation.protocols.recordings import FileFootage
from app.evaluation.protocols.splits import Division, Material
from app.evaluation.protocols.types import Mode, ProtocolError, Recording
from app.types import BONA_FIDE

GROUPS = ("train", "devel", "test")
LISTS = "protocols"
SUFFIX = ".mov"


@dataclass(frozen=True)
class Told:
    """What the name of a video tells."""

    subject: str
    species: str
    condition: str
    protocols: tuple[str, ...] = ()
    """Of an attack: those it belongs to."""


@dataclass(frozen=True)
class Family:
    """One of the two databases.

    Attributes
    ----------
    title : str
        Its name in tables.
    inner : tuple of str
        Folders in the named one that may hold it.
    attack_folders : tuple of str
        Folders of a group's attacks.
    genuine, enrolment, attack : pattern
        Of videos' names, without what they end in.
    told : callable
        What a match of the attacks' pattern, or of another, tells.
    genuine_list, enrolment_list, attack_lists : str and mapping
        Names of lists below ``protocols``, with ``{group}`` for the group.
    """

    title: str
    inner: tuple[str, ...]
    attack_folders: tuple[str, ...]
    genuine: re.Pattern[str]
    enrolment: re.Pattern[str]
    attack: re.Pattern[str]
    told: Callable[[re.Match[str]], Told]
    genuine_list: str
    enrolment_list: str
    attack_lists: Mapping[str, str]

    def gather(self, root: Path | None, protocol: str, mode: Mode) -> Material:
        """Return the one division of a protocol."""
        root = find_root(root, self.title, GROUPS, inner=self.inner)
        has_lists = os.path.isdir(root / LISTS)
        source = self._listed if has_lists else self._found
        # Who needs no enrolment recordings need not have unpacked them.
        enrols = mode == "client-specific"
        splits: dict[str, tuple[Recording, ...]] = {}
        enrolment: list[Recording] = []
        refused: list[ProtocolError] = []
        for group in GROUPS:
            genuine, attacks, own = source(root, protocol, group, enrols, refused)
            splits[group] = (*genuine, *attacks)
            enrolment += own
        notes = []
        if enrols:
            notes.append("Each client's model learns from the client's enrolment recordings.")
        if not has_lists:
            notes.append(
                f"The official lists (folder {LISTS}) are not there: folders and names of the "
                "videos decided instead."
            )
        division = Division("", splits["train"], splits["devel"], splits["test"], tuple(enrolment))
        return Material((division,), tuple(notes), root, refused)

    def _listed(
        self, root: Path, protocol: str, group: str, enrols: bool, refused: list[ProtocolError]
    ) -> tuple[list[Recording], ...]:
        names = [self.genuine_list, self.attack_lists[protocol]]
        wanted = [((f"{group}/real",), self.genuine), (self._attack_folders(group), self.attack)]
        if enrols:
            names.append(self.enrolment_list)
            wanted.append(((f"enroll/{group}",), self.enrolment))
        lists = [f"{LISTS}/{name.format(group=group)}" for name in names]
        require(root, self.title, lists)
        found = [
            read_list(root / name, partial(self._from_line, root, folders, pattern), refused)
            for name, (folders, pattern) in zip(lists, wanted, strict=True)
        ]
        return (*found, *([] for _ in range(3 - len(found))))

    def _from_line(
        self, root: Path, folders: tuple[str, ...], pattern: re.Pattern[str], line: Line
    ) -> Recording:
        name = line.path(line.text)
        if name.suffix != SUFFIX:
            name = name.with_name(name.name + SUFFIX)
        if str(name.parent) not in folders:
            raise line.refused(f"is not in {listed(folders)}")
        if (match := pattern.fullmatch(name.stem)) is None:
            raise line.refused(f"is no name of a {self.title} video")
        return self._recording(root, name, self.told(match))

    def _found(
        self, root: Path, protocol: str, group: str, enrols: bool, refused: list[ProtocolError]
    ) -> tuple[list[Recording], ...]:
        enrolment = (f"enroll/{group}",) if enrols else ()
        attacks = self._in_folders(root, self._attack_folders(group), self.attack, refused)
        genuine = self._in_folders(root, (f"{group}/real",), self.genuine, refused)
        own = self._in_folders(root, enrolment, self.enrolment, refused)
        return (
            [made for made, _ in genuine],
            [made for made, told in attacks if protocol in told.protocols],
            [made for made, _ in own],
        )

    def _in_folders(
        self,
        root: Path,
        folders: tuple[str, ...],
        pattern: re.Pattern[str],
        refused: list[ProtocolError],
    ) -> list[tuple[Recording, Told]]:
        found = []
        for folder in folders:
            names = [name for name in files_in(root / folder) if name.endswith(SUFFIX)]
            if not names:
                refused.append(ProtocolError(f"{root / folder} holds no {SUFFIX} files."))
            for name in names:
                path = PurePosixPath(folder) / name
                if (match := pattern.fullmatch(path.stem)) is None:
                    refused.append(
                        ProtocolError(f"{root / path} is no name of a {self.title} video.")
                    )
                    continue
                told = self.told(match)
                found.append((self._recording(root, path, told), told))
        return found

    def _attack_folders(self, group: str) -> tuple[str, ...]:
        return tuple(f"{group}/{folder}" for folder in self.attack_folders)

    def _recording(self, root: Path, name: PurePosixPath, told: Told) -> Recording:
        footage = FileFootage(root / name)
        return Recording(str(name), told.subject, told.species, footage, told.condition)


def genuine(match: re.Match[str], *conditions: str) -> Told:
    """Return what the name of a bona fide video tells."""
    return Told(match["client"], BONA_FIDE, ", ".join(conditions))
