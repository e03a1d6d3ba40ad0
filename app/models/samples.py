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
from lmkl_core.errors import raise_if_cancelled


@dataclass(eq=False)
class Samples:
    """Views of many frames, row by row, with the take and the circumstances of each."""

    takes: list[str] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    """Empty for presets that look at no face."""
    persons: dict[str, str] = field(default_factory=dict)
    """Whose face a take shows, where that was said."""
    refused: Counter[str] = field(default_factory=Counter)
    """How many frames were refused, by reason."""
    _rows: dict[str, list[NDArray[np.float32]]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.takes)

    @property
    def views(self) -> dict[str, NDArray[np.float32]]:
        """Every view as an array of shape (rows, columns)."""
        return {name: np.concatenate(rows) for name, rows in self._rows.items()}

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
    """Send every frame of every take through the pipeline, reset before each take.

    ``progress`` is called with the number of frames so far and the take's name. ``cancel`` is asked
    before each frame; `~lmkl_core.errors.Cancelled` is raised when it says so.
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
