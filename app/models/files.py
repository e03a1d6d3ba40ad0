"""Models in files: saved with a check of what was saved, loaded with a check that it fits."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.models.model import PadModel
from app.names import LONGEST_PERSON, cleaned_name
from app.vision.conditions import NAMES, EnrolledConditions
from lmkl_core.errors import ModelFileError
from lmkl_core.model_file import load_with_manifest, save_model

SUFFIX = ".safetensors"
PROTECTED_SUFFIX = ".lmkl"
"""Of models behind a passphrase. The contents tell whether there is one; the name is a promise."""

COMPARED_ROWS = 64
"""Rows that are scored by both models after an export."""

LONGEST_NAME = 200
"""Characters of a name in a file that are kept: it must not fill the screen."""


@dataclass(frozen=True)
class Export:
    """A model that was saved, read back and compared.

    Attributes
    ----------
    model : PadModel
        The saved one, which now knows its file.
    n_compared : int
        Rows that both scored.
    largest_difference : float
        Of any score, 0 when they agree to the last bit.
    """

    model: PadModel
    n_compared: int
    largest_difference: float

    @property
    def statement(self) -> str:
        """What was checked, in one sentence."""
        difference = (
            "agree to the last bit"
            if self.largest_difference == 0
            else f"differ by at most {self.largest_difference:.1e}"
        )
        return f"Read back and compared: {self.n_compared} scores {difference}."


def save(model: PadModel, path: str | os.PathLike[str], *, passphrase: str | None = None) -> Export:
    """Save a model, load it again and compare what both say.

    Parameters
    ----------
    model : PadModel
        Stays as it is.
    path : path-like
        The file; an older one is replaced only by one that can be read.
    passphrase : str, optional
        Without it nobody opens the file again.

    Raises
    ------
    ModelFileError
        In one sentence, when it cannot be written, or what was written scores differently.
    InvalidInputError
        In one sentence, when the passphrase is too short or no text.
    """
    target = Path(path)
    if passphrase is None and _promises_protection(target):
        raise ModelFileError(
            f"The name of {target.name} says that it is protected: give a passphrase, or let it "
            f"end in {SUFFIX}."
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
    views = _some_rows(model)
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
    """Load a model.

    Parameters
    ----------
    path : path-like
        The file; it may be hostile.
    features : mapping, optional
        Fingerprint of the running views: a model of other views is refused.
    passphrase : str, optional
        Of a protected model; an unprotected one is then refused.

    Raises
    ------
    ModelFileError
        In one sentence: `PassphraseNeeded` and `WrongPassphrase` where a protected one stays shut.
    """
    source = Path(path)
    estimator, manifest = load_with_manifest(source, passphrase=passphrase)
    if passphrase is None and _promises_protection(source):
        # Whoever exchanges a protected model for one of their own has no passphrase to do it with.
        raise ModelFileError(
            f"Model file {source.name!r} cannot be used because it is not protected, though its "
            "name says so: make sure that it was not exchanged, then give it another name."
        )
    _check_view_names(source.name, manifest.view_names)
    extra = manifest.extra
    try:
        takes = _take_names(extra.get("takes"), len(manifest.takes))
        model = PadModel(
            estimator,
            _features(extra.get("features", {})),
            _conditions(extra.get("conditions"), takes),
            takes,
            _persons(extra.get("persons"), takes),
            is_simulated=extra.get("simulated") is True,
            created=datetime.fromisoformat(manifest.created),
            digest=manifest.digest,
            path=str(source),
            is_protected=passphrase is not None,
        )
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        raise ModelFileError(
            f"Model file {source.name!r} cannot be used because what it says of its takes makes "
            "no sense: export the model again."
        ) from error
    if features is not None and (difference := difference_of(model.features, features)):
        raise ModelFileError(
            f"Model file {source.name!r} does not fit the views in use: {difference}."
        )
    return model


def difference_of(saved: Mapping[str, Any], running: Mapping[str, Any]) -> str:
    """Say what differs between two fingerprints of views; empty when nothing does."""
    if not _preset(saved):
        return "it does not say which views it was made with; fit a model in this program"
    theirs, ours = _preset(saved), _preset(running)
    if theirs.get("name") != ours.get("name"):
        name = cleaned_name(str(theirs.get("name")), LONGEST_NAME)
        return (
            f"it was made with the views {name!r}, and {ours.get('name')!r} are "
            "in use; choose the former in the settings"
        )
    if any(theirs.get(part) != ours.get(part) for part in ("crops", "branches")):
        return f"the views {ours.get('name')!r} have changed since it was made; enrol again"
    if saved.get("weights") != running.get("weights"):
        return (
            "the networks' weights are others; use those it was made with, or enrol again "
            "(lmkl-pad weights list shows them)"
        )
    if saved.get("format") != running.get("format"):
        return "the way views are computed has changed since it was made; enrol again"
    return ""


def _promises_protection(path: Path) -> bool:
    return path.suffix.lower() == PROTECTED_SUFFIX


def _preset(features: Mapping[str, Any]) -> Mapping[str, Any]:
    preset = features.get("preset")
    return preset if isinstance(preset, Mapping) else {}


def _features(stored: Any) -> dict[str, Any]:
    if not isinstance(stored, dict):
        raise TypeError("the views' origin is no object")
    return stored


def _conditions(stored: Any, takes: tuple[str, ...]) -> EnrolledConditions | None:
    if stored is None:
        return None
    if stored["names"] != list(NAMES):
        raise ValueError("other circumstances were measured")
    low, high = (_numbers(stored[end], (len(takes), len(NAMES))) for end in ("low", "high"))
    if (low > high).any():
        raise ValueError("a range of circumstances ends before it begins")
    return EnrolledConditions(takes, low, high)


def _numbers(stored: Any, shape: tuple[int, int]) -> NDArray[np.float64]:
    """Return rows of finite numbers; texts that look like numbers are none."""
    values = np.array(stored)
    if values.shape != shape or values.dtype.kind not in "if" or not np.isfinite(values).all():
        raise ValueError("ranges of circumstances are not finite numbers")
    return values.astype(np.float64)


def _check_view_names(file: str, names: tuple[str, ...]) -> None:
    # The library takes any name; here they stand in the window and in reports.
    if any(name != cleaned_name(name, LONGEST_NAME) for name in names):
        raise ModelFileError(
            f"Model file {file!r} cannot be used because its views have names that cannot be "
            "shown: fit a model in this program."
        )


def _names(stored: Any, longest: int = LONGEST_NAME) -> tuple[str, ...]:
    if not isinstance(stored, list) or not all(isinstance(name, str) for name in stored):
        raise TypeError("names are no texts")
    return tuple(cleaned_name(name, longest) for name in stored)


def _persons(stored: Any, takes: tuple[str, ...]) -> tuple[str, ...]:
    if stored is None:
        return ()
    persons = _names(stored, LONGEST_PERSON)
    if len(persons) != len(takes):
        raise ValueError("persons and takes are not the same number")
    return persons


def _take_names(stored: Any, n_takes: int) -> tuple[str, ...]:
    if stored is None:
        return tuple(f"take {number + 1}" for number in range(n_takes))
    names = _names(stored)
    if len(names) != n_takes:
        raise ValueError("names and takes are not the same number")
    return names


def _some_rows(model: PadModel) -> dict[str, np.ndarray]:
    """Return rows that scoring rests on, evenly over all of them."""
    views = model.estimator.support_views()
    n = len(next(iter(views.values())))
    rows = np.unique(np.linspace(0, n - 1, min(n, COMPARED_ROWS)).astype(int))
    return {name: array[rows] for name, array in views.items()}
