"""What Replay-Attack and Replay-Mobile share: three groups of clients, lists, and telling names.

Both keep ``GROUP/real``, ``GROUP/attack`` and ``enroll/GROUP`` for the groups ``train``, ``devel``
and ``test``, and both come with lists that name one video a line, relative to the root. The names
of the videos tell everything else. Where the lists were not unpacked, the folders and the names
decide instead, which gives the same videos when the database is complete.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from app.evaluation.protocols.folders import Line, files_in, find_root, listed, read_list, require
from app.evaluation.protocols.recordings import FileReader
from app.evaluation.protocols.splits import Contents, Division
from app.evaluation.protocols.types import Mode, ProtocolError, Recording
from app.types import BONA_FIDE

GROUPS = ("train", "devel", "test")
LISTS = "protocols"
SUFFIX = ".mov"


@dataclass(frozen=True)
class VideoName:
    """What the name of a video says about it; an attack belongs to some protocols."""

    subject: str
    species: str
    condition: str
    protocols: tuple[str, ...] = ()


@dataclass(frozen=True)
class Family:
    """One of the two databases.

    ``inner`` are folders in the named one that may hold it. The patterns match videos' names
    without their ending, and ``parsed`` says what a match of any of them tells. Names of lists are
    below ``protocols``, with ``{group}`` for the group.
    """

    title: str
    inner: tuple[str, ...]
    attack_folders: tuple[str, ...]
    genuine: re.Pattern[str]
    enrolment: re.Pattern[str]
    attack: re.Pattern[str]
    parsed: Callable[[re.Match[str]], VideoName]
    genuine_list: str
    enrolment_list: str
    attack_lists: Mapping[str, str]

    def gather(self, root: Path | None, protocol: str, mode: Mode) -> Contents:
        """Return the one division of a protocol."""
        root = find_root(root, self.title, GROUPS, inner=self.inner)
        has_lists = os.path.isdir(root / LISTS)
        # Without enrolment, its recordings and lists need not be there.
        enrols = mode == "client-specific"
        refused: list[ProtocolError] = []
        splits: dict[str, tuple[Recording, ...]] = {}
        enrolment: list[Recording] = []
        for group in GROUPS:
            attack_folders = tuple(f"{group}/{folder}" for folder in self.attack_folders)
            parts = [
                ((f"{group}/real",), self.genuine, self.genuine_list),
                (attack_folders, self.attack, self.attack_lists[protocol]),
            ]
            if enrols:
                parts.append(((f"enroll/{group}",), self.enrolment, self.enrolment_list))
            lists = [root / LISTS / name.format(group=group) for *_, name in parts]
            if has_lists:
                require(root, self.title, [str(path.relative_to(root)) for path in lists])
            found = [
                read_list(path, partial(self._from_line, root, folders, pattern), refused)
                if has_lists
                else list(self._in_folders(root, folders, pattern, protocol, refused))
                for path, (folders, pattern, _) in zip(lists, parts, strict=True)
            ]
            splits[group] = (*found[0], *found[1])
            enrolment += found[2] if enrols else []
        notes = []
        if enrols:
            notes.append("Each client's model learns from the client's enrolment recordings.")
        if not has_lists:
            notes.append(
                f"The official lists (folder {LISTS}) are not there: folders and names of the "
                "videos decided instead."
            )
        division = Division("", splits["train"], splits["devel"], splits["test"], tuple(enrolment))
        return Contents((division,), tuple(notes), root, refused)

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
        return _recording(root, name, self.parsed(match))

    def _in_folders(
        self,
        root: Path,
        folders: tuple[str, ...],
        pattern: re.Pattern[str],
        protocol: str,
        refused: list[ProtocolError],
    ) -> Iterator[Recording]:
        for folder in folders:
            names = [name for name in files_in(root / folder) if name.endswith(SUFFIX)]
            if not names:
                refused.append(ProtocolError(f"{root / folder} holds no {SUFFIX} files."))
            for name in names:
                path = PurePosixPath(folder) / name
                if (match := pattern.fullmatch(path.stem)) is None:
                    problem = f"{root / path} is no name of a {self.title} video."
                    refused.append(ProtocolError(problem))
                    continue
                video = self.parsed(match)
                if video.species == BONA_FIDE or protocol in video.protocols:
                    yield _recording(root, path, video)


def _recording(root: Path, name: PurePosixPath, video: VideoName) -> Recording:
    return Recording(
        str(name), video.subject, video.species, FileReader(root / name), video.condition
    )


def genuine(match: re.Match[str], *conditions: str) -> VideoName:
    """Return what the name of a bona fide video tells."""
    return VideoName(match["client"], BONA_FIDE, ", ".join(conditions))
