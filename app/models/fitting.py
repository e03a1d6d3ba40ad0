"""Fit a model on enrolled frames, and add takes to one."""

import copy
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from app.models.model import PadModel
from app.models.summary import people_of, refusal_of, refused_people
from app.settings import Settings
from app.types import Condition, Frame, Sample
from app.vision.conditions import EnrolledConditions, condition_groups
from app.vision.pipeline import Pipeline
from lmkl_core import LocalisedMKL
from lmkl_core.errors import (
    DuplicateRowsWarning,
    InvalidInputError,
    raise_if_cancelled,
)

Cancel = Callable[[], bool]

LOW_LEVEL = 0.5
"""A lower median left-out score means too few or too short takes: frames of real people mostly get
0.8 or more of the score of enrolled frames."""

FEWEST_DIFFERENT = 12
"""Different frames needed for a model if some are copies."""


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
        """One per row; empty for presets that do not use a face."""
        known = [sample.condition for sample in self if sample.condition is not None]
        return known if len(known) == len(self) else []

    @property
    def persons(self) -> dict[str, str]:
        """Persons by take, where known."""
        return {sample.take: sample.person for sample in self if sample.person}

    @property
    def is_simulated(self) -> bool:
        return any(sample.is_simulated for sample in self)

    def enrolled_conditions(self) -> EnrolledConditions | None:
        return EnrolledConditions.of(self.conditions, self.takes) if self.conditions else None

    def condition_groups(self) -> list[int] | None:
        """Return a number per row, the same for takes with shared conditions; None if unknown."""
        return condition_groups(self.conditions, self.takes) if self.conditions else None


def collect(
    pipeline: Pipeline,
    takes: Mapping[str, Iterable[Frame]],
    *,
    is_simulated: bool = False,
    progress: Callable[[str], None] = lambda _: None,
) -> Samples:
    """Return every usable frame of every take; ``progress`` gets the take's name at each frame."""
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


def estimator_of(settings: Settings, n_people: int = 1) -> LocalisedMKL:
    """Return an estimator with the parameters of the settings."""
    parameters = {**settings.model_parameters, "n_clusters": settings.clusters_for(n_people)}
    return LocalisedMKL(**parameters, random_state=0)


def fitted(
    samples: Iterable[Sample],
    settings: Settings,
    features: dict[str, Any],
    *,
    cancel: Cancel | None = None,
) -> PadModel:
    """Fit a model; ``features`` is the fingerprint of the views. May raise `Cancelled`."""
    rows = Samples(samples)
    _refuse_repeated(rows, FEWEST_DIFFERENT)
    takes, persons = _takes_and_persons(rows)
    estimator = estimator_of(settings, len(set(persons) - {""}) or 1)
    groups = rows.condition_groups()
    with _quiet():
        estimator.fit(rows.views, groups=rows.takes, conditions=groups, cancel=cancel)
    conditions = rows.enrolled_conditions()
    model = PadModel(estimator, features, conditions, takes, persons, rows.is_simulated)
    return _finished(model, rows.takes)


def extended(
    model: PadModel, samples: Iterable[Sample], *, cancel: Cancel | None = None
) -> PadModel:
    """Return the model with takes added: rows and clusters stay, weights and threshold change."""
    raise_if_cancelled(cancel)
    rows = Samples(samples)
    _refuse_repeated(rows)
    # `extend` replaces attributes and never modifies them, so a shallow copy is enough.
    estimator = copy.copy(model.estimator)
    with _quiet():
        estimator.extend(rows.views, groups=rows.takes, refine=True)
    conditions, new = model.conditions, rows.enrolled_conditions()
    if conditions is None:
        conditions = new
    elif new is not None:
        conditions = EnrolledConditions(
            conditions.takes + new.takes,
            np.concatenate([conditions.low, new.low]),
            np.concatenate([conditions.high, new.high]),
        )
    takes, persons = _takes_and_persons(rows)
    grown = PadModel(
        estimator,
        model.features,
        conditions,
        model.takes + takes,
        (model.persons or ("",) * len(model.takes)) + persons,
        is_simulated=model.is_simulated or rows.is_simulated,
    )
    return _finished(grown)


def recalibrated(model: PadModel, target_bpcer: float | None) -> PadModel:
    """Return the model with the threshold for a target BPCER, or the default one."""
    estimator = copy.copy(model.estimator)
    estimator.target_bpcer = target_bpcer
    estimator.calibrate()
    return _finished(
        replace(model, estimator=estimator, created=None, digest="", path="", is_protected=False)
    )


def _takes_and_persons(rows: Samples) -> tuple[tuple[str, ...], tuple[str, ...]]:
    persons = rows.persons
    takes = tuple(dict.fromkeys(rows.takes))
    return takes, tuple(persons.get(take, "") for take in takes)


def _refuse_repeated(samples: Samples, fewest: int = 1) -> None:
    """Refuse the rows of a frozen camera: fewer than half, or fewer than ``fewest``, differ."""
    n_rows = len(samples)
    rows = np.concatenate(list(samples.views.values()), axis=1) if n_rows else np.empty((0, 1))
    n_different = len({row.tobytes() for row in rows})
    if n_different < n_rows and (n_different < fewest or 2 * n_different < n_rows):
        raise InvalidInputError(
            f"Only {n_different} of these {n_rows} frames differ, the others are exact copies: "
            "check that the camera is not frozen, then record again."
        )


def _finished(model: PadModel, takes: Sequence[str] = ()) -> PadModel:
    """Add notes for the user, and the digest; ``takes`` names the take of every row, if known."""
    estimator = model.estimator
    solution, calibration = estimator.solution_, estimator.calibration_
    notes = []
    if not solution.converged:
        notes.append(
            f"The fit stopped ({solution.stop_reason}) at a relative gap of "
            f"{estimator.gap_:.1e}: its optimum is not certified."
        )
    # There is no advice for simulated takes.
    if not model.is_simulated:
        people = refused_people(people_of(model))
        names = {person.name for person in people}
        whose = dict(zip(model.takes, model.persons, strict=False))
        refused = calibration.scores < calibration.threshold
        notes += [
            f"“{take}” is unlike the other takes and most of its frames would be refused: record "
            "it again, then fit again."
            for take in dict.fromkeys(takes if len(takes) == len(refused) else ())
            if whose.get(take) not in names and refused[np.array(takes) == take].mean() > 0.5
        ]
        notes += map(refusal_of, people)
        if calibration.level < LOW_LEVEL:
            notes.append(
                f"Left-out frames score only {calibration.level:.2f}, so the threshold is low: "
                "record longer takes, and each light twice."
            )
    if not calibration.is_usable:
        notes.append(
            "The model is unusable because its threshold is not above zero: enrol more takes and "
            "fit again."
        )
    return replace(model, notes=tuple(notes)).named()


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence the library's warnings, which the notes repeat."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", DuplicateRowsWarning)
        yield
