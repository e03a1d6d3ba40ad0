"""A fitted model with what the app stores beside the estimator."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.names import cleaned_name
from app.vision.conditions import NAMES, EnrolledConditions
from lmkl_core import LocalisedMKL
from lmkl_core.model_file import from_bytes, to_bytes

LONGEST_PRESET = 200
"""Characters shown of a preset's name."""
_DIGITS = 4
"""Decimals of conditions in files: far finer than any tolerance."""


@dataclass(frozen=True, eq=False)
class PadModel:
    """A fitted estimator with its takes and its views' fingerprint; threads share it unlocked."""

    estimator: LocalisedMKL
    features: dict[str, Any]
    """Everything that determines the values of views (`Extractor.fingerprint`)."""
    conditions: EnrolledConditions | None
    """None for presets that do not use a face."""
    takes: tuple[str, ...]
    """Names, in the order of the estimator's takes."""
    persons: tuple[str, ...] = ()
    """Person of each take, or ``()``; a name may be empty."""
    is_simulated: bool = False
    created: datetime | None = None
    """Stored in the file, so kept: exporting twice gives the same bytes."""
    digest: str = ""
    """Digest of the file that it is, or would be, exported to."""
    path: str = ""
    """File it was exported to or loaded from; empty while only in memory."""
    is_protected: bool = False
    """Whether that file needs a passphrase."""
    notes: tuple[str, ...] = ()
    """Advice for the user about the fit, one sentence each."""

    @property
    def threshold(self) -> float:
        return float(self.estimator.offset_)

    @property
    def view_names(self) -> tuple[str, ...]:
        return tuple(str(name) for name in self.estimator.view_names_)

    @property
    def is_saved(self) -> bool:
        return bool(self.path)

    def explain(
        self, views: Mapping[str, NDArray[np.float32]]
    ) -> tuple[NDArray[np.float64], tuple[float, ...]]:
        """Return one frame's terms (clusters, views), which sum to its score, and memberships."""
        terms, memberships = self.estimator.explain(views, return_memberships=True)
        return terms[0], tuple(map(float, memberships[0]))

    @property
    def extra(self) -> dict[str, Any]:
        """What its file holds besides the estimator."""
        extra: dict[str, Any] = {
            "features": self.features,
            "takes": list(self.takes),
            "simulated": self.is_simulated,
        }
        if any(self.persons):
            extra["persons"] = list(self.persons)
        if self.conditions is not None:
            extra["conditions"] = {
                "names": list(NAMES),
                "low": _rounded(self.conditions.low),
                "high": _rounded(self.conditions.high),
            }
        return extra

    def named(self) -> "PadModel":
        """Return the same model with the digest that its file will have."""
        # Files store whole seconds.
        created = self.created or datetime.now(UTC).replace(microsecond=0)
        data = to_bytes(self.estimator, extra=self.extra, created=created)
        return replace(self, created=created, digest=from_bytes(data)[1].digest)


def preset_of(features: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the preset in a fingerprint of views; empty if it is missing or malformed."""
    preset = features.get("preset")
    return preset if isinstance(preset, Mapping) else {}


def preset_name(features: Mapping[str, Any], longest: int = LONGEST_PRESET) -> str:
    """Return the name of the preset in a fingerprint, for display; empty if unknown."""
    return cleaned_name(str(preset_of(features).get("name", "")), longest)


def _rounded(values: NDArray[np.float64]) -> list[list[float]]:
    return [[round(float(value), _DIGITS) for value in row] for row in values]
