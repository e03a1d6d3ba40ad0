"""An evaluation from beginning to end: views, models, scores, thresholds, tables.

Views are made in this process, one recording after the other, since the networks use all cores by
themselves. Then every method on every plan is a task for joblib: whatever backend is active takes
them, a Dask cluster included. Both keep what they finish on disk, so that a run that is broken off,
at whatever point, goes on there the next time and ends with the same figures.
"""

import logging
import tempfile
import warnings
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

from joblib import Parallel, delayed, effective_n_jobs

from app.evaluation.assembling import Material, assemble
from app.evaluation.cache import Cache
from app.evaluation.checking import check, copies, counts, plans_of, recordings_of, remarks
from app.evaluation.extracting import CANCELLED, Eyes, Library
from app.evaluation.methods import Row, chosen_methods, need_descriptors, rows
from app.evaluation.options import Options
from app.evaluation.outcomes import keep, kept, outcome_key
from app.evaluation.pooling import pooled
from app.evaluation.result import Evaluation, MethodResult
from app.evaluation.telling import Cancel, Part, Progress
from app.evaluation.wording import settings_of
from app.evaluation.working import Manner, Outcome, work
from app.protocols.types import Database, Layout, Plan
from app.storage import make_private
from lmkl_core.cancelling import asked_to_stop, raise_if_cancelled
from lmkl_core.errors import Cancelled
from lmkl_core.features.presets import Preset, PresetError, load_preset, with_descriptors

OWN = ("plain", "demo")
"""Databases without a protocol of others, on which the quality gate counts as in the app."""

BATCH_BYTES = 1 << 30
"""Views of several plans are held at the same time up to this size."""

TASKS_A_JOB = 4
"""Tasks that are given out together, for each one that can run at the same time."""


log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Task:
    """One method on one plan; plans are counted over all folds."""

    plan: int
    row: Row
    key: str


def run(
    layout: Layout,
    database: Database,
    options: Options | None = None,
    *,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> Evaluation:
    """Measure methods on a layout.

    Parameters
    ----------
    layout : Layout
        Recordings, and who learns from and is tested on which.
    database : Database
        What is known of where they come from.
    options : Options, optional
        What is measured, and how.
    progress : callable, optional
        Called with what is done, what there is in all, and what is being done. A run has three
        parts (looking for views, making views, fitting), each of which begins with nothing done.
    cancel : callable, optional
        Asked before every frame and between tasks; inside tasks too where they run one after the
        other.

    Returns
    -------
    Evaluation
        A method that failed is in it with the reason.

    Raises
    ------
    InvalidInputError
        If methods, preset or layout cannot be used; `ProtocolError` where it is the layout.
    Cancelled
        If ``cancel`` said so; what was finished is on disk.
    """
    options = options or Options()
    methods = chosen_methods(options.methods)
    check(layout)
    preset = load_preset(options.preset or database.preset)
    if need_descriptors(methods):
        preset = _with_descriptors(preset)
    gate = layout.database in OWN if options.gate is None else options.gate
    eyes = Eyes(preset, gate=gate, weights=options.weights, progress=progress, cancel=cancel)
    library = Library(eyes, Cache("features", options.cache), options.n_frames)
    library.prepare(recordings_of(layout), progress=progress, cancel=cancel)
    lines = rows(methods, list(eyes.columns))
    outcomes = _outcomes(layout, lines, library, options, progress, cancel)
    return Evaluation(
        database=layout.database,
        title=layout.title,
        protocol=layout.protocol,
        mode=layout.mode,
        table=database.table,
        methods=tuple(_line(row, layout, outcomes[row.key], options, library) for row in lines),
        settings=settings_of(options, eyes, gate),
        counts=counts(layout, library),
        notes=(
            *layout.notes,
            *eyes.extractor.notes,
            *remarks(library, options.max_train, layout),
            *copies(layout, library),
        ),
        version=version("lmkl-pad"),
        created=datetime.now().astimezone(),
        is_simulated=layout.database == "demo",
    )


def _with_descriptors(preset: Preset) -> Preset:
    """Add descriptors of the face, or of the picture; a preset that can have none stays."""
    names = [crop.name for crop in preset.crops]
    try:
        return with_descriptors(preset, crop="face" if "face" in names else names[0])
    except PresetError as error:
        log.info("No descriptors: %s", error)
        return preset


def _outcomes(
    layout: Layout,
    lines: tuple[Row, ...],
    library: Library,
    options: Options,
    progress: Progress | None,
    cancel: Cancel | None,
) -> dict[str, list[Outcome]]:
    """Return every method's outcomes in the order of plans, computing those that are not kept."""
    plans = list(plans_of(layout))
    manner = Manner(options.selection, options.grid, options.level, options.seed)
    cache = Cache("outcomes", options.cache)
    found: dict[tuple[str, int], Outcome] = {}
    missing: list[_Task] = []
    for number, plan in enumerate(plans):
        sizes = [
            sum(library.seen[r.name].n_ready for r in p) for p in (plan.development, plan.test)
        ]
        for row in lines:
            raise_if_cancelled(cancel, CANCELLED)
            key = outcome_key(plan, row, manner, options.max_train, library)
            outcome = kept(cache, key, *sizes)
            if outcome is None:
                missing.append(_Task(number, row, key))
            else:
                found[row.key, number] = outcome
    part = Part(progress, len(missing), "Fitting and scoring")
    if missing:
        arriving = _computed(plans, missing, library, options, manner, cancel)
        with closing(arriving):
            for task, outcome in arriving:
                keep(cache, task.key, outcome)
                found[task.row.key, task.plan] = outcome
                part.step(text=f"Fitting and scoring: {task.row.title}")
    return {row.key: [found[row.key, number] for number in range(len(plans))] for row in lines}


def _computed(
    plans: list[Plan],
    tasks: list[_Task],
    library: Library,
    options: Options,
    manner: Manner,
    cancel: Cancel | None,
) -> Generator[tuple[_Task, Outcome], None, None]:
    """Yield outcomes as they arrive."""
    # Where tasks run in this very thread they can ask by themselves.
    n_at_once = effective_n_jobs(options.n_jobs)
    asking = cancel if n_at_once == 1 else None
    done = 0
    folder = library.cache.folder.parent
    make_private(folder)
    with (
        tempfile.TemporaryDirectory(
            prefix="views-", dir=folder, ignore_cleanup_errors=True
        ) as place,
        Parallel(n_jobs=options.n_jobs, return_as="generator_unordered") as parallel,
    ):
        for batch in _batches(plans, tasks, library, options, Path(place), n_at_once, cancel):
            calls = (
                delayed(work)(
                    number,
                    task.row,
                    material.train.of(task.row.names),
                    material.development.of(task.row.names),
                    {name: material.test[name] for name in task.row.names},
                    manner,
                    asking,
                )
                for number, (task, material) in enumerate(batch)
            )
            results = parallel(calls)
            try:
                for number, outcome in results:
                    done += 1
                    yield batch[number][0], outcome
                    if asked_to_stop(cancel) and done < len(tasks):
                        raise Cancelled(CANCELLED)
            finally:
                with warnings.catch_warnings():
                    # Tasks that cancelling abandons are no surprise to who asked for it.
                    warnings.filterwarnings("ignore", ".*still being processed by the workers")
                    results.close()


def _batches(
    plans: list[Plan],
    tasks: list[_Task],
    library: Library,
    options: Options,
    place: Path,
    n_at_once: int,
    cancel: Cancel | None,
) -> Iterator[list[tuple[_Task, Material]]]:
    """Yield tasks with their arrays, so many together that memory suffices and no job idles."""
    batch: list[tuple[_Task, Material]] = []
    size = 0
    by_plan: dict[int, list[_Task]] = {}
    for task in tasks:
        by_plan.setdefault(task.plan, []).append(task)
    for number, group in by_plan.items():
        raise_if_cancelled(cancel, CANCELLED)
        material = assemble(plans[number], library, options.max_train, place / str(number))
        batch += [(task, material) for task in group]
        size += material.n_bytes
        if size >= BATCH_BYTES or len(batch) >= TASKS_A_JOB * n_at_once:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _line(
    row: Row, layout: Layout, outcomes: list[Outcome], options: Options, library: Library
) -> MethodResult:
    """Return one line of the table."""
    seconds = sum(outcome.seconds for outcome in outcomes)
    for plan, outcome in zip(plans_of(layout), outcomes, strict=True):
        if outcome.failure:
            place = f"{plan.name}: " if plan.name and len(outcomes) > 1 else ""
            return MethodResult(row.key, row.title, (), f"{place}{outcome.failure}", seconds)
    folds, at = [], 0
    for fold in layout.folds:
        part = outcomes[at : at + len(fold.plans)]
        folds.append(pooled(fold, part, options.rule, library))
        at += len(fold.plans)
    return MethodResult(row.key, row.title, tuple(folds), "", seconds)
