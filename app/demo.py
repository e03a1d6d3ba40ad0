"""The headless demo: enrol a generated person, fit, and test on takes and attacks never seen.

The recordings are generated (`app.demo_video`), everything after them is what the window does: the
detector, the quality gate, the CNN views, the model and its threshold, the test and its report.
What it shows is that the parts work together; how well real attacks are told apart is another
question.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from app.demo_video import PEOPLE
from app.demo_video.instruments import INSTRUMENTS
from app.demo_video.takes import Take, frames
from app.faces.detector import make_detector
from app.faces.tracking import FaceTracker
from app.models.fitting import fitted
from app.models.model import PadModel
from app.models.summary import CERTIFIED_GAP
from app.observation import observe
from app.pipeline import Pipeline
from app.samples import collect
from app.settings import Settings
from app.shown import BONA_FIDE, Scored
from app.trial import Trial
from app.types import Verdict
from lmkl_core import LocalisedMKL, clopper_pearson
from lmkl_core.features.extractor import Extractor
from lmkl_core.features.presets import DEFAULT_PRESET, load_preset

STATEMENT = "generated recordings of a person who does not exist"

INDEPENDENCE_NOTE = (
    "Intervals are exact (Clopper-Pearson, 95 %) for independent frames; the frames of one take "
    "are far from that. Generated attacks are a proxy for real ones."
)

ENROLLED = ("office", "window", "lamp")
TAKES_PER_CONDITION = 3
NEW = "side"
# Frames of a take, of which every tenth is looked at: three a second.
ENROLLED_FRAMES = 150
TESTED_FRAMES = 120
EVERY = 10

Progress = Callable[[int, int, str], None]
"""Called with steps done, steps in all, and what is being done."""


@dataclass(frozen=True)
class TakeResult:
    """What the model called the frames of one take.

    Attributes
    ----------
    name : str
        The take, or the species of the attack.
    is_attack : bool
        Whether an accepted frame is an error (attack) or a refused one (genuine).
    n : int
        Frames judged.
    n_accepted, n_unfamiliar : int
        Frames with a score at or above the threshold; refused frames that were put down to
        circumstances that had not been enrolled.
    n_unjudged : int
        Frames without a usable face.
    error_interval : tuple of float
        Exact 95 % interval of the error rate.
    """

    name: str
    is_attack: bool
    n: int
    n_accepted: int
    n_unfamiliar: int
    n_unjudged: int
    error_interval: tuple[float, float]

    @property
    def n_errors(self) -> int:
        """Attacks accepted, or genuine frames refused."""
        return self.n_accepted if self.is_attack else self.n - self.n_accepted

    @property
    def error_rate(self) -> float:
        """APCER of an attack, BPCER of a genuine take; 0 where no frame was judged."""
        return self.n_errors / self.n if self.n else 0.0


@dataclass(frozen=True)
class DemoResult:
    """A fitted model and what it said about frames it had not seen."""

    pad: PadModel
    trial: Trial
    seed: int
    n_enrolled: int
    takes: tuple[str, ...]
    results: tuple[TakeResult, ...]

    @property
    def model(self) -> LocalisedMKL:
        """The fitted estimator."""
        return self.pad.estimator

    @property
    def features(self) -> dict[str, Any]:
        """What decides the values of the views."""
        return self.pad.features

    @property
    def is_certified(self) -> bool:
        """Whether the fit's proven distance from the optimum is small enough."""
        return bool(self.model.gap_ <= CERTIFIED_GAP)

    @property
    def kernel_weights(self) -> NDArray[np.float64]:
        """Weights, shape (n_clusters, n_views)."""
        return np.asarray(self.model.kernel_weights_, dtype=float)


def script(seed: int) -> tuple[dict[str, Take], dict[str, Take]]:
    """Return the takes that are enrolled and those that are tested, by name.

    Parameters
    ----------
    seed : int
        Another seed, another person and other takes.
    """
    person = PEOPLE[seed % len(PEOPLE)]
    today, another_day = 2 * seed, 2 * seed + 1

    def take(condition: str, number: int, instrument: str | None = None) -> Take:
        kind: Literal["bonafide", "attack"] = "bonafide" if instrument is None else "attack"
        return Take(person, kind, instrument, condition, number, TESTED_FRAMES, today)

    enrolled = {
        f"{name} {number}": replace(take(name, number), n_frames=ENROLLED_FRAMES)
        for name in ENROLLED
        for number in range(1, TAKES_PER_CONDITION + 1)
    }
    tested = {f"{name}, again": take(name, 11) for name in ENROLLED}
    tested[f"{ENROLLED[0]}, another day"] = replace(take(ENROLLED[0], 11), session=another_day)
    tested[f"{NEW}, not enrolled"] = take(NEW, 11)
    for number, instrument in enumerate(INSTRUMENTS):
        tested[instrument] = take(ENROLLED[number % len(ENROLLED)], 21, instrument)
    return enrolled, tested


def run(seed: int = 0, progress: Progress | None = None) -> DemoResult:
    """Record takes, fit the default model on the enrolled ones, test on the rest.

    Parameters
    ----------
    seed : int
        Seed of the recordings and of the model.
    progress : callable, optional
        Told of every step.

    Returns
    -------
    DemoResult
        The model and what it called every take.
    """
    enrolled, tested = script(seed)
    n_frames = sum(take.n_frames // EVERY for take in (*enrolled.values(), *tested.values()))
    done = 0

    def tell(text: str) -> None:
        if progress is not None:
            progress(done, n_frames, text)

    def step(text: str) -> None:
        nonlocal done
        done += 1
        tell(text)

    tell("preparing the networks, which takes a minute the first time")
    extractor = Extractor(load_preset(DEFAULT_PRESET))
    pipeline = Pipeline(extractor, FaceTracker(make_detector()))
    genuine = collect(
        pipeline,
        {name: frames(take, EVERY) for name, take in enrolled.items()},
        progress=lambda _, name: step(f"enrolling {name}"),
    )
    tell("fitting")
    model = fitted(genuine, Settings(), extractor.fingerprint(), is_simulated=True)
    trial, results = Trial(), []
    trial.use_model(model.digest)
    for name, take in tested.items():
        seen = _test(pipeline, model, trial, take, partial(step, f"testing {name}"))
        results.append(_counted(name, seen, is_attack=take.kind == "attack"))
    return DemoResult(
        pad=model,
        trial=trial,
        seed=seed,
        n_enrolled=len(genuine),
        takes=tuple(enrolled),
        results=tuple(results),
    )


def _test(
    pipeline: Pipeline, model: PadModel, trial: Trial, take: Take, step: Callable[[], None]
) -> list[Scored]:
    """Present a take as the window's guided test would, and return its frames as judged."""
    pipeline.reset()
    species = BONA_FIDE if take.instrument is None else take.instrument
    trial.start(species, is_simulated=True)
    seen = []
    for frame in frames(take, EVERY):
        scored = observe(pipeline, model, frame).scored
        trial.offer(scored)
        seen.append(scored)
        step()
    trial.finish()
    return seen


def _counted(name: str, seen: list[Scored], *, is_attack: bool) -> TakeResult:
    verdicts = [scored.verdict for scored in seen if scored.score is not None]
    n, n_accepted = len(verdicts), verdicts.count(Verdict.GENUINE)
    n_errors = n_accepted if is_attack else n - n_accepted
    low, high = clopper_pearson(n_errors, n, confidence=0.95) if n else (0.0, 1.0)
    n_unfamiliar = verdicts.count(Verdict.UNFAMILIAR)
    interval = (float(low), float(high))
    return TakeResult(name, is_attack, n, n_accepted, n_unfamiliar, len(seen) - n, interval)


def as_json(result: DemoResult) -> dict[str, Any]:
    """Return the demo's figures as plain JSON values.

    Parameters
    ----------
    result : DemoResult
        What :func:`run` returned.

    Returns
    -------
    dict
        Numbers and strings only; rates are fractions, not percentages.
    """
    calibration = result.model.calibration_
    return {
        "data": STATEMENT,
        "seed": result.seed,
        "features": result.features,
        "enrolled": {"n": result.n_enrolled, "takes": list(result.takes)},
        "views": [str(name) for name in result.model.view_names_],
        "kernel_weights": result.kernel_weights.tolist(),
        "relative_gap": float(result.model.gap_),
        "certified": result.is_certified,
        "threshold": {
            "value": float(calibration.threshold),
            "target_bpcer": float(calibration.target_bpcer),
            "bpcer": float(calibration.bpcer),
            "bpcer_interval": [float(end) for end in calibration.interval],
            "n_scores": int(calibration.n_scores),
            "n_effective": float(calibration.n_effective),
            "n_blocks": int(calibration.n_blocks),
            "n_takes": int(calibration.n_takes),
            "promised": bool(calibration.promised),
            "stress_bpcer": float(calibration.stress_bpcer),
            "stress_bpcer_interval": [float(end) for end in calibration.stress_interval],
            "origin": str(calibration.origin),
            "statement": str(calibration.statement),
        },
        "results": [
            {
                "name": item.name,
                "is_attack": item.is_attack,
                "n": item.n,
                "n_accepted": item.n_accepted,
                "n_unfamiliar": item.n_unfamiliar,
                "n_unjudged": item.n_unjudged,
                "error_rate": item.error_rate,
                "error_interval": list(item.error_interval),
            }
            for item in result.results
        ],
        "note": INDEPENDENCE_NOTE,
    }
