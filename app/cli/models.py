"""The pipeline that a preset or a model needs, and a model's figures as JSON values."""

import logging
import math
import os
from collections.abc import Callable, Mapping
from typing import Any

from app.models.files import LONGEST_NAME, difference_of
from app.models.model import PadModel
from app.models.summary import CERTIFIED_GAP, describe
from app.names import cleaned_name
from app.vision.faces.detector import make_detector
from app.vision.faces.tracking import FaceTracker
from app.vision.pipeline import Pipeline
from lmkl_core.errors import InvalidInputError, ModelFileError
from lmkl_core.features.extractor import Extractor, preset_fingerprint
from lmkl_core.features.liveness import LivenessMeter
from lmkl_core.features.presets import (
    Preset,
    PresetError,
    load_preset,
    preset_from_dict,
    preset_names,
)
from lmkl_core.features.weights import entry_of, weights_folder, weights_names

log = logging.getLogger(__name__)

Progress = Callable[[int, int, str], None]


def pipeline_for(
    preset: Preset | str, detector: str, progress: Progress | None = None
) -> tuple[Pipeline, dict[str, Any]]:
    """Return a pipeline and the fingerprint of its views; the first time takes a minute."""
    chosen = load_preset(preset) if isinstance(preset, str) else preset
    extractor = Extractor(chosen, progress=progress)
    tracker = FaceTracker(make_detector(detector, weights_folder()))
    return Pipeline(extractor, tracker), extractor.fingerprint()


def pipeline_of(
    model: PadModel, detector: str, *, preset: str | None = None, progress: Progress | None = None
) -> Pipeline:
    """Return the pipeline whose views a loaded model was fitted on.

    A ``preset`` insists on its views. Raises `ModelFileError` when the model's views are not those
    that can be computed here.
    """
    name = os.path.basename(model.path)
    wanted = _preset_of(model.features, name) if preset is None else load_preset(preset)
    if wanted.name != _named(model.features):
        # Found out before networks are prepared for nothing.
        made_with = cleaned_name(_named(model.features), LONGEST_NAME)
        raise ModelFileError(
            f"Model file {name!r} was made with the views {made_with!r}, not {wanted.name!r}: "
            "leave out --preset."
        )
    # Also before weights are looked for: fetching them would not help.
    _check_views(model, {**model.features, "preset": preset_fingerprint(wanted)})
    _check_weights(model)
    pipeline, features = pipeline_for(wanted, detector, progress)
    _check_views(model, features)
    try:
        pipeline.meter = LivenessMeter.find(progress=progress)
    except InvalidInputError as error:
        log.warning("Frames are judged without liveness: %s", error)
    return pipeline


def _check_views(model: PadModel, features: Mapping[str, Any]) -> None:
    if difference := difference_of(model.features, features):
        name = os.path.basename(model.path)
        raise ModelFileError(f"Model file {name!r} does not fit the views in use: {difference}.")


def _check_weights(model: PadModel) -> None:
    """Refuse weights that the program no longer knows."""
    weights = model.features.get("weights")
    for network, digest in weights.items() if isinstance(weights, Mapping) else ():
        if network not in weights_names() or not entry_of(network).matches(str(digest)):
            raise ModelFileError(
                f"Model file {os.path.basename(model.path)!r} does not fit the views in use: the "
                f"weights of {cleaned_name(str(network), LONGEST_NAME)} have changed since it was "
                "made; enrol again."
            )


def _named(features: Mapping[str, Any]) -> str:
    preset = features.get("preset")
    return str(preset.get("name", "")) if isinstance(preset, Mapping) else ""


def _preset_of(features: Mapping[str, Any], file: str) -> Preset:
    """Return the views that a model names: built in, or as its file spells them out."""
    name = _named(features)
    if name in preset_names():
        return load_preset(name)
    if not name:
        raise ModelFileError(
            f"Model file {file!r} does not fit the views in use: {difference_of(features, {})}."
        )
    try:
        return preset_from_dict(_as_preset_file(features["preset"]))
    except (PresetError, InvalidInputError, TypeError, LookupError, AttributeError) as error:
        raise ModelFileError(
            f"Model file {file!r} names views that cannot be computed here "
            f"({str(error).rstrip('.')}): use the version of the program it was made with."
        ) from error


def _as_preset_file(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return a fingerprint's preset in the form that preset files have."""
    return {
        "name": stored["name"],
        "crops": {crop["name"]: _crop(crop) for crop in stored["crops"]},
        # A descriptor's version belongs to its values, not to its name.
        "branches": [
            {key: value for key, value in branch.items() if key != "version"}
            for branch in stored["branches"]
        ],
    }


def _crop(stored: Mapping[str, Any]) -> dict[str, Any]:
    if stored["of"] == "image":
        return {"of": "image", "size": stored["size"]}
    if stored["of"] == "box":
        return {"of": "box", "size": stored["size"], "scale": stored["scale"]}
    place = {"native": True} if stored["side"] is None else {"side": stored["side"]}
    return {"centre": stored["centre"], "size": stored["size"], **place}


# ------------------------------------------------------------- as JSON


def known(value: float) -> float | None:
    """Return a finite number, or None."""
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
        "relative_gap": known(shown.gap),
        "certified": shown.gap <= CERTIFIED_GAP,
        "is_simulated": model.is_simulated,
        "threshold": shown.threshold.as_dict(),
        "notes": list(model.notes),
        "people": [
            {
                "name": person.name or None,
                "n_takes": person.n_takes,
                "n_frames": person.n_frames,
                "median_score": known(person.level),
                "bpcer": known(person.bpcer),
                "bpcer_interval": list(person.interval),
                "n_scores": person.n_scores,
                "n_effective": person.n_effective,
            }
            for person in shown.people
        ],
    }


def named_facts(model: PadModel) -> dict[str, Any]:
    """Return what tells a model from others, and its threshold: what goes with its scores."""
    facts = model_facts(model)
    names = ("file", "is_protected", "digest", "preset", "is_simulated", "threshold")
    return {name: facts[name] for name in names}
