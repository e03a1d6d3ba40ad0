"""An evaluation from beginning to end: views, models, scores, thresholds, tables.

Views of recordings, and then every method on every plan, are tasks for joblib: whatever backend is
active takes them, a Dask cluster included. Both keep what they finish on disk, so that a run that
is interrupted at any point goes on there the next time and ends with the same figures.
"""

import contextlib
import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from importlib.metadata import version

from app.evaluation.cache import Cache
from app.evaluation.computing import compute
from app.evaluation.dataset import ScoreTemplate
from app.evaluation.extraction import FeaturePipeline, FeatureStore
from app.evaluation.methods import Row, chosen_methods, rows
from app.evaluation.notes import (
    PARTS,
    copies,
    counts,
    is_left_out,
    remarks,
    settings_of,
)
from app.evaluation.options import Options
from app.evaluation.pooling import pooled
from app.evaluation.progress import Cancel, Progress
from app.evaluation.protocols.splits import Database
from app.evaluation.protocols.types import Layout, Plan, ProtocolError, Recording
from app.evaluation.result import Evaluation, MethodResult
from app.evaluation.selection import others_of, remarks_on_others
from app.evaluation.task import Outcome
from app.logs import way_of
from app.storage import FEATURES_NAME, StorageError, remember_cache
from lmkl_core.features.engines.engine import EngineError
from lmkl_core.features.extractor import check_torch
from lmkl_core.features.presets import (
    DEFAULT_PRESET,
    Crop,
    Preset,
    PresetError,
    load_preset,
    with_descriptors,
)
from lmkl_core.features.weights import MissingWeightsError, find

OWN = ("plain", "demo")
"""Databases without a protocol of others, on which the quality gate counts as in the app."""

log = logging.getLogger(__name__)


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
        Where they come from.
    options : Options, optional
        What is measured, and how.
    progress : callable, optional
        Called with the number of steps done, their total, and what is being done. A run has three
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
    preset, instead = available_preset(database, options)
    gate = layout.database in OWN if options.gate is None else options.gate
    pipeline = FeaturePipeline(
        _with_descriptors(preset),
        gate=gate,
        weights=options.weights,
        progress=progress,
        cancel=cancel,
    )
    if options.cache is not None:
        # Deleting all of a person's data must find it; where nothing can be noted, nothing is
        # deleted from there either.
        with contextlib.suppress(StorageError):
            remember_cache(options.cache)
    store = FeatureStore(pipeline, Cache(FEATURES_NAME, options.cache), options.n_frames)
    store.prepare(recordings_of(layout), n_jobs=options.n_jobs, progress=progress, cancel=cancel)
    lines = rows(methods, list(pipeline.columns))
    plans = layout.plans
    others = [_others(plan, plans, layout, options) for plan in plans]
    templates = [
        (ScoreTemplate.of(plan.development, store), ScoreTemplate.of(plan.test, store))
        for plan in plans
    ]
    outcomes = compute(plans, others, lines, store, options, progress=progress, cancel=cancel)
    return Evaluation(
        database=layout.database,
        title=layout.title,
        protocol=layout.protocol,
        mode=layout.mode,
        table=database.table,
        methods=tuple(
            _result(row, layout, outcomes[row.key], options, store, templates) for row in lines
        ),
        settings=settings_of(options, preset, pipeline, gate),
        counts=counts(layout, store),
        notes=(
            *((instead,) if instead else ()),
            *layout.notes,
            *pipeline.extractor.notes,
            *remarks(store, options.max_train, layout),
            *copies(layout, store),
            *remarks_on_others(plans, others),
        ),
        version=version("lmkl-pad"),
        created=datetime.now().astimezone(),
        is_simulated=layout.database == "demo",
        recordings=layout.counts,
        missing=layout.missing,
        passed_over=layout.passed_over,
    )


def recordings_of(layout: Layout) -> list[Recording]:
    """Return every recording once, in the order in which they are needed."""
    found: dict[str, Recording] = {}
    for plan in layout.plans:
        for recording in (*plan.train, *plan.development, *plan.test):
            found.setdefault(recording.name, recording)
    return list(found.values())


def check(layout: Layout) -> None:
    """Refuse a layout on which figures would mean nothing.

    Raises
    ------
    ProtocolError
        If a model would be tested on what it has learnt from, or on what its parameters and
        threshold were chosen by; if it would learn from attacks; or if there is nothing to learn
        from or to be tested on.
    """
    if not layout.plans:
        raise ProtocolError(f"{layout.title} was laid out without anything to measure.")
    if len({fold.name for fold in layout.folds}) < len(layout.folds):
        raise ProtocolError(f"Folds of {layout.title} share a name: name each its own.")
    for fold in layout.folds:
        place = f"fold {fold.name}" if fold.name else "the only fold"
        if len({plan.name for plan in fold.plans}) < len(fold.plans):
            raise ProtocolError(f"Plans of {place} share a name: name each its own.")
        for plan in fold.plans:
            _check(plan, f"{place}, {plan.name}" if plan.name else place)


def _check(plan: Plan, place: str) -> None:
    if not plan.train or not plan.test:
        missing = "learn from" if not plan.train else "test on"
        raise ProtocolError(f"There is nothing to {missing} in {place}: add recordings.")
    names = {part: {each.name for each in getattr(plan, part)} for part in PARTS}
    for one, other in (("train", "test"), ("development", "test"), ("train", "development")):
        if shared := sorted(names[one] & names[other]):
            raise ProtocolError(
                f"{shared[0]} is in {one} and in {other} of {place}: a recording belongs to one."
            )
    for recording in plan.train:
        if recording.is_attack:
            raise ProtocolError(
                f"{recording.name} is an attack in train of {place}: models learn from bona fide "
                "recordings alone."
            )


def available_preset(database: Database, options: Options) -> tuple[Preset, str]:
    """Return the preset to use, and a sentence where it is not the database's own.

    The database's preset is taken unless another is asked for, or its networks cannot be used
    here.

    Raises
    ------
    MissingWeightsError, EngineError
        If the networks of a preset that was insisted on cannot be used here.
    """
    preset = load_preset(options.preset or database.preset)
    try:
        check_torch(preset)
        for name in preset.networks:
            find(name, options.weights)
    except (MissingWeightsError, EngineError) as error:
        if options.preset or options.paper_views or preset.name == DEFAULT_PRESET:
            raise
        way = f"`lmkl-pad weights fetch --preset {preset.name}` gets their networks."
        if isinstance(error, EngineError):
            way = str(error)
        other = load_preset(DEFAULT_PRESET)
        if all(crop.of == "image" for crop in preset.crops):
            other = _of_whole_pictures(other)
        return other, (
            f"The paper's views ({preset.name}) cannot be made on this computer, so the views are "
            f"those of the preset {other.name}. {way} `--paper-views` stops instead."
        )
    return preset, ""


def _of_whole_pictures(preset: Preset) -> Preset:
    """Return the networks and layers of a preset on whole pictures: objects have no faces."""
    crop = Crop("image", preset.crops[0].size, of="image")
    branches = tuple(replace(branch, crops=(crop.name,)) for branch in preset.branches)
    return replace(preset, name=f"{preset.name}-image", crops=(crop,), branches=branches)


def _with_descriptors(preset: Preset) -> Preset:
    """Add descriptors of the face, or of the picture; a preset that can have none stays.

    They are made whether or not a method uses them: they cost little beside the networks, and views
    made for some methods then serve all others.
    """
    has_face = any(crop.of == "face" for crop in preset.crops)
    try:
        return with_descriptors(preset, crop="face" if has_face else preset.crops[0].name)
    except PresetError as error:
        log.info("No descriptors: %s", way_of(error))
        return preset


def _others(plan: Plan, plans: list[Plan], layout: Layout, options: Options) -> tuple[Plan, ...]:
    """Return problems of other classes where parameters are to be chosen by these."""
    wanted = options.selection in ("auto", "development") and not plan.development
    return others_of(plan, plans) if wanted and layout.mode == "one-against-rest" else ()


def _result(
    row: Row,
    layout: Layout,
    outcomes: list[Outcome],
    options: Options,
    store: FeatureStore,
    templates: Sequence[tuple[ScoreTemplate, ScoreTemplate]],
) -> MethodResult:
    """Return one row of the table."""
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
