"""What the headless demo found, in numbers and words."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.demo.renderer.takes import Take
from app.models.model import PadModel
from app.models.summary import CERTIFIED_GAP
from app.session.guided_test.presentation import Presentation
from app.session.guided_test.trial import Trial
from app.types import Verdict
from lmkl_core import LocalisedMKL
from lmkl_core.metrics import Rate

STATEMENT = "generated recordings of a person who does not exist"

INDEPENDENCE_NOTE = (
    "Intervals are exact (Clopper-Pearson, 95 %) for independent presentations. Each of these is a "
    "recording of its own, but all show one generated person before one generated camera, and "
    "generated attacks are a proxy for real ones."
)


@dataclass(frozen=True)
class Presented:
    """A presentation with what was presented.

    ``group`` says it for people; presentations of one group differ in nothing but the recording.
    """

    group: str
    take: Take
    presentation: Presentation


@dataclass(frozen=True)
class GroupResult:
    """What the model called the presentations of one group.

    Attributes
    ----------
    name : str
        The light and the session, or the species of the attack.
    is_attack : bool
        Whether accepting is an error (attack) or refusing (genuine).
    presentations : tuple of Presentation
        In their order.
    """

    name: str
    is_attack: bool
    presentations: tuple[Presentation, ...]

    @property
    def n(self) -> int:
        """Number of presentations."""
        return len(self.presentations)

    @property
    def n_accepted(self) -> int:
        """Presentations whose mean score reaches the threshold."""
        return self._called(Verdict.GENUINE)

    @property
    def n_refused(self) -> int:
        """Presentations whose mean score stays below the threshold."""
        return sum(one.verdict.refuses for one in self.presentations)

    @property
    def n_unfamiliar(self) -> int:
        """Those of the refused whose light had not been enrolled."""
        return self._called(Verdict.UNFAMILIAR)

    @property
    def n_no_response(self) -> int:
        """Presentations without a usable face."""
        return self.n - self.n_accepted - self.n_refused

    @property
    def errors(self) -> Rate:
        """APCER of attacks, BPCER of genuine presentations, with its exact interval."""
        n_errors = self.n_accepted if self.is_attack else self.n_refused
        return Rate(n_errors, self.n_accepted + self.n_refused)

    @property
    def n_frames(self) -> int:
        """Frames with a score."""
        return sum(len(one.scores) for one in self.presentations)

    @property
    def n_frames_accepted(self) -> int:
        """Frames with a score at or above the threshold."""
        return sum(
            frame.verdict is Verdict.GENUINE for one in self.presentations for frame in one.frames
        )

    def _called(self, verdict: Verdict) -> int:
        return sum(one.verdict is verdict for one in self.presentations)


@dataclass(frozen=True)
class DemoResult:
    """A fitted model and what it said about recordings it had not seen."""

    pad: PadModel
    trial: Trial
    seed: int
    n_enrolled: int
    takes: tuple[str, ...]
    presented: tuple[Presented, ...]

    @property
    def results(self) -> tuple[GroupResult, ...]:
        """What became of every group, in the order of their first presentations."""
        groups: dict[str, list[Presented]] = {}
        for one in self.presented:
            groups.setdefault(one.group, []).append(one)
        return tuple(
            GroupResult(
                name, members[0].take.kind == "attack", tuple(one.presentation for one in members)
            )
            for name, members in groups.items()
        )

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


def conditions_of(result: DemoResult) -> str:
    """Say in words what varied between the presentations.

    Parameters
    ----------
    result : DemoResult
        What `app.demo.run.run` returned.
    """
    genuine = [f"{item.n} × {item.name}" for item in result.results if not item.is_attack]
    lights = dict.fromkeys(
        one.take.condition for one in result.presented if one.take.kind == "attack"
    )
    return f"Bona fide: {'; '.join(genuine)}. Attacks: in {', '.join(lights)} light, in turn."


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
        "model_digest": result.pad.digest,
        "enrolled": {"n": result.n_enrolled, "takes": list(result.takes)},
        "views": [str(name) for name in result.model.view_names_],
        "kernel_weights": result.kernel_weights.tolist(),
        "relative_gap": float(result.model.gap_),
        "certified": result.is_certified,
        "threshold": {
            "value": float(calibration.threshold),
            "target_bpcer": calibration.target_bpcer,
            "bpcer": float(calibration.bpcer),
            "bpcer_interval": [float(end) for end in calibration.interval],
            "n_scores": int(calibration.n_scores),
            "n_effective": float(calibration.n_effective),
            "n_blocks": int(calibration.n_blocks),
            "n_takes": int(calibration.n_takes),
            "promised": calibration.promised,
            "stress_bpcer": _known(calibration.stress_bpcer),
            "stress_bpcer_interval": [_known(end) for end in calibration.stress_interval],
            "origin": str(calibration.origin),
            "statement": str(calibration.statement),
        },
        "results": [_group_as_json(item) for item in result.results],
        "presentations": [_presented_as_json(one) for one in result.presented],
        "note": INDEPENDENCE_NOTE,
    }


def _known(value: float) -> float | None:
    """Return a number; None where it is not known, as with a single condition."""
    return float(value) if math.isfinite(value) else None


def _group_as_json(item: GroupResult) -> dict[str, Any]:
    return {
        "name": item.name,
        "is_attack": item.is_attack,
        "n": item.n,
        "n_accepted": item.n_accepted,
        "n_refused": item.n_refused,
        "n_unfamiliar": item.n_unfamiliar,
        "n_no_response": item.n_no_response,
        "error_rate": item.errors.value,
        "error_interval": list(item.errors.interval),
        "n_frames": item.n_frames,
        "n_frames_accepted": item.n_frames_accepted,
    }


def _presented_as_json(one: Presented) -> dict[str, Any]:
    presentation, take = one.presentation, one.take
    return {
        "number": presentation.number,
        "group": one.group,
        "species": presentation.species,
        "light": take.condition,
        "session": take.session,
        "take": take.name,
        "verdict": presentation.verdict.value,
        "mean_score": presentation.score,
        "n_frames": len(presentation.frames),
        "n_scored": len(presentation.scores),
    }
