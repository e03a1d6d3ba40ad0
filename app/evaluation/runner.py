"""A complete evaluation: views, models, scores, thresholds.

The views of recordings, then every method on every plan, are tasks for joblib's active backend,
which may be a Dask cluster. Results are cached on disk as they finish, so an interrupted run
resumes and gives the same figures.
"""

import contextlib
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from importlib.metadata import version

from app.evaluation.cache import Cache
from app.evaluation.dataset import ScoreTemplate
from app.evaluation.extraction import (
    FeaturePipeline,
    FeatureStore,
    available_preset,
    with_face_descriptors,
)
from app.evaluation.notes import copies, counts, is_left_out, remarks, settings_of
from app.evaluation.options import Options, Row, ThresholdRule, chosen_methods, rows
from app.evaluation.parallel import Cancel, Progress
from app.evaluation.protocols.splits import Database
from app.evaluation.protocols.types import Fold, Layout, Plan
from app.evaluation.result import LEVELS, Evaluation, FoldResult, Level, MethodResult
from app.evaluation.selection import others_of, remarks_on_others
from app.evaluation.task import Enrolled, Outcome, compute
from app.names import counted
from app.storage import FEATURES_NAME, StorageError, remember_cache
from lmkl_core.metrics import ScoreTable, Threshold, threshold_from

GATED = ("plain", "demo")
"""Databases on which the quality gate is on, as in the app."""

MOST_NOTES = 5
"""Notes listed for a fold."""

_NO_MODEL = Threshold(None, "no model")
"""For people who could not be enrolled: none of their presentations has a score."""


def run(
    layout: Layout,
    database: Database,
    options: Options | None = None,
    *,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> Evaluation:
    """Measure methods on a layout.

    ``progress`` reports three parts: looking for views, making views, fitting. ``cancel`` is called
    before every frame and between tasks, and inside tasks that run in this thread; finished parts
    stay on disk. A failed method is in the result, with the reason. Raises `InvalidInputError` if
    methods, preset or layout cannot be used.
    """
    options = options or Options()
    methods = chosen_methods(options.methods)
    layout.check()
    preset, replacement_note = available_preset(database, options)
    gate = layout.database in GATED if options.gate is None else options.gate
    pipeline = FeaturePipeline(
        with_face_descriptors(preset),
        gate=gate,
        progress=progress,
        cancel=cancel,
    )
    if options.cache is not None:
        # "Delete all my data" must find this cache; if it cannot be recorded, go on anyway.
        with contextlib.suppress(StorageError):
            remember_cache(options.cache)
    store = FeatureStore(pipeline, Cache(FEATURES_NAME, options.cache), options.n_frames)
    store.prepare(layout.recordings, n_jobs=options.n_jobs, progress=progress, cancel=cancel)
    table_rows = rows(methods, list(pipeline.columns))
    plans = layout.plans
    others = [_others(plan, plans, layout, options) for plan in plans]
    templates = [
        (ScoreTemplate.of(plan.development, store), ScoreTemplate.of(plan.test, store))
        for plan in plans
    ]
    outcomes = compute(plans, others, table_rows, store, options, progress=progress, cancel=cancel)
    return Evaluation(
        layout=layout,
        table=database.table,
        methods=tuple(
            _result(row, layout, outcomes[row.key], options, store, templates) for row in table_rows
        ),
        settings=settings_of(options, preset, pipeline, gate),
        counts=counts(layout, store),
        notes=(
            *filter(None, [replacement_note]),
            *layout.notes,
            *pipeline.extractor.notes,
            *remarks(store, layout),
            *copies(layout, store),
            *remarks_on_others(plans, others),
        ),
        version=version("lmkl-pad"),
        created=datetime.now().astimezone(),
        is_simulated=layout.database == "demo",
    )


def _others(plan: Plan, plans: list[Plan], layout: Layout, options: Options) -> tuple[Plan, ...]:
    """Return problems of other classes, if they are used to choose the parameters."""
    uses_classes = options.selection in ("auto", "development") and not plan.development
    return others_of(plan, plans) if uses_classes and layout.mode == "one-against-rest" else ()


def _result(
    row: Row,
    layout: Layout,
    outcomes: list[Outcome],
    options: Options,
    store: FeatureStore,
    templates: Sequence[tuple[ScoreTemplate, ScoreTemplate]],
) -> MethodResult:
    seconds = sum(outcome.seconds for outcome in outcomes)
    places = [(fold, plan) for fold in layout.folds for plan in fold.plans]
    for (fold, plan), outcome in zip(places, outcomes, strict=True):
        if outcome.failure and (outcome.is_enrolled or not is_left_out(plan, fold, store)):
            place = f"{plan.name}: " if plan.name and len(outcomes) > 1 else ""
            return MethodResult(row.key, row.title, (), f"{place}{outcome.failure}", seconds)
    folds, at = [], 0
    for fold in layout.folds:
        part = slice(at, at + len(fold.plans))
        folds.append(pooled(fold, outcomes[part], options.rule, templates[part]))
        at = part.stop
    return MethodResult(row.key, row.title, tuple(folds), "", seconds)


# ------------------------------------------------------------------ scores of a fold


def pooled(
    fold: Fold,
    outcomes: Sequence[Outcome],
    rule: ThresholdRule,
    templates: Sequence[tuple[ScoreTemplate, ScoreTemplate]],
) -> FoldResult:
    """Join the test scores of a fold's plans, each with its own thresholds.

    Thresholds are chosen at the level at which they are used, never on test scores. Each plan has
    an outcome and templates for its development and test rows. If a model could not be enrolled,
    the presentations to it are non-responses.
    """
    parts: dict[Level, list[tuple[ScoreTable, Threshold]]] = {level: [] for level in LEVELS}
    for (development_rows, test_rows), outcome in zip(templates, outcomes, strict=True):
        test = test_rows.filled(outcome.test if outcome.is_enrolled else None)
        development = development_rows.filled(outcome.development if outcome.is_enrolled else None)
        for level, found in parts.items():
            threshold = _NO_MODEL
            if outcome.is_enrolled:
                threshold = choose_threshold(rule, development, outcome.enrolled, level)
            found.append((test if level == "frame" else test.by_presentation(), threshold))
    parameters = {
        plan.name: outcome.parameters
        for plan, outcome in zip(fold.plans, outcomes, strict=True)
        if outcome.parameters
    }
    details = parameters, sum(outcome.n_train for outcome in outcomes), _notes(outcomes)
    if len(fold.plans) == 1:
        (frames, of_frames), (_, of_presentations) = parts["frame"][0], parts["presentation"][0]
        return FoldResult(fold.name, frames, of_frames, of_presentations, *details)
    names = [plan.name for plan in fold.plans]
    own = [outcome.enrolled.threshold for outcome in outcomes]
    frames, of_frames = _joined(parts["frame"], own, names)
    presentations, of_presentations = _joined(parts["presentation"], own, names)
    return FoldResult(fold.name, frames, of_frames, of_presentations, *details, presentations)


def _joined(
    parts: Sequence[tuple[ScoreTable, Threshold]], own: Sequence[float], names: Sequence[str]
) -> tuple[ScoreTable, Threshold]:
    """Join tables after subtracting their thresholds from the scores.

    If one has none, the models' own thresholds from enrolment are subtracted instead: unshifted
    scores of several models have no common zero, and their AUC would be meaningless.
    """

    def shifted(zeros: Sequence[float]) -> ScoreTable:
        moved = [table.shifted(-zero) for (table, _), zero in zip(parts, zeros, strict=True)]
        return ScoreTable.joined(moved, names)

    models = [threshold for _, threshold in parts if threshold is not _NO_MODEL]
    # After the colon come numbers of a single model.
    origins = Counter(threshold.origin.partition(":")[0] for threshold in models)
    origin_text = ", or ".join(
        origin if len(origins) == 1 else f"{origin} ({count} models)"
        for origin, count in origins.items()
    )
    if any(threshold.value is None for threshold in models):
        return shifted(own), Threshold(None, origin_text)
    origin_text += f", for each of {counted(len(models), 'model')}; scores are relative to it"
    return shifted([threshold.value or 0.0 for _, threshold in parts]), Threshold(0.0, origin_text)


def _notes(outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """Return each note once, with the number of models it applies to."""
    numbers = Counter(note for outcome in outcomes for note in outcome.notes)
    n = sum(outcome.is_enrolled for outcome in outcomes)
    notes = [note if n == 1 else f"{note} ({k} of {n} models)" for note, k in numbers.items()]
    if len(notes) > MOST_NOTES:
        notes[MOST_NOTES:] = [f"{len(notes) - MOST_NOTES} more notes are not listed."]
    return tuple(notes)


def choose_threshold(
    rule: ThresholdRule, development: ScoreTable, enrolled: Enrolled, level: Level
) -> Threshold:
    """Return a plan's threshold for one level, from development scores by frame.

    The model's own threshold is for frames; it is cautious for presentations, whose means vary
    less.
    """
    table = development if level == "frame" else development.by_presentation()
    by = rule.by
    if by == "auto":
        has_both = len(table.bona_fide) and any(map(len, table.attacks.values()))
        by = "eer" if has_both else "enrolment"
    return threshold_from(
        by,
        table.bona_fide,
        table.attacks,
        target=rule.value if by == "bpcer" else None,
        given=rule.value if by == "given" else None,
        calibration=enrolled,
    )
