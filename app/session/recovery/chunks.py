"""Samples as bytes, and back: one safetensors file with a digest of all it holds."""

import io
from collections.abc import Sequence
from dataclasses import astuple
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.session.takes import Sample
from app.types import Condition
from app.vision.conditions import NAMES
from lmkl_core.model_file.container import (
    Refused,
    Text,
    checked,
    digest,
    read_header,
    read_tensors,
    seal,
)

FORMAT = "lmkl-pad unsaved frames"
VERSION = 1
MOST_ROWS = 256
"""Frames in one file."""
MOST_VIEWS = 1024
LARGEST_CHUNK = 1 << 30
"""Bytes of a file that is read."""

_CONDITIONS = "conditions"

Numbers = tuple[dict[str, NDArray[np.float32]], Condition | None]
"""What is kept of a frame: its views, each a row, and its circumstances."""


class Manifest(msgspec.Struct, forbid_unknown_fields=True):
    format: Literal["lmkl-pad unsaved frames"]
    version: Literal[1]
    views: tuple[Text, ...]
    circumstances: tuple[str, ...]
    digest: str


def packed(samples: Sequence[Sample]) -> tuple[bytes, str]:
    """Return samples as the contents of a file, and their digest; pictures are left out."""
    names = list(samples[0].views)
    tensors: dict[str, NDArray[np.float32] | NDArray[np.float64]] = {
        f"view {place}": np.concatenate([s.views[name] for s in samples]).astype(np.float32)
        for place, name in enumerate(names)
    }
    tensors[_CONDITIONS] = np.array(
        [
            [np.nan] * len(NAMES) if s.condition is None else list(astuple(s.condition))
            for s in samples
        ],
        dtype=np.float64,
    )
    document = {
        "format": FORMAT,
        "version": VERSION,
        "views": names,
        "circumstances": list(NAMES),
    }
    return seal(document, tensors), digest(document, tensors)


def unpacked(data: bytes, expected_digest: str) -> list[Numbers]:
    """Return what a file holds, frame by frame.

    Raises
    ------
    Refused
        If it is damaged, or not the file that was expected.
    """
    stream = io.BytesIO(data)
    header = read_header(stream, len(data))
    manifest = checked(header.document, Manifest, "its manifest")
    names = manifest.views
    if manifest.digest != expected_digest:
        raise Refused("it is another file than the one that was written")
    if manifest.circumstances != NAMES:
        raise Refused("other circumstances were measured then")
    wanted = {*(f"view {place}" for place in range(len(names))), _CONDITIONS}
    if not 0 < len(names) <= MOST_VIEWS or len(set(names)) < len(names):
        raise Refused("its views make no sense")
    if set(header.places) != wanted:
        raise Refused("it holds other tensors than its views")
    tensors = read_tensors(stream, header)
    conditions = tensors.pop(_CONDITIONS)
    n_rows = len(conditions) if conditions.ndim else 0
    if conditions.dtype != np.float64 or conditions.shape != (n_rows, len(NAMES)):
        raise Refused("its circumstances make no sense")
    if not 0 < n_rows <= MOST_ROWS:
        raise Refused("it holds no number of frames that this program writes")
    for view in tensors.values():
        if view.dtype != np.float32 or view.ndim != 2 or len(view) != n_rows:
            raise Refused("its views have impossible shapes")
        if not np.isfinite(view).all():
            raise Refused("its views are not finite")
    return [
        (
            {name: tensors[f"view {place}"][row : row + 1] for place, name in enumerate(names)},
            _condition(conditions[row]),
        )
        for row in range(n_rows)
    ]


def _condition(values: NDArray[np.float64]) -> Condition | None:
    if np.isnan(values).all():
        return None
    if not np.isfinite(values).all():
        raise Refused("its circumstances are not finite")
    return Condition(*map(float, values))
