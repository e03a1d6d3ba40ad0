"""What was set, in words that a report can print."""

from app.evaluation.extracting import Eyes
from app.evaluation.options import Options
from app.evaluation.selecting import GRID


def settings_of(options: Options, eyes: Eyes, gate: bool) -> dict[str, str]:
    """Return what was set, by name, in the order in which reports tell it."""
    settings = {
        "preset": eyes.extractor.preset.name,
        "views": str(len(eyes.columns)),
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
