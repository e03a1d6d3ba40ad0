"""Choice of a method's parameters, never on test data.

``development``, as in the paper: fit every cell of a grid on the training frames and choose the one
with the largest AUC on development data, which have both classes and other people or objects than
the test. Ties go to the smoother model: the larger delta, then the larger p and q.

Without development data but with other classes of objects, do the same on other classes, as in the
paper's experiments on objects, which set parameters "using the data from classes other than the
target class". For each of a few classes, a model learns from every second training image and is
tested on the rest, with training images of further classes as novel ones; the largest mean AUC
wins. Neither images of the target nor scores of its model are used. If a protocol also tests the
target's model on such images, those that it does not test are preferred; if too few are left, the
report says so.

``bona-fide``: `lmkl_core.select` on training frames alone. It works for `LocalisedMKL`; other
methods keep their defaults.

Cells may be compared on fewer rows than the final fit has (`SELECTION_ROWS`): delta is a multiple
of their number, so it carries over.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.evaluation.dataset import Problem, Rows, Views
from app.evaluation.options import GridName, Options, Row
from app.evaluation.parallel import CANCELLED, Cancel
from app.evaluation.protocols.types import Plan, Recording
from lmkl_core import LocalisedMKL, select
from lmkl_core.errors import InvalidInputError, raise_if_cancelled
from lmkl_core.metrics import auc
from lmkl_core.selection import DELTAS, EXPONENTS, score_grid
from lmkl_core.solver.constraints import FIXED_FAMILIES

SELECTION_ROWS = 1000
"""Most training frames on which cells are compared."""

SCORED_AT_ONCE = 1024
"""Rows scored at once, so that the views of a whole set are not copied."""

GRID: dict[GridName, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "paper": (DELTAS, EXPONENTS),
    "small": ((1e-2, 1e-1, 1.0), (8 / 7, 2.0, 8.0)),
}
"""Values of delta (divided by n), and of p and q."""


@dataclass(frozen=True)
class Choice:
    """Chosen parameters, and notes on how they were chosen."""

    parameters: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def choose(
    row: Row,
    train: Rows,
    development: Rows,
    others: Sequence[Problem],
    options: Options,
    cancel: Cancel | None = None,
) -> Choice:
    """Choose a method's parameters; ``others`` replace missing development data."""
    selection = options.selection
    if selection == "none" or len(row.method.grid()) < 2:
        return Choice()
    notes = []
    if selection in ("auto", "development"):
        problems = [(train, development)] if development.has_both_classes else others
        if problems:
            return _by_development(row, problems, options, cancel)
        if selection == "development":
            notes.append(
                "Without development data of both classes, parameters were chosen on bona fide "
                "training frames alone."
            )
    estimator = row.make(options.seed)
    if not isinstance(estimator, LocalisedMKL):
        notes.append("Without development data, the parameters are the method's defaults.")
        return Choice({}, tuple(notes))
    thinned, thinning = _thinned(train)
    deltas, exponents = GRID[options.grid]
    found = select(
        estimator,
        thinned.views,
        groups=thinned.recordings,
        conditions=thinned.conditions,
        deltas=deltas,
        exponents=(estimator.p,) if estimator.constraint in FIXED_FAMILIES else exponents,
        n_clusters=(estimator.n_clusters,),
        temperatures=(estimator.temperature,),
        n_jobs=1,
        cancel=cancel,
    )
    best = found.best.parameters
    return Choice({name: best[name] for name in _axes(row)}, (*notes, *thinning))


def _by_development(
    row: Row, problems: Sequence[Problem], options: Options, cancel: Cancel | None
) -> Choice:
    """Choose the cell with the largest mean AUC over the problems."""
    totals: list[float] = []
    for train, development in problems:
        thinned, notes = _thinned(train)
        cells, scores = _scored_cells(row, thinned, development, options, cancel)
        areas = [area(each, development) for each in scores]
        totals = areas if not totals else [a + b for a, b in zip(totals, areas, strict=True)]
    # Rounding errors must not decide between equally good cells.
    means = [round(total / len(problems), 9) for total in totals]
    best = max(range(len(cells)), key=lambda k: (means[k], *_smoothness(cells[k]), -k))
    return Choice(cells[best], notes)


def _scored_cells(
    row: Row, train: Rows, development: Rows, options: Options, cancel: Cancel | None
) -> tuple[list[dict[str, Any]], NDArray[np.float64]]:
    """Return a method's cells, and their scores on the development rows."""
    estimator = row.make(options.seed)
    if isinstance(estimator, LocalisedMKL):
        deltas, exponents = GRID[options.grid]
        found = score_grid(
            estimator,
            train.views,
            development.views,
            groups=train.recordings,
            deltas=deltas,
            exponents=exponents,
            cancel=cancel,
        )
        return [{name: cell[name] for name in _axes(row)} for cell in found.cells], found.scores
    cells, scores = row.method.grid(), []
    for cell in cells:
        raise_if_cancelled(cancel, CANCELLED)
        model = row.make(options.seed, cell).fit(
            train.views, groups=train.recordings, conditions=train.conditions, cancel=cancel
        )
        scores.append(scores_of(model, development.views, cancel))
    return cells, np.array(scores)


def scores_of(model: Any, views: Views, cancel: Cancel | None = None) -> NDArray[np.float64]:
    """Score rows in chunks; refuse scores that are not finite."""
    n = len(next(iter(views.values())))
    scores = np.empty(n)
    for start in range(0, n, SCORED_AT_ONCE):
        raise_if_cancelled(cancel, CANCELLED)
        part = slice(start, start + SCORED_AT_ONCE)
        # Estimators are faster on plain arrays than on mapped ones.
        scores[part] = model.score_samples(
            {name: np.array(view[part]) for name, view in views.items()}
        )
    if not np.isfinite(scores).all():
        raise InvalidInputError("Some scores are not finite.")
    return scores


def area(scores: NDArray[np.float64], rows: Rows) -> float:
    """Return the AUC over recordings, by the mean scores of their frames."""
    assert rows.is_attack is not None  # development rows
    _, first, member = np.unique(rows.recordings, return_index=True, return_inverse=True)
    means, attack = np.bincount(member, scores) / np.bincount(member), rows.is_attack[first]
    return auc(means[~attack], means[attack]).value or 0.0


def _axes(row: Row) -> tuple[str, ...]:
    return tuple(row.method.grid()[0])


def _smoothness(cell: Mapping[str, Any]) -> tuple[float, ...]:
    return tuple(float(cell[name]) for name in ("delta", "p", "q") if name in cell)


def _thinned(train: Rows) -> tuple[Rows, tuple[str, ...]]:
    rows = train.thinned(SELECTION_ROWS)
    if len(rows) == len(train):
        return train, ()
    return rows, (f"Parameters were compared on {len(rows)} of {len(train)} training frames.",)


# ------------------------------------------------------------------ other classes

CLASSES = 3
"""Other classes used to compare cells."""

LEAST_IMAGES = 4
"""Fewest training images of such a class."""

NOVEL_PER_GENUINE = 2
"""Novel images per genuine one."""

_NOVEL = "another class"


def others_of(plan: Plan, plans: Sequence[Plan]) -> tuple[Plan, ...]:
    """Return problems of other classes for a target's plan; none if classes are too few."""
    tested = {recording.name for recording in plan.test}
    own = {recording.subject for recording in plan.train}
    classes = {
        other.name: [each for each in other.train if each.subject not in own]
        for other in plans
        if other.name != plan.name
    }
    untested = {
        name: [each for each in found if each.name not in tested] for name, found in classes.items()
    }
    if len(_usable(untested)) >= min(CLASSES, len(_usable(classes))):
        classes = untested
    names = _usable(classes)
    if len(names) < 2:
        return ()
    count = min(CLASSES, len(names))
    return tuple(_problem(names[k * len(names) // count], classes) for k in range(count))


def _usable(classes: Mapping[str, Sequence[Recording]]) -> list[str]:
    return [name for name, found in classes.items() if len(found) >= LEAST_IMAGES]


def _problem(name: str, classes: Mapping[str, Sequence[Recording]]) -> Plan:
    train, genuine = classes[name][0::2], classes[name][1::2]
    further = [each for other, found in classes.items() if other != name for each in found]
    count = min(NOVEL_PER_GENUINE * len(genuine), len(further))
    novel = [replace(further[k * len(further) // count], species=_NOVEL) for k in range(count)]
    return Plan(name, tuple(train), (*genuine, *novel), ())


def remarks_on_others(plans: Sequence[Plan], others: Sequence[Sequence[Plan]]) -> list[str]:
    if not any(others):
        return []
    sentences = [
        "As in the paper, parameters are chosen on other classes: those with the largest mean AUC "
        f"of models of up to {CLASSES} other classes, on their training images."
    ]
    for plan, problems in zip(plans, others, strict=True):
        tested = {recording.name for recording in plan.test}
        for problem in problems:
            if any(each.name in tested for each in (*problem.train, *problem.development)):
                sentences.append(
                    "This protocol also presents these images to the target's model, as novel ones."
                )
                return sentences
    return sentences
