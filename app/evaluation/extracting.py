"""From recordings to views, through the app's own pipeline, each recording once.

Several jobs make views of different recordings, through joblib: in processes of this machine, or
wherever the active backend leads, such as a Dask cluster whose machines see the same files. A job
uses one thread, since jobs share nothing and frames of one recording wait for each other. Without
jobs, the networks share a frame's crops among threads.

What is made of a recording is kept under a key of all that decides it: the recording's content, the
networks' weights and the preprocessing, the face detector, the limits of the quality gate, the
number of frames, and `PIPELINE_VERSION`. A frame without a usable face stays in the count: it is a
non-response, and which frames those are is kept as well.
"""

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from itertools import chain
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray

from app.capture.opencv import cv2
from app.capture.source import SourceError
from app.evaluation.cache import Cache, key_of
from app.evaluation.digests import Digests
from app.evaluation.entries import FORMAT, Entry
from app.evaluation.jobs import arriving
from app.evaluation.progress import CANCELLED, Cancel, Part, Progress
from app.evaluation.protocols.types import Recording
from app.logs import way_of
from app.vision.faces.detector import make_detector
from app.vision.faces.mtcnn import CHECKSUMS
from app.vision.faces.tracking import FaceTracker
from app.vision.pipeline import Pipeline
from app.vision.quality import Limits
from lmkl_core.errors import raise_if_cancelled
from lmkl_core.features.extractor import Extractor
from lmkl_core.features.presets import Preset
from lmkl_core.system.processes import preferred_workers

PIPELINE_VERSION = 2
"""Raised when another release of the app makes other views of the same frames: of detection,
tracking, alignment, crops or measures of quality."""

OPEN = Limits(
    min_size=0.0,
    min_visible=0.0,
    brightness=(-inf, inf),
    min_contrast=0.0,
    min_sharpness=-inf,
    max_yaw=inf,
    max_pitch=inf,
    max_roll=inf,
    max_motion=inf,
)
"""No gate: every face that is found has views."""

log = logging.getLogger(__name__)

_of_thread = threading.local()


@dataclass(frozen=True)
class Recipe:
    """What `Eyes` are made of: all that a worker needs to make its own."""

    preset: Preset
    gate: bool
    weights: Path | None = None


class Eyes:
    """What makes views of frames, and what identifies it.

    Parameters
    ----------
    preset : Preset
        Which views.
    gate : bool
        Whether the quality gate refuses frames; without meaning for presets of whole pictures.
    weights : path, optional
        Folder in which weights are looked for first.
    threads, progress, cancel : optional
        As `lmkl_core.features.extractor.Extractor` takes them.
    """

    def __init__(
        self,
        preset: Preset,
        *,
        gate: bool,
        weights: Path | None = None,
        threads: int | None = None,
        progress: Progress | None = None,
        cancel: Cancel | None = None,
    ) -> None:
        self.recipe = Recipe(preset, gate, weights)
        self.extractor = Extractor(
            preset, threads=threads, folder=weights, progress=progress, cancel=cancel
        )
        self.needs_face = any(crop.of != "image" for crop in preset.crops)
        # Always the same one: what lies in a person's folders must not change a table.
        self.detector = make_detector("mtcnn")
        limits = Limits() if gate else OPEN
        # Without the meter of liveness: no method reads it, and it takes a third as long as views.
        self.pipeline = Pipeline(self.extractor, FaceTracker(self.detector), limits)

    @property
    def columns(self) -> dict[str, int]:
        """Length of each view's rows."""
        return self.extractor.columns

    def identity(self) -> dict[str, Any]:
        """Return what decides the views of a frame, as JSON values."""
        identity = {"pipeline": PIPELINE_VERSION, "features": self.extractor.fingerprint()}
        if self.needs_face:
            limits = asdict(self.pipeline.limits)
            identity["detector"] = {"name": self.detector.name, "networks": dict(CHECKSUMS)}
            # Limits may be infinite, which JSON has no word for.
            identity["limits"] = {name: repr(value) for name, value in limits.items()}
        return identity

    def entry(
        self,
        recording: Recording,
        n_frames: int,
        step: Callable[[], None] = lambda: None,
        cancel: Cancel | None = None,
    ) -> Entry:
        """Make the views of a recording.

        Raises
        ------
        SourceError, OSError
            If it cannot be read.
        Cancelled
            If ``cancel``, asked before every frame, said so.
        """
        results = []
        self.pipeline.reset()
        for frame in recording.reader.frames(n_frames):
            raise_if_cancelled(cancel, CANCELLED)
            results.append(self.pipeline.process(frame))
            step()
        return Entry.of(results, self.columns)


def entries_of(
    recordings: Sequence[Recording], n_frames: int, recipe: Recipe
) -> list[tuple[Recording, Entry | None]]:
    """Make the views of recordings in a worker; None for those that cannot be read there."""
    eyes: Eyes | None = getattr(_of_thread, "eyes", None)
    if eyes is None or eyes.recipe != recipe:
        cv2.setNumThreads(1)
        eyes = Eyes(recipe.preset, gate=recipe.gate, weights=recipe.weights, threads=1)
        _of_thread.eyes = eyes
    made: list[tuple[Recording, Entry | None]] = []
    for recording in recordings:
        try:
            made.append((recording, eyes.entry(recording, n_frames)))
        except (SourceError, OSError):
            made.append((recording, None))
    return made


@dataclass(frozen=True, eq=False)
class Seen:
    """What is remembered of a recording: its key, which frames have views, and why others not."""

    key: str
    ready: NDArray[np.bool_]
    reasons: Counter[str] = field(default_factory=Counter)
    problem: str = ""
    """Why it could not be read; empty when it could."""

    @property
    def n_ready(self) -> int:
        """Number of frames with views."""
        return int(np.count_nonzero(self.ready))


class Library:
    """Views of recordings, made where they are missing.

    Parameters
    ----------
    eyes : Eyes
        Makes them.
    cache : Cache
        Keeps them.
    n_frames : int
        Frames a recording.
    """

    def __init__(self, eyes: Eyes, cache: Cache, n_frames: int) -> None:
        self.eyes, self.cache, self.n_frames = eyes, cache, n_frames
        self.seen: dict[str, Seen] = {}
        self._identity = {"format": FORMAT, "frames": n_frames, "eyes": eyes.identity()}
        self._digests = Digests(cache.folder)

    def key(self, recording: Recording) -> str:
        """Key under which a recording's views are kept."""
        return key_of({**self._identity, "content": self._digests.of(recording)})

    def prepare(
        self,
        recordings: Iterable[Recording],
        *,
        n_jobs: int | None = None,
        progress: Progress | None = None,
        cancel: Cancel | None = None,
    ) -> None:
        """Make the views of all recordings that have none yet.

        Parameters
        ----------
        recordings : iterable of Recording
            Of one database.
        n_jobs : int, optional
            As in joblib, whose active backend is used.
        progress, cancel : callable, optional
            As in `app.evaluation.running.run`.

        Raises
        ------
        Cancelled
            If ``cancel`` said so, asked before every frame or, with several jobs, between some
            recordings; finished recordings are kept.
        """
        every = list(recordings)
        part = Part(progress, len(every), "Looking for views made before")
        missing = []
        try:
            for recording in every:
                raise_if_cancelled(cancel, CANCELLED)
                if not self._is_there(recording):
                    missing.append(recording)
                part.step()
        finally:
            self._digests.save()
        counts = {each.name: each.reader.count(self.n_frames) for each in missing}
        part = Part(progress, sum(counts.values()), "Making views")
        text, expected = "", 0
        making = self._one_by_one if effective_n_jobs(n_jobs) == 1 else self._by_workers
        for number, recording in enumerate(making(missing, n_jobs, part, cancel), start=1):
            text = f"Making views, recording {number} of {len(missing)}"
            expected += counts[recording.name]
            # Recordings may be shorter than what was asked for.
            part.step(expected - part.done, text)

    def _one_by_one(
        self, missing: list[Recording], n_jobs: int | None, part: Part, cancel: Cancel | None
    ) -> Iterator[Recording]:
        for recording in missing:
            # Another run may have made it meanwhile.
            if not self._is_there(recording):
                self._make(recording, part.step, cancel)
            yield recording

    def _by_workers(
        self, missing: list[Recording], n_jobs: int | None, part: Part, cancel: Cancel | None
    ) -> Iterator[Recording]:
        tasks = [
            delayed(entries_of)(chunk, self.n_frames, self.eyes.recipe)
            for chunk in _chunks(missing, self.n_frames)
        ]
        with (
            Parallel(
                n_jobs=n_jobs, prefer=preferred_workers(), return_as="generator_unordered"
            ) as parallel,
            closing(arriving(parallel, tasks, cancel)) as results,
        ):
            for recording, entry in chain.from_iterable(results):
                if entry is None:
                    # A worker elsewhere may not see the file; here its digest was taken.
                    self._make(recording)
                else:
                    self._keep(recording, entry)
                yield recording

    def n_ready(self, recordings: Iterable[Recording]) -> int:
        """Return how many frames of recordings have views."""
        return sum(self.seen[recording.name].n_ready for recording in recordings)

    def entry(self, recording: Recording) -> Entry:
        """Return what is kept of a recording; made again where it was lost meanwhile."""
        seen = self.seen.get(recording.name)
        if seen is not None and seen.problem:
            return Entry.of([], self.eyes.columns)
        return self._load(recording) or self._make(recording)

    def _is_there(self, recording: Recording) -> bool:
        try:
            return self._load(recording) is not None
        except (SourceError, OSError) as error:
            self._unreadable(recording, error)
            return True

    def _load(self, recording: Recording) -> Entry | None:
        key = self.key(recording)
        kept = self.cache.load(key)
        entry = None if kept is None else Entry.from_kept(kept, self.eyes.columns)
        if entry is not None:
            self._remember(recording, key, entry)
        return entry

    def _make(
        self,
        recording: Recording,
        step: Callable[[], None] = lambda: None,
        cancel: Cancel | None = None,
    ) -> Entry:
        try:
            entry = self.eyes.entry(recording, self.n_frames, step, cancel)
        except (SourceError, OSError) as error:
            # Not kept: the disk may be there again tomorrow.
            self._unreadable(recording, error)
            return Entry.of([], self.eyes.columns)
        self._keep(recording, entry)
        return entry

    def _keep(self, recording: Recording, entry: Entry) -> None:
        key = self.key(recording)
        self.cache.store(key, *entry.as_kept())
        self._remember(recording, key, entry)

    def _remember(self, recording: Recording, key: str, entry: Entry) -> None:
        self.seen[recording.name] = Seen(key, entry.ready, Counter(entry.reasons))

    def _unreadable(self, recording: Recording, error: Exception) -> None:
        log.warning("A recording cannot be read: %s", way_of(error))
        self.seen[recording.name] = Seen("", np.zeros(0, dtype=bool), problem=str(error))


def _chunks(recordings: Sequence[Recording], n_frames: int) -> Iterator[list[Recording]]:
    """Yield recordings that one task makes views of: one, or several of few frames."""
    chunk: list[Recording] = []
    size = 0
    for recording in recordings:
        chunk.append(recording)
        size += recording.reader.count(n_frames)
        if size >= n_frames:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk
