"""Every method on every plan, through joblib; outcomes are kept as they arrive."""

import shutil
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from joblib import Parallel, delayed, effective_n_jobs

from app.evaluation.cache import Cache
from app.evaluation.dataset import PlanData, assemble
from app.evaluation.extraction import FeatureStore
from app.evaluation.methods import Row
from app.evaluation.options import Options
from app.evaluation.progress import CANCELLED, Cancel, Part, Progress, arriving
from app.evaluation.protocols.types import Plan
from app.evaluation.selection import SelectionConfig
from app.evaluation.task import Outcome, keep, kept, outcome_key, rows_key, work
from app.storage import OUTCOMES_NAME
from lmkl_core.errors import raise_if_cancelled
from lmkl_core.system.processes import preferred_workers

BATCH_BYTES = 1 << 30
"""Views of several plans are held at the same time up to this size."""

TASKS_A_JOB = 4
"""Tasks that are given out together, for each one that can run at the same time."""


@dataclass(frozen=True)
class _Task:
    """One method on one plan, by the plan's number."""

    plan: int
    row: Row
    key: str


def compute(
    plans: Sequence[Plan],
    others: Sequence[Sequence[Plan]],
    lines: Sequence[Row],
    store: FeatureStore,
    options: Options,
    *,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> dict[str, list[Outcome]]:
    """Return every method's outcomes in the order of plans, computing those that are not kept.

    ``others`` holds, for each plan, those of other classes by which its parameters are chosen.
    """
    config = SelectionConfig(options.selection, options.grid, options.level, options.seed)
    cache = Cache(OUTCOMES_NAME, options.cache)
    found: dict[tuple[str, int], Outcome] = {}
    missing: list[_Task] = []
    for number, plan in enumerate(plans):
        sizes = [store.n_ready(part) for part in (plan.development, plan.test)]
        content = rows_key(plan, others[number], options.max_train, store)
        for row in lines:
            raise_if_cancelled(cancel, CANCELLED)
            key = outcome_key(content, row, config)
            outcome = kept(cache, key, *sizes)
            if outcome is None:
                missing.append(_Task(number, row, key))
            else:
                found[row.key, number] = outcome
    part = Part(progress, len(missing), "Fitting and scoring")
    with closing(_computed(plans, others, missing, store, options, config, cancel)) as computed:
        for task, outcome in computed:
            keep(cache, task.key, outcome)
            found[task.row.key, task.plan] = outcome
            part.step(text=f"Fitting and scoring: {task.row.title}")
    return {row.key: [found[row.key, number] for number in range(len(plans))] for row in lines}


def _computed(
    plans: Sequence[Plan],
    others: Sequence[Sequence[Plan]],
    tasks: list[_Task],
    store: FeatureStore,
    options: Options,
    config: SelectionConfig,
    cancel: Cancel | None,
) -> Generator[tuple[_Task, Outcome], None, None]:
    """Yield outcomes as they arrive."""
    if not tasks:
        return
    # Where tasks run in this very thread they can ask by themselves.
    n_at_once = effective_n_jobs(options.n_jobs)
    asking = cancel if n_at_once == 1 else None
    with (
        store.cache.scratch() as place,
        Parallel(
            n_jobs=options.n_jobs, prefer=preferred_workers(), return_as="generator_unordered"
        ) as parallel,
    ):

        def data_of(number: int) -> PlanData:
            raise_if_cancelled(cancel, CANCELLED)
            room = place / str(number)
            return assemble(plans[number], others[number], store, options.max_train, room)

        for batch in _batches(tasks, data_of, TASKS_A_JOB * n_at_once):
            jobs = [
                delayed(work)(number, task.row, data, config, asking)
                for number, (task, data) in enumerate(batch)
            ]
            with closing(arriving(parallel, jobs, cancel)) as results:
                for number, outcome in results:
                    yield batch[number][0], outcome
            # Mapped views of many plans would fill the disk.
            for number in {task.plan for task, _ in batch}:
                shutil.rmtree(place / str(number), ignore_errors=True)


def _batches(
    tasks: list[_Task], data_of: Callable[[int], PlanData], enough: int
) -> Iterator[list[tuple[_Task, PlanData]]]:
    """Yield tasks with their arrays: so many together that no job idles and memory suffices."""
    by_plan: dict[int, list[_Task]] = {}
    for task in tasks:
        by_plan.setdefault(task.plan, []).append(task)
    batch: list[tuple[_Task, PlanData]] = []
    size = 0
    for number, group in by_plan.items():
        data = data_of(number)
        batch += [(task, data) for task in group]
        size += data.n_bytes
        if size >= BATCH_BYTES or len(batch) >= enough:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
