"""A fitted model and what the app has to know beside it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.conditions import EnrolledConditions
from lmkl_core import LocalisedMKL


@dataclass(frozen=True, eq=False)
class PadModel:
    """A fitted estimator with its views' origin and the circumstances of its takes.

    Never changed once made: threads share it without locks, and growing gives another one.

    Attributes
    ----------
    estimator : LocalisedMKL
        Fitted.
    features : dict
        What decides the values of views (`Extractor.fingerprint`): checked when it is loaded.
    conditions : EnrolledConditions or None
        Ranges of the takes' circumstances; None for presets that look at no face.
    takes : tuple of str
        Names of the takes' parts, in the order of the estimator's.
    path : str
        File it was exported to or loaded from; empty while it is in memory only.
    digest : str
        Names the file's contents; empty while there is none.
    is_simulated : bool
        Whether frames of the demo were enrolled.
    """

    estimator: LocalisedMKL
    features: dict[str, Any]
    conditions: EnrolledConditions | None
    takes: tuple[str, ...]
    path: str = ""
    digest: str = ""
    is_simulated: bool = False
    notes: tuple[str, ...] = field(default=())
    """What the person should know of how it was fitted."""

    @property
    def threshold(self) -> float:
        """Accept when ``score >= threshold``."""
        return float(self.estimator.offset_)

    @property
    def view_names(self) -> tuple[str, ...]:
        """Names of the views, in the order of the weights."""
        return tuple(str(name) for name in self.estimator.view_names_)

    @property
    def is_saved(self) -> bool:
        """Whether a file holds it."""
        return bool(self.path)

    def explain(
        self, views: Mapping[str, NDArray[np.float32]]
    ) -> tuple[NDArray[np.float64], tuple[float, ...]]:
        """Return one frame's terms (clusters, views), which sum to its score, and memberships."""
        terms = self.estimator.explain(views)[0]
        memberships = self.estimator.memberships(views)[0]
        return terms, tuple(map(float, memberships))
