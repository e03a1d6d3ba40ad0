"""The manifest: everything about a model that is not an array, as readable JSON."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta, Struct

from lmkl_core.errors import InvalidInputError
from lmkl_core.estimator import LocalisedMKL
from lmkl_core.fitting.fit import Settings
from lmkl_core.kernels import KERNELS, PRECOMPUTED
from lmkl_core.model_file.container import (
    ANOTHER_FILE,
    DIGEST,
    Refused,
    Text,
    canonical,
    checked,
    quoted,
)

FORMAT = "lmkl-pad model"
VERSION = 3

EXACT: Literal["exact"] = "exact"
INDUCING: Literal["inducing"] = "inducing"

LARGEST_NUMBER = 1e100
"""No fit produces larger numbers, and squares up to it are still finite."""

LARGEST_EXTRA = 64 << 10  # bytes of JSON

PARAMETERS = tuple(LocalisedMKL().get_params())
SETTINGS = tuple(
    name for name in Settings.__dataclass_fields__ if name not in ("kernel", "random_state")
)
"""Checked parameters of the stored fit; those of the constructor may have changed since."""

Natural = Annotated[int, Meta(ge=0, le=2**53)]
Count = Annotated[int, Meta(ge=1, le=2**53)]
Real = Annotated[float, Meta(ge=-LARGEST_NUMBER, le=LARGEST_NUMBER)]
NotNegative = Annotated[float, Meta(ge=0, le=LARGEST_NUMBER)]
Positive = Annotated[float, Meta(ge=1 / LARGEST_NUMBER, le=LARGEST_NUMBER)]
Share = Annotated[float, Meta(gt=0, lt=1)]
Rate = Annotated[float, Meta(ge=0, le=1)]


class Strict(Struct, frozen=True, forbid_unknown_fields=True):
    """A JSON object with checked keys and values."""


class ViewEntry(Strict, frozen=True):
    """A view: its name, number of columns and fitted kernel."""

    name: Text
    columns: Count
    kernel: Text
    width: Positive


class ThresholdEntry(Strict, frozen=True):
    """The scalars of `lmkl_core.Calibration`; with a single condition there is no stress rate."""

    threshold: Real
    target_bpcer: Share | None
    bpcer: Rate
    interval: tuple[Rate, Rate]
    confidence: Share
    n_scores: Count
    n_effective: Annotated[float, Meta(ge=1)]
    n_blocks: Count
    n_takes: Count
    block_length: Count
    promised: bool | None
    stress_bpcer: Rate | None
    stress_interval: tuple[Rate, Rate]
    origin: Text
    statement: Text

    def __post_init__(self) -> None:
        if max(self.n_effective, self.n_blocks, self.n_takes) > self.n_scores:
            raise ValueError("n_effective, n_blocks or n_takes exceeds n_scores")
        if any(low > high for low, high in (self.interval, self.stress_interval)):
            raise ValueError("an interval ends before it starts")
        if (self.promised is None) != (self.target_bpcer is None):
            raise ValueError("target_bpcer or promised is set without the other")
        _check_printable(self.origin, self.statement)


class CertificateEntry(Strict, frozen=True):
    """Gap on the present rows, and the scalars of `lmkl_core.Solution` with its own gap."""

    gap: NotNegative
    objective: Positive
    lower_bound: Real
    solution_gap: NotNegative
    solver: Text
    stop_reason: Text
    n_iter: Natural
    n_solves: Natural
    constraint_is_convex: bool | None

    def __post_init__(self) -> None:
        if self.lower_bound > self.objective:
            raise ValueError("lower_bound exceeds objective")
        _check_printable(self.solver, self.stop_reason)


class Manifest(Strict, frozen=True, kw_only=True):
    """Description of a model in its file.

    Attributes
    ----------
    library, created : str
        Version of this library, and creation time (ISO 8601, with a zone).
    parameters, settings : dict
        Those of the constructor, and those of the fit.
    single_array, feature_names : bool, tuple of str or None
        Whether the model was fitted on one plain array, and the names of its columns.
    n_rows, n_support, n_clusters : int
        Numbers of training rows, of rows used for scoring (all, or inducing points), of clusters.
    takes, conditions : tuple of int
        Number of rows of every take, and the number of its condition.
    delta : float
        The paper's delta.
    column_major : tuple of str
        Tensors stored transposed because they are column-major in memory: products with another
        memory layout may round differently.
    extra : dict
        Values added by the caller.
    digest : str
        SHA-256 of all of this and the tensors; it identifies the model.
    """

    kind: Literal["exact", "inducing"]
    library: Text
    created: Text
    parameters: dict[str, Any]
    settings: dict[str, Any]
    views: tuple[ViewEntry, ...]
    dtype: Literal["float32", "float64"]
    single_array: bool
    feature_names: tuple[Text, ...] | None
    n_rows: Count
    n_support: Count
    n_clusters: Count
    takes: tuple[Count, ...]
    conditions: tuple[Natural, ...]
    delta: Positive
    threshold: ThresholdEntry
    certificate: CertificateEntry
    column_major: tuple[Text, ...]
    extra: dict[str, Any]
    digest: Text

    def __post_init__(self) -> None:
        _check_printable(self.library)
        _check_time(self.created)
        for where, found, wanted in (
            ("parameters", self.parameters, PARAMETERS),
            ("settings", self.settings, SETTINGS),
        ):
            if odd := set(found) ^ set(wanted):
                raise ValueError(f"the key {quoted(min(odd))} of its {where} is unknown or missing")
        if len(canonical(self.extra)) > LARGEST_EXTRA:
            raise ValueError(f"its extra entries exceed {LARGEST_EXTRA >> 10} KiB")
        _check_views(self)
        _check_counts(self)

    @property
    def view_names(self) -> tuple[str, ...]:
        """Names of the views."""
        return tuple(view.name for view in self.views)

    def document(self) -> dict[str, Any]:
        """The manifest as a JSON object, without its digest."""
        document = {"format": FORMAT, "version": VERSION, **msgspec.to_builtins(self)}
        del document[DIGEST]
        return document


def plain(value: object) -> Any:
    """Return a value as plain JSON types, with NumPy scalars as Python numbers."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, (bytes, bytearray)):
        return [plain(part) for part in value]
    raise Refused(f"it contains {quoted(value)}, which cannot be stored")


def parse_manifest(document: dict[str, Any]) -> Manifest:
    """Check every key of a parsed manifest."""
    document = dict(document)
    if document.pop("format", None) != FORMAT:
        raise Refused("its manifest is from another program", ANOTHER_FILE)
    version = checked(document.pop("version", None), Natural, "its version")
    if version > VERSION:
        reason = f"it has format version {version} but this program reads version {VERSION}"
        raise Refused(reason, "update lmkl-pad")
    if version < VERSION:
        raise Refused("it was saved by an earlier version with an unsafe threshold", "enrol again")
    return checked(document, Manifest, "its manifest")


def restored_parameters(manifest: Manifest) -> dict[str, Any]:
    """Return the parameters of the constructor, checked by the estimator."""
    parameters = manifest.parameters
    kernel = parameters["kernel"]
    parts = list(kernel.values()) if isinstance(kernel, dict) else kernel
    if not all(isinstance(part, str) for part in (parts if isinstance(parts, list) else [parts])):
        raise Refused(f"its parameter kernel is {quoted(kernel)} instead of a name or names")
    seed = parameters["random_state"]
    if seed is not None and (type(seed) is not int or not 0 <= seed < 2**32):
        raise Refused(f"its parameter random_state is {quoted(seed)} instead of a seed")
    _checked_settings(manifest, parameters, "its parameters")
    return parameters


def restored_settings(manifest: Manifest) -> Settings:
    """Return the settings of the stored fit, checked by the estimator."""
    for view in manifest.views:
        if view.kernel != PRECOMPUTED and view.kernel not in KERNELS:
            raise Refused(
                f"its view {quoted(view.name)} uses the kernel {quoted(view.kernel)}, which is not "
                "registered here",
                f"call lmkl_core.register_kernel({quoted(view.kernel)}, function) first",
            )
    kernels = {"kernel": [view.kernel for view in manifest.views]}
    settings = _checked_settings(manifest, manifest.settings | kernels, "its settings")
    if settings.n_clusters != manifest.n_clusters:
        raise Refused(
            f"its settings have {settings.n_clusters} clusters but it has {manifest.n_clusters}"
        )
    # Appending rows does not change the paper's delta.
    rows = manifest.delta / settings.delta
    if not 1 - 1e-9 <= rows <= manifest.n_rows * (1 + 1e-9):
        raise Refused("its delta does not match its settings and number of rows")
    return settings


def _checked_settings(manifest: Manifest, parameters: dict[str, Any], what: str) -> Settings:
    try:
        return LocalisedMKL(**parameters).settings(manifest.view_names)
    except InvalidInputError as error:
        raise Refused(f"{what} are not valid ({str(error).rstrip('.')})") from None


def _check_printable(*texts: str) -> None:
    if not all(text.isprintable() for text in texts):
        raise ValueError("a text contains control characters")


def _check_time(created: str) -> None:
    try:
        has_zone = datetime.fromisoformat(created).tzinfo is not None
    except ValueError:
        has_zone = False
    if not has_zone:
        raise ValueError(f"its time {quoted(created)} is not an ISO 8601 time with a zone")


def _check_views(manifest: Manifest) -> None:
    names = manifest.view_names
    if not names or len(set(names)) < len(names):
        raise ValueError("it has no views or repeats their names")
    # Dividing by a width outside the normal range of the dtype would overflow.
    limits = np.finfo(manifest.dtype)
    for view in manifest.views:
        if not float(limits.tiny) <= view.width <= float(limits.max):
            raise ValueError(f"the width of view {quoted(view.name)} is out of range")
        if view.kernel == PRECOMPUTED and (
            manifest.kind == INDUCING or view.columns != manifest.n_rows
        ):
            raise ValueError(f"view {quoted(view.name)} is not a precomputed kernel of its rows")
    if manifest.single_array and len(names) > 1:
        raise ValueError("it has several views but was fitted on one array")
    if manifest.feature_names is not None and (
        not manifest.single_array or len(manifest.feature_names) != manifest.views[0].columns
    ):
        raise ValueError("its column names do not match its views")


def _check_counts(manifest: Manifest) -> None:
    if sum(manifest.takes) != manifest.n_rows:
        raise ValueError("the rows of its takes do not add up to its number of rows")
    n_takes = len(manifest.takes)
    # Numbers are bounded, because memory is allocated for that many conditions.
    if len(manifest.conditions) != n_takes or max(manifest.conditions) >= n_takes:
        raise ValueError("its conditions do not match its takes")
    if manifest.kind == EXACT and manifest.n_support != manifest.n_rows:
        raise ValueError("it is an exact fit but does not score with all of its rows")
    if manifest.threshold.n_scores > manifest.n_rows:
        raise ValueError("its threshold has more scores than there are rows")
