"""Scored frames with chosen values."""

import numpy as np

from app.types import Face, FrameResult, ScoredFrame, Status, Verdict

_STATUS = {
    Verdict.NO_FACE: Status.NO_FACE,
    Verdict.POOR_QUALITY: Status.POOR_QUALITY,
    Verdict.BAD_FRAME: Status.BAD_FRAME,
}


def scored_frame(frame, verdict, reason="", *, box=None, **more):
    """Return a frame as judged; ``more`` are fields of `FrameResult` and of `ScoredFrame`."""
    found = {
        name: more.pop(name)
        for name in ("quality", "condition", "views", "face_changed")
        if name in more
    }
    face = None if box is None else Face(box, np.zeros((5, 2)), 1.0)
    status = _STATUS.get(verdict, Status.READY)
    result = FrameResult(frame, status, reason, face, **found)
    return ScoredFrame(verdict, reason, result=result, **more)
