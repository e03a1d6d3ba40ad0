"""Frames of named takes, sent through the pipeline and kept as views.

Enrolment, tests on recordings and studies of presets all collect through here, so that a frame
is treated alike everywhere. Pictures are not kept: what remains of a frame are its views and its
circumstances.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from app.types import Condition, Frame, FrameResult, Status
from app.vision.conditions import EnrolledConditions, shared_circumstances
from app.vision.pipeline import Pipeline
from lmkl_core import LocalisedMKL
from lmkl_core.errors import raise_if_cancelled


@dataclass(eq=False)
class Samples:
    """Views of many frames, row by row, with the take and the circumstances of each.

    Attributes
    ----------
    takes : list of str
        The take of each row.
    conditions : list of Condition
        The circumstances of each row; empty for presets that look at no face.
    persons : dict of str to str
        Whose face a take shows, where that was said.
    refused : Counter
        How many frames were refused, by reason.
    """

    takes: list[str] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    persons: dict[str, str] = field(default_factory=dict)
    refused: Counter[str] = field(default_factory=Counter)
    _rows: dict[str, list[NDArray[np.float32]]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.takes)

    @property
    def views(self) -> dict[str, NDArray[np.float32]]:
        """Every view as an array of shape (rows, columns)."""
        return {name: np.concatenate(rows) for name, rows in self._rows.items()}

    @property
    def n_refused(self) -> int:
        """Number of frames that gave no views."""
        return sum(self.refused.values())

    def enrolled_conditions(self) -> EnrolledConditions:
        """Return the circumstances of these rows as what was enrolled."""
        return EnrolledConditions.of(self.conditions, self.takes)

    def circumstances(self) -> list[int] | None:
        """Return a number for every row, the same where takes share circumstances.

        None for presets that look at no face: nothing is known of any circumstances then.
        """
        if not self.conditions:
            return None
        return shared_circumstances(self.conditions, self.takes)

    def fit(self, model: LocalisedMKL) -> LocalisedMKL:
        """Fit a model on these rows, with all that is known of their takes."""
        fitted: LocalisedMKL = model.fit(
            self.views, groups=self.takes, conditions=self.circumstances()
        )
        return fitted

    def add(self, result: FrameResult, take: str) -> bool:
        """Keep a frame's views, or count why it has none; return whether it was kept."""
        if result.status is not Status.READY or result.views is None:
            self.refused[result.reason] += 1
            return False
        self.add_views(result.views, take, result.condition)
        return True

    def add_views(
        self,
        views: Mapping[str, NDArray[np.float32]],
        take: str,
        condition: Condition | None,
        person: str = "",
    ) -> None:
        """Keep one frame's views."""
        if person:
            self.persons[take] = person
        for name, row in views.items():
            self._rows.setdefault(name, []).append(row)
        self.takes.append(take)
        if condition is not None:
            self.conditions.append(condition)


def collect(
    pipeline: Pipeline,
    takes: Mapping[str, Iterable[Frame]],
    *,
    progress: Callable[[int, str], None] | None = None,
    cancel: Callable[[], bool] | None = None,
) -> Samples:
    """Send every frame of every take through the pipeline.

    Parameters
    ----------
    pipeline : Pipeline
        Reset before each take: takes are streams of their own.
    takes : mapping of str to iterable of Frame
        Frames by the name of their take.
    progress : callable, optional
        Called with the number of frames so far and the take's name.
    cancel : callable, optional
        Asked before each frame; `~lmkl_core.errors.Cancelled` is raised when it says so.
    """
    samples, n_frames = Samples(), 0
    for name, frames in takes.items():
        pipeline.reset()
        for frame in frames:
            raise_if_cancelled(cancel, "Collecting was cancelled; nothing was enrolled.")
            samples.add(pipeline.process(frame), name)
            n_frames += 1
            if progress is not None:
                progress(n_frames, name)
    return samples
