"""Arithmetic of the candidate windows of MTCNN: arrays of (left, top, right, bottom)."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Boxes = NDArray[np.float64]
Scores = NDArray[np.float64]


def regressed(boxes: Boxes, offsets: Boxes) -> Boxes:
    """Move each edge by the network's offset, given in widths and heights of the box."""
    size = boxes[:, 2:] - boxes[:, :2]
    return boxes + offsets * np.tile(size, 2)


def squared(boxes: Boxes) -> Boxes:
    """Return squares about the same centres, as wide as each box's longer side."""
    centre = (boxes[:, :2] + boxes[:, 2:]) / 2
    half = (boxes[:, 2:] - boxes[:, :2]).max(axis=1, keepdims=True) / 2
    return np.hstack([centre - half, centre + half])


def overlaps(boxes: Boxes, others: Boxes, over: Literal["union", "smaller"] = "union") -> Boxes:
    """Return shared area over the area of the union or of the smaller box, (n, m)."""
    low = np.maximum(boxes[:, None, :2], others[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], others[None, :, 2:])
    shared = np.prod(np.clip(high - low, 0.0, None), axis=2)
    area = np.prod(np.clip(boxes[:, 2:] - boxes[:, :2], 0.0, None), axis=1)[:, None]
    other_area = np.prod(np.clip(others[:, 2:] - others[:, :2], 0.0, None), axis=1)[None]
    whole = np.minimum(area, other_area) if over == "smaller" else area + other_area - shared
    return shared / np.maximum(whole, np.finfo(float).tiny)


def survivors(
    boxes: Boxes,
    scores: Scores,
    limit: float,
    over: Literal["union", "smaller"] = "union",
    at_most: int | None = None,
) -> NDArray[np.intp]:
    """Greedy non-maximum suppression: indices, best score first.

    Parameters
    ----------
    boxes, scores : ndarray
        (n, 4) and (n,).
    limit : float
        A box goes when it overlaps a better one by more than this.
    over : {"union", "smaller"}
        What the shared area is measured by.
    at_most : int or None
        How many may survive.
    """
    order = np.argsort(-scores, kind="stable")
    clash = overlaps(boxes[order], boxes[order], over) > limit
    alive = np.ones(len(order), dtype=bool)
    for i in range(len(order)):
        if alive[i]:
            alive[i + 1 :] &= ~clash[i, i + 1 :]
    return order[alive][:at_most]
