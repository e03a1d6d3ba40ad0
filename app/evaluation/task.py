"""One method on one plan: a pure function of arrays, for this process or any other.

A task knows which development rows are attacks, because parameters are chosen by them. Of test rows
it gets the views alone, so that nothing it does can depend on what they are.

Outcomes are kept on disk, so that an interrupted evaluation goes on where it was. Scores are kept,
not figures: another rule for the threshold costs nothing. The key covers the rows that went in, the
method, the options that decide its parameters, and the code that computes, so that the outcome of
another release is never taken for this one's.
"""

import hashlib
import logging
import threading
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import metadata, resources
from importlib.resources.abc import Traversable
from types import TracebackType
from typing import Any

import msgspec
import numpy as np
from joblib import parallel_config
from numpy.typing import NDArray

from app.evaluation.cache import Cache, key_of
from app.evaluation.dataset import PlanData
from app.evaluation.extraction import FeatureStore
from app.evaluation.methods import Row
from app.evaluation.progress import CANCELLED, Cancel
from app.evaluation.protocols.types import Plan
from app.evaluation.selection import SelectionConfig, choose, scores_of
from app.logs import way_of
from app.models.summary import CERTIFIED_GAP
from lmkl_core.errors import Cancelled, InvalidInputError, raise_if_cancelled

LEAST_FRAMES = 2
"""Training frames without which there is no model."""

FORMAT = 2
"""Raised when the contents of a kept outcome change."""

_COMPUTES = {
    "app.vision": ("conditions.py",),
    "app.evaluation": ("cache.py", "dataset.py", "methods.py", "selection.py", "task.py"),
}
_LIBRARIES = ("numpy", "scipy", "scikit-learn")

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
    """Scores of one method's development and test rows, and how they came about.

    ``enrolled`` is the model's own threshold. ``failure`` says in one sentence why there is
    nothing; ``is_enrolled`` is False where there was too little to learn from.
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
        nothing, enrolled = np.empty(0), Enrolled(np.nan, "")
        return cls(nothing, nothing, enrolled, {}, 0, (), seconds, sentence, is_enrolled)


def work(
    number: int,
    row: Row,
    data: PlanData,
    config: SelectionConfig,
    cancel: Cancel | None = None,
) -> tuple[int, Outcome]:
    """Choose parameters, fit, and score; a failure is an outcome too.

    The number is returned with the outcome, since outcomes arrive in any order. ``cancel`` is for
    tasks in the caller's own thread.
    """
    start = time.perf_counter()
    with WarningCapture() as captured:
        try:
            # The caller's backend is busy with tasks such as this one.
            with parallel_config(backend="sequential"):
                outcome = _fitted(row, data, config, cancel)
        except Cancelled:
            raise Cancelled(CANCELLED) from None
        except NotEnrolled as error:
            return number, Outcome.failed(str(error), is_enrolled=False)
        except Exception as error:
            log.info("%s failed: %s", row.key, way_of(error))
            return number, Outcome.failed(_sentence(error), time.perf_counter() - start)
    notes = tuple(dict.fromkeys((*outcome.notes, *map(_first_line, captured.messages))))
    return number, replace(outcome, notes=notes, seconds=time.perf_counter() - start)


def _fitted(row: Row, data: PlanData, config: SelectionConfig, cancel: Cancel | None) -> Outcome:
    if not row.names:
        raise InvalidInputError(
            f"There are no {row.method.uses} views for it: choose another preset."
        )
    data = data.of(row.names)
    train, development = data.train, data.development
    if len(train) < LEAST_FRAMES:
        raise NotEnrolled(
            f"There are {len(train)} training frames with a usable face: at least {LEAST_FRAMES} "
            "are needed."
        )
    choice = choose(row, train, development, data.others, config, cancel)
    raise_if_cancelled(cancel)
    model = row.make(config.seed, choice.parameters).fit(
        train.views, groups=train.recordings, conditions=train.conditions, cancel=cancel
    )
    calibration = model.calibration_
    return Outcome(
        scores_of(model, development.views, cancel),
        scores_of(model, data.test, cancel),
        Enrolled(float(calibration.threshold), str(calibration.origin)),
        {
            name: value.item() if isinstance(value, np.generic) else value
            for name, value in choice.parameters.items()
        },
        len(train),
        (*choice.notes, *getattr(model, "notes_", ()), *_certificate(model)),
    )


def _certificate(model: Any) -> tuple[str, ...]:
    gap = getattr(model, "gap_", None)
    if gap is None or gap <= CERTIFIED_GAP:
        return ()
    return (f"The fit's optimum is not certified: its relative gap is {gap:.1e}.",)


def _first_line(text: str) -> str:
    return text.strip().split("\n")[0]


def _sentence(error: Exception) -> str:
    text = _first_line(str(error)) or type(error).__name__
    if not isinstance(error, ValueError):
        text = f"{type(error).__name__}: {text}"
    return text if text.endswith((".", "!", "?")) else f"{text}."


# ------------------------------------------------------------------ on disk


def rows_key(plan: Plan, others: Sequence[Plan], max_train: int, store: FeatureStore) -> str:
    """Return the key of all rows that go into the models of a plan.

    Of test recordings it holds their content and not what they are.
    """
    seen = store.seen

    def learnt(one: Plan) -> dict[str, Any]:
        return {
            "train": [seen[each.name].key for each in one.train],
            "development": [[seen[each.name].key, each.is_attack] for each in one.development],
        }

    test = [seen[each.name].key for each in plan.test]
    elsewhere = [learnt(other) for other in others]
    return key_of({**learnt(plan), "test": test, "others": elsewhere, "max_train": max_train})


def outcome_key(rows: str, row: Row, config: SelectionConfig) -> str:
    """Return the key of one method's outcome on the rows of one plan."""
    return key_of(
        {
            "format": FORMAT,
            "code": code_digest(),
            "method": row.key,
            "views": list(row.names),
            "manner": vars(config),
            "rows": rows,
        }
    )


class _Document(msgspec.Struct):
    format: int
    enrolled: Enrolled
    parameters: dict[str, Any]
    n_train: int
    notes: tuple[str, ...]
    seconds: float


def keep(cache: Cache, key: str, outcome: Outcome) -> None:
    """Keep an outcome; failures are not kept, since their causes may go away."""
    if outcome.failure:
        return
    document = {
        "format": FORMAT,
        "enrolled": vars(outcome.enrolled),
        "parameters": outcome.parameters,
        "n_train": outcome.n_train,
        "notes": list(outcome.notes),
        "seconds": outcome.seconds,
    }
    cache.store(key, document, {"development": outcome.development, "test": outcome.test})


def kept(cache: Cache, key: str, n_development: int, n_test: int) -> Outcome | None:
    """Return a kept outcome, or None if there is none that fits."""
    found = cache.load(key)
    if found is None or found.tensors.keys() != {"development", "test"}:
        return None
    try:
        document = msgspec.convert(found.document, _Document)
    except msgspec.ValidationError:
        return None
    if document.format != FORMAT:
        return None
    for name, n in (("development", n_development), ("test", n_test)):
        scores = found.tensors[name]
        if scores.shape != (n,) or not np.isfinite(scores).all():
            return None
    values = msgspec.structs.asdict(document)
    del values["format"]
    return Outcome(found.tensors["development"], found.tensors["test"], **values)


@lru_cache(maxsize=1)
def code_digest() -> str:
    """Return a digest of the code that turns rows into scores: a version by hand is forgotten."""
    total = hashlib.sha256(" ".join(metadata.version(name) for name in _LIBRARIES).encode())
    for package, names in _COMPUTES.items():
        for name in names:
            _add(total, resources.files(package) / name)
    for part in sorted(resources.files("lmkl_core").iterdir(), key=lambda each: each.name):
        # What makes views is covered by the keys of these.
        if part.name != "features":
            _add(total, part)
    return total.hexdigest()


def _add(total: Any, part: Traversable) -> None:
    if part.is_dir():
        for inner in sorted(part.iterdir(), key=lambda each: each.name):
            _add(total, inner)
    elif part.name.endswith(".py"):
        total.update(part.name.encode() + b"\0" + part.read_bytes() + b"\0")


# ------------------------------------------------------------------ warnings

_local = threading.local()
_lock = threading.Lock()


class WarningCapture:
    """A context in which this thread's warnings are collected instead of printed.

    `warnings.catch_warnings` is not for threads: two that overlap leave each other's filters
    behind, and a Dask worker runs several tasks at once. So one router stands in for all of them;
    it gives each warning to the thread that caused it.
    """

    _inside = 0
    _context: warnings.catch_warnings | None = None

    def __init__(self) -> None:
        self.messages: list[str] = []

    def __enter__(self) -> "WarningCapture":
        self._before: list[str] | None = getattr(_local, "messages", None)
        _local.messages = self.messages
        with _lock:
            if WarningCapture._inside == 0:
                WarningCapture._context = warnings.catch_warnings()
                WarningCapture._context.__enter__()
                warnings.simplefilter("always")
                _route(warnings.showwarning)
            WarningCapture._inside += 1
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _local.messages = self._before
        with _lock:
            WarningCapture._inside -= 1
            if WarningCapture._inside == 0 and WarningCapture._context is not None:
                WarningCapture._context.__exit__(kind, error, trace)
                WarningCapture._context = None


def _route(others: Any) -> None:
    """Send warnings to the list of the thread they arise in, and all others where they went."""

    def show(message: Warning | str, *arguments: Any, **named: Any) -> None:
        messages: list[str] | None = getattr(_local, "messages", None)
        if messages is None:
            others(message, *arguments, **named)
        else:
            messages.append(str(message))

    warnings.showwarning = show
