"""Kept frames of named takes: their views and circumstances, never the pictures themselves."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from app.types import Condition, Frame, Sample
from app.vision.conditions import EnrolledConditions, shared_circumstances
from app.vision.pipeline import Pipeline


class Samples(list[Sample]):
    """Samples as the rows of a fit."""

    @property
    def views(self) -> dict[str, NDArray[np.float32]]:
        """Every view as an array of shape (rows, columns)."""
        rows = defaultdict(list)
        for sample in self:
            for name, row in sample.views.items():
                rows[name].append(row)
        return {name: np.concatenate(parts) for name, parts in rows.items()}

    @property
    def takes(self) -> list[str]:
        return [sample.take for sample in self]

    @property
    def conditions(self) -> list[Condition]:
        """Of every row; empty for presets that look at no face."""
        known = [sample.condition for sample in self if sample.condition is not None]
        return known if len(known) == len(self) else []

    @property
    def persons(self) -> dict[str, str]:
        """Whose face a take shows, where that was said."""
        return {sample.take: sample.person for sample in self if sample.person}

    @property
    def is_simulated(self) -> bool:
        return any(sample.is_simulated for sample in self)

    def enrolled_conditions(self) -> EnrolledConditions | None:
        """Return the circumstances of these rows as what was enrolled, where they are known."""
        return EnrolledConditions.of(self.conditions, self.takes) if self.conditions else None

    def circumstances(self) -> list[int] | None:
        """Return a number for every row, the same where takes share circumstances, if known."""
        return shared_circumstances(self.conditions, self.takes) if self.conditions else None


def collect(
    pipeline: Pipeline,
    takes: Mapping[str, Iterable[Frame]],
    *,
    is_simulated: bool = False,
    progress: Callable[[str], None] = lambda _: None,
) -> Samples:
    """Keep every usable frame of every take; ``progress`` gets the take's name at each frame.

    The pipeline is reset before each take.
    """
    samples = Samples()
    for take, frames in takes.items():
        pipeline.reset()
        for frame in frames:
            result = pipeline.process(frame)
            if result.views is not None:
                sample = Sample(
                    len(samples), take, result.views, result.condition, None, is_simulated
                )
                samples.append(sample)
            progress(take)
    return samples
