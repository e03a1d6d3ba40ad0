"""Settings, counts and remarks of an evaluation, for reports."""

from collections import Counter

from app.evaluation.dataset import MAX_TRAIN
from app.evaluation.extraction import FeaturePipeline, FeatureStore
from app.evaluation.options import Options
from app.evaluation.protocols.types import PARTS, Fold, Layout, Plan
from app.evaluation.selection import GRID
from app.evaluation.task import LEAST_FRAMES
from app.names import counted, listed
from lmkl_core.baselines.registry import HAND_MADE
from lmkl_core.features.presets import Preset


def settings_of(
    options: Options, preset: Preset, pipeline: FeaturePipeline, gate: bool
) -> dict[str, str]:
    """Return the settings by name, in the order of reports."""
    endings = tuple(f"/{name}" for name in HAND_MADE)
    descriptors = [name for name in pipeline.columns if name.endswith(endings)]
    views = f"{len(pipeline.columns) - len(descriptors)} of networks"
    if descriptors:
        views += f"; {' and '.join(descriptors)} for the methods named after them"
    settings = {
        "preset": preset.name,
        "views": views,
        "frames a recording": str(options.n_frames),
        "training frames a model, at most": str(MAX_TRAIN),
        "selection": _selection(options),
        "threshold": _threshold(options),
        "level": "presentation",
        "seed": str(options.seed),
    }
    if pipeline.needs_face:
        settings["face detector"] = pipeline.detector.name
        settings["quality gate"] = (
            "refused frames are non-responses" if gate else "none: every face found is scored"
        )
    return settings


def _selection(options: Options) -> str:
    deltas, exponents = GRID[options.grid]
    cells = f"{len(deltas) * len(exponents) ** 2} cells of delta, p and q"
    development = (
        f"on development data, as in the paper: the largest AUC over presentations of {cells} "
        "(or of a method's own grid), ties to the smoother model"
    )
    alone = f"on bona fide training frames alone: novelty radius over {cells}"
    return {
        "development": development,
        "bona-fide": alone,
        "none": "none: the methods' defaults",
        "auto": f"{development}; without development data of both classes, {alone}",
    }[options.selection]


def _threshold(options: Options) -> str:
    rule = options.rule
    return {
        "eer": "equal errors on the development data",
        "bpcer": f"a BPCER of at most {100 * (rule.value or 0):g} % on the development data",
        "given": f"given: {rule.value}",
        "enrolment": "the models' own, from left-out training frames",
        "auto": "equal errors on the development data; without both classes there, the models' "
        "own, from left-out training frames",
    }[rule.by]


def counts(layout: Layout, store: FeatureStore) -> dict[str, int]:
    """Count recordings and frames by split and kind, each recording once per split."""
    total: dict[str, int] = {}
    for part in PARTS:
        # A recording may be genuine for one class and novel for another.
        once = {
            (each.name, each.is_attack): store.seen[each.name]
            for plan in layout.plans
            for each in getattr(plan, part)
        }
        for kind, is_attack in (("bona fide", False), ("attack", True)):
            seen = [each for (_, attack), each in once.items() if attack == is_attack]
            if not seen:
                continue
            total[f"{part} {kind} recordings"] = len(seen)
            total[f"{part} {kind} frames"] = sum(len(each.ready) for each in seen)
            total[f"{part} {kind} frames with views"] = sum(each.n_ready for each in seen)
    return total


def copies(layout: Layout, store: FeatureStore) -> list[str]:
    """Warn about test recordings with the content of a training or development recording."""
    found: dict[str, None] = {}
    for plan in layout.plans:
        known = {store.seen[each.name].key for each in (*plan.train, *plan.development)}
        for recording in plan.test:
            key = store.seen[recording.name].key
            if key and key in known:
                found[recording.name] = None
    if not found:
        return []
    are = "test recording is a copy" if len(found) == 1 else "test recordings are copies"
    return [
        f"{len(found)} {are} of a training or development recording, such as "
        f"{next(iter(found))}: the figures are too optimistic."
    ]


def is_left_out(plan: Plan, fold: Fold, store: FeatureStore) -> bool:
    """Whether a person cannot be enrolled while others of the fold can.

    If so, that person's test presentations are non-responses.
    """

    def has_enough(plan: Plan) -> bool:
        return store.n_ready(plan.train) >= LEAST_FRAMES

    return not has_enough(plan) and any(map(has_enough, fold.plans))


def remarks(store: FeatureStore, layout: Layout) -> list[str]:
    """List lost recordings, frames and people, and say if frames were thinned out."""
    found = []
    unreadable = [name for name, seen in store.seen.items() if seen.problem]
    if unreadable:
        found.append(
            f"{counted(len(unreadable), 'recording')} could not be read and count as "
            f"non-responses, such as {unreadable[0]}."
        )
    reasons = sum((seen.reasons for seen in store.seen.values()), Counter[str]())
    if without := sum(len(seen.ready) - seen.n_ready for seen in store.seen.values()):
        total = sum(len(seen.ready) for seen in store.seen.values())
        ((reason, number),) = reasons.most_common(1)
        found.append(
            f"{without} of {total} frames gave no views and count as non-responses; the most "
            f"frequent reason ({number} frames): {reason}"
        )
    left_out = list(
        dict.fromkeys(
            plan.name
            for fold in layout.folds
            for plan in fold.plans
            if is_left_out(plan, fold, store)
        )
    )
    if left_out:
        found.append(
            f"{listed(left_out, most=4)} could not be enrolled: too few training frames have a "
            "usable face, so their test presentations count as non-responses."
        )
    largest = max(store.n_ready(plan.train) for plan in layout.plans)
    if largest > MAX_TRAIN:
        found.append(
            f"Training frames were thinned out evenly to {MAX_TRAIN} per model, from up to "
            f"{largest}."
        )
    return found
