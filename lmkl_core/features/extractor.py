"""Compute named views from crops, for enrolment, live scoring, files and databases alike."""

import itertools
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lmkl_core.errors import InvalidInputError, UnusableViewsError
from lmkl_core.features.descriptors import DESCRIPTORS, Descriptor
from lmkl_core.features.engines.cache import Cache
from lmkl_core.features.engines.choose import Chooser, EngineName, Progress
from lmkl_core.features.engines.engine import (
    Engine,
    EnginePool,
    default_threads,
    has_torch,
    without_torch,
)
from lmkl_core.features.engines.probe import Task
from lmkl_core.features.networks.registry import (
    NETWORKS,
    VIEWS_FORMAT,
    Graph,
    Output,
    Photometry,
)
from lmkl_core.features.presets.preset import (
    Branch,
    Crop,
    DescriptorBranch,
    Preset,
)
from lmkl_core.features.weights.store import Finding
from lmkl_core.features.weights.store import find as find_weights


@dataclass(frozen=True)
class Group:
    """A graph or a descriptor, the crops it runs on as one batch, and the views it computes."""

    source: Graph | Descriptor
    crops: tuple[str, ...]
    views: dict[str, tuple[int, int]]  # index of the crop and of the output

    @property
    def label(self) -> str:
        """Name in messages."""
        return self.source.label if isinstance(self.source, Graph) else next(iter(self.views))


def plan(preset: Preset) -> tuple[Group, ...]:
    """Return the groups that compute a preset's views, networks first.

    Branches with the same network, photometry and crop size share a graph.
    """
    shared: dict[tuple[str, int, Photometry], list[tuple[str, str, Output]]] = {}
    for branch in preset.network_branches:
        outputs = [Output(key, branch.pooling, branch.normalisation) for key in branch.layers]
        pairs = itertools.product(branch.crops, outputs)
        for name, (crop, output) in zip(branch.view_names, pairs, strict=True):
            key = (branch.network, preset.crop(crop).size, branch.photometry)
            shared.setdefault(key, []).append((name, crop, output))
    groups = []
    for key, wanted in shared.items():
        crops = tuple(dict.fromkeys(crop for _, crop, _ in wanted))
        outputs = list(dict.fromkeys(output for *_, output in wanted))
        views = {name: (crops.index(crop), outputs.index(output)) for name, crop, output in wanted}
        groups.append(Group(Graph(*key, tuple(outputs)), crops, views))
    descriptors = [
        Group(DESCRIPTORS[branch.descriptor], (crop,), {name: (0, 0)})
        for branch in preset.descriptor_branches
        for name, crop in zip(branch.view_names, branch.crops, strict=True)
    ]
    return (*groups, *descriptors)


class Extractor:
    """Compute the views of a preset.

    The constructor does everything that can fail or take long. Several threads may call an
    extractor at once. The same crops give the same bits every time, and a crop's views do not
    depend on the rest of the batch (with torch, their rounding does).

    Parameters
    ----------
    preset : Preset
        The views to compute.
    engine : {"auto", "onnxruntime", "torch"}, default="auto"
        ``auto`` uses onnxruntime, and torch for graphs where that fails.
    threads : int, optional
        By default the number of physical cores, at most 4. With torch, the setting applies to the
        whole process.
    folder : path, optional
        Folder that is searched for weights first.
    cache : Cache or path, optional
        Where exported graphs are kept; by default the user's cache folder.
    find : callable, optional
        Finds a network's weights; by default `lmkl_core.features.weights.find`.
    progress : callable, optional
        Called with the number of steps done, the number of steps, and a text.
    cancel : callable, optional
        Returns True to stop.

    Raises
    ------
    InvalidInputError
        If weights are missing or do not fit, or no engine can run them (`EngineError`).
    Cancelled
        If ``cancel`` returned True.
    """

    def __init__(
        self,
        preset: Preset,
        *,
        engine: EngineName = "auto",
        threads: int | None = None,
        folder: str | os.PathLike[str] | None = None,
        cache: Cache | str | os.PathLike[str] | None = None,
        find: Callable[..., Finding] = find_weights,
        progress: Progress | None = None,
        cancel: Callable[[], bool] | None = None,
    ) -> None:
        if threads is not None and threads < 1:
            raise InvalidInputError(f"threads must be at least 1, not {threads}.")
        self.preset = preset
        self._groups = plan(preset)
        check_torch(preset)
        weights = {name: find(name, folder) for name in preset.networks}
        self._checksums = {name: found.sha256 for name, found in weights.items()}
        tasks = [
            Task(graph, str(weights[graph.network].path), graph.key(weights[graph.network].sha256))
            for graph in (group.source for group in self._groups)
            if isinstance(graph, Graph)
        ]
        kept = cache if isinstance(cache, Cache) else Cache(cache)
        chosen, notes = Chooser(engine, kept, threads, progress, cancel)(tasks)
        engines = iter(chosen)
        self._engines: tuple[Engine, ...] = tuple(
            next(engines) if isinstance(group.source, Graph) else group.source
            for group in self._groups
        )
        self._pool = EnginePool(threads or default_threads())
        self.notes = notes
        """For each graph that runs in torch under ``auto``, the reason."""

    @property
    def view_names(self) -> tuple[str, ...]:
        """Names of the views, in order."""
        return self.preset.view_names

    @property
    def columns(self) -> dict[str, int]:
        """Number of columns of each view."""
        lengths = {
            name: group.source.columns[output]
            for group in self._groups
            for name, (_, output) in group.views.items()
        }
        return {name: lengths[name] for name in self.view_names}

    @property
    def engine_names(self) -> tuple[str, ...]:
        """The engines in use, each once; descriptors run in ``numpy``."""
        return tuple(dict.fromkeys(engine.name for engine in self._engines))

    def fingerprint(self) -> dict[str, Any]:
        """Return everything that determines the values of the views, as JSON values.

        A model stores it, and cannot be used with an extractor whose fingerprint differs.
        """
        return {
            "format": VIEWS_FORMAT,
            "preset": preset_fingerprint(self.preset),
            "weights": dict(self._checksums),
        }

    def __call__(self, crops: Mapping[str, NDArray[np.uint8]]) -> dict[str, NDArray[np.float32]]:
        """Return n rows of float32 for every view, in the order of `view_names`.

        Crops are uint8, red-green-blue, (size, size, 3) for one frame or (n, size, size, 3) for n
        frames. Crops that the preset does not use are ignored. Raises `InvalidInputError` for
        wrong crops and `UnusableViewsError` for values that are not finite.
        """
        batches = self._checked(crops)
        n = len(next(iter(batches.values())))
        if n == 0:
            return {name: np.empty((0, k), np.float32) for name, k in self.columns.items()}
        work = [
            (engine, np.concatenate([batches[name] for name in group.crops]))
            for group, engine in zip(self._groups, self._engines, strict=True)
        ]
        found = {}
        for group, outputs in zip(self._groups, self._pool.run(work), strict=True):
            if not all(np.isfinite(output).all() for output in outputs):
                raise UnusableViewsError(
                    f"{group.label} gave values that are not finite; if that happens for every "
                    "picture, its weights are damaged: verify them."
                )
            for name, (crop, output) in group.views.items():
                found[name] = np.ascontiguousarray(outputs[output][crop * n : (crop + 1) * n])
        return {name: found[name] for name in self.view_names}

    def _checked(self, crops: Mapping[str, NDArray[np.uint8]]) -> dict[str, NDArray[np.uint8]]:
        """Return the preset's crops as batches of equal length."""
        batches: dict[str, NDArray[np.uint8]] = {}
        for name in dict.fromkeys(crop for branch in self.preset.branches for crop in branch.crops):
            crop, size = crops.get(name), self.preset.crop(name).size
            if not isinstance(crop, np.ndarray):
                raise InvalidInputError(
                    f"The crop {name!r} is missing; the preset {self.preset.name} needs it."
                )
            shape = (size, size, 3)
            if crop.dtype != np.uint8 or shape not in (crop.shape, crop.shape[1:]):
                raise InvalidInputError(
                    f"The crop {name!r} must be uint8 of shape {shape}, or a batch of such crops, "
                    f"not {crop.dtype} of shape {crop.shape}."
                )
            batches[name] = crop if crop.ndim == 4 else crop[None]
        lengths = {name: len(batch) for name, batch in batches.items()}
        if len(set(lengths.values())) > 1:
            raise InvalidInputError(
                f"Every frame needs one crop of each kind, but the numbers of crops are {lengths}."
            )
        return batches


def check_torch(preset: Preset) -> None:
    """Raise `EngineError` if a preset's networks need torch and it is not installed."""
    names = [name for name in preset.networks if NETWORKS[name].needs_torch]
    if names and not has_torch():
        raise without_torch(f"The preset {preset.name} (its networks {', '.join(names)})")


def preset_fingerprint(preset: Preset) -> dict[str, Any]:
    """Return the preset's part of `Extractor.fingerprint`, which needs no weights."""
    return {
        "name": preset.name,
        "crops": [_crop(crop) for crop in preset.crops],
        "branches": [_branch(branch) for branch in preset.branches],
    }


def _crop(crop: Crop) -> dict[str, Any]:
    """Return a crop as JSON values; only a box has a scale, because older models have none."""
    values = asdict(crop) | {"centre": list(crop.centre)}
    if crop.of != "box":
        del values["scale"]
    return values


def _branch(branch: Branch | DescriptorBranch) -> dict[str, Any]:
    """Return a branch as JSON values; a descriptor also has a version."""
    values = {key: list(v) if isinstance(v, tuple) else v for key, v in vars(branch).items()}
    if isinstance(branch, DescriptorBranch):
        values["version"] = DESCRIPTORS[branch.descriptor].version
    return values
