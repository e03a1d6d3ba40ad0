"""What is kept of a recording: views and circumstances of its frames, and why some have none."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.evaluation.cache import Kept
from app.types import FrameResult
from app.vision.conditions import NAMES

FORMAT = 1
"""Raised when the contents of an entry change."""

_UNMEASURABLE = 1e6
"""Stands for circumstances that are infinite, such as the sharpness of an evenly grey face."""


@dataclass(frozen=True, eq=False)
class Entry:
    """The frames of one recording.

    Attributes
    ----------
    views : mapping of str to ndarray
        One row a frame that has views, in their order.
    conditions : ndarray (rows, 13) or (rows, 0)
        Circumstances of these frames (`app.vision.conditions.NAMES`); none for presets of whole
        pictures.
    ready : ndarray of bool
        Whether each frame has views.
    reasons : tuple of str
        Why not, one for each frame without.
    """

    views: Mapping[str, NDArray[np.float32]]
    conditions: NDArray[np.float64]
    ready: NDArray[np.bool_]
    reasons: tuple[str, ...]

    @property
    def n_ready(self) -> int:
        """Number of frames with views."""
        return int(np.count_nonzero(self.ready))

    @classmethod
    def of(cls, results: Sequence[FrameResult], columns: Mapping[str, int]) -> "Entry":
        """Make an entry of what the pipeline said of a recording's frames."""
        good = [result for result in results if result.views is not None]
        views = {
            name: np.concatenate(
                [np.empty((0, width), np.float32)]
                + [result.views[name] for result in good if result.views is not None]
            )
            for name, width in columns.items()
        }
        known = [astuple(result.condition) for result in good if result.condition is not None]
        conditions = np.array(known, dtype=np.float64).reshape(
            len(good), len(NAMES) if known else 0
        )
        return cls(
            views,
            np.clip(conditions, -_UNMEASURABLE, _UNMEASURABLE),
            np.array([result.views is not None for result in results], dtype=bool),
            tuple(result.reason for result in results if result.views is None),
        )

    def as_kept(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return what is written to disk: a document and arrays."""
        document = {
            "format": FORMAT,
            "views": list(self.views),
            "reasons": list(self.reasons),
        }
        tensors: dict[str, NDArray[Any]] = {"ready": self.ready.astype(np.int64)}
        if self.n_ready:
            tensors |= {f"view.{number}": view for number, view in enumerate(self.views.values())}
            if self.conditions.shape[1]:
                tensors["conditions"] = self.conditions
        return document, tensors

    @classmethod
    def from_kept(cls, kept: Kept, columns: Mapping[str, int]) -> "Entry | None":
        """Return an entry that was read, or None when it is not what these views need."""
        document, tensors = kept.document, dict(kept.tensors)
        ready = tensors.pop("ready", np.empty((0, 0)))
        reasons = document.get("reasons")
        if (
            document.get("format") != FORMAT
            or document.get("views") != list(columns)
            or ready.ndim != 1
            or not np.isin(ready, (0, 1)).all()
            or not isinstance(reasons, list)
            or not all(isinstance(reason, str) for reason in reasons)
        ):
            return None
        n = int(np.count_nonzero(ready))
        if len(reasons) != len(ready) - n:
            return None
        views = {}
        for number, (name, width) in enumerate(columns.items()):
            empty = np.empty((0, width), np.float32)
            view = tensors.pop(f"view.{number}", empty)
            if view.shape != (n, width) or view.dtype != np.float32 or not _finite(view):
                return None
            views[name] = view
        conditions = tensors.pop("conditions", np.empty((n, 0)))
        if conditions.shape not in ((n, 0), (n, len(NAMES))) or not _finite(conditions):
            return None
        if tensors:
            return None
        return cls(views, conditions, ready.astype(bool), tuple(reasons))


def _finite(array: NDArray[Any]) -> bool:
    return bool(np.isfinite(array).all())
