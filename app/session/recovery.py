"""Keep unsaved takes on disk until a saved model includes them, so that a crash loses none.

Every run has its own folder (`app.session.runs`) in ``unsaved``, with a file for every take: views
and conditions of its frames, never a picture. The file is rewritten atomically with every kept
frame, so only the frame being written can be lost. 35 frames of the preset ``texture`` take 180 kB
and 2 to 8 ms to write. Takes of the demo are not kept.

The next start reads the folders of ended runs, as untrusted input, and offers to restore the
takes. They are then written to the folder of the new run, and the old one is deleted.
"""

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.models.model import preset_name
from app.names import LONGEST_NAME, counted
from app.session.runs import Run, begin_run, ended_runs
from app.types import Condition, Sample
from app.vision.conditions import NAMES
from lmkl_core.model_file.container import (
    Refused,
    Text,
    checked,
    opened,
    read_header,
    read_tensors,
    seal,
)
from lmkl_core.system.files import write_atomically

FORMAT = "lmkl-pad unsaved take"
VERSION = 3
MOST_FRAMES = 10_000
MOST_VIEWS = 1024
MOST_TAKES = 1000
"""Files read from one folder."""
LARGEST_TAKE = 128 << 20
LARGEST_IN_ALL = 1 << 30
"""Bytes read from all folders."""
TRIES = 3
"""Another instance may delete the folder in between."""

_CONDITIONS = "conditions"
_UNUSABLE = (OSError, Refused, ValueError, TypeError, LookupError, MemoryError)


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the file of a take holds besides its tensors."""

    format: Literal["lmkl-pad unsaved take"]
    version: Literal[3]
    written: Annotated[datetime, msgspec.Meta(tz=True)]
    features: dict[str, Any]
    take: Text
    person: Text
    numbers: Annotated[
        list[Annotated[int, msgspec.Meta(ge=0)]],
        msgspec.Meta(min_length=1, max_length=MOST_FRAMES),
    ]
    views: Annotated[list[Text], msgspec.Meta(min_length=1, max_length=MOST_VIEWS)]
    circumstances: list[Text]
    digest: str

    def __post_init__(self) -> None:
        if not 1970 < self.written.year < 9999:  # years valid in every time zone
            raise ValueError("its date is impossible")
        if not (self.take + self.person).isprintable():
            raise ValueError("its name cannot be displayed")
        if self.circumstances != list(NAMES):
            raise ValueError("it lists other conditions")
        for listed in (self.numbers, self.views):
            if len(set(listed)) < len(listed):
                raise ValueError("it lists an entry twice")


def packed(samples: Sequence[Sample], features: Mapping[str, Any]) -> bytes:
    """Return the contents of a take's file, without pictures."""
    views = list(samples[0].views)
    unknown = [np.nan] * len(NAMES)
    conditions = [list(astuple(s.condition)) if s.condition else unknown for s in samples]
    tensors: dict[str, NDArray[Any]] = {
        f"view {index}": np.concatenate([s.views[name] for s in samples]).astype(np.float32)
        for index, name in enumerate(views)
    }
    document = {
        "format": FORMAT,
        "version": VERSION,
        "written": datetime.now(UTC).isoformat(),
        "features": dict(features),
        "take": samples[0].take,
        "person": samples[0].person,
        "numbers": [sample.number for sample in samples],
        "views": views,
        "circumstances": list(NAMES),
    }
    return seal(document, {**tensors, _CONDITIONS: np.array(conditions, dtype=np.float64)})


def unpacked(data: bytes) -> tuple[Manifest, tuple[Sample, ...]]:
    """Read a file; raise `Refused` if it is damaged."""
    stream = io.BytesIO(data)
    header = read_header(stream, len(data))
    if header.document.get("format") != FORMAT or header.document.get("version") != VERSION:
        raise Refused("another version of the program stored them")
    manifest = checked(header.document, Manifest, "its manifest")
    keys = {name: f"view {index}" for index, name in enumerate(manifest.views)}
    if set(header.places) != {*keys.values(), _CONDITIONS}:
        raise Refused("its tensors do not match its views")
    tensors = read_tensors(stream, header)
    n, conditions = len(manifest.numbers), tensors.pop(_CONDITIONS)
    if conditions.dtype != np.float64 or conditions.shape != (n, len(NAMES)):
        raise Refused("its conditions have an invalid shape")
    for view in tensors.values():
        if view.dtype != np.float32 or view.ndim != 2 or len(view) != n:
            raise Refused("its views have invalid shapes")
        if not np.isfinite(view).all():
            raise Refused("its views are not finite")
    return manifest, tuple(
        Sample(
            number,
            manifest.take,
            {name: tensors[key][row : row + 1] for name, key in keys.items()},
            _condition(conditions[row]),
            None,
            person=manifest.person,
        )
        for row, number in enumerate(manifest.numbers)
    )


def _condition(values: NDArray[np.float64]) -> Condition | None:
    if np.isnan(values).all():
        return None
    if not np.isfinite(values).all():
        raise Refused("its conditions are not finite")
    return Condition(*map(float, values))


class Journal:
    """Keeps the takes of this run on disk; for one thread.

    The folder is made with the first take. A failed call keeps what is on disk; the next one tries
    again.
    """

    def __init__(self) -> None:
        self._run: Run | None = None
        self._files: dict[Path, tuple[Sample, ...]] = {}

    def keep(self, samples: Sequence[Sample], features: Mapping[str, Any]) -> None:
        """Make the disk hold exactly these samples; write only takes that changed."""
        for tries_left in reversed(range(TRIES)):
            if self._run is not None and not self._run.is_there:
                self.close()  # another instance has deleted everything
            try:
                self._keep(samples, features)
                break
            except OSError:
                if not tries_left or (self._run is not None and self._run.is_there):
                    raise
        if self._run is not None and not self._files:
            run, self._run = self._run, None  # before `remove`, which may raise but always unlocks
            run.remove()

    def close(self) -> None:
        """Release the folder, so that the next start can bring back its takes."""
        if self._run is not None:
            self._run.release()
        self._run, self._files = None, {}

    def _keep(self, samples: Sequence[Sample], features: Mapping[str, Any]) -> None:
        takes: dict[str, list[Sample]] = {}
        for sample in samples:
            takes.setdefault(sample.take, []).append(sample)
        if takes and self._run is None:
            self._run = begin_run()
        paths = {s.number: path for path, kept in self._files.items() for s in kept}
        wanted: set[Path] = set()
        for take in map(tuple, takes.values()):
            assert self._run is not None
            # A take stays in its file even if its name or first frame changes: with a second file,
            # frames would come back twice if the program is killed before the first is deleted.
            known = (paths[s.number] for s in take if s.number in paths)
            path = next(known, self._run.folder / f"{take[0].number}.safetensors")
            wanted.add(path)
            if self._files.get(path) != take:  # samples are immutable
                write_atomically(path, packed(take, features))
                self._files[path] = take
        for path in set(self._files) - wanted:
            path.unlink(missing_ok=True)
            del self._files[path]


@dataclass(frozen=True, eq=False)
class Found:
    """Takes that an ended run left unsaved; this process holds the lock of its folder.

    ``problem``, which follows "because" in a message, says why some or all are left out.
    """

    run: Run
    files: Mapping[Path, tuple[Sample, ...]]
    features: Mapping[str, Any]
    written: datetime
    n_damaged: int = 0
    problem: str = ""

    @property
    def samples(self) -> tuple[Sample, ...]:
        samples = (sample for take in self.files.values() for sample in take)
        return tuple(sorted(samples, key=lambda sample: sample.number))


def find() -> list[Found]:
    """Lock and return what earlier runs left behind, newest first; remove empty folders."""
    found, n_left = [], LARGEST_IN_ALL
    for run in ended_runs():
        files = sorted(run.folder.glob("*.safetensors"))[:MOST_TAKES]
        if files:
            takes, n_bytes = _read(run, files, n_left)
            found.append(takes)
            n_left -= n_bytes
        else:
            remove([run])  # ended before the first frame was kept
    return found


def _read(run: Run, files: Sequence[Path], max_bytes: int) -> tuple[Found, int]:
    """Return the takes in a folder and the number of bytes read."""
    takes: dict[Path, tuple[Sample, ...]] = {}
    manifests: list[Manifest] = []
    problem, n_bytes = "", 0
    for path in files:
        try:
            with opened(path, min(LARGEST_TAKE, max_bytes - n_bytes)) as (stream, size):
                n_bytes += size
                manifest, take = unpacked(stream.read(size))
            if manifests and not _is_alike(take[0], next(iter(takes.values()))[0]):
                raise Refused("its takes have different views")
        except Refused as error:
            problem = error.reason
        except _UNUSABLE as error:
            reason = getattr(error, "strerror", None) or type(error).__name__
            problem = f"it cannot be read ({reason})"
        else:
            takes[path] = take
            manifests.append(manifest)
    written = max((manifest.written for manifest in manifests), default=datetime.now(UTC))
    features = manifests[0].features if manifests else {}
    return Found(run, takes, features, written, len(files) - len(takes), problem), n_bytes


def _is_alike(one: Sample, other: Sample) -> bool:
    shapes = [{name: row.shape for name, row in each.views.items()} for each in (one, other)]
    return shapes[0] == shapes[1] and (one.condition is None) == (other.condition is None)


def remove(runs: Iterable[Run]) -> list[str]:
    """Delete folders of runs; return a message for each failure."""
    problems = []
    for run in runs:
        try:
            run.remove()
        except OSError as error:
            problems.append(
                f"{error.filename or run.folder} could not be deleted "
                f"({error.strerror or error}); delete it by hand."
            )
    return problems


def offer_of(found: Found, features: Mapping[str, Any]) -> str:
    """Return what an earlier run left unsaved and, if it cannot be restored, why."""
    if not found.files:
        return f"Unsaved takes of an earlier run cannot be restored because {found.problem}."
    takes, frames = counted(len(found.files), "take"), counted(len(found.samples), "frame")
    when = f"{found.written.astimezone():%d %B %Y at %H:%M}"
    text = f"The program ended unexpectedly on {when} with {takes} ({frames}) unsaved."
    if fits(found, features):
        return text
    name = preset_name(found.features, LONGEST_NAME)
    if name and name == preset_name(features, LONGEST_NAME):
        return f"{text} The views {name!r} have changed since: record them again."
    return f"{text} They need other views ({name or 'unknown'}): choose them in the settings."


def fits(found: Found, features: Mapping[str, Any]) -> bool:
    """Whether the takes are readable and have the views in use."""
    return bool(found.files) and found.features == features


def outcome_of(found: Found) -> str:
    """Return what was restored and what was not."""
    takes, frames = counted(len(found.files), "take"), counted(len(found.samples), "frame")
    text = f"Restored {takes} ({frames}), without pictures, which are never stored."
    if found.n_damaged:
        text += f" Left out {counted(found.n_damaged, 'damaged take')}."
    return text
