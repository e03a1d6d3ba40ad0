"""What is told of a model and of takes to machines."""

import math
from collections.abc import Iterable
from typing import Any

from app.headless.enrolling import TakeRecorded
from app.models.model import PadModel
from app.models.people import PersonSummary
from app.models.summary import CERTIFIED_GAP, describe
from app.session.coverage import coverage_by_person
from app.session.enrolment import Sample
from lmkl_core.calibration.threshold import Calibration


def threshold_facts(calibration: Calibration) -> dict[str, Any]:
    """Return a threshold and what it rests on as JSON values; what is not known is null."""
    return {
        "value": _known(calibration.threshold),
        "target_bpcer": calibration.target_bpcer,
        "bpcer": _known(calibration.bpcer),
        "bpcer_interval": [_known(end) for end in calibration.interval],
        "n_scores": int(calibration.n_scores),
        "n_effective": _known(calibration.n_effective),
        "promised": calibration.promised,
        "origin": str(calibration.origin),
        "statement": str(calibration.statement),
    }


def _known(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def model_facts(model: PadModel) -> dict[str, Any]:
    """Return what identifies a model and how far it can be trusted."""
    shown = describe(model)
    return {
        "file": model.path,
        "is_protected": model.is_protected,
        "digest": model.digest,
        "preset": shown.preset,
        "n_samples": shown.n_samples,
        "takes": list(shown.takes),
        "parameters": dict(shown.parameters),
        "relative_gap": _known(shown.gap),
        "certified": shown.gap <= CERTIFIED_GAP,
        "is_simulated": model.is_simulated,
        "threshold": threshold_facts(model.estimator.calibration_),
        "notes": list(model.notes),
        "people": [person_facts(person) for person in shown.people],
    }


def person_facts(person: PersonSummary) -> dict[str, Any]:
    """Return a person's error rate at the threshold; the name is None if no take gives one."""
    return {
        "name": person.name or None,
        "n_takes": person.n_takes,
        "n_frames": person.n_frames,
        "median_score": _known(person.level),
        "bpcer": _known(person.bpcer),
        "bpcer_interval": list(person.interval),
        "n_scores": person.n_scores,
        "n_effective": person.n_effective,
    }


def named_facts(model: PadModel) -> dict[str, Any]:
    """Return what tells a model from others, and its threshold: what goes with its scores."""
    facts = model_facts(model)
    names = ("file", "is_protected", "digest", "preset", "is_simulated", "threshold")
    return {name: facts[name] for name in names}


def take_facts(take: TakeRecorded) -> dict[str, Any]:
    """Return what became of a take."""
    return {
        "name": take.name,
        "person": take.person or None,
        "source": take.source,
        "n_kept": len(take.samples),
        "n_seen": take.n_seen,
        "refused": dict(take.refused.most_common()),
        "note": take.note or None,
    }


def missing_variety(samples: Iterable[Sample]) -> list[str]:
    """Return what could be enrolled beside these frames, a sentence each."""
    items = coverage_by_person([(s.condition, s.take, s.person) for s in samples])
    return [item.advice for item in items if item.advice]
