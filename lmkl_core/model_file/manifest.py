"""The manifest: everything about a model that is not an array, as JSON that people can read."""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import numpy as np

from lmkl_core.errors import InvalidInputError
from lmkl_core.estimator import LocalisedMKL
from lmkl_core.fitting.fit import Settings
from lmkl_core.kernels import KERNELS, PRECOMPUTED
from lmkl_core.model_file.container import DIGEST
from lmkl_core.model_file.fields import LARGEST_NUMBER, Fields
from lmkl_core.model_file.refusal import ANOTHER_FILE, Refused, shown
from lmkl_core.model_file.strict_json import canonical
from lmkl_core.validation import Views, check_integer

FORMAT = "lmkl-pad model"
VERSION = 3

EXACT, INDUCING = "exact", "inducing"

LARGEST_EXTRA = 64 << 10
"""Bytes of JSON that a caller may add."""

PARAMETERS = tuple(inspect.signature(LocalisedMKL).parameters)
"""The constructor's parameters: all of them are stored."""

SETTINGS = tuple(
    name for name in Settings.__dataclass_fields__ if name not in ("kernel", "random_state")
)
"""Checked parameters of the fit that is stored. They differ from the constructor's parameters where
those were changed after the fit. Kernels stand with the views, and the seed has done its work."""


@dataclass(frozen=True)
class ViewEntry:
    """One view: its name, its columns and its fitted kernel."""

    name: str
    columns: int
    kernel: str
    width: float


@dataclass(frozen=True)
class Manifest:
    """What a model file says about its model.

    Attributes
    ----------
    kind : str
        ``"exact"`` or ``"inducing"``.
    library, created : str
        Version of this library, and time in UTC (ISO 8601).
    parameters, settings : dict
        Of the constructor, and of the fit.
    views : tuple of ViewEntry
    dtype : str
        Of the views, ``"float32"`` or ``"float64"``.
    single_array : bool
        Whether the model was fitted on one plain array.
    feature_names : tuple of str or None
        Column names of that array, where it had some.
    n_rows, n_support, n_clusters : int
        Training rows, rows that scoring uses (all, or the inducing points), clusters.
    takes, conditions : tuple of int
        Rows of every take; its condition, a number that takes in the same circumstances share.
    delta : float
        The paper's delta.
    threshold : dict
        The scalars of `lmkl_core.Calibration`: the threshold and how it was set.
    certificate : dict
        Gap of the present rows, and the scalars of `lmkl_core.Solution`.
    column_major : tuple of str
        Tensors that are stored transposed because they lie so in memory: products of the
        same numbers in another order of memory may round differently.
    extra : dict
        What the caller added.
    digest : str
        SHA-256 over all of this and the tensors: names the model.
    """

    kind: str
    library: str
    created: str
    parameters: dict[str, Any]
    settings: dict[str, Any]
    views: tuple[ViewEntry, ...]
    dtype: str
    single_array: bool
    feature_names: tuple[str, ...] | None
    n_rows: int
    n_support: int
    n_clusters: int
    takes: tuple[int, ...]
    conditions: tuple[int, ...]
    delta: float
    threshold: dict[str, Any]
    certificate: dict[str, Any]
    column_major: tuple[str, ...]
    extra: dict[str, Any]
    digest: str = ""

    @property
    def view_names(self) -> tuple[str, ...]:
        """Names of the views."""
        return tuple(view.name for view in self.views)

    def document(self) -> dict[str, Any]:
        """The manifest as a JSON object, without its digest."""
        document = {"format": FORMAT, "version": VERSION, **asdict(self)}
        del document[DIGEST]
        return document


def plain(value: object) -> Any:
    """Return a parameter as JSON can hold it, numpy's scalars as Python's own."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, (bytes, bytearray)):
        return [plain(part) for part in value]
    raise Refused(f"it holds {shown(value)}, which no file can hold")


def parse_manifest(document: dict[str, Any]) -> Manifest:
    """Check a parsed manifest, every key of it, and return it."""
    fields = Fields(document, "manifest")
    _check_format(fields)
    manifest = Manifest(
        kind=fields.text("kind", (EXACT, INDUCING)),
        library=fields.sentence("library"),
        created=fields.text("created"),
        parameters=_named(fields.take("parameters"), "parameters", PARAMETERS),
        settings=_named(fields.take("settings"), "settings", SETTINGS),
        views=tuple(_view(value) for value in fields.items("views")),
        dtype=fields.text("dtype", ("float32", "float64")),
        single_array=fields.boolean("single_array"),
        feature_names=fields.optional_texts("feature_names"),
        n_rows=fields.integer("n_rows", 1),
        n_support=fields.integer("n_support", 1),
        n_clusters=fields.integer("n_clusters", 1),
        takes=_counts(fields.items("takes")),
        conditions=_conditions(fields.items("conditions")),
        delta=fields.positive("delta"),
        threshold=_threshold(fields.take("threshold")),
        certificate=_certificate(fields.take("certificate")),
        column_major=fields.texts("column_major"),
        extra=_extra(fields.take("extra")),
        digest=fields.text(DIGEST),
    )
    fields.finish()
    _check_created(manifest.created)
    _check_views(manifest)
    _check_counts(manifest)
    return manifest


def restored_parameters(manifest: Manifest) -> dict[str, Any]:
    """The constructor's parameters, after the estimator's own checks."""
    parameters, names = manifest.parameters, manifest.view_names
    _check_kernel_parameter(parameters["kernel"])
    seed = parameters["random_state"]
    if seed is not None and (type(seed) is not int or not 0 <= seed < 2**32):
        raise Refused(f"its parameter random_state is {shown(seed)} and not a seed")
    try:
        LocalisedMKL(**parameters).settings(Views(names, ()))
        if parameters["n_inducing"] not in (None, "auto"):
            check_integer("n_inducing", parameters["n_inducing"], 1)
    except InvalidInputError as error:
        raise Refused(f"its parameters are refused ({str(error).rstrip('.')})") from None
    return parameters


def restored_settings(manifest: Manifest) -> Settings:
    """The settings of the stored fit, after the estimator's own checks."""
    try:
        twin = LocalisedMKL(**manifest.settings, kernel=[view.kernel for view in manifest.views])
        settings = twin.settings(Views(manifest.view_names, ()))
    except InvalidInputError as error:
        raise Refused(f"its settings are refused ({str(error).rstrip('.')})") from None
    if settings.n_clusters != manifest.n_clusters:
        raise Refused(
            f"its settings speak of {settings.n_clusters} clusters and it has {manifest.n_clusters}"
        )
    # Rows that were appended later leave the paper's delta as it was.
    rows = manifest.delta / settings.delta
    if not 1 - 1e-9 <= rows <= manifest.n_rows * (1 + 1e-9):
        raise Refused("its delta does not match its settings and number of rows")
    return settings


def check_kernels_are_registered(manifest: Manifest) -> None:
    """Refuse a model whose kernel functions are unknown here."""
    for view in manifest.views:
        if view.kernel != PRECOMPUTED and view.kernel not in KERNELS:
            raise Refused(
                f"its view {shown(view.name)} uses the kernel {shown(view.kernel)}, which is not "
                "registered here",
                f"call lmkl_core.register_kernel({shown(view.kernel)}, function) first",
            )


def _check_format(fields: Fields) -> None:
    if fields.take("format") != FORMAT:
        raise Refused("its manifest is of another program", ANOTHER_FILE)
    version = fields.integer("version", 0)
    if version > VERSION:
        reason = f"its format has version {version} and this program reads {VERSION}"
        raise Refused(reason, "update lmkl-pad")
    if version < VERSION:
        raise Refused(
            "it was made by an earlier version, whose threshold was unsafe", "enrol again"
        )


def _named(value: object, where: str, names: tuple[str, ...]) -> dict[str, Any]:
    fields = Fields(value, where)
    result = {name: fields.take(name) for name in names}
    fields.finish()
    return result


def _view(value: object) -> ViewEntry:
    fields = Fields(value, "view")
    view = ViewEntry(
        fields.text("name"),
        fields.integer("columns", 1),
        fields.text("kernel"),
        fields.positive("width"),
    )
    fields.finish()
    return view


def _counts(values: list[Any]) -> tuple[int, ...]:
    if not values or any(type(value) is not int or value < 1 for value in values):
        raise Refused("the rows of its takes are not counted by whole numbers")
    return tuple(values)


def _conditions(values: list[Any]) -> tuple[int, ...]:
    # Below their number: a larger one would ask for as much memory.
    if any(type(value) is not int or not 0 <= value < len(values) for value in values):
        raise Refused("the conditions of its takes are not numbered")
    return tuple(values)


def _threshold(value: object) -> dict[str, Any]:
    fields = Fields(value, "threshold")
    n = fields.integer("n_scores", 1)
    result = {
        "threshold": fields.real("threshold"),
        "target_bpcer": fields.optional_share("target_bpcer"),
        "bpcer": fields.real("bpcer", 0, 1),
        "interval": fields.interval("interval"),
        "confidence": fields.share("confidence"),
        "n_scores": n,
        "n_effective": fields.real("n_effective", 1, n),
        "n_blocks": fields.integer("n_blocks", 1, n),
        "n_takes": fields.integer("n_takes", 1, n),
        "block_length": fields.integer("block_length", 1),
        "promised": fields.optional_boolean("promised"),
        "stress_bpcer": fields.optional_real("stress_bpcer", 0, 1),
        "stress_interval": fields.interval("stress_interval"),
        "origin": fields.sentence("origin"),
        "statement": fields.sentence("statement"),
    }
    fields.finish()
    if (result["promised"] is None) != (result["target_bpcer"] is None):
        raise Refused("its threshold has a target or a promise without the other")
    return result


def _certificate(value: object) -> dict[str, Any]:
    fields = Fields(value, "certificate")
    objective = fields.positive("objective")
    result = {
        "gap": fields.real("gap", 0),
        "objective": objective,
        "lower_bound": fields.real("lower_bound", high=objective),
        "solution_gap": fields.real("solution_gap", 0),
        "solver": fields.sentence("solver"),
        "stop_reason": fields.sentence("stop_reason"),
        "n_iter": fields.integer("n_iter", 0),
        "n_solves": fields.integer("n_solves", 0),
        "constraint_is_convex": fields.optional_boolean("constraint_is_convex"),
    }
    fields.finish()
    return result


def _extra(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Refused("its extra entries are not an object")
    if len(canonical(value)) > LARGEST_EXTRA:
        raise Refused(
            f"its extra entries exceed {LARGEST_EXTRA >> 10} KiB",
            "keep only what identifies things",
        )
    return value


def _check_created(created: str) -> None:
    try:
        time = datetime.fromisoformat(created)
    except ValueError:
        time = None
    if time is None or time.tzinfo is None:
        raise Refused(f"its time {shown(created)} is not an ISO 8601 time with a zone")


def _check_views(manifest: Manifest) -> None:
    names = manifest.view_names
    if not names or len(set(names)) < len(names):
        raise Refused("its views have no names or repeat them")
    # A width outside the normal numbers of the dtype would divide by zero or overflow.
    limits = np.finfo(manifest.dtype)
    for view in manifest.views:
        if not float(limits.tiny) <= view.width <= min(float(limits.max), LARGEST_NUMBER):
            raise Refused(f"the width of view {shown(view.name)} is {view.width:g}")
        if view.kernel == PRECOMPUTED and (
            manifest.kind == INDUCING or view.columns != manifest.n_rows
        ):
            raise Refused(f"view {shown(view.name)} is no precomputed kernel of its rows")
    if manifest.single_array and len(names) > 1:
        raise Refused("it has several views and claims to be fitted on one array")
    if manifest.feature_names is not None and (
        not manifest.single_array or len(manifest.feature_names) != manifest.views[0].columns
    ):
        raise Refused("its column names do not match its views")


def _check_counts(manifest: Manifest) -> None:
    if sum(manifest.takes) != manifest.n_rows:
        raise Refused("the rows of its takes do not add up to its rows")
    if len(manifest.conditions) != len(manifest.takes):
        raise Refused("it does not tell the condition of every take")
    if manifest.kind == EXACT and manifest.n_support != manifest.n_rows:
        raise Refused("it is an exact fit that does not score by all of its rows")
    if manifest.threshold["n_scores"] > manifest.n_rows:
        raise Refused("its threshold rests on more scores than there are rows")


def _check_kernel_parameter(value: object) -> None:
    parts = [value]
    if isinstance(value, dict):
        parts = list(value.values())
    elif isinstance(value, list):
        parts = value
    if not all(isinstance(part, str) for part in parts):
        raise Refused(f"its parameter kernel is {shown(value)} and names no kernels")
