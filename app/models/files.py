"""Model files: read back and compared after saving, checked against the views when loaded."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np

from app.models.model import PadModel, preset_name, preset_of
from app.names import LONGEST_PERSON, cleaned_name
from app.vision.conditions import NAMES, EnrolledConditions
from lmkl_core.errors import ModelFileError
from lmkl_core.model_file import load_with_manifest, save_model

SUFFIX = ".safetensors"
PROTECTED_SUFFIX = ".lmkl"
"""Suffix of models with a passphrase; whether one is needed depends on the contents alone."""

COMPARED_ROWS = 64
"""Rows that both models score for the comparison after saving."""
LONGEST_NAME = 200
"""Characters kept of a name in a file."""

_Finite = Annotated[float, msgspec.Meta(ge=-sys.float_info.max, le=sys.float_info.max)]


class _Conditions(msgspec.Struct):
    """Ranges of the conditions of every take."""

    names: list[str]
    low: list[list[_Finite]]
    high: list[list[_Finite]]

    def of(self, takes: tuple[str, ...]) -> EnrolledConditions:
        low, high = np.array(self.low), np.array(self.high)
        if self.names != list(NAMES) or not low.shape == high.shape == (len(takes), len(NAMES)):
            raise ValueError("it lists other conditions")
        if (low > high).any():
            raise ValueError("a range of conditions ends before it begins")
        return EnrolledConditions(takes, low, high)


class _Extra(msgspec.Struct):
    """What a model file holds besides the estimator; the library alone writes none of it."""

    features: dict[str, Any] = {}
    takes: list[str] | None = None
    persons: list[str] | None = None
    conditions: _Conditions | None = None
    simulated: Any = False


@dataclass(frozen=True)
class Export:
    """A model that was saved, read back and compared; ``model`` knows its file."""

    model: PadModel
    n_compared: int
    largest_difference: float

    @property
    def statement(self) -> str:
        """What was checked."""
        difference = "agree to the last bit"
        if self.largest_difference:
            difference = f"differ by at most {self.largest_difference:.1e}"
        return f"Read back and compared: {self.n_compared} scores {difference}."


def save(model: PadModel, path: str | os.PathLike[str], *, passphrase: str | None = None) -> Export:
    """Save a model, load it again and compare the scores of both.

    Raises `ModelFileError` if it cannot be written or scores differently, and `InvalidInputError`
    if the passphrase is too short.
    """
    target = Path(path)
    if passphrase is None and _promises_protection(target):
        raise ModelFileError(
            f"The name of {target.name} says that it is protected: give a passphrase, or a name "
            f"that ends in {SUFFIX}."
        )
    try:
        save_model(
            model.estimator,
            target,
            extra=model.extra,
            created=model.created,
            passphrase=passphrase,
        )
    except OSError as error:
        raise ModelFileError(
            f"The model cannot be written to {target} ({error.strerror or error}): "
            "choose another folder."
        ) from error
    loaded = load(target, passphrase=passphrase)
    support = model.estimator.support_views()
    n = len(next(iter(support.values())))
    rows = np.unique(np.linspace(0, n - 1, min(n, COMPARED_ROWS)).astype(int))
    views = {name: array[rows] for name, array in support.items()}
    before, after = (each.estimator.score_samples(views) for each in (model, loaded))
    largest = float(np.max(np.abs(before - after)))
    if loaded.threshold != model.threshold or not largest <= 1e-6:
        raise ModelFileError(
            f"The exported file {target.name} scores differently by {largest:.1e}: "
            "export it again to another disk."
        )
    saved = replace(model, path=str(target), digest=loaded.digest, is_protected=loaded.is_protected)
    return Export(saved, len(before), largest)


def load(
    path: str | os.PathLike[str],
    features: Mapping[str, Any] | None = None,
    *,
    passphrase: str | None = None,
) -> PadModel:
    """Load a model from a file that may be hostile, or raise `ModelFileError`.

    ``features`` is the fingerprint of the views in use: a model of other views is refused. So is an
    unprotected one if a passphrase is given; see also `PassphraseNeeded` and `WrongPassphrase`.
    """
    source = Path(path)
    estimator, manifest = load_with_manifest(source, passphrase=passphrase)
    if passphrase is None and _promises_protection(source):
        # An attacker who replaces a protected model does not know its passphrase.
        raise ModelFileError(
            f"Model file {source.name!r} cannot be used because it is not protected, though its "
            "name says so: make sure that it was not replaced, then rename it."
        )
    # The library accepts any name, but the window and reports have to show it.
    if any(name != cleaned_name(name, LONGEST_NAME) for name in manifest.view_names):
        raise ModelFileError(
            f"Model file {source.name!r} cannot be used because its views have names that cannot "
            "be displayed: fit a model in this program."
        )
    n = len(manifest.takes)
    try:
        extra = msgspec.convert(manifest.extra, _Extra)
        takes = tuple(f"take {number + 1}" for number in range(n))
        if extra.takes is not None:
            takes = _names(extra.takes, n)
        model = PadModel(
            estimator,
            extra.features,
            None if extra.conditions is None else extra.conditions.of(takes),
            takes,
            () if extra.persons is None else _names(extra.persons, n, LONGEST_PERSON),
            is_simulated=extra.simulated is True,
            created=datetime.fromisoformat(manifest.created),
            digest=manifest.digest,
            path=str(source),
            is_protected=passphrase is not None,
        )
    except (ValueError, OverflowError) as error:  # msgspec's errors are ValueErrors
        raise ModelFileError(
            f"Model file {source.name!r} cannot be used because its description of the takes is "
            "invalid: export the model again."
        ) from error
    if features is not None and (difference := difference_of(model.features, features)):
        raise ModelFileError(
            f"Model file {source.name!r} does not fit the views in use: {difference}."
        )
    return model


def difference_of(saved: Mapping[str, Any], running: Mapping[str, Any]) -> str:
    """Return what differs between two fingerprints of views; empty if nothing does."""
    theirs, ours = preset_of(saved), preset_of(running)
    if not theirs:
        return "it does not say which views it was made with; fit a model in this program"
    if theirs.get("name") != ours.get("name"):
        return (
            f"it needs the views {preset_name(saved)!r}, but {ours.get('name')!r} are in use; "
            "change the views in the settings"
        )
    if any(theirs.get(part) != ours.get(part) for part in ("crops", "branches")):
        return f"the views {ours.get('name')!r} have changed since it was made; enrol again"
    if saved.get("weights") != running.get("weights"):
        return (
            "the networks' weights differ; use those it was made with, or enrol again "
            "(lmkl-pad weights list shows them)"
        )
    if saved.get("format") != running.get("format"):
        return "the way views are computed has changed since it was made; enrol again"
    return ""


def _promises_protection(path: Path) -> bool:
    return path.suffix.lower() == PROTECTED_SUFFIX


def _names(stored: list[str], n: int, longest: int = LONGEST_NAME) -> tuple[str, ...]:
    if len(stored) != n:
        raise ValueError("there is not one name for every take")
    return tuple(cleaned_name(name, longest) for name in stored)
