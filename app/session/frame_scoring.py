"""From a frame to all that is known of it: the pipeline's result, a score, a verdict, a picture."""

from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from app.models.model import PadModel
from app.session.verdict import Judgement, judge, unscored
from app.shown.frames import Point, Region, Scored
from app.types import (
    ALL_FAMILIAR,
    Condition,
    Familiarity,
    Frame,
    FrameResult,
    Image,
    Status,
    Verdict,
)
from app.vision.faces.alignment import Matrix, cut, square_corners
from app.vision.pipeline import Pipeline
from lmkl_core.errors import InvalidInputError
from lmkl_core.features.presets import Crop

THUMBNAIL = Crop("thumbnail", 96, side=1.5)
"""The small picture that the gallery shows of an enrolled frame."""


@dataclass(frozen=True, eq=False)
class Observation:
    """One frame as scored, with what enrolment would keep of it.

    Attributes
    ----------
    scored : Scored
        What views show.
    views : mapping of str to ndarray, or None
        One row of each view; None where the frame is of no use.
    condition : Condition or None
        Its circumstances.
    thumbnail : Image or None
        A small picture of the face.
    digest : str
        Of the model that judged it; empty without one.
    """

    scored: Scored
    views: dict[str, NDArray[np.float32]] | None = None
    condition: Condition | None = None
    thumbnail: Image | None = None
    digest: str = ""


def observe(pipeline: Pipeline, model: PadModel | None, frame: Frame) -> Observation:
    """Send a frame through the pipeline and the model.

    Parameters
    ----------
    pipeline : Pipeline
        Of the running stream.
    model : PadModel or None
        Whose score is wanted; None leaves the frame unscored.
    frame : Frame
        Any frame.
    """
    began = perf_counter()
    result = pipeline.process(frame)
    regions = _regions(result.transform, pipeline.extractor.preset.crops)
    judgement, familiarity, score = _judged(model, result)
    terms: NDArray[np.float64] | None = None
    memberships: tuple[float, ...] = ()
    if score is not None:
        terms, memberships = score
    scored = Scored(
        frame=frame,
        verdict=judgement.verdict,
        reason=judgement.reason,
        note=result.note,
        box=None if result.face is None else result.face.box,
        regions=regions,
        quality=result.quality,
        score=None if terms is None else float(terms.sum()),
        threshold=None if model is None else model.threshold,
        terms=() if terms is None else tuple(tuple(map(float, row)) for row in terms),
        memberships=memberships,
        familiarity=familiarity,
        liveness=result.liveness,
        face_changed=result.face_changed,
        seconds=perf_counter() - began,
    )
    # What a model cannot score is enrolled by nobody either.
    is_usable = result.views is not None and judgement.verdict is not Verdict.BAD_FRAME
    views = dict(result.views) if is_usable and result.views is not None else None
    digest = "" if model is None else model.digest
    return Observation(scored, views, result.condition, _thumbnail(result), digest)


def _judged(
    model: PadModel | None, result: FrameResult
) -> tuple[Judgement, Familiarity | None, tuple[NDArray[np.float64], tuple[float, ...]] | None]:
    """Return the verdict, its circumstances, and the terms of the score with memberships."""
    if result.status is not Status.READY or result.views is None:
        return unscored(result), None, None
    if model is None:
        return Judgement(Verdict.NO_MODEL, "There is no model yet: enrol a face first."), None, None
    try:
        terms, memberships = model.explain(result.views)
    except InvalidInputError as error:
        return Judgement(Verdict.BAD_FRAME, f"This frame cannot be scored: {error}"), None, None
    familiarity = ALL_FAMILIAR
    if model.conditions is not None and result.condition is not None:
        familiarity = model.conditions.familiarity(result.condition)
    judgement = judge(float(terms.sum()), model.threshold, familiarity, result.liveness)
    return judgement, familiarity, (terms, memberships)


def _regions(transform: Matrix | None, crops: tuple[Crop, ...]) -> tuple[Region, ...]:
    regions: list[Region] = []
    if transform is None:
        return ()
    for crop in crops:
        if crop.of != "face":
            continue
        if crop.side is not None:
            corners = square_corners(transform, crop.centre, crop.side)
        else:
            centre = square_corners(transform, crop.centre, 0.0)[0]
            half = crop.size / 2
            corners = centre + np.array(
                [(-half, -half), (half, -half), (half, half), (-half, half)]
            )
        a, b, c, d = ((float(x), float(y)) for x, y in corners)
        regions.append(Region(crop.name, _four(a, b, c, d)))
    return tuple(regions)


def _four(a: Point, b: Point, c: Point, d: Point) -> tuple[Point, Point, Point, Point]:
    return a, b, c, d


def _thumbnail(result: FrameResult) -> Image | None:
    if result.views is None or result.transform is None or result.image is None:
        return None
    return cut(result.image, result.transform, THUMBNAIL)
