"""Every method on every plan: a pure function of arrays, run by joblib and cached on disk.

A task knows which development rows are attacks, because they are used to choose parameters. Of test
rows it gets only the views, so that nothing it does can depend on their class.

Outcomes are cached as they arrive, so that an interrupted evaluation can resume. They hold scores,
not figures, so another threshold rule costs nothing. The key covers the rows, the method, the
options that decide its parameters, and the code, so that a new release never reuses an outcome.
"""

import hashlib
import logging
import shutil
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from importlib import metadata, resources
from itertools import groupby
from operator import itemgetter
from typing import Any, TypeAlias

import msgspec
import numpy as np
from joblib import Parallel, delayed, effective_n_jobs, parallel_config
from numpy.typing import NDArray

from app.evaluation.cache import Cache, add_code, key_of
from app.evaluation.dataset import PlanData, assemble
from app.evaluation.extraction import FeatureStore
from app.evaluation.options import Options, Row
from app.evaluation.parallel import CANCELLED, Cancel, Part, Progress, arriving, captured_warnings
from app.evaluation.protocols.types import Plan
from app.evaluation.selection import choose, scores_of
from app.logs import trace_of
from app.models.summary import CERTIFIED_GAP
from app.storage import OUTCOMES_NAME
from lmkl_core.errors import Cancelled, InvalidInputError, raise_if_cancelled
from lmkl_core.system.processes import preferred_workers

LEAST_FRAMES = 2
"""Fewest training frames of a model."""

FORMAT = 3
"""Increased when the contents of a cached outcome change."""

BATCH_BYTES = 1 << 30
"""Largest size of views of several plans in memory at once."""

TASKS_PER_JOB = 4
"""Tasks submitted together, per job."""

_HASHED_FILES = {
    "app.vision": ("conditions.py",),
    "app.evaluation": (
        "cache.py",
        "dataset.py",
        "options.py",
        "parallel.py",
        "selection.py",
        "task.py",
    ),
}
_LIBRARIES = ("numpy", "scipy", "scikit-learn")

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Enrolled:
    """The model's own threshold, from training frames alone."""

    threshold: float
    origin: str


@dataclass(frozen=True, eq=False)
class Outcome:
    """Scores of one method's development and test rows, and how they were computed.

    ``failure`` says in one sentence why there are none; ``is_enrolled`` is False if there were too
    few training frames.
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
        empty, enrolled = np.empty(0), Enrolled(np.nan, "")
        return cls(empty, empty, enrolled, {}, 0, (), seconds, sentence, is_enrolled)


def work(
    number: int, row: Row, data: PlanData, options: Options, cancel: Cancel | None = None
) -> tuple[int, Outcome]:
    """Choose parameters, fit and score; a failure is an outcome too.

    The number is returned with the outcome, because outcomes arrive in any order.
    """
    if row.names and len(data.train) < LEAST_FRAMES:
        why = (
            f"There are {len(data.train)} training frames with a usable face, but at least "
            f"{LEAST_FRAMES} are needed."
        )
        return number, Outcome.failed(why, is_enrolled=False)
    start = time.perf_counter()
    with captured_warnings() as captured:
        try:
            # The active backend already runs tasks like this one.
            with parallel_config(backend="sequential"):
                outcome = _fitted(row, data, options, cancel)
        except Cancelled:
            raise Cancelled(CANCELLED) from None
        except Exception as error:
            log.info("%s failed: %s", row.key, trace_of(error))
            return number, Outcome.failed(_sentence(error), time.perf_counter() - start)
    notes = tuple(dict.fromkeys((*outcome.notes, *map(_first_line, captured))))
    return number, replace(outcome, notes=notes, seconds=time.perf_counter() - start)


def _fitted(row: Row, data: PlanData, options: Options, cancel: Cancel | None) -> Outcome:
    if not row.names:
        raise InvalidInputError(
            f"The preset has no {row.method.uses} views: choose another preset."
        )
    data = data.of(row.names)
    train, development = data.train, data.development
    choice = choose(row, train, development, data.others, options, cancel)
    raise_if_cancelled(cancel)
    model = row.make(options.seed, choice.parameters).fit(
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
    return (f"The optimum of the fit is not certified: its relative gap is {gap:.1e}.",)


def _first_line(text: str) -> str:
    return text.strip().split("\n")[0]


def _sentence(error: Exception) -> str:
    text = _first_line(str(error)) or type(error).__name__
    if not isinstance(error, ValueError):
        text = f"{type(error).__name__}: {text}"
    return text if text.endswith((".", "!", "?")) else f"{text}."


# ------------------------------------------------------------------ all tasks


Task: TypeAlias = tuple[int, Row, str]
"""The number of a plan, a method, and the key of its outcome."""


def compute(
    plans: Sequence[Plan],
    others: Sequence[Sequence[Plan]],
    rows: Sequence[Row],
    store: FeatureStore,
    options: Options,
    *,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> dict[str, list[Outcome]]:
    """Return every method's outcomes in the order of plans, computing those that are not cached.

    ``others`` holds, for each plan, the plans of other classes used to choose its parameters.
    """
    cache = Cache(OUTCOMES_NAME, options.cache)
    found: dict[tuple[str, int], Outcome] = {}
    missing: list[Task] = []
    for number, plan in enumerate(plans):
        content = rows_key(plan, others[number], store)
        for row in rows:
            raise_if_cancelled(cancel, CANCELLED)
            key = outcome_key(content, row, options)
            outcome = load(cache, key)
            if outcome is None:
                missing.append((number, row, key))
            else:
                found[row.key, number] = outcome
    part = Part(progress, len(missing), "Fitting and scoring")
    with closing(_computed(plans, others, missing, store, options, cancel)) as computed:
        for (number, row, key), outcome in computed:
            store_outcome(cache, key, outcome)
            found[row.key, number] = outcome
            part.step(text=f"Fitting and scoring: {row.title}")
    return {row.key: [found[row.key, number] for number in range(len(plans))] for row in rows}


def _computed(
    plans: Sequence[Plan],
    others: Sequence[Sequence[Plan]],
    tasks: list[Task],
    store: FeatureStore,
    options: Options,
    cancel: Cancel | None,
) -> Generator[tuple[Task, Outcome], None, None]:
    """Yield outcomes as they arrive."""
    if not tasks:
        return
    # Tasks that run in this thread can check for themselves.
    n_at_once = effective_n_jobs(options.n_jobs)
    own_cancel = cancel if n_at_once == 1 else None
    with (
        store.cache.scratch() as scratch,
        Parallel(
            n_jobs=options.n_jobs, prefer=preferred_workers(), return_as="generator_unordered"
        ) as parallel,
    ):

        def batches() -> Iterator[list[tuple[Task, PlanData]]]:
            """Yield tasks with their arrays: enough to keep all jobs busy, within the memory."""
            batch: list[tuple[Task, PlanData]] = []
            size = 0
            for number, group in groupby(tasks, key=itemgetter(0)):
                raise_if_cancelled(cancel, CANCELLED)
                folder = scratch / str(number)
                data = assemble(plans[number], others[number], store, folder)
                batch += [(task, data) for task in group]
                size += data.n_bytes
                if size >= BATCH_BYTES or len(batch) >= TASKS_PER_JOB * n_at_once:
                    yield batch
                    batch, size = [], 0
            if batch:
                yield batch

        for batch in batches():
            jobs = [
                delayed(work)(index, row, data, options, own_cancel)
                for index, ((_, row, _), data) in enumerate(batch)
            ]
            with closing(arriving(parallel, jobs, cancel)) as results:
                for index, outcome in results:
                    yield batch[index][0], outcome
            # Mapped views of many plans would fill the disk.
            for number in {number for (number, _, _), _ in batch}:
                shutil.rmtree(scratch / str(number), ignore_errors=True)


# ------------------------------------------------------------------ on disk


def rows_key(plan: Plan, others: Sequence[Plan], store: FeatureStore) -> str:
    """Return the key of all rows of a plan's models; test rows enter it without their class."""
    seen = store.seen

    def known(plan: Plan) -> dict[str, Any]:
        return {
            "train": [seen[each.name].key for each in plan.train],
            "development": [[seen[each.name].key, each.is_attack] for each in plan.development],
        }

    test = [seen[each.name].key for each in plan.test]
    return key_of({**known(plan), "test": test, "others": [known(other) for other in others]})


def outcome_key(rows: str, row: Row, options: Options) -> str:
    """Return the key of one method's outcome on the rows of one plan."""
    return key_of(
        {
            "format": FORMAT,
            "code": code_digest(),
            "method": row.key,
            "views": list(row.names),
            "options": [options.selection, options.grid, options.seed],
            "rows": rows,
        }
    )


def store_outcome(cache: Cache, key: str, outcome: Outcome) -> None:
    """Cache an outcome, but not a failure, whose cause may go away."""
    if not outcome.failure:
        document = asdict(outcome)
        tensors = {name: document.pop(name) for name in ("development", "test")}
        cache.store(key, document, tensors)


def load(cache: Cache, key: str) -> Outcome | None:
    """Return a cached outcome, or None; its key covers rows and code, so it is valid."""
    entry = cache.load(key)
    if entry is None:
        return None
    document, scores = entry
    return msgspec.convert({**document, **scores}, Outcome)


@lru_cache(maxsize=1)
def code_digest() -> str:
    """Return a digest of the code that turns rows into scores.

    It replaces a version number, which someone would forget to raise.
    """
    total = hashlib.sha256(" ".join(metadata.version(name) for name in _LIBRARIES).encode())
    for package, names in _HASHED_FILES.items():
        for name in names:
            add_code(total, resources.files(package) / name)
    for part in sorted(resources.files("lmkl_core").iterdir(), key=lambda each: each.name):
        # The keys of views cover the code that makes them.
        if part.name != "features":
            add_code(total, part)
    return total.hexdigest()
