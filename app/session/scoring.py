"""Score a frame, once for the preview, verdict, enrolment, guided tests and commands."""

from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from app.models.model import PadModel
from app.session.decision import judge
from app.types import (
    ALL_FAMILIAR,
    Frame,
    FrameResult,
    Image,
    Region,
    ScoredFrame,
    Status,
    Verdict,
)
from app.vision.faces.alignment import cut, square_corners
from app.vision.pipeline import Pipeline
from lmkl_core.errors import InvalidInputError
from lmkl_core.features.presets import Crop

THUMBNAIL = Crop("thumbnail", 96, side=1.5)
"""For the gallery of enrolled frames."""

_UNSCORED = {
    Status.NO_FACE: Verdict.NO_FACE,
    Status.POOR_QUALITY: Verdict.POOR_QUALITY,
    Status.BAD_FRAME: Verdict.BAD_FRAME,
}


def score_frame(pipeline: Pipeline, model: PadModel | None, frame: Frame) -> ScoredFrame:
    """Run a frame through the pipeline and the model; without a model it gets no score."""
    began = perf_counter()
    result = pipeline.process(frame)
    return replace(
        _scored(model, result),
        threshold=None if model is None else model.threshold,
        digest="" if model is None else model.digest,
        liveness=result.liveness,
        size=None if result.quality is None else result.quality["size"].value or None,
        regions=_regions(result, pipeline.extractor.preset.crops),
        result=result,
        seconds=perf_counter() - began,
    )


def _scored(model: PadModel | None, result: FrameResult) -> ScoredFrame:
    if result.status is not Status.READY or result.views is None:
        return ScoredFrame(_UNSCORED[result.status], result.reason)
    if model is None:
        return ScoredFrame(Verdict.NO_MODEL, "There is no model yet: enrol a face first.")
    try:
        terms, memberships = model.explain(result.views)
    except InvalidInputError as error:
        return ScoredFrame(Verdict.BAD_FRAME, f"This frame cannot be scored: {error}")
    familiarity = ALL_FAMILIAR
    if model.conditions is not None and result.condition is not None:
        familiarity = model.conditions.familiarity(result.condition)
    score = float(terms.sum())
    return ScoredFrame(
        *judge(score, model.threshold, familiarity, result.liveness),
        score,
        familiarity=familiarity,
        terms=tuple(tuple(map(float, row)) for row in terms),
        memberships=memberships,
    )


def _regions(result: FrameResult, crops: tuple[Crop, ...]) -> tuple[Region, ...]:
    transform = result.transform
    if transform is None:
        return ()
    regions = []
    for crop in crops:
        if crop.of != "face":
            continue
        if crop.side is not None:
            corners = square_corners(transform, crop.centre, crop.side)
        else:
            centre = square_corners(transform, crop.centre, 0.0)[0]
            square = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
            corners = centre + crop.size / 2 * square
        points: Any = tuple((float(x), float(y)) for x, y in corners)
        regions.append(Region(crop.name, points))
    return tuple(regions)


def thumbnail_of(result: FrameResult) -> Image | None:
    """Return a small picture of the face, if there is one."""
    if result.views is None or result.image is None or result.transform is None:
        return None
    return cut(result.image, result.transform, THUMBNAIL)
