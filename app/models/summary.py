"""A fitted model as numbers and texts, for display."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.models.model import PadModel, preset_name
from app.types import Image, Interval
from lmkl_core import InvalidInputError, LocalisedMKL
from lmkl_core.calibration.left_out import block_numbers, time_blocks
from lmkl_core.calibration.threshold import (
    Calibration,
    clopper_pearson,
    effective_number,
    percent,
)
from lmkl_core.theory import (
    dual_norm_bound,
    generalisation_bound,
    lambda_radius,
    rademacher_bound,
    squared_loss_bound,
    weight_sum_bound,
)

__all__ = ["Bound", "Calibration", "ModelSummary", "PersonSummary", "describe"]  # for views

CERTIFIED_GAP = 1e-6
"""A fit with a larger relative gap is shown as not certified."""

CONFIDENCE = 0.05

_COMPLEXITY = "upper bound that covers learned weights (Proposition 2, corrected)"

MOST_REFUSED = 0.5
"""A person with a larger share of refused left-out frames should be recorded again."""


@dataclass(frozen=True)
class Bound:
    """A bound from the theory: its name, its value and its meaning."""

    name: str
    value: float
    meaning: str


@dataclass(frozen=True)
class PersonSummary:
    """How the threshold treats one person; ``name`` is empty for takes without a person.

    ``level`` is the median left-out score, ``bpcer`` the share of refused left-out scores, with its
    exact interval for ``n_effective`` scores.
    """

    name: str
    n_takes: int
    n_frames: int
    level: float
    bpcer: float
    interval: Interval
    n_scores: int
    n_effective: float


@dataclass(frozen=True, eq=False, kw_only=True)
class ModelSummary:
    """A fitted model in numbers and texts; fields a report does not contain keep their defaults."""

    view_names: tuple[str, ...] = ()
    weights: tuple[tuple[float, ...], ...] = ()
    """Clusters (outer) by views (inner)."""
    cluster_sizes: tuple[int, ...] = ()
    typical_faces: tuple[Image | None, ...] = ()
    """A thumbnail of each cluster's most typical frame, if available."""
    gap: float = math.nan
    """Certified relative gap to the optimum."""
    is_certified: bool = False
    stop_reason: str = ""
    n_solves: int = 0
    gap_history: tuple[float, ...] = ()
    objective_history: tuple[float, ...] = ()
    """One entry per iteration."""
    calibration: Calibration
    bounds: tuple[Bound, ...] = ()
    parameters: tuple[tuple[str, str], ...]
    takes: tuple[str, ...]
    n_samples: int
    preset: str
    typical_terms: tuple[tuple[float, ...], ...] = ()
    """Mean contributions over the enrolled frames, by cluster (outer) and view (inner)."""
    path: str = ""
    is_protected: bool = False
    digest: str = ""
    is_simulated: bool = False
    notes: tuple[str, ...] = ()
    people: tuple[PersonSummary, ...] = ()

    @property
    def n_clusters(self) -> int:
        return len(self.weights)


def describe(model: PadModel, thumbnails: Sequence[Image | None] = ()) -> ModelSummary:
    """Summarise a model; there is one thumbnail per enrolled row, or none at all."""
    estimator = model.estimator
    solution = estimator.solution_
    labels = np.asarray(estimator.labels_)
    return ModelSummary(
        view_names=model.view_names,
        weights=_rows(estimator.kernel_weights_),
        cluster_sizes=tuple(int(np.sum(labels == c)) for c in range(estimator.n_clusters_)),
        typical_faces=_typical_faces(estimator, thumbnails),
        gap=float(estimator.gap_),
        is_certified=bool(estimator.gap_ <= CERTIFIED_GAP),
        stop_reason=str(solution.stop_reason),
        n_solves=int(solution.n_solves),
        gap_history=tuple(map(float, solution.gap_history)),
        objective_history=tuple(map(float, solution.objective_history)),
        calibration=estimator.calibration_,
        bounds=_bounds(estimator),
        parameters=_parameters(estimator),
        takes=model.takes,
        n_samples=len(labels),
        preset=preset_name(model.features),
        typical_terms=_rows(estimator.explain(estimator.support_views()).mean(axis=0)),
        path=model.path,
        is_protected=model.is_protected,
        digest=model.digest,
        is_simulated=model.is_simulated,
        notes=model.notes,
        people=people_of(model),
    )


def _rows(table: NDArray[Any]) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(map(float, row)) for row in table)


def threshold_facts(calibration: Calibration) -> dict[str, Any]:
    """Return a threshold and its basis as JSON values; unknown numbers are null."""
    return {
        "value": known(calibration.threshold),
        "origin": calibration.origin,
        "statement": calibration.statement,
        "target_bpcer": calibration.target_bpcer,
        "bpcer": known(calibration.bpcer),
        "bpcer_interval": [known(end) for end in calibration.interval],
        "n_scores": calibration.n_scores,
        "n_effective": known(calibration.n_effective),
        "promised": calibration.promised,
    }


def known(value: float) -> float | None:
    """Return a finite number, or None."""
    return float(value) if math.isfinite(value) else None


def _typical_faces(
    estimator: LocalisedMKL, thumbnails: Sequence[Image | None]
) -> tuple[Image | None, ...]:
    """Return the thumbnail of the enrolled frame that belongs most to each cluster."""
    memberships = np.asarray(estimator.memberships_)
    if len(thumbnails) != len(memberships):
        return (None,) * estimator.n_clusters_
    return tuple(thumbnails[int(row)] for row in memberships.argmax(axis=0))


def _parameters(estimator: LocalisedMKL) -> tuple[tuple[str, str], ...]:
    n = len(estimator.labels_)
    return (
        ("clusters C", f"{estimator.n_clusters_}"),
        ("p", f"{estimator.p:.4g}"),
        ("q", f"{estimator.q:.4g}"),
        ("delta", f"{estimator.delta_:.4g} ({estimator.delta_ / n:.4g} n)"),
        ("temperature", f"{estimator.temperature:.4g}"),
        ("constraint", str(estimator.constraint)),
        ("kernel", str(estimator.kernel)),
    )


def _bounds(estimator: LocalisedMKL) -> tuple[Bound, ...]:
    """Return the theory's bounds, for exact fits under the paper's constraint only."""
    constraint, p, q = estimator.constraint, float(estimator.p), float(estimator.q)
    dual = np.asarray(estimator.dual_coef_)
    memberships = np.asarray(estimator.memberships_)
    n, n_clusters = memberships.shape
    n_views = len(estimator.view_names_)
    support = estimator.support_views()
    exact = len(next(iter(support.values()))) == n and np.isfinite(dual).all()
    if constraint != "joint-matrix" or not exact or estimator.kernel != "rbf":
        return ()
    scores = estimator.score_samples(support)
    radius = lambda_radius(dual, float(dual @ scores))
    before = dual_norm_bound(n, float(estimator.delta_))
    sums = weight_sum_bound(constraint, n_clusters, n_views, p, q)
    known: dict[str, Any] = {"Lambda": before.radius, "r": 1.0, "n_views": n_views, "p": p, "q": q}
    complexity = rademacher_bound(memberships=memberships, form="learned-weights", **known)
    loss_bound = squared_loss_bound(**known)
    try:
        general = generalisation_bound(
            scores, complexity, Delta=CONFIDENCE, loss_bound=loss_bound, form="mohri"
        )
    except InvalidInputError:
        return ()  # no fit gives such scores: the file was made by hand
    # Scoring everything 0 has an error of 1, so a bound above that says nothing.
    is_vacuous = general.is_vacuous or general.value >= 1.0
    vacuous = " It says nothing for so few frames." if is_vacuous else ""
    total, most = float(np.sum(estimator.kernel_weights_)), f"{before.radius:.4g}"
    return (
        Bound("sum of weights", total, f"at most {sums:.4g} under this constraint"),
        Bound("radius of the fit", radius, f"Lambda; the bound before the fit is {most}"),
        Bound("Rademacher complexity", complexity.value, _COMPLEXITY),
        Bound(
            "expected squared error",
            general.value,
            f"of genuine samples, at most, with confidence {percent(1 - CONFIDENCE, 0)} "
            "(Proposition 3)."
            f"{vacuous}",
        ),
    )


def people_of(model: PadModel) -> tuple[PersonSummary, ...]:
    """Return each person of a model, in the order of their first takes."""
    estimator, persons = model.estimator, np.array(model.persons or ("",) * len(model.takes))
    calibration, takes = estimator.calibration_, np.asarray(estimator.calibration_takes_)
    if len(takes) != len(calibration.scores):
        return ()  # a file made by hand, in which scores cannot be assigned to takes
    blocks = block_numbers(time_blocks(takes, calibration.block_length), len(takes))
    people = []
    for name in dict.fromkeys(persons.tolist()):
        own = persons[takes] == name
        if not own.any():
            continue  # with thousands of takes, some are never left out
        scores = calibration.scores[own]
        bpcer = float(np.mean(scores < calibration.threshold))
        n_effective = effective_number(scores, blocks[own], takes[own])
        people.append(
            PersonSummary(
                name,
                n_takes=int(np.sum(persons == name)),
                n_frames=int(np.sum(persons[estimator.takes_] == name)),
                level=float(np.median(scores)),
                bpcer=bpcer,
                interval=clopper_pearson(bpcer * n_effective, n_effective, calibration.confidence),
                n_scores=len(scores),
                n_effective=n_effective,
            )
        )
    return tuple(people)


def refused_people(people: tuple[PersonSummary, ...]) -> tuple[PersonSummary, ...]:
    """Return the people most of whose frames are refused; none if there is only one person."""
    return tuple(each for each in people if each.bpcer > MOST_REFUSED) if len(people) > 1 else ()


def refusal_of(person: PersonSummary) -> str:
    """Return a sentence on who would be refused and what to do."""
    who = f"“{person.name}”" if person.name else "Takes without a person"
    again = person.name or "them"
    return f"{who} would be refused in most frames: record {again} again in the test lighting."
