"""One method on one plan: a pure function of arrays, for this process or any other.

It is told which development rows are attacks, because parameters are chosen by them. Of test rows
it is told nothing but their views, so that nothing it does can depend on what they are.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import parallel_config
from numpy.typing import NDArray

from app.evaluation.dataset import Material
from app.evaluation.methods import Row
from app.evaluation.options import GridName, Selection
from app.evaluation.progress import CANCELLED
from app.evaluation.result import Level
from app.evaluation.selecting import choose, scores_of
from app.evaluation.warning_capture import Hearing
from app.logs import way_of
from app.models.summary import CERTIFIED_GAP
from lmkl_core.errors import Cancelled, InvalidInputError, raise_if_cancelled

LEAST_FRAMES = 2
"""Training frames without which there is no model."""

log = logging.getLogger(__name__)


class NotEnrolled(InvalidInputError):
    """Too few training frames with a usable face for any model, whatever the method."""


@dataclass(frozen=True)
class Enrolled:
    """The threshold that the training frames alone gave, as `lmkl_core.metrics` asks for it."""

    threshold: float
    origin: str


@dataclass(frozen=True, eq=False)
class Outcome:
    """What became of one method on one plan.

    Attributes
    ----------
    development, test : ndarray
        Scores of their rows.
    enrolled : Enrolled
        The model's own threshold.
    parameters : dict
        What was chosen.
    n_train : int
        Rows learnt from.
    notes : tuple of str
        What must be said about the fit.
    seconds : float
        Spent choosing, fitting and scoring.
    failure : str
        Why there is nothing, in one sentence; empty when there is.
    is_enrolled : bool
        Whether there was enough to learn from.
    """

    development: NDArray[np.float64]
    test: NDArray[np.float64]
    enrolled: Enrolled
    parameters: dict[str, Any]
    n_train: int
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    failure: str = ""
    is_enrolled: bool = True

    @classmethod
    def failed(cls, sentence: str, seconds: float = 0.0, *, is_enrolled: bool = True) -> "Outcome":
        """Return what stands for an outcome where there is none."""
        nothing, enrolled = np.empty(0), Enrolled(np.nan, "")
        return cls(nothing, nothing, enrolled, {}, 0, (), seconds, sentence, is_enrolled)


@dataclass(frozen=True)
class Manner:
    """How parameters are chosen: the options that decide an outcome."""

    selection: Selection
    grid: GridName
    level: Level
    seed: int


def work(
    number: int,
    row: Row,
    material: Material,
    manner: Manner,
    cancel: Callable[[], bool] | None = None,
) -> tuple[int, Outcome]:
    """Choose parameters, fit, and score; what fails is an outcome too.

    Parameters
    ----------
    number : int
        Returned with the outcome, since outcomes arrive in any order.
    row : Row
        The method.
    material : Material
        Rows with at least the method's views.
    manner : Manner
        How parameters are chosen.
    cancel : callable, optional
        Where it runs in the caller's own thread.

    Raises
    ------
    Cancelled
        If ``cancel`` said so.
    """
    start = time.perf_counter()
    with Hearing() as heard:
        try:
            # The caller's backend has its hands full with tasks such as this one.
            with parallel_config(backend="sequential"):
                outcome = _fitted(row, material, manner, cancel)
        except Cancelled:
            raise Cancelled(CANCELLED) from None
        except NotEnrolled as error:
            return number, Outcome.failed(str(error), is_enrolled=False)
        except Exception as error:
            log.info("%s failed: %s", row.key, way_of(error))
            return number, Outcome.failed(_sentence(error), time.perf_counter() - start)
    notes = tuple(dict.fromkeys((*outcome.notes, *map(_first_line, heard.said))))
    return number, replace(outcome, notes=notes, seconds=time.perf_counter() - start)


def _fitted(
    row: Row, material: Material, manner: Manner, cancel: Callable[[], bool] | None
) -> Outcome:
    if not row.names:
        raise InvalidInputError(
            f"There are no {row.method.uses} views for it: choose another preset."
        )
    material = material.of(row.names)
    train, development = material.train, material.development
    if len(train) < LEAST_FRAMES:
        raise NotEnrolled(
            f"There are {len(train)} training frames with a usable face: at least {LEAST_FRAMES} "
            "are needed."
        )
    choice = choose(row, train, development, material.others, **vars(manner), cancel=cancel)
    raise_if_cancelled(cancel)
    model = row.make(manner.seed, choice.parameters).fit(
        train.views, groups=train.recordings, conditions=train.conditions, cancel=cancel
    )
    calibration = model.calibration_
    return Outcome(
        scores_of(model, development.views, cancel),
        scores_of(model, material.test, cancel),
        Enrolled(float(calibration.threshold), str(calibration.origin)),
        {name: _plain(value) for name, value in choice.parameters.items()},
        len(train),
        (*choice.notes, *getattr(model, "notes_", ()), *_certificate(model)),
    )


def _certificate(model: Any) -> tuple[str, ...]:
    gap = getattr(model, "gap_", None)
    if gap is None or gap <= CERTIFIED_GAP:
        return ()
    return (f"The fit's optimum is not certified: its relative gap is {gap:.1e}.",)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _first_line(text: str) -> str:
    return text.strip().split("\n")[0]


def _sentence(error: Exception) -> str:
    text = _first_line(str(error)) or type(error).__name__
    if not isinstance(error, ValueError):
        text = f"{type(error).__name__}: {text}"
    return text if text.endswith((".", "!", "?")) else f"{text}."
