"""Compute the views of recordings with the app's own pipeline, each recording once.

Jobs are run by joblib: in processes of this machine, or on the active backend, such as a Dask
cluster whose machines see the same files. A job uses one thread, because frames of a recording are
processed in order. Without jobs, threads share the crops of a frame.

The cache key of views covers everything that decides them: the recording's content, the networks'
weights and preprocessing, the face detector, the limits of the quality gate, the number of frames,
and `PIPELINE_VERSION`. Frames without a usable face are cached as non-responses.
"""

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray

from app.capture.opencv import cv2
from app.capture.source import SourceError
from app.evaluation.cache import FORMAT, Cache, Digests, RecordingFeatures, key_of
from app.evaluation.parallel import CANCELLED, Cancel, Part, Progress, arriving
from app.evaluation.protocols.types import Recording
from app.logs import trace_of
from app.vision.faces.detector import make_detector
from app.vision.faces.mtcnn import CHECKSUMS
from app.vision.faces.tracking import FaceTracker
from app.vision.pipeline import Pipeline
from app.vision.quality import Limits
from lmkl_core.errors import raise_if_cancelled
from lmkl_core.features.engines.engine import EngineError
from lmkl_core.features.extractor import Extractor, check_torch
from lmkl_core.features.presets import (
    DEFAULT_PRESET,
    Crop,
    Preset,
    PresetError,
    load_preset,
    with_descriptors,
)
from lmkl_core.features.weights import MissingWeightsError, find
from lmkl_core.system.processes import preferred_workers

if TYPE_CHECKING:
    from app.evaluation.options import Options
    from app.evaluation.protocols.splits import Database

PIPELINE_VERSION = 2
"""Increased when detection, tracking, alignment, crops or quality measures change the views."""

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
"""No gate: every detected face has views."""

log = logging.getLogger(__name__)

_thread_local = threading.local()


Recipe: TypeAlias = tuple[Preset, bool]
"""Preset and gate: enough for a worker to make its own `FeaturePipeline`."""


class FeaturePipeline:
    """Makes views of frames, and describes everything that decides them.

    ``gate`` turns the quality gate on; presets of whole pictures have none. The other options are
    those of `lmkl_core.features.extractor.Extractor`.
    """

    def __init__(
        self,
        preset: Preset,
        *,
        gate: bool,
        threads: int | None = None,
        progress: Progress | None = None,
        cancel: Cancel | None = None,
    ) -> None:
        self.recipe: Recipe = (preset, gate)
        self.extractor = Extractor(preset, threads=threads, progress=progress, cancel=cancel)
        self.needs_face = any(crop.of != "image" for crop in preset.crops)
        # Fixed, so that the detectors a user has installed cannot change a table.
        self.detector = make_detector("mtcnn")
        limits = Limits() if gate else OPEN
        # No liveness meter: no method uses it, and it adds a third to the time.
        self.pipeline = Pipeline(self.extractor, FaceTracker(self.detector), limits)

    @property
    def columns(self) -> dict[str, int]:
        """Widths of the views."""
        return self.extractor.columns

    def identity(self) -> dict[str, Any]:
        """Return everything that decides the views of a frame, as JSON values."""
        identity = {"pipeline": PIPELINE_VERSION, "features": self.extractor.fingerprint()}
        if self.needs_face:
            limits = asdict(self.pipeline.limits)
            identity["detector"] = {"name": self.detector.name, "networks": dict(CHECKSUMS)}
            # JSON has no infinity.
            identity["limits"] = {name: repr(value) for name, value in limits.items()}
        return identity

    def features(
        self,
        recording: Recording,
        n_frames: int,
        step: Callable[[], None] = lambda: None,
        cancel: Cancel | None = None,
    ) -> RecordingFeatures:
        """Make the views of a recording; call ``cancel`` before every frame."""
        results = []
        self.pipeline.reset()
        for frame in recording.reader.frames(n_frames):
            raise_if_cancelled(cancel, CANCELLED)
            results.append(self.pipeline.process(frame))
            step()
        return RecordingFeatures.of(results, self.columns)


def features_of(
    recording: Recording, n_frames: int, recipe: Recipe
) -> tuple[Recording, RecordingFeatures | None]:
    """Make views of a recording in a worker; None if it cannot be read there."""
    pipeline: FeaturePipeline | None = getattr(_thread_local, "pipeline", None)
    if pipeline is None or pipeline.recipe != recipe:
        cv2.setNumThreads(1)
        preset, gate = recipe
        pipeline = FeaturePipeline(preset, gate=gate, threads=1)
        _thread_local.pipeline = pipeline
    try:
        return recording, pipeline.features(recording, n_frames)
    except (SourceError, OSError):
        return recording, None


@dataclass(frozen=True, eq=False)
class Seen:
    """Key of a recording's views, which frames have views, and why others have none."""

    key: str
    ready: NDArray[np.bool_]
    reasons: Counter[str] = field(default_factory=Counter)
    problem: str = ""

    @property
    def n_ready(self) -> int:
        return int(np.count_nonzero(self.ready))


class FeatureStore:
    """Views of recordings, ``n_frames`` each, from the cache or newly made."""

    def __init__(self, pipeline: FeaturePipeline, cache: Cache, n_frames: int) -> None:
        self.pipeline, self.cache, self.n_frames = pipeline, cache, n_frames
        self.seen: dict[str, Seen] = {}
        # "eyes" is part of the keys that earlier versions used.
        self._identity = {"format": FORMAT, "frames": n_frames, "eyes": pipeline.identity()}
        self._digests = Digests(cache.folder)

    def key(self, recording: Recording) -> str:
        """Return the key under which a recording's views are cached."""
        return key_of({**self._identity, "content": self._digests.of(recording)})

    def prepare(
        self,
        recordings: Iterable[Recording],
        *,
        n_jobs: int | None = None,
        progress: Progress | None = None,
        cancel: Cancel | None = None,
    ) -> None:
        """Make the views of recordings that have none yet; finished recordings are cached.

        ``cancel`` is called before every frame or, with several jobs, between some recordings.
        """
        every = list(recordings)
        part = Part(progress, len(every), "Looking for cached views")
        missing = []
        try:
            for recording in every:
                raise_if_cancelled(cancel, CANCELLED)
                if not self._is_settled(recording):
                    missing.append(recording)
                part.step()
        finally:
            self._digests.save()
        counts = {each.name: each.reader.count(self.n_frames) for each in missing}
        part = Part(progress, sum(counts.values()), "Making views")
        expected = 0
        if effective_n_jobs(n_jobs) == 1:
            made = self._one_by_one(missing, part, cancel)
        else:
            made = self._by_workers(missing, n_jobs, cancel)
        for number, recording in enumerate(made, start=1):
            expected += counts[recording.name]
            # Recordings may be shorter than counted.
            part.step(expected - part.done, f"Making views, recording {number} of {len(missing)}")

    def _one_by_one(
        self, missing: list[Recording], part: Part, cancel: Cancel | None
    ) -> Iterator[Recording]:
        for recording in missing:
            # Another run may have made it in the meantime.
            if not self._is_settled(recording):
                self._make(recording, part.step, cancel)
            yield recording

    def _by_workers(
        self, missing: list[Recording], n_jobs: int | None, cancel: Cancel | None
    ) -> Iterator[Recording]:
        tasks = [
            delayed(features_of)(recording, self.n_frames, self.pipeline.recipe)
            for recording in missing
        ]
        with (
            Parallel(
                n_jobs=n_jobs, prefer=preferred_workers(), return_as="generator_unordered"
            ) as parallel,
            closing(arriving(parallel, tasks, cancel)) as results,
        ):
            for recording, features in results:
                if features is None:
                    # A remote worker may not see the file, which this process has read.
                    self._make(recording)
                else:
                    self._store(recording, features)
                yield recording

    def n_ready(self, recordings: Iterable[Recording]) -> int:
        return sum(self.seen[recording.name].n_ready for recording in recordings)

    def features(self, recording: Recording) -> RecordingFeatures:
        """Return a recording's views; make them again if they have been lost."""
        seen = self.seen.get(recording.name)
        if seen is not None and seen.problem:
            return RecordingFeatures.of([], self.pipeline.columns)
        return self._load(recording) or self._make(recording)

    def _is_settled(self, recording: Recording) -> bool:
        """Whether a recording is cached or known to be unreadable."""
        try:
            return self._load(recording) is not None
        except (SourceError, OSError) as error:
            self._unreadable(recording, error)
            return True

    def _load(self, recording: Recording) -> RecordingFeatures | None:
        key = self.key(recording)
        entry = self.cache.load(key)
        if entry is None:
            return None
        found = RecordingFeatures.from_entry(entry, self.pipeline.columns)
        self.seen[recording.name] = Seen(key, found.ready, Counter(found.reasons))
        return found

    def _make(
        self,
        recording: Recording,
        step: Callable[[], None] = lambda: None,
        cancel: Cancel | None = None,
    ) -> RecordingFeatures:
        try:
            made = self.pipeline.features(recording, self.n_frames, step, cancel)
        except (SourceError, OSError) as error:
            # Not cached: the disk may be back tomorrow.
            self._unreadable(recording, error)
            return RecordingFeatures.of([], self.pipeline.columns)
        self._store(recording, made)
        return made

    def _store(self, recording: Recording, features: RecordingFeatures) -> None:
        key = self.key(recording)
        self.cache.store(key, *features.entry())
        self.seen[recording.name] = Seen(key, features.ready, Counter(features.reasons))

    def _unreadable(self, recording: Recording, error: Exception) -> None:
        log.warning("A recording cannot be read: %s", trace_of(error))
        self.seen[recording.name] = Seen("", np.zeros(0, dtype=bool), problem=str(error))


# ------------------------------------------------------------------ presets


def available_preset(database: "Database", options: "Options") -> tuple[Preset, str]:
    """Return the preset to use, and a sentence if it replaces the database's own.

    Raises `MissingWeightsError` or `EngineError` if the networks of a requested preset are
    missing.
    """
    preset = load_preset(options.preset or database.preset)
    try:
        check_torch(preset)
        for name in preset.networks:
            find(name)
    except (MissingWeightsError, EngineError) as error:
        if options.preset or options.paper_views or preset.name == DEFAULT_PRESET:
            raise
        way = f"`lmkl-pad weights fetch --preset {preset.name}` downloads their networks."
        if isinstance(error, EngineError):
            way = str(error)
        other = load_preset(DEFAULT_PRESET)
        if all(crop.of == "image" for crop in preset.crops):
            other = _of_whole_pictures(other)
        return other, (
            f"The paper's views ({preset.name}) cannot be made on this computer, so the preset "
            f"{other.name} was used. {way} `--paper-views` stops instead."
        )
    return preset, ""


def _of_whole_pictures(preset: Preset) -> Preset:
    """Apply a preset's networks and layers to whole pictures, for objects without faces."""
    crop = Crop("image", preset.crops[0].size, of="image")
    branches = tuple(replace(branch, crops=(crop.name,)) for branch in preset.branches)
    return replace(preset, name=f"{preset.name}-image", crops=(crop,), branches=branches)


def with_face_descriptors(preset: Preset) -> Preset:
    """Add descriptors of the face or picture, if the preset allows any.

    They cost little compared with the networks, and with them the same views serve all methods.
    """
    has_face = any(crop.of == "face" for crop in preset.crops)
    try:
        return with_descriptors(preset, crop="face" if has_face else preset.crops[0].name)
    except PresetError as error:
        log.info("No descriptors: %s", trace_of(error))
        return preset
