"""The headless demo: enrol generated takes, fit, and test on what was not enrolled."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.demo_views import STATEMENT, Take, generate, stack
from lmkl_core import LocalisedMKL, clopper_pearson

# A fit that stops above this relative gap is reported as not certified.
CERTIFIED_GAP = 1e-6

INDEPENDENCE_NOTE = (
    "Intervals are exact (Clopper-Pearson, 95 %) for independent samples; "
    "neighbouring samples of one take are not quite that."
)


@dataclass(frozen=True)
class TakeResult:
    """How many samples of one take the model let through.

    Attributes
    ----------
    name : str
        The take, or the kind of attack.
    is_attack : bool
        Whether an accepted sample is an error (attack) or a refused one (genuine).
    n, n_accepted : int
        Samples presented and samples with a score at or above the threshold.
    error_interval : tuple of float
        Exact 95 % interval of the error rate.
    """

    name: str
    is_attack: bool
    n: int
    n_accepted: int
    error_interval: tuple[float, float]

    @property
    def n_errors(self) -> int:
        """Attacks accepted, or genuine samples refused."""
        return self.n_accepted if self.is_attack else self.n - self.n_accepted

    @property
    def error_rate(self) -> float:
        """APCER of an attack, BPCER of a genuine take."""
        return self.n_errors / self.n


@dataclass(frozen=True)
class DemoResult:
    """A fitted model and what it said about samples it had not seen."""

    model: LocalisedMKL
    seed: int
    n_enrolled: int
    takes: tuple[str, ...]
    results: tuple[TakeResult, ...]

    @property
    def is_certified(self) -> bool:
        """Whether the fit's proven distance from the optimum is small enough."""
        return bool(self.model.gap_ <= CERTIFIED_GAP)

    @property
    def kernel_weights(self) -> NDArray[np.float64]:
        """Weights, shape (n_clusters, n_views)."""
        return np.asarray(self.model.kernel_weights_, dtype=float)


def run(seed: int = 0) -> DemoResult:
    """Generate takes, fit the default model on the enrolled ones, test on the rest.

    Parameters
    ----------
    seed : int
        Seed of the generated vectors and of the model.

    Returns
    -------
    DemoResult
        The model and its accept and refuse counts, take by take.
    """
    data = generate(seed)
    views, takes = stack(data.enrolled)
    model = LocalisedMKL(random_state=seed).fit(views, groups=takes)
    results = [_judge(model, take, is_attack=False) for take in data.held_out]
    results += [_judge(model, take, is_attack=True) for take in data.attacks]
    return DemoResult(
        model=model,
        seed=seed,
        n_enrolled=len(takes),
        takes=tuple(take.name for take in data.enrolled),
        results=tuple(results),
    )


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
                "error_rate": item.error_rate,
                "error_interval": list(item.error_interval),
            }
            for item in result.results
        ],
        "note": INDEPENDENCE_NOTE,
    }


def _judge(model: LocalisedMKL, take: Take, *, is_attack: bool) -> TakeResult:
    n = len(take)
    n_accepted = int(np.count_nonzero(model.predict(take.views) == 1))
    n_errors = n_accepted if is_attack else n - n_accepted
    low, high = clopper_pearson(n_errors, n, confidence=0.95)
    return TakeResult(take.name, is_attack, n, n_accepted, (float(low), float(high)))
