"""What was set, in words that a report can print."""

from app.evaluation.extracting import Eyes
from app.evaluation.options import Options
from app.evaluation.selecting import GRID
from lmkl_core.baselines.registry import HAND_MADE
from lmkl_core.features.presets import Preset

HAND_MADE_ENDINGS = tuple(f"/{name}" for name in HAND_MADE)


def settings_of(options: Options, preset: Preset, eyes: Eyes, gate: bool) -> dict[str, str]:
    """Return what was set, by name, in the order in which reports tell it."""
    by_hand = [name for name in eyes.columns if name.endswith(HAND_MADE_ENDINGS)]
    views = f"{len(eyes.columns) - len(by_hand)} of networks"
    if by_hand:
        views += f"; {' and '.join(by_hand)} for the methods named after them"
    settings = {
        "preset": preset.name,
        "views": views,
        "frames a recording": str(options.n_frames),
        "training frames a model, at most": str(options.max_train),
        "selection": selection_in_words(options),
        "threshold": threshold_in_words(options),
        "level": options.level,
        "seed": str(options.seed),
    }
    if eyes.needs_face:
        settings["face detector"] = eyes.detector.name
        settings["quality gate"] = (
            "refused frames are non-responses" if gate else "none: every face found is scored"
        )
    return settings


def selection_in_words(options: Options) -> str:
    """Say how parameters were chosen."""
    deltas, exponents = GRID[options.grid]
    cells = f"{len(deltas) * len(exponents) ** 2} cells of delta, p and q"
    development = (
        f"on development data, as the paper does: the largest AUC over {options.level}s of {cells} "
        "(or of a method's own grid), ties to the smoother model"
    )
    alone = f"on bona fide training frames alone: novelty radius over {cells}"
    return {
        "development": development,
        "bona-fide": alone,
        "none": "none: the methods' defaults",
        "auto": f"{development}; without development data of both classes, {alone}",
    }[options.selection]


def threshold_in_words(options: Options) -> str:
    """Say how thresholds were chosen; results tell what came of it for each."""
    rule = options.rule
    return {
        "eer": "equal errors on the development data",
        "bpcer": f"a BPCER of at most {100 * (rule.value or 0):g} % on the development data",
        "given": f"given: {rule.value}",
        "enrolment": "the models' own, from left-out training frames",
        "auto": "equal errors on the development data; without both classes there, the models' "
        "own, from left-out training frames",
    }[rule.by]
